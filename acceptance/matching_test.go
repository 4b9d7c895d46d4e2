package acceptance

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// Without a column, a text's own collation decides the comparison. ci and bin set it.
const (
	ci  = " COLLATE utf8mb4_0900_ai_ci"
	bin = " COLLATE utf8mb4_bin"
)

// Answers of MySQL 8.0 (mysql-test/r/regular_expressions_utf-8.result, its manual and its ICU), in both protocols.
func TestRegularExpressions(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	conn := s.Connect(t, servertest.Root)
	for _, c := range []struct{ expression, want string }{
		// The operators.
		{"'abc' REGEXP 'b'", "1"}, {"'abc' RLIKE '^b'", "0"}, {"'abc' NOT REGEXP 'b'", "0"}, {"'abc' NOT RLIKE 'd'", "1"},
		{"NULL REGEXP 'a'", "NULL"}, {"'a' REGEXP NULL", "NULL"}, {"NULL NOT REGEXP 'a'", "NULL"}, {"NOT 'abc' REGEXP 'b'", "0"},
		{"1 + ('b' REGEXP 'b')", "2"}, {"CASE WHEN 'Flu' REGEXP 'l' THEN 'yes' END", "yes"}, {"12 REGEXP '^1'", "1"}, {"'1' REGEXP 1", "1"},
		{"('a' REGEXP 'a') REGEXP '1'", "1"}, {"CONCAT('a', 'b') REGEXP CONCAT('^', 'ab$')", "1"},
		// Case.
		{"'abc'" + ci + " REGEXP 'B'", "1"}, {"'abc'" + bin + " REGEXP 'B'", "0"}, {"BINARY 'abc' REGEXP 'B'", "0"}, {"'abc' REGEXP BINARY 'b'", "1"},
		{"'É'" + ci + " REGEXP 'é'", "1"}, {"'é'" + ci + " REGEXP 'e'", "0"},
		{"REGEXP_LIKE('abc', 'B', 'i')", "1"}, {"REGEXP_LIKE('abc'" + ci + ", 'B', 'c')", "0"}, {"REGEXP_LIKE('abc', 'B', 'ci')", "1"}, {"REGEXP_LIKE('abc', 'B', 'ic')", "0"},
		{"REGEXP_LIKE('abc'" + ci + ", 'B', '')", "1"}, {"REGEXP_LIKE('a', 'a', NULL)", "NULL"}, {"'abc' REGEXP '(?i)B'", "1"}, {"'abc'" + ci + " REGEXP '(?-i)B'", "0"},
		// Lines.
		{"'a\\nb\\nc' REGEXP '^b$'", "0"}, {"'a\\nb\\nc' REGEXP '(?m)^b$'", "1"}, {"REGEXP_LIKE('a\\nb', '^b', 'm')", "1"}, {"'a\\n' REGEXP 'a$'", "1"},
		{"REGEXP_LIKE('a\\nb', 'a.b')", "0"}, {"REGEXP_LIKE('a\\nb', 'a.b', 'n')", "1"}, {"REGEXP_LIKE('a\\rb', 'a.b')", "0"}, {"REGEXP_LIKE('a\\rb', 'a.b', 'u')", "1"},
		// INSTR: positions are characters.
		{"REGEXP_INSTR('abcabcabc', 'a+', 2)", "4"}, {"REGEXP_INSTR('abcabcabc', 'a+', 1, 3)", "7"}, {"REGEXP_INSTR('abcabcabc', 'a+', 1, 4)", "0"}, {"REGEXP_INSTR('abcabcabc', 'a+', 4, 2)", "7"},
		{"REGEXP_INSTR('aaabcabcabc', 'a+', 1, 1, 1)", "4"}, {"REGEXP_INSTR('aaabc', 'A+', 1, 1, 1, 'i')", "4"}, {"REGEXP_INSTR('abc', 'd')", "0"}, {"REGEXP_INSTR('a', 'a', 2)", "0"},
		{"REGEXP_INSTR('a', 'a', NULL)", "NULL"}, {"REGEXP_INSTR('a', 'a', 1, 1, NULL)", "NULL"}, {"REGEXP_INSTR('🍣🍣a', '🍣', 2)", "2"}, {"REGEXP_INSTR('🍣🍣a', 'a', 3)", "3"},
		{"REGEXP_INSTR('aöb', 'ö')", "2"}, {"REGEXP_INSTR('abc', '^b', 2)", "0"}, {"REGEXP_INSTR('ab', '\\\\bb', 2)", "0"},
		// SUBSTR.
		{"REGEXP_SUBSTR('ab ac ad', '.d')", "ad"}, {"REGEXP_SUBSTR('ab ac ad', 'A.', 3, 1, 'i')", "ac"}, {"REGEXP_SUBSTR('ab ac ad', 'A.', 1, 3, 'i')", "ad"}, {"REGEXP_SUBSTR('ab', 'x')", "NULL"},
		{"REGEXP_SUBSTR('a🍣b', '.', 3)", "b"}, {"REGEXP_SUBSTR('abc', 'x*')", ""}, {"REGEXP_SUBSTR('abc def ghi', '[a-z]+', 1, 3)", "ghi"}, {"HEX(REGEXP_SUBSTR(x'FFFF', '.'))", "FF"},
		// REPLACE.
		{"REGEXP_REPLACE('aaabbccbbddaa', 'b+', 'X', 1, 2)", "aaabbccXddaa"}, {"REGEXP_REPLACE('aaabbccbbddaa', '(b+)', '<$1>', 1, 2)", "aaabbcc<bb>ddaa"},
		{"REGEXP_REPLACE('abcbdb', 'b', 'X', 3)", "abcXdX"}, {"REGEXP_REPLACE('aaa', 'a', NULL)", "NULL"}, {"REGEXP_REPLACE('aaab', 'b', 'x', 1, 2)", "aaab"}, {"REGEXP_REPLACE('', 'a*', 'x')", "x"},
		{"REGEXP_REPLACE('a a a', '^([[:alpha:]]+)[[:space:]].*$', '$1')", "a"}, {"REGEXP_REPLACE('abxc', 'x*', '-')", "-a-b--c-"}, {"REGEXP_REPLACE('🍣🍣🍣', '.', 'a', 2, 2)", "🍣🍣a"},
		{"REGEXP_REPLACE('2024-07-09', '(\\\\d+)-(\\\\d+)-(\\\\d+)', '$3.$2.$1')", "09.07.2024"}, {"REGEXP_REPLACE('ab', '(?<x>a)(?<y>b)', '${y}${x}')", "ba"}, {"REGEXP_REPLACE('a', 'a', '\\\\$1')", "$1"},
		{"REGEXP_REPLACE('ab', '(a)|(b)', '[$1$2]')", "[a][b]"}, {"REGEXP_REPLACE('a', '(a)', '$10')", "a0"},
	} {
		for _, statement := range []string{"SELECT COALESCE(" + c.expression + ", 'NULL')", "SELECT COALESCE(CAST(" + c.expression + " AS CHAR), ?)"} {
			var got string
			var err error
			if statement[len(statement)-2] == '?' {
				err = conn.QueryRowContext(context.Background(), statement, "NULL").Scan(&got)
			} else {
				err = conn.QueryRowContext(context.Background(), statement).Scan(&got)
			}
			if err != nil || got != c.want {
				t.Errorf("%s: %q, want %q, %v", statement, got, c.want, err)
			}
		}
	}
}

