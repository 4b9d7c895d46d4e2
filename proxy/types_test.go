package proxy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/testsize"
)

// TestEqualityIsUpstreams: texts that the upstream collation holds equal are one value, also under collations that the engine here does not
// have, and a bound counts them as one.
func TestEqualityIsUpstreams(t *testing.T) {
	_, owner := begin(t)
	owner.exec("CREATE TABLE ill (age INT, a VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_uca1400_ai_ci, b VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_swedish_ci, c VARCHAR(20) COLLATE utf8mb4_bin)")
	spellings := []string{"Flu", "FLÜ", "flu ", "cold", "Cold", "COLD "}
	for i := range 60 {
		s := spellings[i%len(spellings)]
		if _, err := owner.db.Exec("INSERT INTO ill VALUES (?, ?, ?, ?)", 20+i, s, s, s); err != nil {
			t.Fatal(err)
		}
	}
	for _, column := range []string{"a", "b", "c"} {
		owner.exec("CALL set_attributes('ill', 'qi=age', 'sa=" + column + "')")
		owner.query("CALL anonymize('ill', 'anatomy', 'l=2', 'publish=ill_" + column + "', 'fit=false', 'allow_composition=true')")
		direct := owner.query("SELECT COUNT(DISTINCT " + column + ") FROM ill")
		owner.want("SELECT COUNT(DISTINCT "+column+") FROM published.ill_"+column, direct...)
	}
	// Of six spellings two diseases are left under a: no three of a group can differ.
	owner.exec("CALL set_attributes('ill', 'qi=age', 'sa=a')")
	if _, err := owner.tries("CALL anonymize('ill', 'anatomy', 'l=3', 'publish=three', 'fit=false')"); err == nil {
		t.Error("three different diseases a group were promised of two")
	}
}

// TestPaddedSpellings: a release compares texts with literals as upstream does, whether or not the collation ignores trailing spaces: in
// exact estimates, in ANON_ACTUAL by either way, and by key.
func TestPaddedSpellings(t *testing.T) {
	_, owner := begin(t)
	owner.exec("CREATE TABLE stays (id INT PRIMARY KEY, general VARCHAR(20) COLLATE utf8mb4_general_ci, newer VARCHAR(20) COLLATE utf8mb4_uca1400_ai_ci, apart VARCHAR(20) COLLATE utf8mb4_nopad_bin, "+
		"latin VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_german1_ci, bytes VARCHAR(20) COLLATE utf8mb4_bin, disease VARCHAR(20) COLLATE utf8mb4_general_ci)",
		"INSERT INTO stays SELECT seq, x, x, x, x, x, CONCAT('d', seq DIV 8 % 5, REPEAT(' ', seq % 2)) FROM (SELECT seq, ELT(1 + seq % 8, 'Köln', 'koln', 'Köln ', 'Berlin', 'Basel ', 'Basel ', 'Bern  ', NULL) AS x FROM seq_1_to_2000) rows_",
		"CALL set_attributes('stays', 'ei=id', 'qi=general,newer,apart,latin,bytes', 'sa=disease')",
		"CALL anonymize('stays', 'anatomy', 'l=3', 'fit=false', 'calibrate=false', 'attacks=false')")
	for n, column := range strings.Split("general,newer,apart,latin,bytes", ",") {
		for i, condition := range []string{"$ = 'Köln'", "$ = 'koln'", "'KÖLN  ' = $", "$ = 'Köln '", "$ <> 'koln'", "NOT $ = 'Basel '", "$ = 'Basel'", "$ = 'Basel  '", "$ IN ('koln', 'berlin')", "$ IN ('Basel', 'Bern   ')",
			"$ NOT IN ('Basel  ', 'Berlin')", "$ BETWEEN 'Basel' AND 'Bern'", "$ BETWEEN 'Basel ' AND 'Bern    '", "$ < 'Bern '", "$ <= 'Bern '", "$ > 'Basel   '", "$ >= 'Basel   '", "$ <=> 'Bern'",
			"CASE $ WHEN 'Basel   ' THEN 1 ELSE 0 END = 1", "$ = 'Bern' AND disease = 'd1'", "$ LIKE 'B%'", "UPPER($) = 'BASEL ' OR $ IS NULL"} {
			if (i+n)%testsize.Of(3, 1) != 0 {
				continue // a third of them for each column, others for the next
			}
			condition = strings.ReplaceAll(condition, "$", column)
			truth := owner.query("SELECT COUNT(*) FROM stays WHERE " + condition)
			owner.want("SELECT ANON_ACTUAL(COUNT(*)) FROM published.stays WHERE "+condition, truth...)
			owner.want("SELECT ANON_ACTUAL(COUNT(*)) FROM published.stays WHERE ("+condition+") AND LENGTH(disease) > 0", truth...) // from the columns
			if !strings.Contains(condition, "disease") {
				owner.want("SELECT COUNT(*) FROM published.stays WHERE "+condition, truth...)
				owner.want("SELECT SUM(CASE WHEN "+condition+" THEN 1 ELSE 0 END) FROM published.stays", truth...)
			}
		}
		counts := owner.query("SELECT COUNT(*) FROM stays GROUP BY " + column + " ORDER BY 1, MIN(id)")
		owner.want("SELECT COUNT(*) FROM published.stays GROUP BY "+column+" ORDER BY 1", counts...)
		owner.want("SELECT n FROM (SELECT ANON_ACTUAL(COUNT(*)) AS n, COUNT(*) FROM published.stays GROUP BY "+column+") q ORDER BY 1", counts...)
	}
	owner.want("SELECT COUNT(*) FROM published.stays WHERE disease IN ('d1  ', 'D2')", owner.query("SELECT COUNT(*) FROM stays WHERE disease IN ('d1  ', 'D2')")...)
	estimated := owner.query("SELECT COUNT(*) FROM published.stays WHERE general = 'Basel' AND disease = 'd1'")
	owner.want("SELECT COUNT(*) FROM published.stays WHERE general = 'BASEL  ' AND disease = 'd1 '", estimated...)
	if estimated[0] == "0" {
		t.Error("nobody of Basel has d1")
	}
}

