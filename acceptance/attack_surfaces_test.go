package acceptance

import (
	dbsql "database/sql"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server/servertest"
)

// readsRaw are SELECTs that read data which the attackers must not see, each with the number of its refusal.
var readsRaw = []struct {
	query  string
	number int
}{
	{"SELECT COUNT(*) FROM zvault.zledger", 1142},
	{"SELECT COUNT(*) FROM published.p WHERE age IN (SELECT age FROM zvault.zledger)", 1142},
	{"SELECT COUNT(*) FROM published.p WHERE EXISTS (SELECT 1 FROM zvault.zledger z WHERE z.age = 30)", 1142},
	{"SELECT COUNT(*) FROM published.p WHERE age = (SELECT MAX(age) FROM zvault.zledger)", 1142},
	{"SELECT COUNT(*) FROM published.p HAVING COUNT(*) > (SELECT COUNT(*) FROM zvault.zledger)", 1142},
	{"SELECT COUNT(*), (SELECT MIN(zident) FROM zvault.zledger) FROM published.p", 1142},
	{"SELECT * FROM (SELECT COUNT(*) FROM published.p) a, (SELECT zident FROM zvault.zledger) b", 1142},
	{"SELECT * FROM (SELECT COUNT(*) AS n FROM published.p) a JOIN zvault.zledger z ON z.zother = a.n", 1142},
	{"WITH w AS (SELECT zident FROM zvault.zledger) SELECT COUNT(*) FROM published.p WHERE sex IN (SELECT zident FROM w)", 1142},
	{"SELECT COUNT(*) FROM published.p UNION ALL SELECT zident FROM zvault.zledger", 1142},
	{"SELECT COUNT(*) FROM published.p EXCEPT SELECT zother FROM zvault.zledger", 1142},
	{"SELECT COUNT(*) FROM published.p ORDER BY (SELECT zident FROM zvault.zledger LIMIT 1)", 1142},
	{"SELECT COUNT(*) FROM published.p WHERE sex IN (SELECT zident FROM zvault.zview)", 1142},
	{"SELECT * FROM (SELECT COUNT(*) AS n FROM published.p) a, common.peek", 1142},
	{"SELECT * FROM (SELECT COUNT(*) AS n FROM published.p) a, common.run", 1142},
	{"SELECT * FROM (SELECT COUNT(*) AS n FROM published.p) a, common.actual", 1142},
	{"SELECT * FROM (SELECT COUNT(*) AS n FROM published.p) a, SLPPA(zvault.zledger, 1, 0.5) b", 1142},
	{"SELECT * FROM (SELECT COUNT(*) AS n FROM published.p) a, ANON_DETECT(zvault.zledger) b", 1142},
	{"SELECT ANON_ACTUAL(COUNT(*)) FROM published.p", 1142},
	{"SELECT ANON_RELATIVE_ERROR(COUNT(*)) FROM published.p", 1142},
	{"SELECT COUNT(*) FROM published.zprivate", 1146},
	{"SELECT COUNT(*) FROM published.p, published.zprivate_sa", 1146},
	{"SELECT COUNT(*) FROM published.p WHERE zident = 'zebra1'", 1054},
}

// explain_sql, which everybody may call, and all forms of EXPLAIN require the privileges of the statement. They
// mention no name that the client did not send, and their answers do not tell existing names from others.
func TestExplainingReadsNothingRaw(t *testing.T) {
	t.Parallel()
	s := attacked(t)
	for _, user := range []string{"rich", "bare"} {
		conn := attacker(t, s, user)
		for _, c := range readsRaw {
			quoted := strings.ReplaceAll(c.query, "'", "''")
			for _, statement := range []string{
				"CALL explain_sql('" + quoted + "')",
				"EXPLAIN " + c.query, "EXPLAIN FORMAT=TREE " + c.query, "EXPLAIN PLAN " + c.query, "EXPLAIN ANALYZE " + c.query,
				"DESCRIBE " + c.query,
				"PREPARE s FROM \"" + c.query + "\"; EXECUTE s",
			} {
				shown, number := try(conn, statement)
				syntax := number == 1064 || number == 1105 && strings.HasPrefix(statement, "EXPLAIN")
				if number != c.number && !syntax || leaked(statement, shown) != "" {
					t.Errorf("%s: %s\n%d: %s, want %d", user, statement, number, shown, c.number)
				}
			}
			// The statement is not in the call.
			servertest.Exec(t, conn, "SET @q = '"+quoted+"'")
			if shown, number := try(conn, "CALL explain_sql(@q)"); number != c.number || number != 1054 && number != 1146 && leaked("", shown) != "" {
				t.Errorf("%s: %s in a variable\n%d: %s, want %d", user, c.query, number, shown, c.number)
			}
		}
		for _, pair := range [][2]string{
			{"CALL zvault.explain_sql('SELECT COUNT(*) FROM published.p')", "CALL zvoult.explain_sql('SELECT COUNT(*) FROM published.p')"},
			{"CALL zvault.explain_sql()", "CALL zvoult.explain_sql()"},
			{"CALL explain_sql('SELECT COUNT(*) FROM published.p, zvault.zledger')", "CALL explain_sql('SELECT COUNT(*) FROM published.p, zvault.zlodger')"},
			{"CALL explain_sql('SELECT COUNT(*) FROM published.p, zvault.zledger')", "CALL explain_sql('SELECT COUNT(*) FROM published.p, zvoult.zledger')"},
			{"CALL explain_sql('SELECT COUNT(*) FROM published.zprivate')", "CALL explain_sql('SELECT COUNT(*) FROM published.zprivite')"},
			{"CALL explain_sql('SELECT COUNT(*) FROM published.p WHERE zident = 1')", "CALL explain_sql('SELECT COUNT(*) FROM published.p WHERE zidint = 1')"},
		} {
			there, _ := try(conn, pair[0])
			absent, _ := try(conn, pair[1])
			absent = strings.NewReplacer("zvoult", "zvault", "zlodger", "zledger", "zprivite", "zprivate", "zidint", "zident").Replace(absent)
			if there != absent {
				t.Errorf("%s can tell what exists:\n%s\n%s\nfor an absent name\n%s", user, pair[0], there, absent)
			}
		}
	}
}

