package releases_test

import (
	dbsql "database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/enginetest"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

const ana = "correct horse battery 1"

// analyst creates an account that reads releases, and connects as it.
func (f *front) analyst(t *testing.T) *dbsql.DB {
	t.Helper()
	servertest.Exec(t, f.owner, "CALL create_analyst('ana', '"+ana+"')")
	return f.Open(t, servertest.Account{User: "ana", Password: ana})
}

// publish is CALL anonymize in the engine, of a table of a schema, without completed tables; completes is one with them.
const (
	publish   = "CALL anonymize('trino.%s.people', 'anatomy', 'l=5', 'qi=age,town,pay,married,since', 'sa=disease', 'store=engine', 'fit=false'%s)"
	completes = "CALL anonymize('trino.%s.people', 'anatomy', 'l=5', 'qi=age,town,pay,married,since', 'sa=disease', 'store=engine'%s)"
)

// classes is the same by mondrian.
const classes = "CALL anonymize('trino.%s.people', 'mondrian', 'k=10', 'l=3', 'qi=age,town,pay,married,since', 'sa=disease', 'store=engine'%s)"

// TestPublishInTheEngine is the life of a release: published, asked about by an analyst, compared by its owner, replaced, dropped.
func TestPublishInTheEngine(t *testing.T) {
	c := enginetest.Need(t)
	schema := schemas(t, c)
	people(t, c, schema, 6003)
	f := serve(t, c.URL, schema, 0)
	row := strings.Split(query(t, f.owner, publish, schema, "")[0], "|")
	// Each of 16 pools leaves out less than a group.
	if row[0] != "people" || row[3] != "public" || row[4] != "6003" || row[5] != "1194" || !strings.Contains(row[6], "l 5") {
		t.Errorf("the statement returns %q", row)
	}
	published := left(t, c, schema)
	if len(published) != 2 {
		t.Errorf("in the engine are %v, want two relations and nothing that leads to them", published)
	}
	reader := f.analyst(t)
	f.gate.heard()
	exact := query(t, reader, "SELECT COUNT(*) FROM published.people WHERE age < 30")
	truth := one(t, c, "SELECT count(*) FROM "+schema+".people WHERE age < 30")
	if exact[0] != truth {
		t.Errorf("%v people are younger than 30, counted %s", exact, truth)
	}
	// Of two relations the answer is an estimate; of groups at random it is near the truth.
	estimated, _ := strconv.ParseFloat(query(t, reader, "SELECT COUNT(*) FROM published.people WHERE age < 30 AND disease = 'd3'")[0], 64)
	actual, _ := strconv.ParseFloat(one(t, c, "SELECT count(*) FROM "+schema+".people WHERE age < 30 AND disease = 'd3'"), 64)
	if estimated < actual/2 || estimated > 2*actual {
		t.Errorf("an estimate of %v for %v", estimated, actual)
	}
	for _, text := range f.gate.heard() {
		if !strings.HasPrefix(text, `SELECT gid, `) || !strings.Contains(text, ` FROM "iceberg"."`+schema+`_published"."anonsql_`) {
			t.Errorf("the engine was told %s for an analyst", text)
		}
	}
	compared := query(t, f.owner, "SELECT married, ANON_ACTUAL(COUNT(*)), COUNT(*) FROM published.people GROUP BY married ORDER BY married")
	if len(compared) != 2 || strings.Split(compared[0], "|")[1] != strings.Split(compared[0], "|")[2] {
		t.Errorf("actual and published numbers are %q", compared)
	}
	query(t, f.owner, publish, schema, ", 'replace=true', 'homogeneous=true'")
	if again := left(t, c, schema); len(again) != 2 || again[0] == published[0] {
		t.Errorf("after a publication in its place the engine has %v, had %v", again, published)
	}
	query(t, f.owner, classes, schema, ", 'replace=true'")
	warnings := query(t, f.owner, "SHOW WARNINGS")
	if !slices.ContainsFunc(warnings, func(w string) bool { return strings.Contains(w, "estimates tell readers which numbers of pay occur") }) {
		t.Errorf("pay has quarters alone, every age and day occurs: warned is %q", warnings)
	}
	f.answersFromRanges(t, c, schema, reader)
	query(t, f.owner, "CALL drop_release('people')")
	if again := left(t, c, schema); len(again) != 0 {
		t.Errorf("left are %v", again)
	}
}

// answersFromRanges checks a mondrian release: its tables, its promises, and an answer against the engine's own.
func (f *front) answersFromRanges(t *testing.T, c *enginetest.Cluster, schema string, reader *dbsql.DB) {
	t.Helper()
	published := left(t, c, schema)
	if len(published) != 7 {
		t.Fatalf("in the engine are %v, want two relations and the values of five columns", published)
	}
	if promised := query(t, reader, "SELECT guarantee, required, holds FROM ANON_PRIVACY(people) WHERE holds IS NOT NULL"); strings.Join(promised, " ") != "k|10|1 l|3|1" {
		t.Errorf("recomputed is %q", promised)
	}
	ranges := query(t, reader, "SELECT gid, age, age_low, age_high, town FROM published.people_qi1 WHERE NOT (age_low <= age_high AND age LIKE CONCAT('%%', age_low, '%%'))")
	if len(ranges) > 0 {
		t.Errorf("ranges are %q", ranges)
	}
	of := func(name string) string { // the table of the engine
		return schema + "_published." + published[slices.IndexFunc(published, func(table string) bool { return strings.HasSuffix(table, name) })]
	}
	const from = "CAST((SELECT count(*) FROM %s AS v WHERE v.value BETWEEN q.age_low AND q.age_high%s) AS double)"
	want := one(t, c, fmt.Sprintf("SELECT sum(s.count * "+from+" / "+from+") FROM %s AS q JOIN %s AS s ON s.gid = q.gid WHERE s.disease = 'd3'",
		of("_qi1v1"), " AND v.value < 30", of("_qi1v1"), "", of("_qi1"), of("_sa")))
	if counted := query(t, reader, "SELECT COUNT(*) FROM published.people WHERE age < 30 AND disease = 'd3'"); !servertest.SameAnswers(counted, []string{want}, 1e-9) {
		t.Errorf("counted are %q, the relations say %s", counted, want)
	}
	compared := query(t, f.owner, "SELECT disease, ANON_ACTUAL(COUNT(*)) - COUNT(*) FROM published.people GROUP BY disease HAVING ANON_ACTUAL(COUNT(*)) <> COUNT(*)")
	warned := slices.DeleteFunc(query(t, f.owner, "SHOW WARNINGS"), func(w string) bool { return strings.HasPrefix(w, "Note|1003|exact: ") })
	if len(compared)+len(warned) > 0 {
		t.Errorf("the table is not what was published: %q, %q", compared, warned)
	}
}

// one is the first value that the cluster answers.
func one(t *testing.T, c *enginetest.Cluster, text string) (value string) {
	t.Helper()
	if err := c.Client.Query(t.Context(), text, func(row []any) error {
		value = fmt.Sprint(row[0])
		return nil
	}); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}

// TestBeyondWhatIsRead: a table of more rows than are read is published in the engine without being told.
func TestBeyondWhatIsRead(t *testing.T) {
	c := enginetest.Need(t)
	schema := schemas(t, c)
	people(t, c, schema, 6003)
	f := serve(t, c.URL, schema, 5000)
	const plain = "CALL anonymize('trino.%s.people', %s, 'qi=age,town', 'sa=disease')"
	refused(t, f.owner, 30001, "has 6003 rows, more than are read here (--engine-rows), and fulldomain does not run in the engine", plain, schema, "'fulldomain', 'k=5', 'l=2'")
	row := strings.Split(query(t, f.owner, plain, schema, "'slppa', 'beta=0.2', 'tables=2', 'private=true'")[0], "|")
	if row[1] != "slppa" || row[3] != "private" || row[4] != "6003" {
		t.Errorf("the statement returns %q", row)
	}
	if published := left(t, c, schema); len(published) != 4 {
		t.Errorf("in the engine are %v, want three relations and the completed tables", published)
	}
	f.answersOfThree(t, c)
	if columns := query(t, f.owner, "DESCRIBE published.people"); len(columns) != 3 {
		t.Errorf("the columns are %q", columns)
	}
	if records := query(t, f.owner, "SELECT SUM(`count`) FROM published.people_qi1"); records[0] != "6003" {
		t.Errorf("a relation has %q records", records)
	}
	recomputed := query(t, f.owner, "SELECT guarantee, required, holds FROM ANON_PRIVACY(people) WHERE holds IS NOT NULL")
	if len(recomputed) != 4 || recomputed[1] != "beta|0.2|1" {
		t.Errorf("the engine recomputes %q", recomputed)
	}
	query(t, f.owner, plain, schema, "'slicing', 'l=5', 'tables=2', 'private=true', 'publish=sliced'")
	if recomputed = query(t, f.owner, "SELECT guarantee, required, holds FROM ANON_PRIVACY(sliced) WHERE holds IS NOT NULL"); len(recomputed) != 1 || recomputed[0] != "l|5|1" {
		t.Errorf("the engine recomputes %q", recomputed)
	}
	refused(t, f.analyst(t), 1146, "people", "SELECT COUNT(*) FROM published.people")
}

// TestOnlyPublicReleasesAreMoved: what no analyst may read, or what is refused, is never in the schema that others in the engine may read. A private
// release answers its owner from the other one.
func TestOnlyPublicReleasesAreMoved(t *testing.T) {
	c := enginetest.Need(t)
	schema := schemas(t, c)
	people(t, c, schema, 2000)
	f := serve(t, c.URL, schema, 500)
	unmoved := func(how string) {
		t.Helper()
		for _, text := range f.gate.heard() {
			if strings.Contains(text, schema+"_published") && !strings.HasPrefix(text, "DROP TABLE IF EXISTS ") && !strings.HasPrefix(text, "SHOW TABLES ") {
				t.Errorf("%s: the engine was told %s", how, text)
			}
		}
	}
	f.gate.heard()
	query(t, f.owner, completes, schema, ", 'dry_run=true'")
	unmoved("a dry run")
	refused(t, f.owner, 30002, "max_attack", completes, schema, ", 'max_attack=0.01'")
	unmoved("a release that is refused")
	query(t, f.owner, completes, schema, ", 'private=true'")
	if counted := query(t, f.owner, "SELECT COUNT(*) FROM published.people"); counted[0] != "2000" {
		t.Errorf("a private release answers %q", counted)
	}
	query(t, f.owner, "SELECT guarantee FROM ANON_PRIVACY(people)")
	unmoved("a private release")
	if kept := left(t, c, schema); len(kept) != 3 {
		t.Errorf("in the engine are %v, want two relations and the completed tables", kept)
	}
	f.restart(t, c.URL, schema, 500) // and sweeps
	servertest.Eventually(t, "the engine is swept", func() bool { return strings.Contains(strings.Join(f.gate.heard(), "\n"), "SHOW TABLES") })
	if counted := query(t, f.owner, "SELECT COUNT(*) FROM published.people"); counted[0] != "2000" {
		t.Errorf("after another start a private release answers %q", counted)
	}
	query(t, f.owner, "CALL drop_release('people')")
	if kept := left(t, c, schema); len(kept) > 0 {
		t.Errorf("left are %v", kept)
	}
}

// TestWhatReadsAReleaseInTheEngine: every name that reads a release reads this one, or refuses it by name.
func TestWhatReadsAReleaseInTheEngine(t *testing.T) {
	c := enginetest.Need(t)
	schema := schemas(t, c)
	people(t, c, schema, 2000)
	f := serve(t, c.URL, schema, 0)
	reader := f.analyst(t)
	f.reads(t, reader, 1, query(t, f.owner, publish, schema, ", 'replace=true'"))
	f.reads(t, reader, 2, query(t, f.owner, classes, schema, ", 'replace=true'"))
	refused(t, f.owner, 30001, "cells that stand for several values", "CALL fit_release('people')")
	refused(t, f.owner, 30001, "people", "CALL refresh_release('people')")
	refused(t, reader, 1235, "was published without", "SELECT ANON_INTERVAL_LOW(COUNT(*)) FROM published.people")
}

// reads has a release of 2000 records, and of so many promises, read by every name. Groups are as many as the result of its publication says.
func (f *front) reads(t *testing.T, reader *dbsql.DB, promises int, published []string) {
	t.Helper()
	groups, err := strconv.Atoi(strings.Split(published[0], "|")[5])
	if err != nil || groups < 100 || groups > 400 {
		t.Fatalf("%d groups are published, %v", groups, err)
	}
	for statement, rows := range map[string]int{
		"SELECT * FROM published.people":                             2000,
		"SELECT * FROM published.people_gid":                         groups,
		"SELECT DISTINCT gid FROM published.people_sa":               groups,
		"SELECT guarantee FROM ANON_PRIVACY(people) WHERE holds = 1": promises,
		"CALL report('people')":                                      1,
		"CALL explain_sql('SELECT COUNT(*) FROM published.people')":  1,
		"SELECT ANON_LOW(COUNT(*)), ANON_STDERR(COUNT(*)) FROM published.people WHERE age < 30 AND disease = 'd1'": 1,
	} {
		if found := query(t, reader, "%s", statement); len(found) != rows {
			t.Errorf("%s has %d rows, want %d", statement, len(found), rows)
		}
	}
	if found := query(t, reader, "SELECT measure FROM ANON_UTILITY(people)"); len(found) == 0 {
		t.Error("ANON_UTILITY has no rows")
	}
	evaluated := query(t, f.owner, "CALL evaluate('people', 'queries=20', 'qi=1')")
	if len(evaluated) != 1 {
		t.Errorf("the evaluation is %q", evaluated)
	}
}

// TestNoValueIsInAStatement: the statements that the engine lists contain no value of the table, except cuts of blocks.
func TestNoValueIsInAStatement(t *testing.T) {
	c := enginetest.Need(t)
	schema := schemas(t, c)
	people(t, c, schema, 2000)
	f := serve(t, c.URL, schema, 0)
	f.gate.heard()
	query(t, f.owner, publish, schema, "")
	heard := strings.Join(f.gate.heard(), "\n")
	for _, value := range []string{"'d1'", "it''s", "2020-", "TRUE", "'it"} {
		if strings.Contains(heard, value) {
			t.Errorf("%s is in a statement", value)
		}
	}
	query(t, f.owner, publish, schema, ", 'replace=true', 'homogeneous=true'")
	if cuts := strings.Join(f.gate.heard(), "\n"); !strings.Contains(cuts, "2020-") {
		t.Error("blocks have no cuts: the test looks for what cannot be there")
	}
}

// TestAnswersOfALargeRelease: a release that is only counted in the engine gives the same answers as one that is read.
func TestAnswersOfALargeRelease(t *testing.T) {
	c := enginetest.Need(t)
	schema := schemas(t, c)
	records := testsize.Of(12_003, 200_003)
	people(t, c, schema, records)
	f := serve(t, c.URL, schema, 0)
	f.analyst(t)
	for _, call := range []string{publish, classes} {
		f.answersWhenLarge(t, c, schema, call, records*5/12)
	}
	// Ranges are one row a group: where relations have fewer rows than are read, they are, and only the view is a sample.
	f.restart(t, c.URL, schema, records-1000)
	if rows := query(t, f.owner, "SELECT COUNT(*), SUM(count) FROM published.people_sa"); !strings.HasSuffix(rows[0], fmt.Sprintf("|%d", records)) {
		t.Errorf("the relation has %q", rows)
	}
}

// answersWhenLarge publishes a release, and compares its answers where it is read and where it is counted, beyond a limit of rows.
func (f *front) answersWhenLarge(t *testing.T, c *enginetest.Cluster, schema, call string, limit int) {
	t.Helper()
	query(t, f.owner, call, schema, ", 'replace=true'")
	questions := []string{"SELECT COUNT(*) FROM published.people", "SELECT COUNT(*) FROM published.people WHERE age < 30 AND disease = 'd3'",
		"SELECT disease, COUNT(*), SUM(age), AVG(pay) FROM published.people WHERE town LIKE 'it%' GROUP BY disease ORDER BY disease",
		"SELECT married, disease, COUNT(*), ANON_STDERR(COUNT(*)), ANON_LOW(COUNT(*)), ANON_HIGH(COUNT(*)) FROM published.people WHERE since >= '2020-02-01' GROUP BY married, disease ORDER BY 1, 2",
		"SELECT town, MIN(age), MAX(pay) FROM published.people GROUP BY town ORDER BY town", "SELECT COUNT(DISTINCT disease) FROM published.people WHERE age < 20",
		"SELECT age DIV 10, COUNT(*) FROM published.people WHERE disease IS NULL OR disease IN ('d1', 'd2') GROUP BY age DIV 10 ORDER BY 1",
		"SELECT * FROM published.people_sa", "SELECT * FROM published.people_gid", "SELECT town, gid, `count` FROM published.people_qi1 WHERE gid < 4",
		"SELECT guarantee, required, holds FROM ANON_PRIVACY(people) WHERE holds = 1",
		"SELECT * FROM ANON_UTILITY(people) WHERE measure IN ('groups', 'tuples', 'attributes', 'unique_share') OR measure LIKE 'group_size%'"}
	var read [][]string
	for _, question := range questions {
		read = append(read, query(t, f.owner, "%s", question))
	}
	f.restart(t, c.URL, schema, limit)
	defer f.restart(t, c.URL, schema, 0)
	f.gate.heard()
	reader := f.Open(t, servertest.Account{User: "ana", Password: ana})
	for i, question := range questions {
		if counted := query(t, reader, "%s", question); !servertest.SameAnswers(counted, read[i], 1e-9) {
			t.Errorf("%s:\n counted %q\n    read %q", question, counted, read[i])
		}
	}
	if explained := strings.Join(query(t, reader, "EXPLAIN %s", questions[1]), "\n"); !strings.Contains(explained, "path: counts in the engine") {
		t.Errorf("it is explained as\n%s", explained)
	}
	inPlainSQL(t, reader, call == classes)
	for _, text := range f.gate.heard() {
		if strings.HasPrefix(text, "SHOW TABLES") { // the server's own sweep when it started
			continue
		}
		if !strings.HasPrefix(text, "SELECT ") || strings.Contains(text, `"`+schema+`"`) || strings.Contains(text, "_private") {
			t.Errorf("the engine was told %s for an analyst", text)
		}
	}
	preview := query(t, reader, "SELECT * FROM published.people")
	if again := query(t, reader, "SELECT * FROM published.people"); len(preview) < 8_000 || len(preview) > 12_100 || strings.Join(again, "\n") != strings.Join(preview, "\n") {
		t.Errorf("a preview has %d rows, then %d", len(preview), len(again))
	}
	refused(t, reader, 30001, "more than are read (--engine-rows)", "CALL report('people')")
}

// inPlainSQL asks a question of a large release, and its text over the relations, which a release of ranges has not.
func inPlainSQL(t *testing.T, reader *dbsql.DB, ranges bool) {
	t.Helper()
	const question = "SELECT disease, COUNT(*) FROM published.people WHERE age < 30 AND town LIKE 'it%' GROUP BY disease ORDER BY disease"
	explain, counted := "CALL explain_sql('"+strings.ReplaceAll(question, "'", "''")+"')", query(t, reader, "%s", question)
	if ranges {
		refused(t, reader, 1235, "explain_sql has no plain SQL", "%s", explain)
		return
	}
	if plain := query(t, reader, "%s", query(t, reader, "%s", explain)[0]); !servertest.SameAnswers(plain, counted, 1e-9) || len(plain) < 10 {
		t.Errorf("plain SQL over the relations answers %q, counted %q", plain, counted)
	}
}
