package acceptance

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// A generalizedTuple is a row of a published relation with cells, as an analyst reads it.
type generalizedTuple struct {
	gid, low, high int64
	region         string
	count          int
}

// regionsOf are the leaves below the nodes of the taxonomy of region.
var regionsOf = map[string][]string{"*": {"a1", "a2", "b1"}, "A": {"a1", "a2"}, "a1": {"a1"}, "a2": {"a2"}, "b1": {"b1"},
	"{a1,b1}": {"a1", "b1"}, "{a2,b1}": {"a2", "b1"}}

// A possibleRecord is a record of a table that the release may come from.
type possibleRecord struct {
	age             int64
	region, disease string
}

// spread is the distribution of an answer over the possible tables of a group.
type spread struct{ mean, low, high float64 }

// enumerate visits every possible table of a group: every matching of tuples with sensitive values, and every value
// of every cell.
func enumerate(tuples []generalizedTuple, diseases []string, value func(possibleRecord) float64) spread {
	s := spread{low: math.Inf(1), high: math.Inf(-1)}
	tables := 0
	var fill func(at int, left []string, sum float64)
	fill = func(at int, left []string, sum float64) {
		if at == len(tuples) {
			tables++
			s.mean, s.low, s.high = s.mean+sum, min(s.low, sum), max(s.high, sum)
			return
		}
		for i, disease := range left {
			rest := append(append([]string{}, left[:i]...), left[i+1:]...)
			for age := tuples[at].low; age <= tuples[at].high; age++ {
				for _, region := range regionsOf[tuples[at].region] {
					fill(at+1, rest, sum+value(possibleRecord{age, region, disease}))
				}
			}
		}
	}
	fill(0, diseases, 0)
	s.mean /= float64(tables)
	return s
}

// An enumerated question has a value for every possible record.
type enumerated struct {
	aggregate, where string
	value            func(possibleRecord) float64
}

