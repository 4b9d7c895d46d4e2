package acceptance

import (
	dbsql "database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// hostileTables are unusual tables: columns a and b are quasi-identifiers, s is
// the sensitive attribute.
var hostileTables = []struct{ name, columns, rows string }{
	{"one", "a INT, b VARCHAR(9), s VARCHAR(9)", "(1,'x','u')"},
	{"two", "a INT, b VARCHAR(9), s VARCHAR(9)", "(1,'x','u'),(2,'y','v')"},
	{"equal", "a INT, b VARCHAR(9), s VARCHAR(9)", strings.Repeat("(1,'x','u'),", 9) + "(1,'x','u')"},
	{"nulls", "a INT, b VARCHAR(9), s VARCHAR(9)", "(NULL,NULL,'u'),(NULL,NULL,'v'),(NULL,NULL,NULL),(NULL,NULL,'u'),(NULL,NULL,'v'),(NULL,NULL,NULL)"},
	{"halves", "a INT, b VARCHAR(9), s INT", "(1,'x',1),(2,'y',2),(3,'x',1),(4,'y',2),(5,'x',1),(6,'y',2),(7,'x',1),(8,'y',2)"},
	{"extremes", "a BIGINT, b BIGINT UNSIGNED, s BIGINT", "(-9223372036854775808,18446744073709551615,-9223372036854775808),(9223372036854775807,0,9223372036854775807),(0,1,0),(1,2,5),(-1,3,0),(7,4,5)"},
	{"numbers", "a DECIMAL(30,10), b DOUBLE, s FLOAT", "(12345678901234567890.0123456789,1e300,0.1),(-0.0000000001,1e-300,1e30),(0,0,-0.5),(1.5,-1e300,0.1),(2.5,2.5,1e30),(3.5,3,-0.5)"},
	{"times", "a DATE, b DATETIME(6), s TIME", "('1000-01-01','1000-01-01 00:00:00','-838:59:59'),('9999-12-31','9999-12-31 23:59:59.999999','838:59:59'),('2020-02-29','2020-02-29 12:00:00.5','00:00:01'),('2021-01-01','2021-01-01 00:00:00','00:00:01'),('2022-01-01',NULL,'838:59:59'),(NULL,'2023-01-01 00:00:00','-838:59:59')"},
	{"members", "a ENUM('low','mid','high'), b YEAR, s ENUM('x','y')", "('low',1901,'x'),('mid',2155,'y'),('high',2000,'x'),('low',2001,'y'),('mid',2002,'x'),('high',2003,'y')"},
	{"labels", "a VARCHAR(20), b VARCHAR(20), s VARCHAR(20)", "('{a,b}','*','[1-2]'),('*','',''''),('','{NULL,x}','\"'),('a,b','😀','😀'),('A,B','😁','[1-2]'),('[1-2]','\\\\','''')"},
	{"spellings", "a VARCHAR(9), b VARCHAR(9), s VARCHAR(9)", "('Flu','É','Flu'),('flu','e','FLU'),('FLU','E','cold'),('x','y','Cold'),('X','Y','gout'),('z','z','GOUT')"},
	{"binaries", "a VARBINARY(4), b BLOB, s BINARY(2)", "(x'00ff','a','ab'),(x'01','b','cd'),(x'0203','c','ab'),(x'','d','cd'),(NULL,NULL,'ab'),(x'ff','f','cd')"},
	{"documents", "a JSON, b TEXT, s BIT(4)", "('{\"a\":1}','x',1),('[]','y',2),('null','z',1),('1','x',2),('\"t\"','y',1),(NULL,'z',2)"},
	{"sets", "a SET('p','q'), b CHAR(3), s SET('p','q')", "('p','a','p'),('p,q','b','q'),('','c','p'),('q','a','q'),('p','b','p'),('q','c','q')"},
}

// hostileArguments are additional arguments of methods.
var hostileArguments = map[string][]string{
	"slppa":          {"'beta=0.5'", "'beta=1','homogeneous=true','jitter=1000000000'", "'beta=0.5','alpha=0.5','gamma=0.01','tables=2'", "'beta=1e-9'", "'beta='", "'beta=½'"},
	"slicing":        {"'l=2'", "'l=2','sa_column=grouped'", "'l=2','threshold=1e18'", "'l=1000000000'", "'l=-1'"},
	"asn":            {"'beta=0.5'", "'beta=0.5','alpha=0.000001'"},
	"anatomy":        {"'l=2'", "'l=2','homogeneous=true','jitter=99999999'", "'l=2','threshold=0.5'", "'l=1e3'", "'l= 2 '"},
	"arp":            {"'l=2'", "'l=2','over=generalization'", "'l=2','over=slicing'", "'l=2','over=randomization','p=0.1'", "'l=2','over=randomization','p=1'", "'l=2','homogeneous=true'", "'l=2','partition=mondrian'"},
	"aip":            {"'l=2'", "'l=2','partition=mondrian'"},
	"nonhomogeneous": {"'l=2'", "'l=0'"},
	"mondrian":       {"'k=2'", "'k=1','l=2','t=0'", "'k=2','mode=relaxed'", "'k=1000000000'", "'k=２'"},
	"cross_bucket":   {"'k=2','l=2'", "'k=1','l=1'", "'k=3','l=2','search=kd'", "'k=2','l=2','search=paper'", "'k=1000000','l=1000000'"},
	"fulldomain":     {"'k=2'", "'k=2','suppress=1'", "'k=1','l=2','suppress=0.5','optimize=precision'", "'k=2','t=0'"},
	"drasl":          {"'k=2'", "'k=2','improve=true'", "'k=2','links=none'", "'k=2','links=none','improve=true','search=exact'", "'k=2','search=exact','nominal=joint'", "'k=2','gamma=100','alpha=0'", "'k=2','beta=0','improve=true'", "'k=1000000000'", "'k=2','gamma=1e-300'", "'k=2','gamma=-1'"},
	"oka":            {"'k=2'", "'k=3','search=exact'", "'k=2','nominal=joint'", "'k='"},
	"ika":            {"'k=2'", "'k=3','search=exact'", "'k=2.5'"},
	"dpp":            {"'k=2'", "'k=3','search=exact'", "'k=2','alpha=0','beta=0'", "'k=-2'"},
	"cdt":            {"'k=2'", "'k=1','l=1'", "'k=2','l=2','variant=paper'", "'k=3','max_share=0.5','variant=paper','k1=2','k2=100'", "'k=1','l=1','max_share=1e-9'", "'k1=many','variant=paper'", "'k=1000000000'", "'max_share=½'"},
	"modeled":        {"'block=2'", "'block=60000'", "'block=1'", "'block='"},
}

// Every method on every unusual table gives a release that keeps its promises, counts all records and can be queried,
// or a refusal that users can read. The server neither panics nor shows an internal error.
func TestHostileTables(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	db := s.Open(t, servertest.Root)
	run(t, db, "CREATE DATABASE odd")
	published, wanted := 0, 200
	for i, table := range hostileTables {
		if !testsize.All() && i%3 != 0 {
			continue
		}
		run(t, db, fmt.Sprintf("CREATE TABLE odd.%s (%s)", table.name, table.columns))
		run(t, db, fmt.Sprintf("INSERT INTO odd.%s VALUES %s", table.name, table.rows))
		rows := fetchRows(t, db, "SELECT COUNT(*) FROM odd."+table.name)[0][0].(float64)
		for _, m := range methods.All() {
			if len(hostileArguments[m.Name]) == 0 {
				t.Fatalf("method %s has no hostile arguments", m.Name)
			}
			tried := hostileArguments[m.Name]
			if !testsize.All() {
				tried, wanted = tried[:1], 20
			}
			for _, arguments := range tried {
				if publishHostile(t, db, table.name, m.Name, "'qi=a,b', 'sa=s'", arguments, rows) {
					published++
				}
				if m.Name == "cdt" && publishHostile(t, db, table.name, m.Name, "'qi=a', 'sa=b,s'", arguments, rows) {
					published++
				}
			}
		}
	}
	if log := s.Log(); strings.Contains(log, "panic") || strings.Contains(log, "goroutine ") {
		t.Errorf("the server panicked:\n%s", log)
	}
	if published < wanted {
		t.Errorf("only %d releases were published", published)
	}
}

func publishHostile(t *testing.T, db *dbsql.DB, table, method, roles, arguments string, rows float64) bool {
	t.Helper()
	call := fmt.Sprintf("CALL anonymize('odd.%s', '%s', %s, %s, 'private=true', 'publish=odd', 'attacks=true', 'calibrate=false')", table, method, roles, arguments)
	if _, err := db.Exec(call); err != nil {
		if number := servertest.Number(err); number == 0 || number == 1105 {
			t.Errorf("%s\n%v", call, err)
		}
		return false
	}
	defer run(t, db, "CALL drop_release('odd')")
	if broken := fetchRows(t, db, "SELECT guarantee, achieved, detail FROM ANON_PRIVACY(odd) WHERE NOT holds"); len(broken) > 0 {
		t.Errorf("%s\nbroken: %v", call, broken)
	}
	if n := fetchRows(t, db, "SELECT COUNT(*) FROM published.odd")[0][0]; n != rows {
		t.Errorf("%s\n%v records are estimated", call, n)
	}
	for _, query := range []string{
		"SELECT * FROM published.odd LIMIT 3", "SELECT a, COUNT(*) FROM published.odd GROUP BY a", "SELECT s, COUNT(*), ANON_STDERR(COUNT(*)) FROM published.odd GROUP BY s",
		"SELECT ANON_LOW(COUNT(*)), ANON_HIGH(COUNT(*)) FROM published.odd WHERE b IS NOT NULL AND s IS NOT NULL", "SELECT MIN(a), MAX(b), COUNT(DISTINCT s) FROM published.odd",
		"SELECT * FROM published.odd_sa", "SELECT * FROM ANON_UTILITY(odd)",
	} {
		if rows, err := db.Query(query); err != nil {
			if number := servertest.Number(err); number == 0 || number == 1105 {
				t.Errorf("%s\n%s\n%v", call, query, err)
			}
		} else if err := servertest.Drain(rows, nil); err != nil {
			t.Errorf("%s\n%s\n%v", call, query, err)
		}
	}
	return true
}

// Column names may need quotes, be SQL keywords or look like names in a release: every method publishes them,
// calibrated, and answers questions about each.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	db := s.Open(t, servertest.Root)
	run(t, db, "CREATE DATABASE odd")
	quoted := func(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
	for i, names := range [][3]string{{"a b", "sel`ect", "order"}, {"COUNT(*)", "select", "é"}, {"group", "a.b", "s'"}, {"qi=a", "tables", "name"}, {"1", "2", "3"}, {"a_low", "a", "a_high"}} {
		if !testsize.All() && i%3 != 0 {
			continue
		}
		table := fmt.Sprintf("odd.names%d", i)
		run(t, db, fmt.Sprintf("CREATE TABLE %s (%s INT, %s VARCHAR(9), %s VARCHAR(9))", table, quoted(names[0]), quoted(names[1]), quoted(names[2])))
		run(t, db, "INSERT INTO "+table+" VALUES (1,'x','u'),(2,'y','v'),(3,'x','w'),(4,'y','u'),(5,'x','v'),(6,'z','w'),(7,'z','u'),(8,'x','v')")
		if _, err := db.Exec("CALL set_attributes(?, ?, ?)", table, "qi="+names[0]+","+names[1], "sa="+names[2]); err != nil {
			t.Fatal(err)
		}
		for _, m := range methods.All() {
			_, err := db.Exec(fmt.Sprintf("CALL anonymize('%s', '%s', %s, 'private=true', 'publish=odd', 'attacks=true', 'calibrate=true')", table, m.Name, hostileArguments[m.Name][0]))
			if number := servertest.Number(err); err != nil && (number != 30001 || names[1] != "a") { // a generalized column a adds a_low and a_high
				t.Errorf("%q, %s: %v", names, m.Name, err)
			}
			if err != nil {
				continue
			}
			for _, name := range names {
				total := 0.0
				for _, row := range fetchRows(t, db, fmt.Sprintf("SELECT COUNT(*), ANON_LOW(COUNT(*)), ANON_HIGH(COUNT(*)), ANON_STDERR(COUNT(*)) FROM published.odd GROUP BY %s", quoted(name))) {
					total += row[0].(float64)
				}
				if total < 8-1e-6 || total > 8+1e-6 {
					t.Errorf("%q, %s: by %s there are %v records", names, m.Name, name, total)
				}
			}
			run(t, db, "CALL drop_release('odd')")
		}
	}
	for _, m := range methods.All() {
		_, err := db.Exec(fmt.Sprintf("SELECT COUNT(*) FROM %s(odd.names0, 1e400)", m.Name))
		if servertest.Number(err) != 1367 || !strings.Contains(err.Error(), "Illegal double '1e400' value found during parsing") {
			t.Errorf("%s of 1e400: %v", m.Name, err)
		}
	}
	if log := s.Log(); strings.Contains(log, "panic") || strings.Contains(log, "goroutine ") {
		t.Errorf("the server panicked:\n%s", log)
	}
}
