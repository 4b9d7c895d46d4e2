package upstream

import (
	"strings"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/coding"
)

// TestGrants reads lines of SHOW GRANTS as MySQL and MariaDB write them.
func TestGrants(t *testing.T) {
	for _, c := range []struct {
		line          string
		schema, table string
		privilege     sql.PrivilegeType
		holds         bool
	}{
		{"GRANT ALL PRIVILEGES ON *.* TO `root`@`localhost` IDENTIFIED BY PASSWORD '*x' WITH GRANT OPTION", "house", "people", sql.PrivilegeType_Alter, true},
		{"GRANT USAGE ON *.* TO `a`@`%`", "house", "people", sql.PrivilegeType_Alter, false},
		{"GRANT SELECT, ALTER ON `house`.* TO `a`@`%`", "house", "people", sql.PrivilegeType_Alter, true},
		{"GRANT SELECT, ALTER ON `house`.* TO `a`@`%`", "other", "people", sql.PrivilegeType_Alter, false},
		{"GRANT ALTER ON `ho%`.* TO `a`@`%`", "house", "people", sql.PrivilegeType_Alter, true},
		{"GRANT ALTER ON `ho\\_se`.* TO `a`@`%`", "house", "people", sql.PrivilegeType_Alter, false},
		{"GRANT ALTER ON `ho_se`.* TO `a`@`%`", "house", "people", sql.PrivilegeType_Alter, true},
		{"GRANT ALTER ON `house`.`people` TO 'a'@'%'", "house", "people", sql.PrivilegeType_Alter, true},
		{"GRANT ALTER ON `house`.`people` TO 'a'@'%'", "house", "others", sql.PrivilegeType_Alter, false},
		{"GRANT ALTER ON `house`.`people` TO 'a'@'%'", "house", "", sql.PrivilegeType_Alter, false},
		{"GRANT ALTER ROUTINE ON `house`.* TO 'a'@'%'", "house", "people", sql.PrivilegeType_Alter, false},
		{"GRANT SELECT (`ALTER`, `b`), INSERT ON `house`.`people` TO 'a'@'%'", "house", "people", sql.PrivilegeType_Alter, false},
		{"GRANT SELECT, ALTER ON `we``ird`.* TO `a`@`%`", "we`ird", "t", sql.PrivilegeType_Alter, true},
		{"GRANT `role` TO `a`@`%`", "house", "people", sql.PrivilegeType_Alter, false},
		{"GRANT SELECT (`a)`, `b`, ALTER, `c`), INSERT ON `house`.`people` TO 'a'@'%'", "house", "people", sql.PrivilegeType_Alter, false},
		{"GRANT SELECT (`a), ALTER, (b`) ON `house`.`people` TO 'a'@'%'", "house", "people", sql.PrivilegeType_Alter, false},
		{"GRANT SELECT, ALTER ON *.* TO `a`@`%`\nREVOKE ALTER ON `house`.* FROM `a`@`%`", "house", "people", sql.PrivilegeType_Alter, false},
		{"GRANT SELECT, ALTER ON *.* TO `a`@`%`\nREVOKE ALTER ON `house`.* FROM `a`@`%`", "other", "people", sql.PrivilegeType_Alter, true},
		{
			"GRANT ALTER ON *.* TO `a`@`%`\nREVOKE ALTER ON `house`.* FROM `a`@`%`\nGRANT ALTER ON `house`.`people` TO `a`@`%`",
			"house", "people", sql.PrivilegeType_Alter, true,
		},
		{`GRANT ALL PRIVILEGES ON "house".* TO "a"@"%"`, "house", "people", sql.PrivilegeType_Alter, true},
		{`GRANT ALTER ON "we""ird"."t" TO "a"@"%"`, `we"ird`, "t", sql.PrivilegeType_Alter, true},
		{"GRANT ALTER ON house.people TO a@%", "house", "people", sql.PrivilegeType_Alter, true},
		{"GRANT ALTER ON *.* TO \"a\"@\"%\"\nREVOKE ALTER ON \"house\".* FROM \"a\"@\"%\"", "house", "people", sql.PrivilegeType_Alter, false},
		{"GRANT ALTER ON *.* TO `a`@`%`\nREVOKE ALTER ON what nobody foresaw", "house", "people", sql.PrivilegeType_Alter, false},
		{"GRANT ALTER ON `*`.* TO `a`@`%`", "house", "people", sql.PrivilegeType_Alter, false},
		{"GRANT ALTER, SELECT (`b ON *.* TO c`) ON `own`.`t` TO `a`@`%`", "house", "people", sql.PrivilegeType_Alter, false},
		{"GRANT ALTER, SELECT (`b ON *.* TO c`) ON `own`.`t` TO `a`@`%`", "own", "t", sql.PrivilegeType_Alter, true},
		{`GRANT SELECT ("a), ALTER, (b") ON "house"."people" TO "a"@"%"`, "house", "people", sql.PrivilegeType_Alter, false},
		{"GRANT PROXY ON ''@'%' TO 'root'@'localhost' WITH GRANT OPTION", "house", "people", sql.PrivilegeType_Alter, false},
	} {
		var held grants
		for _, line := range strings.Split(c.line, "\n") {
			if g, ok := parseGrant(line, "utf8mb4"); ok {
				held = append(held, g)
			}
		}
		if got := held.hold(c.schema, c.table, []sql.PrivilegeType{c.privilege}); got != c.holds {
			t.Errorf("%s: %v on %s.%s is %v, want %v", c.line, c.privilege, c.schema, c.table, got, c.holds)
		}
	}
}