// Every error has MySQL's number; package regularexpression tests the texts.
func TestRegularExpressionErrors(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	conn := s.Connect(t, servertest.Root)
	for expression, number := range map[string]int{
		"REGEXP_LIKE('a', 'a', 'x')": 1210, "REGEXP_LIKE('a', 'a', 1)": 1210, "REGEXP_INSTR('a', 'a', 1, 1, 2)": 1210, "REGEXP_LIKE('a')": 1582, "REGEXP_SUBSTR('a','b',1,1,'c','d')": 1582,
		"REGEXP_SUBSTR('a', 'a', 0)": 1583, "REGEXP_REPLACE('a', 'a', 'x', 0)": 1583, "'a' REGEXP ''": 3685, "'a' REGEXP '[[:wrong:]]'": 3685, "REGEXP_INSTR('a', 'a', 3)": 3686,
		"REGEXP_INSTR('a', 'a', 0)": 3686, "REGEXP_REPLACE('a', 'a', '$1')": 3686, "'a' REGEXP '+'": 3688, "'a' REGEXP '\\\\'": 3689, "'a' REGEXP '(?=a)'": 3690, "'aa' REGEXP '(a)\\\\1'": 3690,
		"'a' REGEXP '('": 3691, "NULL REGEXP '('": 3691, "'a' REGEXP 'a{}'": 3692, "'a' REGEXP 'a{2,1}'": 3693, "'a' REGEXP '\\\\1'": 3694, "'a' REGEXP 'a['": 3696, "'a' REGEXP '[b-a]'": 3697,
		"'a' REGEXP REPEAT('a', 100000)": 3700, "'a' REGEXP '(a{1000}){1000}'": 3700, "REGEXP_REPLACE('a', 'a', '$x')": 3887, "'a' REGEXP '(?q)a'": 3900,
	} {
		failsWith(t, conn, number, "SELECT "+expression)
	}
}