// A parameter of the call is an expression, and no way around privileges either. A call in a procedure, or of one,
// lends no privileges.
func TestExplainSQLParameters(t *testing.T) {
	t.Parallel()
	s := attacked(t)
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE PROCEDURE common.explain_sql(x TEXT) SELECT 'own'",
		"CREATE PROCEDURE common.ex() CALL explain_sql('SELECT COUNT(*) FROM published.p, zvault.zledger')")
	rich, bare := attacker(t, s, "rich"), attacker(t, s, "bare")
	for _, statement := range []string{
		"CALL explain_sql((SELECT zident FROM zvault.zledger LIMIT 1))",
		"CALL explain_sql(CONCAT('SELECT ', (SELECT zident FROM zvault.zledger LIMIT 1)))",
		"CALL common.ex()",
	} {
		for user, conn := range map[string]*dbsql.Conn{"rich": rich, "bare": bare} {
			if shown, number := try(conn, statement); number == 0 || leaked(statement, shown) != "" {
				t.Errorf("%s: %s: %d %s", user, statement, number, shown)
			}
		}
	}
	for _, statement := range []string{
		"CALL explain_sql('INSERT INTO published.p VALUES (1)')", "CALL explain_sql('CALL anonymize(1)')",
		"CALL explain_sql('SELECT COUNT(*) FROM published.p; DROP TABLE zvault.zledger')",
		"CALL explain_sql('SELECT COUNT(*) FROM published.p INTO OUTFILE ''x''')", "CALL explain_sql('SELECT COUNT(*) INTO @stolen FROM published.p')",
		"CALL explain_sql('CALL explain_sql(1)')", "CALL explain_sql('SELECT COUNT(*) FROM published.p WHERE SLEEP(3) = 0')",
		"CALL explain_sql('SELECT COUNT(*) FROM published.p WHERE GET_LOCK(sex, 0) = 1')", "CALL explain_sql('SELECT COUNT(*) FROM published.p WHERE UUID() > sex')",
		"CALL explain_sql('')", "CALL explain_sql(NULL)", "CALL explain_sql(1)",
	} {
		shown, number := try(bare, statement)
		if number == 0 || leaked(statement, shown) != "" {
			t.Errorf("%s: %d %s", statement, number, shown)
		}
	}
	if shown, number := try(bare, "CALL explain_sql('SELECT COUNT(*) FROM published.p WHERE sex = ''F'' AND disease = ''flu''')"); number != 0 || !strings.Contains(shown, "`published`.`p_sa`") {
		t.Errorf("an analyst is not explained an estimate: %d %s", number, shown)
	}
}

