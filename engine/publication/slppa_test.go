package publication

import (
	"context"
	"errors"
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
	"github.com/anonsql/anonsql/testsize"
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

// The share of groups that break a bound is that of groups that are drawn, within what luck allows; groups have about as many breaks as planned, and no more.
func TestLikely(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	for _, c := range []struct {
		size   int64
		tuples []int64 // of 1000 records; what is left are tuples of one
		risk   float64
	}{{4, []int64{50, 30, 30, 1}, 0.1}, {20, []int64{360, 100, 1}, 0.15}, {60, []int64{300, 300, 100, 5, 1}, 0.05}, {10, []int64{900, 1}, 0.2}} {
		often := likelyCount(t.Context(), c.size, c.tuples, 1000, c.risk)
		above := map[int64]float64{often: 0, often - 1: 0} // share of groups that have a tuple more often
		const draws = 40_000
		for range draws {
			have := make(map[int]int64)
			most := int64(0)
			for range c.size {
				at := random.Int64N(1000)
				tuple := int(1000 + at) // one of its own
				for i, n := range c.tuples {
					if at -= n; at < 0 {
						tuple = i
						break
					}
				}
				have[tuple]++
				most = max(most, have[tuple])
			}
			for a := range above {
				if most > a {
					above[a] += 1.0 / draws
				}
			}
		}
		// Tails are added up, so the figure is an upper bound, not far off where breaks are rare. 0.01 is four standard errors.
		if above[often] > c.risk+0.01 || above[often-1] < c.risk/2 {
			t.Errorf("%+v: %d, which %.3f of the groups exceed, and %.3f one less", c, often, above[often], above[often-1])
		}
	}
	if got := likelyCount(t.Context(), 5, []int64{7}, 7, 0.1); got != 5 {
		t.Errorf("all records have one tuple: %d of 5", got)
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
	records := testsize.Of(6_003, 20_003)
	table := people(t, e, "bounded", records)
	neighbours, merged := slppaRequest(table), slppaRequest(table)
	neighbours.Alpha, neighbours.Gamma, neighbours.Delta, neighbours.Block = ratioOne, ratioOne, ratio("0.4"), 300
	merged.Alpha, merged.Gamma, merged.Delta, merged.Block = ratio("0.6"), ratio("0.02"), ratioOne, 0
	merged.Division = [][]string{{"married"}, {"age", "the place", "pay", "since"}}
	alike := merged
	alike.Block = 300
	if _, err := e.Assign(t.Context(), plan(t, e, alike), "alike", nil); err == nil || !strings.Contains(err.Error(), "alpha is 0.6, was not reached with gamma = 0.02: merging left") || !strings.HasSuffix(err.Error(), "neighbours are alike") {
		t.Errorf("married ones are neighbours, and groups have both: %v", err)
	}
	if left := ours(t, e); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	for name, r := range map[string]Request{"bounded": slppaRequest(table), "neighbours": neighbours, "merged": merged} {
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
			if all.Rows != records || int64(all.Groups()) != a.Groups || len(all.Fragments) != 3 || len(found) != 4 || r.Block > 0 && p.Blocks < 10 {
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
			if left := rows(t, e, "SHOW TABLES FROM iceberg."+e.Private); a.rounds == 0 && name == "merged" || slices.ContainsFunc(left, func(name string) bool { return strings.Contains(name, groupTable) }) {
				t.Errorf("%d rounds of merges, left are %v", a.rounds, left)
			}
			t.Logf("%d groups of %d or more, in %d blocks, %d rounds of merges: %+v", a.Groups, p.rule.Size, p.Blocks, a.rounds, found)
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
		r.Alpha, r.Beta, r.Gamma, r.Delta, r.Fragments = ratioOne, ratio("0.5"), ratioOne, ratioOne, tables
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
	if n := strings.Count(levels.expression, "'t"); n != maxLevels-1 || strings.Contains(levels.expression, "'t044'") || !strings.Contains(levels.expression, "'t045'") || !strings.HasSuffix(levels.expression, `THEN "town" END`) {
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
		{func(r *Request) { r.Gamma = ratio("0.0000001") }, "gamma is 0.0000001, cannot be planned"},
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

// Bounds that groups of at most maxSize records do not keep are refused by name.
func TestSizeCannotBePlanned(t *testing.T) {
	counts := []Count{{anonymize.IntegerValue(1), 333_333_331}, {anonymize.IntegerValue(2), 666_666_669}}
	for _, c := range []struct{ beta, delta, want string }{{"0.7", "0.00001", "delta is 0.00001, cannot be planned"}, {"0.66666667", "1", "beta is 0.66666667, cannot be planned"}, {"0.67", "0.01", ""}} {
		p := &Plan{Request: Request{Method: Slppa, Alpha: ratioOne, Beta: ratio(c.beta), Gamma: ratioOne, Delta: ratio(c.delta)}, Records: 1_000_000_000}
		err := (&Engine{}).planSize(t.Context(), p, counts)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("beta %s, delta %s: %v, want %q", c.beta, c.delta, err, c.want)
		}
		if err == nil && (p.rule.Size < 3 || p.rule.Size > 300) {
			t.Errorf("beta %s, delta %s: groups of %d", c.beta, c.delta, p.rule.Size)
		}
	}
}

// The context ends while groups are merged: nothing of the attempt is left.
func TestMergesEndInTheMiddle(t *testing.T) {
	e, g, _ := open(t)
	r := slppaRequest(people(t, e, "unmerged", 2000))
	// Half of the records are married: many groups of seven have five of one kind.
	r.Alpha, r.Gamma, r.Delta, r.Division = ratio("0.6"), ratioOne, ratioOne, [][]string{{"married"}, {"age", "the place", "pay", "since"}}
	p := plan(t, e, r)
	for _, before := range testsize.Some(2, []string{groupTable + "0", moveTable + "0", intoTable + "0", groupTable + "1", mergedTable, "qi2"}) {
		ctx, cancel := context.WithCancel(t.Context())
		reached := false
		g.before = func(text string) {
			if strings.HasPrefix(text, "CREATE") && strings.Contains(text, "_"+before+`" AS`) || strings.Contains(text, "_"+before+`" WITH`) {
				reached = true
				cancel()
			}
		}
		_, err := e.Assign(ctx, p, "unmerged", nil)
		for tries := 0; err != nil && strings.Contains(err.Error(), "merging left") && tries < 9; tries++ { // an unlucky key leaves too few groups, and is refused
			_, err = e.Assign(ctx, p, "unmerged", nil)
		}
		g.before = nil
		cancel()
		if !reached || !errors.Is(err, context.Canceled) {
			t.Errorf("ended before %s is made: %v, %v", before, reached, err)
		}
		if left := ours(t, e); len(left) > 0 {
			t.Fatalf("ended before %s is made: left are %v", before, left)
		}
	}
}
