package acceptance

import (
	dbsql "database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// refusedOrAnswered runs a statement that either is error 1367, or like a cast reads the number in a time linear in
// its digits.
func refusedOrAnswered(t *testing.T, conn *dbsql.Conn, statement string) {
	t.Helper()
	err := servertest.Drain(conn.QueryContext(t.Context(), statement))
	if number := servertest.Number(err); err != nil && number != 1367 && number != 1690 && number != 1264 {
		t.Errorf("%.100s ... %.100s: %v", statement, statement[max(0, len(statement)-100):], err)
	}
}

// A number with very many digits, or a very large exponent, is refused or answered at once, in every form. Shorter
// numbers are answered.
func TestLongNumbers(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	conn := s.Connect(t, servertest.Root)
	failsWith(t, conn, 0, "CREATE DATABASE house")
	failsWith(t, conn, 0, "CREATE TABLE house.t (d DECIMAL(20,2), n INT, x LONGTEXT)")
	failsWith(t, conn, 0, "INSERT INTO house.t VALUES (1, 1, REPEAT('1', 1000000))")
	million := strings.Repeat("1", 1_000_000)
	values := map[string]string{"function": "REPEAT('1', 1000000)", "text": "'" + million + "'", "column": "x",
		"exponent": "'1e999999999'", "binary exponent": "'1p999999999'",
		"hexadecimal": "CONCAT('0x', REPEAT('f', 1000000))", "zeros": "CONCAT('1e', REPEAT('0', 2000), '999999999')"}
	places := []string{"SELECT %s FROM house.t", "UPDATE house.t SET n = 1 WHERE %s", "SELECT 1 FROM house.t WHERE %s", "SELECT COUNT(*) FROM house.t GROUP BY %s"}
	turn := 0 // every form gets one or two values in one place; in full, all values in all places
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := values[name]
		for _, form := range []string{"CAST(%s AS DECIMAL)", "CAST(%s AS DECIMAL(20, 2))", "CONVERT(%s, DOUBLE)", "CAST(%s AS SIGNED)", "CAST(%s AS UNSIGNED)",
			"-%s", "%s + 1", "1.5 * %s",
			"%s / 3", "%s DIV 3", "%s %% 3", "%s & 3", "d = %s", "n < %s", "ROUND(%s)", "ABS(%s)", "FLOOR(%s)", "MOD(%s, 3)"} {
			expression := fmt.Sprintf(form, value)
			turn++
			for i, place := range places {
				if every := testsize.Levels(15, 5, 1); every > 1 && (turn%every > 0 || i != turn/every%len(places)) {
					continue
				}
				began := time.Now()
				refusedOrAnswered(t, conn, fmt.Sprintf(place, expression))
				if took := time.Since(began); took > servertest.Soon {
					t.Errorf("%s in %.100s took %v", name, fmt.Sprintf(place, expression), took)
				}
			}
		}
	}
	for _, statement := range []string{"SELECT " + million, "SELECT 1." + million, "SELECT -" + million + "e3", "SELECT 1e" + million,
		"SELECT 1 FROM house.t WHERE d = " + million, "SELECT 1 LIMIT " + million, "INSERT INTO house.t (d) VALUES (" + million + ")"} {
		began := time.Now()
		failsWith(t, conn, 1367, statement)
		if took := time.Since(began); took > servertest.Soon {
			t.Errorf("%.60s took %v", statement, took)
		}
	}
	for _, c := range []struct{ statement, want string }{
		{"SELECT CAST('12.7' AS DECIMAL(10,1)) + '1'", "13.7"},
		{"SELECT CAST(REPEAT('x', 100000) AS SIGNED) + 1", "1"},
		{"SELECT LENGTH(x) FROM house.t WHERE n = '1'", "1000000"},
		{"SELECT LENGTH(0x" + strings.Repeat("4f", 5000) + ")", "5000"},
		{"SELECT x = REPEAT('1', 1000000) FROM house.t", "1"},
		{"SELECT '1e300' * 1 > 1", "1"},
	} {
		if got := one[string](t, conn, c.statement); got != c.want {
			t.Errorf("%.80s is %s, want %s", c.statement, got, c.want)
		}
	}
}

// A text that is stored as a number has as few digits, whatever it comes from: the engine would compute all of them.
func TestStoredNumbersAreShort(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	conn := s.Connect(t, servertest.Root)
	failsWith(t, conn, 0, "CREATE DATABASE house")
	failsWith(t, conn, 0, "CREATE TABLE house.t (d DECIMAL(20,2), n INT, v VARCHAR(200), j JSON)")
	long := strings.Repeat("1", 89) + "e-20000"
	failsWith(t, conn, 0, "INSERT INTO house.t VALUES (1, 1, '"+long+"', '\""+long+"\"')")
	for _, value := range []string{"'" + long + "'", "'-" + long + "'", "v", "CONCAT('-', v)", "j", "CAST(v AS BINARY)"} {
		for _, form := range []string{"INSERT INTO house.t (d) SELECT %s FROM house.t", "INSERT IGNORE INTO house.t (n) SELECT %s FROM house.t",
			"UPDATE house.t SET d = %s", "UPDATE IGNORE house.t SET n = %s"} {
			failsWith(t, conn, 1367, fmt.Sprintf(form, value))
		}
	}
	failsWith(t, conn, 1367, "INSERT INTO house.t (d) VALUES ('"+long+"')")
	failsWith(t, conn, 1367, "CREATE TABLE house.z (d DECIMAL(20,2) DEFAULT '"+long+"')")
	failsWith(t, conn, 1367, "ALTER TABLE house.t ALTER d SET DEFAULT '"+long+"'")
	failsWith(t, conn, 0, "CREATE PROCEDURE house.p() BEGIN DECLARE d DECIMAL(20,2); SET d = '"+long+"'; END")
	failsWith(t, conn, 1367, "CALL house.p()")
	failsWith(t, conn, 0, "CREATE TABLE house.z (d DECIMAL(20,2) DEFAULT '1234567.50')")
	failsWith(t, conn, 0, "INSERT INTO house.z VALUES ()")
	if got := one[string](t, conn, "SELECT d FROM house.z"); got != "1234567.50" {
		t.Errorf("the default is %s", got)
	}
}
