package estimates

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/engine/dialect"
)

// The release of testdata/statements.test: towns and ages in one relation, diseases in the other.
var (
	golden = []Relation{
		{[]string{"lake", "published", "r1_qi1"}, []Column{{"town", "varchar"}, {"age", "integer"}, {"since", "date"}}},
		{[]string{"lake", "published", "r1_sa"}, []Column{{"disease", "varchar"}}},
	}
	goldenValues = map[string][]anonymize.Value{
		"town":    {anonymize.NullValue, anonymize.TextValue("Ayr"), anonymize.TextValue("Bath"), anonymize.TextValue("St John's")},
		"age":     {anonymize.IntegerValue(20), anonymize.IntegerValue(21), anonymize.IntegerValue(22), anonymize.IntegerValue(40), anonymize.IntegerValue(41)},
		"since":   {anonymize.InstantValue(0), anonymize.InstantValue(86_400_000_000), anonymize.InstantValue(172_800_000_000)},
		"disease": {anonymize.TextValue("cold"), anonymize.TextValue("flu"), anonymize.TextValue("gout")},
	}
	goldenLeaves = map[string]estimate.Leaf{
		"town":             estimate.ValueOf(0, 0),
		"age":              estimate.ValueOf(0, 1),
		"disease":          estimate.ValueOf(1, 0),
		"town <> 'Bath'":   estimate.ValueLeaf(0, 0, func(v anonymize.Value) bool { return !v.IsNull() && v.Text != "Bath" }),
		"town IS NOT NULL": estimate.ValueLeaf(0, 0, func(v anonymize.Value) bool { return !v.IsNull() }),
		"age < 40":         estimate.ValueLeaf(0, 1, func(v anonymize.Value) bool { return v.Int < 40 }),
		"since > 1970":     estimate.ValueLeaf(0, 2, func(v anonymize.Value) bool { return v.Int > 0 }),
		"disease = 'flu'":  estimate.ValueLeaf(1, 0, func(v anonymize.Value) bool { return v.Text == "flu" }),
		"disease IN (...)": estimate.ValueLeaf(1, 0, func(v anonymize.Value) bool { return v.Text != "flu" }),
		"age * LENGTH(town)": {Fragment: 0, Columns: []int{0, 1}, Eval: func(v []anonymize.Value) (anonymize.Value, error) {
			return anonymize.IntegerValue(v[1].Int * int64(len(v[0].Text))), nil
		}},
		"age > LENGTH(town)": {Fragment: 0, Columns: []int{0, 1}, Eval: func(v []anonymize.Value) (anonymize.Value, error) {
			return anonymize.IntegerValue(v[1].Int / (20 + int64(len(v[0].Text)))), nil
		}},
	}
)

// told is the store of a golden file: it knows values, but no counts.
type told struct {
	*Store
	texts []string
}

func (s *told) Values(_ context.Context, fragment, column int) ([]anonymize.Value, []uint64, error) {
	values := goldenValues[golden[fragment].Columns[column].Name]
	records := make([]uint64, len(values))
	records[0] = 100
	for i := range records[1:] {
		records[i+1]++
		records[0]--
	}
	return values, records, nil
}

// goldenBefore is the number of statements before the one that a command shows.
var goldenBefore = map[string]int{"ask": 0, "spread": 1, "sums": 1, "takes": 2}

// TestStatements compares the statements with testdata/statements.test, in both dialects. Input: conditions, and keys after BY. sums and takes also
// query the average age.
func TestStatements(t *testing.T) {
	datadriven.RunTest(t, "testdata/statements.test", func(t *testing.T, d *datadriven.TestData) string {
		var out strings.Builder
		for _, of := range []*dialect.Dialect{dialect.Trino, dialect.Spark} {
			sizes := []estimate.GroupSize{{Size: 5, Groups: 20}}
			if d.HasArg("sizes") {
				sizes = []estimate.GroupSize{{Size: 4, Groups: 15}, {Size: 5, Groups: 8}}
			}
			ended := errors.New("asked")
			s := &told{}
			s.Store = &Store{Dialect: of, Relations: golden, Sizes: sizes, Query: func(_ context.Context, text string, _ func([]any) error) error {
				s.texts = append(s.texts, text)
				if len(s.texts) <= goldenBefore[d.Cmd] {
					return nil
				}
				return ended
			}}
			shape := &anonymize.Release{Rows: 100}
			for _, r := range golden {
				f := &anonymize.Fragment{}
				for _, c := range r.Columns {
					f.Columns = append(f.Columns, &anonymize.FragmentColumn{Name: c.Name, Type: c.Type})
				}
				shape.Fragments = append(shape.Fragments, f)
			}
			p, err := estimate.PrepareElsewhere(shape, sizes, s)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			q := goldenQuestion(t, d)
			answer, err := p.AskWithSpread(t.Context(), q)
			if err == nil {
				_, err = p.StandardErrors(t.Context(), q, answer)
			}
			if !errors.Is(err, ended) {
				d.Fatalf(t, "%v", err)
			}
			fmt.Fprintf(&out, "%s: %s\n", of, s.texts[len(s.texts)-1])
		}
		return out.String()
	})
}

// goldenQuestion counts.
func goldenQuestion(t *testing.T, d *datadriven.TestData) *estimate.Question {
	q := &estimate.Question{Aggregates: []estimate.Aggregate{{Kind: estimate.Count}}}
	if goldenBefore[d.Cmd] == 0 && d.Cmd != "ask" {
		d.Fatalf(t, "unknown command")
	}
	if d.Cmd == "sums" || d.Cmd == "takes" {
		q.Leaves = append(q.Leaves, goldenLeaves["age"])
		q.Aggregates = append(q.Aggregates, estimate.Aggregate{Kind: estimate.Average, Argument: &estimate.Expression{Leaves: []int{0}}})
	}
	where, keys, _ := strings.Cut(d.Input, "BY ")
	add := func(list string, to *[]estimate.Expression) {
		for _, name := range strings.Split(strings.TrimSpace(list), "; ") {
			if name == "" {
				continue
			}
			leaf, ok := goldenLeaves[name]
			if !ok {
				d.Fatalf(t, "there is no %q", name)
			}
			q.Leaves = append(q.Leaves, leaf)
			*to = append(*to, estimate.Expression{Leaves: []int{len(q.Leaves) - 1}})
		}
	}
	add(where, &q.Where)
	add(keys, &q.Keys)
	return q
}
