package acceptance

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dolthub/go-mysql-server/sql/information_schema"

	"github.com/anonsql/anonsql/functions"
	"github.com/anonsql/anonsql/server/servertest"
)

// The test finds the doors in the registries: table functions, procedures, markers, tables of the system databases,
// relations, and the SHOW statements of the grammar. It also finds doors that are added later.

// exchangeQueries are estimates of a release; the test puts markers around their aggregates.
var exchangeQueries = []string{"%s FROM published.R", "%s FROM published.R WHERE age >= 40 AND disease = 'flu'",
	"%s FROM published.R WHERE zip = '11100' OR sex = 'F'",
	// The year, since a text would be parsed for every value of every cell.
	"disease, %s FROM published.R WHERE YEAR(born) < 1980 GROUP BY disease ORDER BY disease",
	"sex, zip, %s FROM published.R GROUP BY sex, zip HAVING COUNT(*) > 5 ORDER BY sex, zip"}

var exchangeAggregates = []string{"COUNT(*)", "SUM(age)", "AVG(charge)", "MIN(age)", "COUNT(DISTINCT zip)"}

// releaseDoors are the statements about one release.
func releaseDoors(t *testing.T, release string, relations []string) (doors []string) {
	t.Helper()
	for _, f := range (&functions.Environment{}).TableFunctions() {
		for _, arguments := range []string{"R", "published.R", "'R'", "R, 1", "R, k = 2, l = 2, qi = 'age', sa = 'disease'", "hospital.t_R"} {
			doors = append(doors, "SELECT * FROM "+f.Name()+"("+arguments+")")
		}
		doors = append(doors, "EXPLAIN SELECT * FROM "+f.Name()+"(R)", "SELECT COUNT(*), MAX(1) FROM "+f.Name()+"(R)")
	}
	queries := exchangeEstimates()
	called := map[string]bool{}
	for _, p := range (&functions.Environment{}).Procedures() {
		if called[p.Name] {
			continue
		}
		called[p.Name] = true
		for _, arguments := range []string{"", "'R'", "'published.R'", "'hospital.t_R'", "'R', 'title=x'", "'R', 'compare=R'", "'R', 'queries=5'",
			"'R', 'dry_run=true'", "'hospital.t_R', 'anatomy', 'l=2'", "'R', '', ''",
			"'" + strings.ReplaceAll(queries[1], "'", "''") + "'"} {
			doors = append(doors, "CALL "+p.Name+"("+arguments+")")
		}
	}
	for i, query := range queries {
		doors = append(doors, query)
		if i%4 == 0 {
			doors = append(doors, "EXPLAIN "+query, "CALL explain_sql('"+strings.ReplaceAll(query, "'", "''")+"')")
		}
	}
	for _, relation := range relations {
		for _, verb := range []string{"SELECT * FROM", "DESCRIBE", "ANALYZE TABLE", "CHECKSUM TABLE"} {
			doors = append(doors, verb+" published."+relation)
		}
	}
	doors = append(doors, "SELECT * FROM hospital.t_R", "SELECT SUM(disease) FROM published.R",
		"SELECT disease, COUNT(*) FROM published.R WHERE born < '1980-01-01' GROUP BY disease ORDER BY disease")
	name := regexp.MustCompile(`\bR\b|\bt_R\b`)
	for i := range doors {
		doors[i] = name.ReplaceAllStringFunc(doors[i], func(name string) string { return strings.Replace(name, "R", release, 1) })
	}
	for _, show := range showStatements(t) {
		for _, relation := range relations {
			if strings.Contains(show, "RELATION") {
				doors = append(doors, strings.ReplaceAll(show, "RELATION", "published."+relation))
			}
		}
	}
	return doors
}

// exchangeEstimates returns the queries with every aggregate, and with every marker around some.
func exchangeEstimates() (queries []string) {
	for i, query := range exchangeQueries {
		for _, aggregate := range exchangeAggregates {
			queries = append(queries, "SELECT "+fmt.Sprintf(query, aggregate))
		}
		for _, f := range functions.Scalars() {
			aggregate := f.FunctionName() + "(" + exchangeAggregates[i%3]
			queries = append(queries, "SELECT "+fmt.Sprintf(query, aggregate+")"), "SELECT "+fmt.Sprintf(query, aggregate+", 0.8)"))
		}
	}
	return queries
}

// serverDoors are the statements about everything.
func serverDoors(t *testing.T, x *exchangeServers) (doors []string) {
	t.Helper()
	for _, table := range slices.Sorted(maps.Keys(information_schema.GetInformationSchemaTables())) {
		doors = append(doors, "SELECT * FROM information_schema."+table)
	}
	for _, database := range []string{"anonsql", "mysql"} {
		for _, table := range listedTables(t, x.roots[0], database) {
			for _, verb := range []string{"SELECT * FROM", "SHOW CREATE TABLE", "SHOW FULL COLUMNS FROM"} {
				doors = append(doors, verb+" "+database+"."+table)
			}
		}
	}
	for _, show := range showStatements(t) {
		if !strings.Contains(show, "RELATION") {
			doors = append(doors, show)
		}
	}
	return doors
}

