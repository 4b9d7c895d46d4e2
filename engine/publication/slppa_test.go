package publication

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/anonymize/slppa"
	"github.com/anonsql/anonsql/engine/dialect"
)

// ranked deals values of so many records each by rank: how many records every group has of every value.
func ranked(counts []int64, groups int64) (have [][]int64, sizes []int64) {
	have, sizes = make([][]int64, groups), make([]int64, groups)
	rank := int64(0)
	for v, n := range counts {
		for range n {
			g := rank % groups
			if have[g] == nil {
				have[g] = make([]int64, len(counts))
			}
			have[g][v]++
			sizes[g]++
			rank++
		}
	}
	return have, sizes
}

// What a rule says that groups keep, groups that are dealt by rank do: shares, and how far they are from the table's, in whole numbers.
func TestRuleKeepsItsWord(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	kept := 0
	for range 3000 {
		counts, records := make([]int64, 2+random.IntN(8)), int64(0)
		for v := range counts {
			counts[v] = 1 + random.Int64N(60)
			records += counts[v]
		}
		r := Rule{Size: 1 + random.Int64N(30), Share: anonymize.NewRatio(1+random.Uint64N(10), 10), Delta: anonymize.NewRatio(random.Uint64N(6), 10), Records: records}
		keeps := r.groups(records) > 0
		for _, c := range counts {
			keeps = keeps && r.keeps(c, records, c)
		}
		if !keeps {
			continue
		}
		kept++
		have, sizes := ranked(counts, r.groups(records))
		for g, of := range have {
			for v, n := range of {
				if sizes[g] < r.Size || n*int64(r.Share.Den) > sizes[g]*int64(r.Share.Num) || !deviates(n, sizes[g], counts[v], records).atMost(r.Delta) {
					t.Fatalf("%v by %+v: group %d has value %d %d times in %d records", counts, r, g, v, n, sizes[g])
				}
			}
		}
	}
	if kept < 200 {
		t.Errorf("%d of 3000 tables keep their rule: too few to say something", kept)
	}
}

// A value that is light in every block of so many records keeps the rule in each of them.
func TestLightValues(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	light := 0
	for range 20_000 {
		r := Rule{Size: 1 + random.Int64N(20), Share: anonymize.NewRatio(1+random.Uint64N(10), 10), Delta: anonymize.NewRatio(1+random.Uint64N(10), 10), Records: 5000}
		total, least := 1+random.Int64N(100), 10+random.Int64N(300)
		if !r.light(total, least) {
			continue
		}
		light++
		block := least + random.Int64N(400)
		if here := random.Int64N(min(total, block) + 1); !r.keeps(here, block, total) {
			t.Fatalf("%+v: %d of %d records in a block of %d, %d or more", r, here, total, block, least)
		}
	}
	if light < 1000 {
		t.Errorf("%d of 20000 values are light: too few to say something", light)
	}
}

// The bound on luck is that of binomial tails added up, term by term.
func TestLikely(t *testing.T) {
	for _, c := range []struct {
		size, groups int64
		share, risk  float64
	}{{4, 1000, 0.01, 0.01}, {30, 100_000, 0.05, 0.01}, {100, 1_000_000, 0.3, 0.001}, {10, 1, 0.9, 0.01}, {5, 7, 1, 0.01}} {
		tail := func(a int64) (p float64) { // P(Bin(size, share) > a)
			for k := a + 1; k <= c.size; k++ {
				binomial := 1.0
				for i := range k {
					binomial *= float64(c.size-i) / float64(i+1)
				}
				p += binomial * math.Pow(c.share, float64(k)) * math.Pow(1-c.share, float64(c.size-k))
			}
			return p
		}
		want := int64(math.Floor(c.share*float64(c.size))) + 1
		for want < c.size && float64(c.groups)/c.share*tail(want) > c.risk {
			want++
		}
		if got := likely(c.size, c.groups, c.share, c.risk); got != min(want, c.size) {
			t.Errorf("%+v: %d, must be %d", c, got, want)
		}
	}
}

func ratio(text string) anonymize.Ratio { return anonymize.MustRatio(text) }

// slppaRequest asks for all four bounds.
func slppaRequest(of *Table) Request {
	r := request(of, 0)
	r.Method, r.L = Slppa, 0
	r.Alpha, r.Beta, r.Gamma, r.Delta = ratio("0.35"), ratio("0.15"), ratio("0.01"), ratio("0.12")
	return r
}

// The figures over all groups, as SQL and as package privacy has them of the same relations, are the same; and they are within their bounds.
func TestDeviation145_BoundsFromCounts(t *testing.T) {
	e, _, _ := open(t)
	table := people(t, e, "bounded", 20_003)
	neighbours := slppaRequest(table)
	neighbours.Alpha, neighbours.Gamma, neighbours.Delta, neighbours.Block = one, one, ratio("0.4"), 300
	for name, r := range map[string]Request{"bounded": slppaRequest(table), "neighbours": neighbours} {
		t.Run(name, func(t *testing.T) {
			p := plan(t, e, r)
			a := assign(t, e, p, name)
			defer a.Discard(context.WithoutCancel(t.Context()))
			found, err := a.Verify(t.Context(), 200)
			if err != nil {
				t.Fatal(err)
			}
			all, err := a.Sample(t.Context(), int(a.Groups))
			if err != nil {
				t.Fatal(err)
			}
			if all.Rows != 20_003 || int64(all.Groups()) != a.Groups || len(all.Fragments) != 3 || len(found) != 4 || r.Block > 0 && p.Blocks < 10 {
				t.Fatalf("%d records in %d groups, %d fragments, %d blocks; %v", all.Rows, all.Groups(), len(all.Fragments), p.Blocks, found)
			}
			ours, err := privacy.Verify(all)
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range found {
				at := slices.IndexFunc(ours, func(of anonymize.Guarantee) bool { return of.Name == g.Name })
				if !g.Holds || math.Abs(g.Achieved-ours[at].Achieved) > 1e-12 {
					t.Errorf("%s is %v in the engine, %v here: %s", g.Name, g.Achieved, ours[at].Achieved, g.Detail)
				}
			}
			t.Logf("%d groups of %d or more, in %d blocks: %+v", a.Groups, p.rule.Size, p.Blocks, found)
		})
	}
}

