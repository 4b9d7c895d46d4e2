package recognition

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// A field is a column with a function for the values of its rows.
type field struct {
	name  string
	value func(r *rand.Rand, row int) any
}

// madeOf returns a table with this many rows.
func madeOf(rows int, seed uint64, quasi []string, protects string, fields ...field) *dataset {
	r := rand.New(rand.NewPCG(seed, 1))
	d := &dataset{quasi: quasi, protects: protects}
	for _, f := range fields {
		values := make([]anonymize.Value, rows)
		for i := range values {
			switch v := f.value(r, i).(type) {
			case int:
				values[i] = anonymize.IntegerValue(int64(v))
			default:
				values[i] = anonymize.TextValue(fmt.Sprint(v))
			}
		}
		d.columns = append(d.columns, anonymize.NewColumn(f.name, "", values))
	}
	return d
}

// uniform draws whole numbers.
func uniform(low, high int) func(*rand.Rand, int) any {
	return func(r *rand.Rand, _ int) any { return low + r.IntN(high-low+1) }
}

// every returns count numbers in turn, each for equally many rows.
func every(low, count, step int) func(*rand.Rand, int) any {
	return func(_ *rand.Rand, row int) any { return low + row*step%count }
}

func oneOf(of ...string) func(*rand.Rand, int) any {
	return func(r *rand.Rand, _ int) any { return of[r.IntN(len(of))] }
}

// inTurn gives texts as every does numbers.
func inTurn(prefix string, count, step int) func(*rand.Rand, int) any {
	return func(_ *rand.Rand, row int) any { return fmt.Sprint(prefix, row*step%count) }
}

func among(prefix string, count int) func(*rand.Rand, int) any {
	return func(r *rand.Rand, _ int) any { return fmt.Sprint(prefix, r.IntN(count)) }
}

// survey is a table of people with the given ages, sexes and regions.
func survey(rows int, seed uint64, age, sex, region func(*rand.Rand, int) any, sick string) *dataset {
	return madeOf(rows, seed, []string{"age", "sex", "region"}, "dx", field{"age", age}, field{"sex", sex}, field{"region", region}, field{"dx", among(sick, 6)})
}