// ownersDoors need more privileges than rich or bare have. The numbers are their refusals, 0 for any.
var ownersDoors = []struct {
	statement  string
	rich, bare int
}{
	{"CALL set_taxonomy('zvault.zledger', 'zident', 'prefix=1')", 1142, 1370},
	{"CALL set_taxonomy('zvault.zledger', 'nocolumn', 'prefix=1')", 1142, 1370},
	{"CALL set_taxonomy('zvault.zledger', 'age', 'nooption=1')", 1142, 1370},
	{"CALL set_taxonomy('zvault.zledger', 'zident', 'drop=true')", 1142, 1370},
	{"CALL set_taxonomy('mine.own', 'a', 'table=zvault.zledger')", 1142, 1370},
	{"CALL set_taxonomy('mine.own', 'a', 'table=zvault.zledger', 'levels=nocolumn')", 1142, 1370},
	{"CALL set_taxonomy('mine.own', 'a', 'table=zvault.zview')", 1142, 1370},
	{"CALL set_taxonomy('mine.own', 'a', 'table=mysql.user')", 1142, 1370},
	{"CALL set_taxonomy('published.zprivate', 'age', 'intervals=5')", 1146, 1370},
	{"CALL set_taxonomy('published.nobody', 'age', 'intervals=5')", 1146, 1370}, // the same for a name that nothing has
	{"CALL set_taxonomy('zvault.zledger')", 0, 1370},
	{"CALL set_attributes('zvault.zledger', 'numeric=zident')", 1142, 1370},
	{"CALL evaluate('p', 'aggregate=sum', 'of=age', 'queries=1')", 1142, 1370},
	{"CALL evaluate('p', 'aggregate=sum', 'of=zother', 'queries=1')", 1142, 1370},
	{"CALL evaluate('zprivate', 'aggregate=sum', 'of=age')", 30001, 1370},
	{"SELECT * FROM FULLDOMAIN(zvault.zledger, k = 2)", 1142, 1142},
	{"SELECT * FROM MONDRIAN(zvault.zledger, k = 2)", 1142, 1142},
}

// An owner's declarations about values are for accounts that may read the table, and their source is for accounts
// that may read it.
func TestTaxonomiesNeedTheTable(t *testing.T) {
	t.Parallel()
	s := attacked(t)
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root,
		"CALL set_taxonomy('zvault.zledger', 'zident', 'prefix=5')",
		"CALL set_taxonomy('zvault.zledger', 'disease', 'order=asthma,cold,flu,gout')",
		"CREATE TABLE zvault.zempty2 (zident VARCHAR(20), zother VARCHAR(20))",
		"INSERT INTO zvault.zempty2 VALUES ('low', 'all'), ('high', 'all')",
		"CREATE TABLE common.visits (kind VARCHAR(20))", "INSERT INTO common.visits VALUES ('low'), ('high')",
		"CALL set_taxonomy('common.visits', 'kind', 'table=zvault.zempty2', 'value=zident', 'parent=zother')",
		"CREATE USER keeper@'%' IDENTIFIED BY 's'", "GRANT SELECT ON *.* TO keeper",
	)
	rich, bare := attacker(t, s, "rich"), attacker(t, s, "bare")
	servertest.Exec(t, rich, "CREATE TABLE mine.own (a VARCHAR(20))", "INSERT INTO mine.own VALUES ('a')")
	if shown, _ := try(rich, "SELECT `table`, kind, source, leaves, root FROM anonsql.taxonomies"); leaked("", shown) != "" || !strings.Contains(shown, "[{visits true} {table true} { false} {2 true} {all true}]") {
		t.Errorf("an account that may read common.visits sees\n%s", shown)
	}
	if shown, _ := try(attacker(t, s, "keeper"), "SELECT source FROM anonsql.taxonomies WHERE `table` = 'visits'"); !strings.Contains(shown, "zvault.zempty2 (zident, zother)") {
		t.Errorf("the owner does not see the source: %s", shown)
	}
	if shown, number := try(bare, "SELECT * FROM anonsql.taxonomies"); number != 1142 {
		t.Errorf("bare reads anonsql: %d %s", number, shown)
	}
	for _, door := range ownersDoors {
		t.Run(door.statement, func(t *testing.T) {
			isShut(t, "rich", rich, door.statement, door.rich)
			isShut(t, "bare", bare, door.statement, door.bare)
		})
	}
}

// isShut checks that a statement is refused with this number, 0 for any, and that its error does not tell existing
// names from others.
func isShut(t *testing.T, user string, conn *dbsql.Conn, statement string, want int) {
	t.Helper()
	shown, number := try(conn, statement)
	if want != 0 && number != want || number == 0 || leaked(statement, shown) != "" {
		t.Errorf("%s: %s\n%d: %s, want %d", user, statement, number, shown, want)
	}
	for _, pair := range [][2]string{{"zledger", "zlodger"}, {"zvault", "zvoult"}, {"zview", "zviow"}, {"zprivate", "zprivite"}} {
		absent, _ := try(conn, strings.ReplaceAll(statement, pair[0], pair[1]))
		if strings.ReplaceAll(absent, pair[1], pair[0]) != shown {
			t.Errorf("%s can tell that there is %s: %s\n%s\n%s", user, pair[0], statement, shown, absent)
		}
	}
}