// parserSource is the grammar of the parser, read once for all releases.
var parserSource = sync.OnceValues(func() (string, error) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/dolthub/vitess").Output()
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "go", "vt", "sqlparser", "sql.y"))
	return string(text), err
})

// showStatements returns the grammar's SHOW productions, without optional parts, with RELATION for a table, and
// published for the name of a database.
func showStatements(t *testing.T) (statements []string) {
	t.Helper()
	source, err := parserSource()
	if err != nil {
		t.Fatal(err)
	}
	_, rule, _ := strings.Cut(source, "\nshow_statement:\n")
	if end := regexp.MustCompile(`\n\n\w+:`).FindStringIndex(rule); end != nil {
		rule = rule[:end[0]]
	}
	terms := strings.NewReplacer("indexes_or_keys", "INDEX", "columns_or_fields", "COLUMNS", "from_or_in", "FROM",
		"from_database_opt", "", "table_name", "RELATION",
		"show_session_or_global", "", "openb", "(", "'*'", "*", "closeb", ")", "naked_like", "LIKE '%'", "account_name", "'bi'@'%'",
		"full_opt", "FULL", "WHERE expression", "WHERE 1 = 1",
		"show_database_opt", "", "func_parens_opt", "", "BINARY ID", "BINARY LOGS", "ID", "published")
	optional := regexp.MustCompile(`\b\w+_opt\b`)
	for _, line := range regexp.MustCompile(`(?m)^(?:\||  )\s*SHOW .*$`).FindAllString(rule, -1) {
		line, _, _ = strings.Cut(line, "/*")
		line = optional.ReplaceAllString(terms.Replace(strings.TrimLeft(line, "| ")), "")
		if statement := strings.Join(strings.Fields(line), " "); !slices.Contains(statements, statement) {
			statements = append(statements, statement)
		}
	}
	if len(statements) < 40 {
		t.Fatalf("the grammar has %d SHOW statements: %q", len(statements), statements)
	}
	// The engine counts the statements of the process, other tests' among them.
	return append(statements, "SHOW TABLE STATUS FROM published", "SHOW FULL TABLES FROM published",
		"SHOW FULL TABLES FROM anonsql", "SHOW GLOBAL STATUS WHERE Variable_name NOT LIKE 'Com%'", "SHOW GLOBAL VARIABLES")
}

// comparePackages exports the releases as the owner, since packages are given to others.
func (x *exchangeServers) comparePackages(t *testing.T, releases []string) {
	t.Helper()
	var packages [2]map[string][]byte
	for i, root := range x.roots {
		packages[i] = map[string][]byte{}
		for _, release := range releases {
			servertest.Exec(t, root, "CALL export_release('"+release+"', 'overwrite=true')")
		}
		files := os.DirFS(x.servers[i].Config.ExportDir)
		err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				packages[i][name], err = fs.ReadFile(files, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(packages[0]) < 3*len(releases) || len(packages[0]) != len(packages[1]) {
		t.Errorf("%d and %d files", len(packages[0]), len(packages[1]))
	}
	for name, text := range packages[0] {
		if other := packages[1][name]; !bytes.Equal(text, other) {
			t.Errorf("package %s has\n%.2000s\nand after the exchange\n%.2000s", name,
				firstDifference(string(text), string(other)), firstDifference(string(other), string(text)))
		}
	}
}

var connectionNumber = regexp.MustCompile(`connection \d+`)

// withoutPongs drops OKs without warnings at the end of an answer: if the command's own answer is an OK, the ping's
// may or may not have arrived.
func withoutPongs(answer []byte) []byte {
	for {
		shorter := answer
		for _, status := range []byte{0, 2} { // 2: autocommit
			shorter = bytes.TrimSuffix(shorter, append(slices.Clone(okHeader), status, 0, 0, 0))
		}
		if len(shorter) == len(answer) {
			return answer
		}
		answer = shorter
	}
}

// statistics matches the answer to COM_STATISTICS, which counts only time, connections and questions.
var statistics = regexp.MustCompile(`(?s)^...\x01Uptime: \d+  Threads: \d+  Questions: \d+  Slow queries: 0  Opens: 0  Flush tables: 1  Open tables: 0  Queries per second avg: \d+\.\d{3}$`)

// compareCommands sends every command of the protocol about a release to both servers.
func (x *exchangeServers) compareCommands(t *testing.T, release string) {
	t.Helper()
	for command := byte(2); command <= lastCommand; command++ {
		for _, payload := range []string{"", "published", release + "\x00", "SELECT * FROM published." + release, "SELECT * FROM ANON_UTILITY(" + release + ")"} {
			var answers [2][]byte
			for i, s := range x.servers {
				answers[i] = connectionNumber.ReplaceAll(answerToCommand(t, s, "bi", command, payload), nil)
				answers[i] = statistics.ReplaceAll(withoutPongs(answers[i]), []byte("STATISTICS"))
			}
			if !bytes.Equal(answers[0], answers[1]) {
				t.Errorf("command %#x %q is answered %q and after the exchange %q", command, payload, answers[0], answers[1])
			}
		}
	}
}
