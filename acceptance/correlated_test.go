package acceptance

import (
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// pupils creates d.o and d.p: 300 rows in three groups.
func pupils(t *testing.T, config server.Config) *servertest.Server {
	t.Helper()
	s := servertest.Start(t, config)
	root := s.Open(t, servertest.Root)
	run(t, root, "CREATE DATABASE d")
	for _, table := range []string{"o", "p"} {
		run(t, root, "CREATE TABLE d."+table+" (id INT, g INT)")
		rows := make([]string, 300)
		for i := range rows {
			rows[i] = "(" + strings.Join([]string{string(rune('0' + i%10)), string(rune('0' + i%3))}, ", ") + ")"
		}
		run(t, root, "INSERT INTO d."+table+" VALUES "+strings.Join(rows, ", "))
	}
	return s
}

// A correlated subquery is evaluated for every outer row.
func TestCorrelatedSubqueries(t *testing.T) {
	t.Parallel()
	root := pupils(t, server.Config{}).Open(t, servertest.Root)
	for query, want := range map[string]int{
		"SELECT SUM((SELECT COUNT(*) FROM d.p WHERE p.g = o.g)) FROM d.o":                                          300 * 100,
		"SELECT SUM((SELECT COUNT(*) FROM d.p WHERE p.g < o.g)) FROM d.o":                                          100*100 + 100*200,
		"SELECT COUNT(*) FROM d.o WHERE EXISTS (SELECT 1 FROM d.p WHERE p.g = o.g AND p.id <> o.id)":               300,
		"SELECT COUNT(*) FROM d.o WHERE NOT EXISTS (SELECT 1 FROM d.p WHERE p.g + 1 = o.g AND p.id <> o.id)":       100,
		"SELECT COUNT(*) FROM d.o WHERE id > (SELECT AVG(id) FROM d.p WHERE p.g = o.g AND p.id > (o.id - 100000))": 150,
	} {
		if got := one[int](t, root, query); got != want {
			t.Errorf("%s is %d, want %d", query, got, want)
		}
	}
}

// A subquery that gives another value each time, or that counts its evaluations, is evaluated for every outer row.
func TestCorrelatedSubqueriesThatAct(t *testing.T) {
	t.Parallel()
	session := pupils(t, server.Config{}).Connect(t, servertest.Root)
	servertest.Exec(t, session, "SET @n := 100000")
	for _, query := range []string{
		"SELECT COUNT(DISTINCT (SELECT RAND() FROM d.p WHERE p.g = o.g LIMIT 1)) FROM d.o",
		"SELECT COUNT(DISTINCT (SELECT UUID() FROM d.p WHERE p.g = o.g LIMIT 1)) FROM d.o",
		"SELECT COUNT(DISTINCT (SELECT @n := @n + 1 FROM d.p WHERE p.g = o.g LIMIT 1)) FROM d.o",
	} {
		if got := one[int](t, session, query); got != 300 {
			t.Errorf("%s is %d, want 300", query, got)
		}
	}
}

// A statement in a loop reads the current rows each time.
func TestCorrelatedSubqueriesInALoop(t *testing.T) {
	t.Parallel()
	root := pupils(t, server.Config{}).Open(t, servertest.Root)
	run(t, root, "CREATE TABLE d.seen (n INT)")
	run(t, root, `CREATE PROCEDURE d.grow() BEGIN
		DECLARE i INT DEFAULT 0;
		DECLARE c INT;
		WHILE i < 3 DO
			SELECT COUNT(*) INTO c FROM d.o WHERE (SELECT COUNT(*) FROM d.p WHERE p.g = o.g) >= 100;
			INSERT INTO d.seen VALUES (c);
			SELECT COUNT(*) INTO c FROM d.o WHERE EXISTS (SELECT 1 FROM d.p WHERE p.g = o.g AND p.id <> o.id);
			INSERT INTO d.seen VALUES (c);
			DELETE FROM d.p WHERE g = i;
			SET i = i + 1;
		END WHILE;
	END`)
	run(t, root, "CALL d.grow()")
	if got, want := fetchTexts(t, root, "SELECT n FROM d.seen"), []string{"300", "300", "200", "200", "100", "100"}; !slices.Equal(got, want) {
		t.Errorf("the loop saw %v, want %v", got, want)
	}
}