// TestGrantsInOtherCharacterSets: names come as the session has its results.
func TestGrantsInOtherCharacterSets(t *testing.T) {
	const all = "GRANT ALTER ON *.* TO `m\xfcller`@`%`"
	for set, held := range map[string][3]bool{"utf8mb4": {true, true, true}, "binary": {true, true, true}, "latin1": {true, false, true}, "ascii": {true, false, true},
		"swe7": {false, false, false}, "utf16": {false, false, false}} {
		for i, revoked := range []string{"", "REVOKE ALTER ON `m\xfcller`.* FROM `a`@`%`", "REVOKE ALTER ON `other`.* FROM `a`@`%`"} {
			if set == "ascii" {
				revoked = strings.ReplaceAll(revoked, "\xfc", "?")
			}
			var given grants
			for _, line := range []string{all, revoked} {
				if set == "utf16" {
					line = "\x00" + strings.Join(strings.Split(line, ""), "\x00")
				}
				if g, ok := parseGrant(line, set); ok {
					given = append(given, g)
				}
			}
			if got := given.hold("house", "", []sql.PrivilegeType{sql.PrivilegeType_Alter}); got != held[i] {
				t.Errorf("%s, %q: held is %v", set, revoked, got)
			}
		}
	}
}

// TestColumnTypes: how types of MySQL and MariaDB are stored, and which are refused.
func TestColumnTypes(t *testing.T) {
	for _, c := range []struct{ typ, collation, kept, refused string }{
		{"int(11)", "", "int", ""},
		{"int(5) unsigned zerofill", "", "int unsigned", ""},
		{"year(4)", "", "year", ""},
		{"decimal(65,30)", "", "decimal(65,30)", ""},
		{"time(3)", "", "time(6)", ""},
		{"datetime(6)", "", "datetime(6)", ""},
		{"uuid", "", "varchar(64)", ""},
		{"inet6", "", "varchar(64)", ""},
		{"varchar(20)", "utf8mb4_general_ci", "utf8mb4_general_ci", ""},
		{"varchar(20)", "latin1_swedish_ci", "latin1_swedish_ci", ""},
		{"varchar(20)", "utf8mb4_uca1400_ai_ci", "utf8mb4_unicode_520_ci", ""},
		{"varchar(20)", "utf8mb4_uca1400_nopad_ai_ci", "utf8mb4_0900_ai_ci", ""},
		{"varchar(20)", "utf8mb4_uca1400_as_cs", "utf8mb4_0900_as_cs", ""},
		{"varchar(20)", "utf8mb4_uca1400_bin", "utf8mb4_bin", ""},
		{"varchar(20)", "utf8mb4_nopad_bin", "varchar(20)", ""},
		{"enum('a','it''s')", "utf8mb4_uca1400_ai_ci", "enum('a','it''s')", ""},
		{"point", "", "", "point"},
		{"vector(3)", "", "", "vector"},
	} {
		column := column{name: "c", collation: c.collation}
		column.read(c.typ)
		if got := coding.TypeText(column.typ); c.refused == "" && !strings.Contains(strings.ToLower(got), strings.ToLower(c.kept)) {
			t.Errorf("%s %s is kept as %s, want %s", c.typ, c.collation, got, c.kept)
		}
		if (column.refused != "") != (c.refused != "") || !strings.Contains(column.refused, c.refused) {
			t.Errorf("%s is refused with %q, want %q", c.typ, column.refused, c.refused)
		}
	}
}

// TestMoment reads UNIX_TIMESTAMP's answers.
func TestMoment(t *testing.T) {
	for text, want := range map[string]time.Time{
		"1":              time.Unix(1, 0),
		"1714957689.5":   time.Unix(1714957689, 500_000_000),
		"1714957689.125": time.Unix(1714957689, 125_000_000),
	} {
		if got, err := moment(text); err != nil || !got.Equal(want) {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, wrong := range []string{"0", "0.000000", "x", ""} {
		if got, err := moment(wrong); err == nil {
			t.Errorf("%q: %v, want an error", wrong, got)
		}
	}
}