// TestPaddedComparisons: whatever a release is compared with loses the spaces at its end where upstream takes no notice of them: rows of columns, what is
// computed, columns of other tables and values of a subquery, in the view, the relations and the completed tables.
func TestPaddedComparisons(t *testing.T) {
	_, owner := begin(t)
	owner.exec("CREATE TABLE stays (id INT PRIMARY KEY, age INT, town VARCHAR(20) COLLATE utf8mb4_general_ci, apart VARCHAR(20) COLLATE utf8mb4_nopad_bin, disease VARCHAR(20) COLLATE utf8mb4_general_ci)",
		"INSERT INTO stays SELECT seq, 20 + seq % 50, ELT(1 + seq % 5, 'Basel ', 'basel', 'Bern', 'Köln', 'koln  '), ELT(1 + seq % 3, 'p', 'p ', 'q'), CONCAT('d', seq % 7, REPEAT(' ', seq % 2)) FROM seq_1_to_1000",
		"CALL set_attributes('stays', 'ei=id', 'qi=age,town,apart', 'sa=disease')", "CALL anonymize('stays', 'anatomy', 'l=3', 'calibrate=false', 'attacks=false')")
	for _, condition := range []string{
		"(town, age) = ('Basel  ', 30)", "(town, age) IN (('Basel  ', 30), ('koln', 32))", "(age, town) NOT IN ((30, 'Basel  '), (32, 'koln'))", "(town, apart) = ('bern ', 'p ')",
		"CONCAT(town, ' ') = 'Basel'", "CONCAT('basel', ' ') = town", "CONCAT(town, '  ') IN ('bern', 'KOLN ')", "NULLIF(town, CONCAT('Basel', ' ')) IS NULL", "NULLIF(CONCAT(town, ' '), 'Basel') IS NULL",
		"CASE CONCAT(town, ' ') WHEN 'bern' THEN 1 ELSE 0 END = 1", "IF(age > 30, CONCAT(town, ' '), 'z') = 'Basel'", "CONCAT(town, ' ') BETWEEN 'Basel' AND 'bern'", "STRCMP(CONCAT(town, ' '), 'Basel') = 0",
		"town IN (SELECT CONCAT('basel', ' ') UNION SELECT CONCAT('bern', ' '))", "town IN (SELECT 'x' UNION SELECT 'Bern  ')", "town IN (SELECT CONCAT('basel', ' ') UNION SELECT 'Bern  ')", "town IN (SELECT 'koln  ' UNION SELECT CONCAT('basel', ' '))", "town IN (SELECT n FROM (SELECT CONCAT('basel', ' ') AS n) q)", "(town, age) IN (SELECT CONCAT('basel', ' '), 31 UNION SELECT 'Bern  ', 32)", "(age, town) NOT IN (SELECT 30, 'Basel  ')", "(town, apart) IN (SELECT 'bern ', 'p ')",
		"FIELD(town, 'x', 'bern ') = 2", "town = ANY (SELECT CONCAT('basel', ' '))", "town > ALL (SELECT CONCAT('bern', ' '))", "town <= ALL (SELECT 'Basel  ')", "town < ANY (SELECT CONCAT('bern', ' ') UNION SELECT 'bern ')", "EXISTS (SELECT 1 FROM (SELECT CONCAT('bern', ' ') AS n) q WHERE n = town)",
		"town IN (SELECT CONCAT('bern', ' ') AS n HAVING n > '')", "town IN (SELECT MAX(n) FROM (SELECT 'bern  ' AS n) q)", "town IN (WITH q AS (SELECT 'bern  ' AS n) SELECT n FROM q)",
		"town IN (SELECT n FROM (SELECT CONCAT('basel', ' ') AS n UNION SELECT 'Bern  ') q)", "town IN (SELECT CONCAT('basel', ' ') UNION ALL (SELECT 'x' UNION SELECT 'Bern  ') ORDER BY 1)", "town IN (SELECT 'x' UNION ALL SELECT CONCAT('koln', '  '))", "town = (SELECT CONCAT('bern', ' ') AS n ORDER BY n LIMIT 1)",
		"town IN (SELECT 'BASEL  ')", "town IN (SELECT DISTINCT CONCAT('bern', ' '))", "CONCAT(apart, ' ') = 'p '", "apart = 'p '",
	} {
		truth := owner.query("SELECT COUNT(*) FROM stays WHERE " + condition)
		if truth[0] == "0" {
			t.Errorf("nobody has %s: the test shows nothing", condition)
		}
		owner.want("SELECT COUNT(*) FROM published.stays WHERE "+condition, truth...)
		if !strings.Contains(condition, "SELECT") {
			owner.want("SELECT COUNT(*) FROM published.stays_imputed WHERE draw = 1 AND "+condition, truth...)
		}
	}
	const others = " s JOIN (SELECT 'BASEL  ' AS n, 'p ' AS m UNION ALL SELECT 'bern', 'x') o ON s.town = o.n"
	owner.want("SELECT COUNT(*) FROM published.stays"+others, owner.query("SELECT COUNT(*) FROM stays"+others)...)
	for _, question := range []string{"SELECT COUNT(DISTINCT CONCAT(town, ' ')) FROM ", "SELECT MIN(town) = 'basel', MAX(town) = 'KOLN ' FROM ", "SELECT COUNT(*) FROM (SELECT DISTINCT town, age FROM %) q", "SELECT COUNT(*), MIN(age) FROM % GROUP BY town ORDER BY town"} {
		if !strings.Contains(question, "%") {
			question += "%"
		}
		owner.want(strings.Replace(question, "%", "published.stays", 1), owner.query(strings.Replace(question, "%", "stays", 1))...)
	}
	owner.want("SELECT SUM(count) FROM published.stays_sa WHERE disease IN ('d1  ', CONCAT('D2', ' '))", owner.query("SELECT COUNT(*) FROM stays WHERE disease IN ('d1', 'd2')")...)
	plain := owner.query("CALL explain_sql('SELECT COUNT(*) AS n FROM published.stays WHERE CONCAT(town, '' '') = ''Basel'' AND town <= CONCAT(''basel'', '' '') AND age = 30')")
	owner.want(plain[0], owner.query("SELECT COUNT(*) FROM stays WHERE town = 'Basel' AND age = 30")...)
}

