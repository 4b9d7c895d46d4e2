package acceptance

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// methodCalls has the calls of every method for the 240 patients of publishPatients, whose six diseases are about
// equally frequent. A method that is missing here fails the tests below.
var methodCalls = map[string]struct {
	options    []string // of CALL anonymize
	positional string   // arguments of the table function after the table
	bad        string   // a wrong option
	message    string   // the error for it
}{
	"slppa": {[]string{"alpha=0.9", "beta=0.25", "delta=0.3", "tables=2"}, "0.9, 0.25, 1, 0.3, 2",
		"delta=2", "delta is 2, must be between 0 and 1"},
	"slicing": {[]string{"l=3", "tables=2"}, "3, 2",
		"tables=9", "tables is 9, must be at most 5, the number of quasi-identifiers"},
	"asn": {[]string{"alpha=0.5", "beta=0.25"}, "0.5, 0.25",
		"beta=0", "beta is 0, must be above 0 and at most 1"},
	"anatomy": {[]string{"l=3", "homogeneous=true", "jitter=2"}, "3",
		"homogeneous=perhaps", "homogeneous is 'perhaps', must be one of false, true, score"},
	"arp": {[]string{"l=3", "over=generalization"}, "3",
		"over=everything", "over is 'everything', must be one of anatomy, slicing, generalization, randomization"},
	"aip": {[]string{"l=3", "partition=mondrian"}, "3",
		"l=three", "l is 'three', must be a whole number"},
	"nonhomogeneous": {[]string{"l=3"}, "3",
		"order=sideways", "order is 'sideways', must be one of descending, ascending"},
	"mondrian": {[]string{"k=5", "l=2", "t=0.8", "mode=relaxed"}, "5, 2",
		"k=0", "k is 0, must be between 1 and 1073741824"},
	"cross_bucket": {[]string{"k=4", "l=4"}, "4, 4",
		"search=wide", "search is 'wide', must be one of bottomup, kd, paper"},
	"fulldomain": {[]string{"k=5", "l=2", "suppress=0.05", "optimize=discernibility"}, "5, 2",
		"suppress=2", "suppress is 2, must be between 0 and 1"},
	"drasl": {[]string{"k=4", "improve=true", "links=none"}, "4",
		"gamma=101", "gamma is '101', must be a number from 0 to 100, or auto"},
	"oka": {[]string{"k=4", "search=exact"}, "4",
		"search=quick", "search is 'quick', must be one of fast, exact"},
	"ika": {[]string{"k=4"}, "4",
		"k=1", "k is 1, must be between 2 and 1073741824"},
	"dpp": {[]string{"k=4", "nominal=joint"}, "4",
		"alpha=2", "alpha is 2, must be between 0 and 1"},
	"cdt": {[]string{"k=4", "l=2", "max_share=0.4"}, "4, 2",
		"variant=random", "variant is 'random', must be one of bounded, paper"},
	"modeled": {[]string{"block=40", "tables=2", "model_epsilon=1"}, "40",
		"block=1", "block is 1, must be between 2 and 60000"},
}

// methodQuestions are the queries for every release.
var methodQuestions = []string{
	"SELECT COUNT(*) FROM published.%s",
	"SELECT COUNT(*), ANON_STDERR(COUNT(*)), ANON_LOW(COUNT(*)), ANON_HIGH(COUNT(*)) FROM published.%s WHERE age >= 40 AND disease = 'flu'",
	"SELECT SUM(charge), AVG(age) FROM published.%s WHERE disease IN ('flu', 'gout') OR sex = 'F'",
	"SELECT disease, COUNT(*), SUM(age) FROM published.%s WHERE born < '1980-01-01' GROUP BY disease ORDER BY disease",
	"SELECT sex, zip, COUNT(*) FROM published.%s WHERE disease IS NOT NULL GROUP BY sex, zip ORDER BY sex, zip",
	"SELECT * FROM published.%s ORDER BY age, sex, zip, born, charge, disease",
	// Statistics over all releases were measured with the table, so only the owner sees them.
	"SELECT * FROM ANON_PRIVACY(%s) WHERE guarantee NOT LIKE 'intersection%%'",
}