// Estimates and bounds over generalized cells equal those over all tables that agree with the published relations, as
// an analyst reads them.
func TestGeneralizedEstimatesByEnumeration(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	owner := s.Open(t, servertest.Account{User: "root", MultiStatements: true})
	servertest.Exec(t, owner, `CREATE DATABASE d;
CREATE TABLE d.people (age INT, region VARCHAR(2), disease VARCHAR(10));
INSERT INTO d.people VALUES (30, 'a1', 'flu'), (31, 'a2', 'cold'), (33, 'a1', 'gout'), (34, 'b1', 'flu'),
 (40, 'a1', 'cold'), (41, 'a1', 'gout'), (43, 'a2', 'flu'), (44, 'b1', 'cold'), (44, 'b1', 'gout');
CALL set_attributes('d.people', 'qi=age,region', 'sa=disease');
CALL set_taxonomy('d.people', 'region', 'hierarchy=a1;A;*
a2;A;*
b1;B;*');
CREATE USER analyst@'%'; GRANT SELECT ON published.* TO analyst@'%'`)
	analyst := s.Open(t, servertest.Account{User: "analyst"})
	questions := []enumerated{
		{"COUNT(*)", "age <= 32", func(r possibleRecord) float64 { return holding(r.age <= 32) }},
		{"COUNT(*)", "age BETWEEN 31 AND 42 AND disease = 'flu'", func(r possibleRecord) float64 { return holding(r.age >= 31 && r.age <= 42 && r.disease == "flu") }},
		{"COUNT(*)", "region = 'a1'", func(r possibleRecord) float64 { return holding(r.region == "a1") }},
		{"COUNT(*)", "region LIKE 'a%' AND age > 33 AND disease <> 'gout'", func(r possibleRecord) float64 {
			return holding(r.region != "b1" && r.age > 33 && r.disease != "gout")
		}},
		{"COUNT(*)", "region = 'b1' OR disease = 'cold'", func(r possibleRecord) float64 { return holding(r.region == "b1" || r.disease == "cold") }},
		{"SUM(age)", "1 = 1", func(r possibleRecord) float64 { return float64(r.age) }},
		{"SUM(age)", "disease = 'flu'", func(r possibleRecord) float64 { return float64(r.age) * holding(r.disease == "flu") }},
		{"SUM(age)", "region = 'a2' AND age < 43", func(r possibleRecord) float64 { return float64(r.age) * holding(r.region == "a2" && r.age < 43) }},
	}
	for _, call := range []string{"'mondrian', 'k=2', 'l=2'", "'mondrian', 'k=2', 'l=2', 'mode=strict'", "'drasl', 'k=2'", "'drasl', 'k=2', 'improve=true'", "'oka', 'k=2'", "'ika', 'k=2'", "'dpp', 'k=2'"} {
		t.Run(call, func(t *testing.T) {
			servertest.Exec(t, owner, "CALL anonymize('d.people', "+call+", 'seed=3', 'publish=people', 'replace=true')")
			compareWithEnumeration(t, analyst, questions)
		})
	}
	for _, statement := range []string{"SELECT age FROM d.people", "SELECT * FROM MONDRIAN(d.people, 2)", "SELECT ANON_ACTUAL(COUNT(*)) FROM published.people"} {
		if _, err := analyst.Query(statement); servertest.Number(err) != 1142 {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

func compareWithEnumeration(t *testing.T, analyst *dbsql.DB, questions []enumerated) {
	t.Helper()
	tuples, diseases := readGeneralized(t, analyst)
	for _, q := range questions {
		var want spread
		for gid := range tuples {
			group := enumerate(tuples[gid], diseases[gid], q.value)
			want.mean, want.low, want.high = want.mean+group.mean, want.low+group.low, want.high+group.high
		}
		var got spread
		statement := fmt.Sprintf("SELECT %[1]s, ANON_LOW(%[1]s), ANON_HIGH(%[1]s) FROM published.people WHERE %[2]s", q.aggregate, q.where)
		if err := analyst.QueryRow(statement).Scan(&got.mean, &got.low, &got.high); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		if !nearly(got.mean, want.mean) || !nearly(got.low, want.low) || !nearly(got.high, want.high) {
			t.Errorf("%s is %v, by enumeration %v", statement, got, want)
		}
	}
}

func holding(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

func nearly(got, want float64) bool { return math.Abs(got-want) < 1e-9*max(1, math.Abs(want)) }

// readGeneralized reads the published relations, one tuple per record, by group.
func readGeneralized(t *testing.T, db *dbsql.DB) (map[int64][]generalizedTuple, map[int64][]string) {
	t.Helper()
	tuples, diseases := make(map[int64][]generalizedTuple), make(map[int64][]string)
	rows, err := db.QueryContext(context.Background(), "SELECT gid, age, age_low, age_high, region, `count` FROM published.people_qi1")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	generalized := 0
	for rows.Next() {
		var tuple generalizedTuple
		var label string
		if err := rows.Scan(&tuple.gid, &label, &tuple.low, &tuple.high, &tuple.region, &tuple.count); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprint(tuple.low)
		if tuple.low < tuple.high {
			want = fmt.Sprintf("[%d-%d]", tuple.low, tuple.high)
			generalized++
		}
		if label != want || len(regionsOf[tuple.region]) == 0 {
			t.Errorf("the cells are %s for %d to %d, and %s", label, tuple.low, tuple.high, tuple.region)
		}
		for range tuple.count {
			tuples[tuple.gid] = append(tuples[tuple.gid], tuple)
		}
	}
	if err := rows.Err(); err != nil || generalized == 0 || len(tuples) < 2 {
		t.Fatalf("%v; %d groups, %d intervals", err, len(tuples), generalized)
	}
	values, err := db.QueryContext(context.Background(), "SELECT gid, disease, `count` FROM published.people_sa")
	if err != nil {
		t.Fatal(err)
	}
	defer values.Close()
	for values.Next() {
		var gid int64
		var disease string
		var count int
		if err := values.Scan(&gid, &disease, &count); err != nil {
			t.Fatal(err)
		}
		diseases[gid] = append(diseases[gid], strings.Split(strings.Repeat(disease+" ", count), " ")[:count]...)
	}
	return tuples, diseases
}