// TestManySpellings: large classes of spellings are read from the table, small ones by name; both give the most frequent spelling of every class.
func TestManySpellings(t *testing.T) {
	_, owner := begin(t)
	owner.exec("CREATE TABLE names (i INT, few VARCHAR(20) COLLATE utf8mb4_general_ci, many VARCHAR(20) COLLATE utf8mb4_general_ci, s INT)",
		"INSERT INTO names SELECT seq, IF(seq % 7, CONCAT('Ä', seq % 200), CONCAT('a', seq % 200, '  ')), IF(seq % 7, CONCAT('Ä', seq % 3000), CONCAT('a', seq % 3000, '  ')), seq % 5 FROM seq_1_to_9001")
	for column, classes := range map[string]string{"few": "200", "many": "3000"} {
		owner.exec("CALL set_attributes('names', 'qi="+column+"', 'sa=s')", "CALL anonymize('names', 'anatomy', 'l=2', 'publish="+column+"', 'fit=false', 'calibrate=false', 'attacks=false', 'allow_composition=true')")
		want := owner.query("SELECT HEX(CONCAT('Ä', seq % " + classes + ")) AS v, COUNT(*) FROM seq_1_to_9001 GROUP BY v ORDER BY v")
		owner.want("SELECT HEX("+column+") AS v, COUNT(*) FROM published."+column+" GROUP BY v ORDER BY v", want...)
	}
}