// TestBalancedTablesAreNoCopies: quotas of every age, or of every age and sex, have values that other people share. The last two tables have the same
// design; only the sensitive values tell them apart.
func TestBalancedTablesAreNoCopies(t *testing.T) {
	sexes, regions := oneOf("F", "M"), oneOf("N", "S", "E", "W")
	drawn := survey(1500, 5, uniform(18, 90), sexes, regions, "a")
	third := func(of, step int) func(*rand.Rand, int) any {
		return func(_ *rand.Rand, row int) any { return row / step % of }
	}
	towns := func(rows int, seed uint64, from int, age func(*rand.Rand, int) any, town, sick string) *dataset {
		return madeOf(rows, seed, []string{"age", "town"}, "disease", field{"id", every(from, 1<<40, 1)}, field{"age", age}, field{"town", among(town, 40)}, field{"disease", among(sick, 6)})
	}
	for _, c := range []struct {
		name     string
		one, two *dataset
	}{
		{"ages 30 times each, and drawn ones", survey(1500, 6, every(20, 50, 1), oneOf("f", "m"), oneOf("aa", "bb", "cc"), "b"), drawn},
		{"ages 30 times each, sexes and regions as written elsewhere", survey(1500, 6, every(20, 50, 1), sexes, regions, "b"), drawn},
		{"ages 30 times each, and 20 times each", survey(1500, 6, every(20, 50, 1), oneOf("f", "m"), regions, "b"), survey(1000, 7, every(20, 50, 3), sexes, regions, "c")},
		{"ages 30 times each, in both", survey(1500, 6, every(20, 50, 1), sexes, oneOf("aa", "bb"), "b"), survey(1500, 7, every(20, 50, 3), sexes, regions, "c")},
		{"ages 30 or 31 times each", survey(1517, 6, every(20, 50, 1), sexes, regions, "b"), drawn},
		{"3,000 people of other towns, and 100,000", towns(3000, 8, 5_000_001, every(20, 60, 7), "u", "e"), towns(100_000, 7, 1, every(18, 70, 7919), "t", "d")},
		{"regions 40 times each", survey(2000, 6, uniform(20, 80), sexes, inTurn("r", 50, 7), "b"), survey(1700, 7, uniform(18, 70), oneOf("f", "m"), among("r", 50), "c")},
		{"age by sex, once each", survey(100, 6, every(20, 50, 1), third(2, 50), oneOf("aa", "bb"), "b"), survey(1500, 5, uniform(18, 90), third(2, 50), regions, "a")},
		{"age by sex, 15 times each", survey(1500, 6, every(20, 50, 1), third(2, 50), oneOf("aa", "bb"), "b"), survey(1700, 5, uniform(18, 90), among("", 2), regions, "a")},
		{"age by sex by region, 5 times each", survey(2000, 6, every(20, 50, 1), third(2, 50), third(4, 100), "b"), survey(2400, 5, uniform(18, 90), among("", 2), uniform(0, 3), "a")},
		{"age by sex by region, 5 and 3 times each", survey(2000, 6, every(20, 50, 1), third(2, 50), third(4, 100), "b"), survey(1200, 6, every(20, 50, 1), third(2, 50), third(4, 100), "c")},
		{"age by sex by region, 5 times each, in both", survey(2000, 6, every(20, 50, 1), third(2, 50), third(4, 100), "b"), survey(2000, 7, every(20, 50, 1), third(2, 50), third(4, 100), "b")},
	} {
		for _, pair := range [][2]*dataset{{c.one, c.two}, {c.two, c.one}} {
			if l := compared(t, sketchOf(t, pair[0]), pair[1]); l.Share > 0 {
				t.Errorf("%s: %.2f of %d rows are records of %d", c.name, l.Share, pair[1].rows(), pair[0].rows())
			}
		}
	}
}

// TestCopiesOfBalancedTables: a copy of such a table is recognised by the unbalanced columns.
func TestCopiesOfBalancedTables(t *testing.T) {
	for name, age := range map[string]func(*rand.Rand, int) any{"balanced": every(20, 50, 1), "nearly": every(20, 49, 1), "drawn": uniform(20, 69)} {
		panel := func(seed uint64) *dataset {
			return madeOf(2000, seed, []string{"age", "sex", "region", "job"}, "dx", field{"age", age}, field{"sex", inTurn("s", 2, 1)}, field{"region", among("r", 30)}, field{"job", among("j", 40)},
				field{"dx", among("d", 6)})
		}
		own, tr := panel(1), newTrial(panel(1), panel(2))
		known := sketchOf(t, own)
		for _, c := range []struct {
			copy *dataset
			name string
		}{
			{own, "the table"}, {own.renamed(), "renamed"}, {tr.part(1), "shuffled"}, {tr.part(.5), "half"}, {tr.part(.1), "a tenth"}, {tr.and(tr.published, 1), "and as many others"},
			{own.changed(tr.random, 1), "one value changed"}, {tr.and(tr.part(.9), .1), "a tenth replaced"}, {tr.joined(func() int { return 3 }), "every row three times"},
			{tr.joined(func() int { return 1 + tr.random.IntN(5) }), "joined with one to five rows"},
		} {
			if l := compared(t, known, c.copy); l.Share < MinShare {
				t.Errorf("%s, %s: not recognised: %+v", name, c.name, l)
			}
			if l := compared(t, sketchOf(t, c.copy), own); l.Share < MinShare {
				t.Errorf("%s, %s, the other way round: not recognised: %+v", name, c.name, l)
			}
		}
		for seed := range uint64(8) {
			if l := compared(t, known, panel(10+seed)); l.Share > 0 {
				t.Errorf("%s: other people are taken for a copy: %+v", name, l)
			}
		}
	}
}