// A pattern that takes exponential time elsewhere is fast here, and another connection is served meanwhile.
func TestNoPatternFreezesTheServer(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	hostile, other := s.Connect(t, servertest.Root), s.Connect(t, servertest.Root)
	done := make(chan error, 1)
	go func() {
		var n int
		done <- hostile.QueryRowContext(context.Background(), "SELECT ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' REGEXP '^(a|a)*$') + "+
			"('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' REGEXP '^(a+)+$') + REGEXP_INSTR(REPEAT('a', 10000), '(a*)*b')").Scan(&n)
	}()
	for range 20 {
		one[int](t, other, "SELECT 1")
	}
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(5 * time.Minute):
		t.Fatal("still matching after minutes")
	}
}

// KILL ends a match with many steps.
func TestKillWhileMatching(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	hostile, other := s.Connect(t, servertest.Root), s.Connect(t, servertest.Root)
	id := one[int](t, hostile, "SELECT CONNECTION_ID()")
	done := make(chan error, 1)
	go func() {
		var n int
		done <- hostile.QueryRowContext(context.Background(), "SELECT REPEAT('a', 60000000) REGEXP '(?:a?){9000}b'").Scan(&n)
	}()
	servertest.Eventually(t, "the process list shows the match", func() bool {
		select {
		case err := <-done:
			t.Fatalf("ended before it was killed: %v", err)
		default:
		}
		return one[int](t, other, fmt.Sprintf("SELECT COUNT(*) FROM information_schema.processlist WHERE id = %d AND info LIKE '%%REPEAT%%'", id)) == 1
	})
	failsWith(t, other, 0, fmt.Sprintf("KILL QUERY %d", id))
	select {
	case err := <-done:
		if servertest.Number(err) != 1317 {
			t.Errorf("killed: %v", err)
		}
	case <-time.After(5 * time.Minute):
		t.Fatal("not ended minutes after KILL QUERY")
	}
}

