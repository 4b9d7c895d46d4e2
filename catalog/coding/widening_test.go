package coding

import "testing"

// TestWidens: type changes that keep every value, and type changes that may not.
func TestWidens(t *testing.T) {
	const general, accents = " CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", " CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci"
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"varchar(20)" + general, "varchar(40)" + general, true},
		{"decimal(8,2)", "decimal(9,2) unsigned", false},
		{"decimal(8,2) unsigned", "decimal(9,2) unsigned", true},
		{"varchar(20)" + general, "varchar(20)" + general, true},
		{"varchar(20)" + general, "text" + general, true},
		{"text" + general, "longtext" + general, true},
		{"varchar(20)" + general, "varchar(19)" + general, false},
		{"varchar(20)" + general, "varchar(40)" + accents, false},
		{"varchar(20)" + general, "char(40)" + general, false},
		{"char(20)" + general, "char(30)" + general, true},
		{"binary(4)", "binary(8)", false},
		{"tinyint", "int", true},
		{"smallint", "mediumint", true},
		{"mediumint", "int", true},
		{"int", "bigint", true},
		{"int unsigned", "bigint unsigned", true},
		{"mediumint unsigned", "int unsigned", true},
		{"bigint", "int", false},
		{"int", "int unsigned", false},
		{"int unsigned", "bigint", false},
		{"int", "double", false},
		{"int", "varchar(40)" + general, false},
		{"year", "int", false},
		{"decimal(8,2)", "decimal(12,2)", true},
		{"decimal(8,2)", "decimal(12,3)", false},
		{"decimal(8,2)", "decimal(7,2)", false},
		{"date", "datetime(6)", false},
		{"enum('a')", "enum('a','b')", false},
		{"nothing", "int", false},
	} {
		if got := Widens(c.from, c.to); got != c.want {
			t.Errorf("%s to %s: %v, want %v", c.from, c.to, got, c.want)
		}
	}
}