// The text of a view needs SHOW VIEW: nothing that explains a statement shows it to other accounts.
func TestExplainingShowsNoDefinitions(t *testing.T) {
	t.Parallel()
	s := attacked(t)
	servertest.Exec(t, s.Open(t, servertest.Root),
		"CREATE VIEW common.summary AS SELECT COUNT(*) AS n FROM published.p WHERE disease <> 'zebra fever'",
		"CREATE USER reader@'%' IDENTIFIED BY 's', half@'%' IDENTIFIED BY 's'", "GRANT SELECT ON published.* TO reader, half",
		"GRANT SELECT ON common.* TO reader, half", "GRANT CREATE VIEW ON common.* TO half")
	conn, half := attacker(t, s, "reader"), s.Connect(t, servertest.Account{User: "half", Password: "s", MultiStatements: true})
	if shown, number := try(half, "SELECT * FROM common.summary"); number != 0 {
		t.Errorf("with CREATE VIEW the view is read: %s", shown)
	}
	for _, statement := range []string{
		"SHOW CREATE VIEW common.summary", "EXPLAIN SELECT * FROM common.summary", "EXPLAIN FORMAT=TREE SELECT * FROM common.summary",
		"DESCRIBE SELECT n FROM common.summary", "CALL explain_sql('SELECT n FROM common.summary')",
		"CALL explain_sql('SELECT COUNT(*) FROM published.p WHERE age IN (SELECT n FROM common.summary)')",
	} {
		shown, number := try(conn, statement)
		if number != 1044 || leaked(statement, shown) != "" {
			t.Errorf("%s: %d %s", statement, number, shown)
		}
		if shown, number = try(half, statement); number != 1142 && number != 1345 || leaked(statement, shown) != "" {
			t.Errorf("with CREATE VIEW, %s: %d %s", statement, number, shown)
		}
	}
}

// A release of generalized cells shows only its own cells. It shows nothing of other columns' taxonomies, no seed and
// no name of the raw table. Figures measured against eight records are the owner's.
func TestGeneralizedReleaseShowsNothingRaw(t *testing.T) {
	t.Parallel()
	s := attacked(t)
	servertest.Exec(t, s.Open(t, servertest.Root),
		"CALL set_taxonomy('zvault.zledger', 'zident', 'prefix=5')", "CALL set_taxonomy('zvault.zledger', 'zother', 'intervals=4')",
		"CALL set_taxonomy('zvault.zledger', 'age', 'intervals=5,10')",
		"CALL anonymize('zvault.zledger', 'mondrian', 'k=2', 'l=2', 'seed=77345612', 'replace=true', 'publish=p')",
		"CALL evaluate('p', 'queries=3', 'qi=1', 'aggregate=sum', 'of=age', 'seed=77345612')",
	)
	for _, user := range []string{"rich", "bare"} {
		conn := attacker(t, s, user)
		seen := ""
		for _, statement := range []string{
			"SELECT * FROM published.p", "SELECT * FROM published.p_qi1", "SELECT * FROM published.p_sa", "SELECT * FROM published.p_gid",
			"SHOW CREATE TABLE published.p_qi1", "SHOW FULL COLUMNS FROM published.p_qi1",
			"SELECT * FROM information_schema.columns", "SELECT * FROM information_schema.tables", "SELECT * FROM information_schema.routines",
			"SELECT * FROM information_schema.parameters", "SHOW PROCEDURE STATUS", "SHOW WARNINGS",
			"SELECT * FROM ANON_PRIVACY(p)", "SELECT * FROM ANON_UTILITY(p)",
			"SELECT * FROM anonsql.releases", "SELECT * FROM anonsql.guarantees", "SELECT * FROM anonsql.evaluations", "SELECT * FROM anonsql.taxonomies",
			"SELECT * FROM anonsql.epsilon", "SELECT * FROM anonsql.attributes", "SELECT * FROM anonsql.jobs",
			"EXPLAIN SELECT SUM(age), ANON_LOW(SUM(age)) FROM published.p WHERE age > 31 AND disease = 'flu'",
			"CALL explain_sql('SELECT COUNT(*) FROM published.p WHERE disease LIKE ''f%''')",
		} {
			shown, number := try(conn, statement)
			if number != 0 && !(user == "bare" && strings.Contains(statement, "anonsql.")) {
				t.Errorf("%s: %s: %s", user, statement, shown)
			}
			if leaked("", shown) != "" || strings.Contains(shown, "77345612") {
				t.Errorf("%s: %s shows\n%.2000s", user, statement, shown)
			}
			seen += shown
		}
		if !strings.Contains(seen, "age_low") {
			t.Errorf("%s sees no cells", user)
		}
		for _, measured := range []string{"phi_squared_before", "matching", "definetti", "learned", "relative_error", "glp"} {
			if strings.Contains(seen, measured) {
				t.Errorf("%s sees %s, which was measured with the raw table", user, measured)
			}
		}
	}
}
