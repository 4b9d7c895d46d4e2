package acceptance

import (
	dbsql "database/sql"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// preparedColumns returns what PREPARE and EXECUTE say about the columns: character set, length, type, flags and
// decimals of each, in hexadecimal.
func preparedColumns(t *testing.T, w *wire, text string) (prepared, executed []string) {
	t.Helper()
	w.sequence = 0
	w.send(append([]byte{0x16}, text...))
	answer := packet(t, w)
	if answer[0] != 0 {
		t.Fatalf("%s: %q", text, answer)
	}
	id, columns, parameters := answer[1:5], int(binary.LittleEndian.Uint16(answer[5:])), binary.LittleEndian.Uint16(answer[7:])
	if parameters != 0 {
		t.Fatalf("%s has parameters", text)
	}
	prepared = columnTails(t, w, columns)
	w.sequence = 0
	w.send(append(append([]byte{0x17}, id...), 0, 1, 0, 0, 0))
	if answer = packet(t, w); int(answer[0]) != columns {
		t.Fatalf("%s: %q", text, answer)
	}
	executed = columnTails(t, w, columns)
	for packet(t, w)[0] != 0xfe {
	}
	return prepared, executed
}

func packet(t *testing.T, w *wire) []byte {
	t.Helper()
	p, err := w.receive()
	if err != nil || len(p) == 0 {
		t.Fatalf("%q, %v", p, err)
	}
	return p
}

// columnTails reads descriptions of columns and the EOF after them.
func columnTails(t *testing.T, w *wire, columns int) []string {
	t.Helper()
	tails := make([]string, columns)
	for i := range tails {
		p := packet(t, w)
		tails[i] = hex.EncodeToString(p[len(p)-13:])
	}
	packet(t, w)
	return tails
}

// PREPARE announces the columns of EXECUTE.
func TestTypesAtPrepare(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	servertest.PublishVisits(t, s.Open(t, servertest.Root))
	w, err := wireLogin(s.Addr, "root", "", capUsual)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	for _, counts := range []string{"estimate", "integer"} {
		if _, err := w.query("SET anon_counts = '" + counts + "'"); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{
			"SELECT COUNT(*), SUM(age), AVG(age), COUNT(DISTINCT age), MIN(age) FROM published.p",
			"SELECT COUNT(*), SUM(age), AVG(age), COUNT(DISTINCT disease), MAX(disease) FROM published.p WHERE age > 30 AND disease = 'flu'",
			"SELECT disease, COUNT(*), SUM(age), ANON_LOW(COUNT(*)), ANON_STDERR(COUNT(*)) FROM published.p GROUP BY disease",
			"SELECT COUNT(*) FROM published.p UNION ALL SELECT AVG(age) FROM published.p UNION ALL SELECT COUNT(*) FROM published.p WHERE age > 30 AND disease = 'flu'",
			"SELECT n, n / 3 FROM (SELECT COUNT(*) AS n FROM published.p) d",
			"SELECT v.age, COUNT(*), SUM(v.age) FROM published.p JOIN clinic.visits v ON v.age = p.age GROUP BY v.age",
		} {
			if prepared, executed := preparedColumns(t, w, text); !slices.Equal(prepared, executed) {
				t.Errorf("%s with %s\nPREPARE says %s\nEXECUTE says %s", text, counts, prepared, executed)
			}
		}
	}
}

// Drivers read integer variables when they connect. SET GLOBAL needs SUPER, and affects sessions that begin later.
func TestCountsVariable(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Open(t, servertest.Root)
	servertest.PublishVisits(t, root)
	servertest.Exec(t, root, "CALL create_analyst('bi', 'long enough')")
	const estimated = "SELECT COUNT(*) FROM published.p WHERE age > 34 AND disease = 'flu'"
	open := func(parameters map[string]string) *dbsql.DB {
		config := mysql.NewConfig()
		config.Net, config.Addr, config.User, config.Passwd, config.Params = "tcp", s.Addr, "bi", "long enough", parameters
		return servertest.Dial(t, config)
	}
	var n int64
	if err := open(nil).QueryRow(estimated).Scan(&n); err == nil {
		t.Fatalf("the estimate %d is a whole number: choose another question", n)
	}
	whole := open(map[string]string{"anon_counts": "'integer'"})
	half := one[float64](t, open(nil), estimated)
	for _, query := range []string{estimated, estimated + " AND 1 = ?"} {
		arguments := make([]any, strings.Count(query, "?"))
		for i := range arguments {
			arguments[i] = 1
		}
		if err := whole.QueryRow(query, arguments...).Scan(&n); err != nil || fmt.Sprint(n) != fmt.Sprintf("%.0f", half) && float64(n) != half+.5 {
			t.Errorf("%s: %d, %v, of %v", query, n, err, half)
		}
	}
	_, err := open(nil).Exec("SET GLOBAL anon_counts = 'integer'")
	number(t, err, 1227)
	servertest.Exec(t, root, "SET GLOBAL anon_counts = 'integer'")
	defer servertest.Exec(t, root, "SET GLOBAL anon_counts = 'estimate'")
	if err := open(nil).QueryRow(estimated).Scan(&n); err != nil {
		t.Errorf("after SET GLOBAL: %v", err)
	}
}

// A count over one fragment is the same number whatever other figures are queried with it.
func TestExactBesideEstimates(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Open(t, servertest.Root)
	publishPeople(t, root, 5000)
	for _, where := range []string{"age > 40", "age BETWEEN 25 AND 61", "sex = 'F'", "age % 7 = 3 AND sex = 'M'"} {
		want := one[string](t, root, "SELECT COUNT(*) FROM published.crowd WHERE "+where)
		for _, beside := range []string{"AVG(LENGTH(disease))", "COUNT(DISTINCT disease)", "SUM(CASE WHEN disease = 'flu' THEN age END)", "ANON_STDERR(COUNT(disease))"} {
			var count, other dbsql.NullString
			if err := root.QueryRow("SELECT COUNT(*), "+beside+" FROM published.crowd WHERE "+where).Scan(&count, &other); err != nil {
				t.Fatal(err)
			}
			if count.String != want {
				t.Errorf("WHERE %s: COUNT(*) is %s beside %s, and %s alone", where, count.String, beside, want)
			}
		}
	}
}

// publishPeople publishes crowd with groups of many sizes.
func publishPeople(t *testing.T, root *dbsql.DB, n int) {
	t.Helper()
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf("(%d, '%s', '%s')", 18+i*i%60, []string{"F", "M"}[i*i*i%7%2], []string{"flu", "cold", "gout", "asthma", "none"}[i*7%11%5])
	}
	servertest.Exec(t, root, "CREATE DATABASE town", "CREATE TABLE town.people (age INT, sex VARCHAR(1), disease VARCHAR(10))",
		"INSERT INTO town.people VALUES "+strings.Join(rows, ", "),
		"CALL set_attributes('town.people', 'qi=age,sex', 'sa=disease')", "CALL anonymize('town.people', 'anatomy', 'l=3', 'publish=crowd', 'attacks=false', 'misfit=false')")
}