// Every method publishes through SQL: its release keeps its promises and gives the owner and an analyst the same
// answers, also after a restart.
func TestMethods(t *testing.T) {
	t.Parallel()
	s, owner := servePatients(t)
	run(t, owner, "CREATE USER 'bi'@'%'; GRANT SELECT ON published.* TO 'bi'@'%'")
	all := methods.All()
	for _, m := range all {
		if _, ok := methodCalls[m.Name]; !ok {
			t.Errorf("method %s has no line in methodCalls", m.Name)
		}
	}
	all = testsize.Some(testsize.Levels(6, len(all), len(all)), all)
	for _, m := range all {
		call := methodCalls[m.Name]
		t.Run(m.Name, func(t *testing.T) {
			checkPublished(t, owner, m.Name, call.options)
			checkMethodFunction(t, owner, m.Name, call.positional)
			checkMethodError(t, owner, m.Name, call.options, call.bad, call.message)
		})
	}
	analyst := s.Open(t, servertest.Account{User: "bi"})
	refuseRaw(t, analyst)
	answers := map[string]string{}
	for i, m := range all {
		for j, question := range methodQuestions {
			if (i+j)%testsize.Of(4, 1) != 0 {
				continue // each method gets some of the questions, and each question goes to several methods
			}
			query := fmt.Sprintf(question, "p_"+m.Name)
			answers[query] = answerOf(t, owner, query)
			if got := answerOf(t, analyst, query); got != answers[query] {
				t.Errorf("%s\nthe analyst gets\n%s\nthe owner\n%s", query, got, answers[query])
			}
		}
	}
	s.Stop(t)
	again := servertest.Start(t, s.Config).Open(t, servertest.Account{User: "bi"})
	for query, before := range answers {
		if after := answerOf(t, again, query); after != before {
			t.Errorf("%s\nafter a restart\n%s\nbefore\n%s", query, after, before)
		}
	}
	refuseRaw(t, again)
}

func servePatients(t *testing.T) (*servertest.Server, *dbsql.DB) {
	t.Helper()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	db := s.Open(t, servertest.Account{User: "root", MultiStatements: true})
	createPatients(t, db)
	run(t, db, "CALL set_attributes('hospital.patients', 'qi=age,sex,zip,born,charge', 'sa=disease', 'ei=id')")
	return s, db
}

// createPatients creates hospital.patients: five quasi-identifiers of four types, NULLs among zip codes and diseases.
func createPatients(t *testing.T, db *dbsql.DB) {
	t.Helper()
	run(t, db, "CREATE DATABASE hospital")
	run(t, db, "CREATE TABLE hospital.patients (id INT PRIMARY KEY, age INT, sex CHAR(1), zip VARCHAR(5), born DATE, charge DECIMAL(8,2), disease VARCHAR(20))")
	random := rand.New(rand.NewPCG(1, 2))
	diseases := []string{"'flu'", "'cold'", "'gout'", "'asthma'", "'cancer'", "NULL"}
	zips := []string{"'11100'", "'12200'", "'25300'", "NULL"}
	var values []string
	for i := range 240 {
		values = append(values, fmt.Sprintf("(%d, %d, '%c', %s, '%d-0%d-15', %d.5, %s)", i, 20+5*random.IntN(12), "FM"[random.IntN(2)],
			zips[random.IntN(4)], 1950+10*random.IntN(6), 1+random.IntN(9), 10*random.IntN(8), diseases[i%6]))
	}
	run(t, db, "INSERT INTO hospital.patients VALUES "+strings.Join(values, ", "))
}