// Wherever a statement, or a stored definition, has a regular expression, it reaches the same function. The engine has none (standin).
func TestRegularExpressionsEverywhere(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	conn := s.Connect(t, servertest.Root)
	for _, statement := range []string{
		"CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY, s VARCHAR(20), b VARCHAR(20) COLLATE utf8mb4_bin, p VARCHAR(20))",
		"INSERT INTO d.t VALUES (1, 'Flu', 'Flu', '^f'), (2, 'flux', 'flux', 'X$'), (3, NULL, NULL, 'a'), (4, 'Cold', 'Cold', NULL)",
		"CREATE VIEW d.v AS SELECT id FROM d.t WHERE s REGEXP '^f'", "SET @p = '^F'",
		"CREATE TABLE d.made AS SELECT id, s RLIKE 'l' AS l FROM d.t",
		"PREPARE q FROM 'SELECT COUNT(*) FROM d.t WHERE b REGEXP ?'",
		"CREATE TABLE d.kept (id INT PRIMARY KEY, s VARCHAR(20) CHECK (s RLIKE '^[a-z]'), made INT DEFAULT (IF('ab' REGEXP 'B', 1, 0)), g INT GENERATED ALWAYS AS (IF(s REGEXP 'x$', 1, 0)) STORED)",
		"ALTER TABLE d.kept ADD CONSTRAINT short CHECK (NOT REGEXP_LIKE(s, '.{5}'))",
		"CREATE PROCEDURE d.find(IN p VARCHAR(20)) BEGIN IF p REGEXP '^f' THEN SELECT COUNT(*) FROM d.t WHERE s REGEXP p; ELSE SELECT -1; END IF; END",
		"INSERT INTO d.kept (id, s) VALUES (1, 'flux'), (2, 'foo'), (3, 'bar')",
		"UPDATE d.kept SET s = REGEXP_REPLACE(s, 'a', 'o') WHERE s REGEXP '^F?O' OR s REGEXP 'r$'", // foo and bor
		"DELETE FROM d.kept WHERE s RLIKE '^b'",
		"INSERT INTO d.kept (id, s) VALUES (1, 'x') ON DUPLICATE KEY UPDATE s = IF(VALUES(s) REGEXP 'X', 'zoo', 'no')",
		"INSERT INTO d.kept (id, s) VALUES (5, 'dog')",
	} {
		failsWith(t, conn, 0, statement)
	}
	failsWith(t, conn, 3819, "INSERT INTO d.kept (id, s) VALUES (4, '7up')")
	failsWith(t, conn, 3819, "INSERT INTO d.kept (id, s) VALUES (4, 'fluxes')")
	for statement, want := range map[string]int{
		"SELECT COUNT(*) FROM d.v": 2, "SELECT COUNT(*) FROM d.t WHERE s REGEXP 'FLU'": 2, "SELECT COUNT(*) FROM d.t WHERE b REGEXP 'FLU'": 0, "SELECT COUNT(*) FROM d.t WHERE b REGEXP @p": 1,
		"EXECUTE q USING @p": 1, "SELECT SUM(l) FROM d.made": 3, "SELECT COUNT(*) FROM d.t WHERE s REGEXP p": 2, "SELECT COUNT(*) FROM d.t WHERE s NOT REGEXP p": 0,
		"SELECT COUNT(*) FROM d.t a JOIN d.t b ON a.s REGEXP b.p": 3, "SELECT COUNT(*) FROM (SELECT s REGEXP 'l' AS l FROM d.t GROUP BY s REGEXP 'l') x": 2,
		"SELECT COUNT(*) FROM d.t WHERE id IN (SELECT id FROM d.t WHERE s REGEXP 'x') OR EXISTS (SELECT 1 FROM d.t u WHERE u.id = t.id AND u.s REGEXP '^c')": 2,
		"SELECT COUNT(*) FROM d.t WHERE REGEXP_SUBSTR(s, '.$') = 'd'":                                                                                        1,
		"SELECT COUNT(*) FROM d.kept": 3, "SELECT SUM(made) FROM d.kept": 3, "SELECT g FROM d.kept WHERE id = 1": 0, "CALL d.find('^fl')": -1, "CALL d.find('fl')": 2,
		"SELECT REGEXP_INSTR(s, 'o') FROM d.kept ORDER BY s REGEXP '^z' DESC LIMIT 1": 2, "SELECT COUNT(*) FROM d.t HAVING MAX(s) RLIKE 'X$'": 4,
		"WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE NOT i REGEXP '^3$') SELECT COUNT(*) FROM n": 3,
	} {
		if got := one[int](t, conn, statement); got != want {
			t.Errorf("%s: %d, want %d", statement, got, want)
		}
	}
	if got := one[int](t, conn, "SELECT COUNT(*) FROM d.t WHERE b REGEXP ? AND s REGEXP ?", "^F", "u"); got != 1 {
		t.Errorf("as parameters: %d", got)
	}
}
