package publication

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anatomy"
	"github.com/anonsql/anonsql/anonymize/slppa"
)

// atHand returns a table with two quasi-identifiers and a sensitive attribute of 14 values, one of them with an eighth of the records.
func atHand(t *testing.T, rows int) *anonymize.Input {
	t.Helper()
	random, table := rand.New(rand.NewPCG(1, 2)), &anonymize.Microdata{Rows: rows}
	for name, values := range map[string]int{"age": 40, "town": 9, "disease": 14} {
		c := &anonymize.Column{Name: name, Type: "bigint"}
		for v := range values {
			c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(int64(v)))
		}
		for range rows {
			c.Codes = append(c.Codes, uint32(random.IntN(values)))
			if name == "disease" && random.IntN(16) == 0 {
				c.Codes[len(c.Codes)-1] = 0
			}
		}
		table.Columns = append(table.Columns, c)
	}
	in, err := anonymize.NewInput(table, anonymize.Roles{QuasiIdentifiers: []string{"age", "town"}, Sensitive: []string{"disease"}}, rand.NewPCG(3, 4))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// plannedAtHand is a plan of one block.
func plannedAtHand(t *testing.T, r Request, rule Rule, fragments [][]Column) *Plan {
	t.Helper()
	r.QuasiIdentifiers, r.Sensitive = []string{"age", "town"}, "disease"
	p := &Plan{rule: rule, Blocks: 1, fragments: fragments}
	var err error
	if p.Request, err = r.checked(); err != nil {
		t.Fatal(err)
	}
	return p
}

// combinations are how many combinations of sensitive values groups have, which must have none more than once.
func combinations(t *testing.T, r *anonymize.Release) int {
	t.Helper()
	f, found := r.Fragments[len(r.Fragments)-1], make(map[string]bool)
	for g := range r.Groups() {
		for _, n := range f.Count[f.GroupStart[g]:f.GroupStart[g+1]] {
			if n > 1 {
				t.Fatalf("group %d has a value %d times", g, n)
			}
		}
		found[fmt.Sprint(f.Columns[0].Codes[f.GroupStart[g]:f.GroupStart[g+1]])] = true
	}
	return len(found)
}

// TestRepublisherFormsPools: groups of a table at hand keep the promise, and have many more combinations of sensitive values than one order of the values has: at
// most 14 + 5 and a few of the residue.
func TestRepublisherFormsPools(t *testing.T) {
	in, rule := atHand(t, 20_003), Rule{Size: 5, Share: anonymize.NewRatio(1, 5), Delta: ratioOne}
	p := plannedAtHand(t, Request{Method: Anatomy, L: 5}, rule, [][]Column{{{"age", "bigint"}, {"town", "bigint"}}})
	r, err := p.Republisher(anatomy.Method()).Run(t.Context(), in, anonymize.Arguments{"l": "5"})
	if err != nil {
		t.Fatal(err)
	}
	if many := combinations(t, r); r.Rows != 20_003 || many < 300 {
		t.Errorf("%d records, %d combinations of sensitive values", r.Rows, many)
	}
	p.Records, p.rule.Records, p.pools = 20_003, 20_003, 1
	if r, err = p.publish(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if few := combinations(t, r); few > 60 {
		t.Errorf("in one order there are %d combinations of sensitive values", few)
	}
	if few := atHand(t, 500); p.forTable(few).pools != 1 {
		t.Errorf("500 records are dealt into %d pools", p.forTable(few).pools)
	}
}

// TestRepublisherMerges: groups that break alpha are merged.
func TestRepublisherMerges(t *testing.T) {
	in, alpha := atHand(t, 4000), anonymize.NewRatio(1, 4)
	request := Request{Method: Slppa, Alpha: alpha, Beta: anonymize.NewRatio(1, 5), Fragments: 2}
	p := plannedAtHand(t, request, Rule{Size: 7, Share: request.Beta, Delta: ratioOne}, [][]Column{{{"age", "bigint"}}, {{"town", "bigint"}}})
	r, err := p.Republisher(slppa.Method()).Run(t.Context(), in, anonymize.Arguments{"beta": "0.2", "tables": "2"})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range r.Fragments {
		for g := range r.Groups() {
			for _, n := range f.Count[f.GroupStart[g]:f.GroupStart[g+1]] {
				if bound := map[bool]anonymize.Ratio{true: alpha, false: request.Beta}[i < 2]; !bound.Admits(int(n), int(r.GroupSizes[g])) {
					t.Fatalf("in fragment %d, %d of the %d records of group %d are alike", i, n, r.GroupSizes[g], g)
				}
			}
		}
	}
	if r.Groups() == 0 || r.Groups() >= 4000/7-64 {
		t.Errorf("%d groups: none was merged", r.Groups())
	}
}