// checkPublished publishes p_<method>, after a dry run that must leave nothing behind.
func checkPublished(t *testing.T, db *dbsql.DB, method string, options []string) {
	t.Helper()
	call := fmt.Sprintf("CALL anonymize('hospital.patients', '%s', '%s', 'publish=p_%s', 'allow_composition=true', ", method, strings.Join(options, "', '"), method)
	if row := fetchRows(t, db, call+"'calibrate=false', 'dry_run=true')")[0]; row[3] != "dry run" || row[4] != 240.0 {
		t.Errorf("a dry run returns %v", row)
	}
	stored := "SELECT COUNT(*) FROM anonsql.releases WHERE name = 'p_" + method + "'"
	if n := fetchRows(t, db, stored)[0][0]; n != 0.0 {
		t.Error("a dry run has stored a release")
	}
	if row := fetchRows(t, db, call+"'calibrate=false')")[0]; row[1] != method || !strings.HasPrefix(row[3].(string), "public") || row[4] != 240.0 {
		t.Errorf("publishing returns %v", row)
	}
	if n := fetchRows(t, db, stored)[0][0]; n != 1.0 {
		t.Errorf("%v releases are stored", n)
	}
	guarantees := fetchRows(t, db, "SELECT guarantee, required, achieved, holds FROM ANON_PRIVACY(p_"+method+") WHERE required IS NOT NULL")
	if len(guarantees) == 0 {
		t.Error("nothing is promised")
	}
	for _, g := range guarantees {
		if g[3] != 1.0 {
			t.Errorf("%v does not hold", g)
		}
	}
	if n := fetchRows(t, db, "SELECT COUNT(*) FROM published.p_"+method)[0][0]; n != 240.0 {
		t.Errorf("%v patients are counted", n)
	}
}

// checkMethodFunction reads the method's table function: it has all records in groups, and stores nothing.
func checkMethodFunction(t *testing.T, db *dbsql.DB, method, positional string) {
	t.Helper()
	row := fetchRows(t, db, fmt.Sprintf("SELECT COUNT(*), COUNT(gid), COUNT(DISTINCT gid), MIN(gid), COUNT(DISTINCT disease) FROM %s(hospital.patients, %s)",
		strings.ToUpper(method), positional))[0]
	if groups, _ := row[2].(float64); row[0] != 240.0 || row[1] != 240.0 || groups < 1 || row[3] != 1.0 || row[4] != 5.0 {
		t.Errorf("the table function has records, gids, groups, least gid and diseases %v", row)
	}
}

// checkMethodError: a wrong option replaces the right one of its name.
func checkMethodError(t *testing.T, db *dbsql.DB, method string, options []string, bad, message string) {
	t.Helper()
	name, _, _ := strings.Cut(bad, "=")
	given := []string{bad}
	for _, o := range options {
		if !strings.HasPrefix(o, name+"=") {
			given = append(given, o)
		}
	}
	_, err := db.ExecContext(context.Background(), fmt.Sprintf("CALL anonymize('hospital.patients', '%s', '%s', 'private=true')", method, strings.Join(given, "', '")))
	var known *mysql.MySQLError
	if !errors.As(err, &known) || known.Number != 1210 || known.Message != message {
		t.Errorf("%s: %v, want 1210: %s", bad, err, message)
	}
}

func refuseRaw(t *testing.T, analyst *dbsql.DB) {
	t.Helper()
	for _, query := range []string{"SELECT COUNT(*) FROM hospital.patients", "SELECT COUNT(*) FROM ANATOMY(hospital.patients, 2)",
		"CALL anonymize('hospital.patients', 'anatomy', 'l=2', 'private=true')"} {
		if _, err := analyst.ExecContext(context.Background(), query); err == nil {
			t.Errorf("an analyst may run %s", query)
		}
	}
}

// answerOf returns the answer with all digits.
func answerOf(t *testing.T, db *dbsql.DB, query string) string {
	t.Helper()
	rows, err := db.QueryContext(context.Background(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for rows.Next() {
		fields, targets := make([]dbsql.RawBytes, len(columns)), make([]any, len(columns))
		for i := range fields {
			targets[i] = &fields[i]
		}
		if err := rows.Scan(targets...); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%q\n", fields)
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	if out.Len() == 0 {
		t.Errorf("%s has no rows", query)
	}
	return out.String()
}