// TestTypes: every MariaDB type is converted faithfully, or refused by name.
func TestTypes(t *testing.T) {
	f, owner := begin(t)
	owner.exec(`CREATE TABLE kinds (i TINYINT(4), u BIGINT(20) UNSIGNED, z INT(5) UNSIGNED ZEROFILL, y YEAR(4), d DECIMAL(20,5), f FLOAT, g DOUBLE, t TIMESTAMP(6) NULL, dt DATETIME(3), da DATE, ti TIME(2),
		e ENUM('x','y'), s SET('p','q'), b BIT(9), v VARBINARY(5), j JSON, w VARCHAR(40) CHARACTER SET latin1, id UUID, ip INET6, p POINT, l INT GENERATED ALWAYS AS (i + 1) VIRTUAL)`,
		"SET time_zone = '+05:30'",
		`INSERT INTO kinds (i, u, z, y, d, f, g, t, dt, da, ti, e, s, b, v, j, w, id, ip, p) VALUES (-5, 18446744073709551615, 7, 1999, 12345678901.12345, 0.1, 1e-300, '2024-05-06 07:08:09.123456', '2024-05-06 07:08:09.123',
		'2024-02-29', '-12:34:56.78', 'y', 'p,q', b'101', x'00ff41', '{"a": 1}', 'Grün', '123e4567-e89b-12d3-a456-426655440000', '::1', POINT(1,2)), (NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL)`)
	analyst := connect(t, f.owners, "root", "testtypes", "charset=latin1") // whatever the client's character set
	columns := map[string]string{"i": "-5", "u": "18446744073709551615", "z": "7", "y": "1999", "d": "12345678901.12345", "g": "1e-300", "t": "2024-05-06 01:38:09.123456", "dt": "2024-05-06 07:08:09.123", "da": "2024-02-29",
		"ti": "-12:34:56.780000", "e": "y", "s": "p,q", "b": "\x00\x05", "v": "\x00\xffA", "w": "Grün", "id": "123e4567-e89b-12d3-a456-426655440000", "ip": "::1", "l": "-4"}
	for column, want := range columns {
		sensitive := "i"
		if column == "i" {
			sensitive = "u"
		}
		rows, err := analyst.tries("SELECT " + column + " FROM ANATOMY(kinds, 2, sa = '" + sensitive + "', qi = '" + column + "')")
		if err != nil {
			t.Errorf("%s: %v", column, err)
			continue
		}
		if column == "w" { // the client's character set
			want = "Gr\xfcn"
		}
		if !slices.Contains(rows, want) || !slices.Contains(rows, "NULL") {
			t.Errorf("%s: %q, want %q and NULL", column, rows, want)
		}
	}
	owner.refused("SELECT p FROM ANATOMY(kinds, 2, sa = 'p', qi = 'i')", 30001, "point")
}

// TestViews: a view is a source as a table is.
func TestViews(t *testing.T) {
	_, owner := begin(t)
	owner.people(200)
	owner.exec("CREATE VIEW grown AS SELECT age, sex, disease FROM people WHERE age >= 30", "CALL set_attributes('grown', 'qi=age,sex', 'sa=disease')",
		"CALL anonymize('grown', 'anatomy', 'l=2', 'fit=false')")
	owner.want("SELECT COUNT(*) FROM published.grown", owner.query("SELECT COUNT(*) FROM people WHERE age >= 30")...)
}

// TestAltered: columns keep their roles by name when the table is altered, and a release says what is gone.
func TestAltered(t *testing.T) {
	_, owner := publishedPeople(t)
	owner.exec("ALTER TABLE people ADD COLUMN town VARCHAR(20) FIRST, DROP COLUMN zip")
	owner.want("CALL set_attributes('people', 'numeric=age')", "id|ei|numeric", "age|qi|numeric", "sex|qi|nominal", "disease|sa|nominal", "since|other|numeric")
	owner.want("SELECT ANON_ACTUAL(COUNT(*)) FROM published.people WHERE age < 40", owner.query("SELECT COUNT(*) FROM people WHERE age < 40")...)
	owner.refused("SELECT ANON_ACTUAL(COUNT(*)) FROM published.people WHERE zip = '121'", 30001, `column "zip" of release people was renamed or dropped`)
	owner.exec("DROP TABLE people")
	if _, err := owner.tries("SELECT ANON_ACTUAL(COUNT(*)) FROM published.people"); err == nil {
		t.Error("a table that is gone has an actual value")
	}
	owner.want("SELECT COUNT(*) FROM published.people", "300")
}

// TestSecondReleaseIsRefused: a table upstream is known again by server, schema and name, also from another connection.
func TestSecondReleaseIsRefused(t *testing.T) {
	f, owner := publishedPeople(t)
	other := connect(t, f.owners, "root", "", "")
	if _, err := other.tries("CALL anonymize('testsecondreleaseisrefused.people', 'mondrian', 'k=5', 'publish=again', 'fit=false')"); err == nil || !strings.Contains(err.Error(), "people") {
		t.Errorf("a second public release: %v", err)
	}
	owner.want("SELECT name, source FROM anonsql.releases", "people|mysql://db.example:3306/testsecondreleaseisrefused.people")
}