// The quasi-identifiers are divided from counts as slppa divides them from rows.
func TestDivisionFromCounts(t *testing.T) {
	e, _, _ := open(t)
	table := people(t, e, "divided", 3000)
	var columns []*anonymize.Column
	var roles anonymize.Roles
	for _, c := range table.Columns[1:] {
		var values []anonymize.Value
		if err := e.Conn.Query(t.Context(), fmt.Sprintf("SELECT %s FROM %s ORDER BY id", e.Dialect.Name(c.Name), raw("divided")), func(row []any) error {
			v, err := c.value(row[0])
			values = append(values, v)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		columns = append(columns, anonymize.NewColumn(c.Name, c.Type, values))
		roles.QuasiIdentifiers = append(roles.QuasiIdentifiers, c.Name)
	}
	roles.QuasiIdentifiers, roles.Sensitive = roles.QuasiIdentifiers[:len(columns)-1], []string{"disease"}
	microdata, err := anonymize.NewMicrodata(columns...)
	if err != nil {
		t.Fatal(err)
	}
	for _, tables := range []int{1, 2, 3} {
		in, err := anonymize.NewInput(microdata, roles, rand.NewPCG(1, 1))
		if err != nil {
			t.Fatal(err)
		}
		release, err := slppa.Method().Run(t.Context(), in, anonymize.Arguments{"beta": "0.5", "tables": fmt.Sprint(tables)})
		if err != nil {
			t.Fatal(err)
		}
		r := slppaRequest(table)
		r.Alpha, r.Beta, r.Gamma, r.Delta, r.Fragments = one, ratio("0.5"), one, one, tables
		p := plan(t, e, r)
		for i, fragment := range p.fragments {
			var want []string
			for _, c := range release.Fragments[i].Columns {
				want = append(want, c.Name)
			}
			got := strings.Split(namesOf(fragment), ", ")
			if tables == 1 { // nothing is weighed, and any order will do
				slices.Sort(got)
				slices.Sort(want)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d tables: fragment %d has %v from counts, %v from rows", tables, i+1, got, want)
			}
		}
	}
}

// Of a text of many values the most frequent ones are levels, and all others are one.
func TestDeviation146_ManyTexts(t *testing.T) {
	e := &Engine{Dialect: dialect.Trino}
	counts := []Count{{anonymize.NullValue, 9}}
	for i := range 300 {
		counts = append(counts, Count{anonymize.TextValue(fmt.Sprintf("t%03d", i)), int64(1 + i)})
	}
	levels := e.levelsOf(Column{"town", "varchar"}, counts)
	if n := strings.Count(levels.expression, "'t"); n != mostLevels-1 || strings.Contains(levels.expression, "'t044'") || !strings.Contains(levels.expression, "'t045'") || !strings.HasSuffix(levels.expression, `THEN "town" END`) {
		t.Errorf("%d values: %s", n, levels.expression)
	}
	if few := e.levelsOf(Column{"town", "varchar"}, counts[:200]); few.expression != `"town"` {
		t.Errorf("200 texts: %s", few.expression)
	}
}

// What slppa cannot keep is refused by name, before anything is written.
func TestSlppaRefusals(t *testing.T) {
	e, _, _ := open(t)
	table := people(t, e, "unkept", 2000)
	for _, c := range []struct {
		change func(r *Request)
		want   string
	}{
		{func(r *Request) { r.Beta = ratio("0.02") }, "beta = 0.02 cannot be met"},
		{func(r *Request) { r.Beta = anonymize.Ratio{} }, "beta is not given"},
		{func(r *Request) { r.Alpha = ratio("0.00001") }, "alpha = 0.00001 cannot be met: in fragment qi"},
		{func(r *Request) { r.Alpha = ratio("0.006") }, "alpha is 0.006, cannot be planned"},
		{func(r *Request) { r.Gamma = ratio("0.0000001") }, "gamma is 0.0000001, cannot be planned"},
		{func(r *Request) { r.Block = 300 }, "alpha is 0.35, must be 1 in blocks of neighbours"},
		{func(r *Request) { r.Delta = ratio("2") }, "delta is 2, must be"},
		{func(r *Request) { r.Fragments = 6 }, "tables is 6, must be from 1 to 5"},
		{func(r *Request) { r.Division = [][]string{{"age"}, {"pay", "married"}} }, "must have every quasi-identifier once"},
		{func(r *Request) { r.Method = "arp" }, "method is 'arp', must be one of"},
	} {
		r := slppaRequest(table)
		c.change(&r)
		if _, err := e.NewPlan(t.Context(), r); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want an error with %q", err, c.want)
		}
	}
}
