package estimate

import (
	"fmt"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
)

// wideRelease is a generalized release of few, wide cells, as a method makes it of
// a table with a date and an amount: groups of some size, each with one tuple of
// intervals over the ages, the days and the cents, a set of zips, and in fragment
// sa 50 points. Intervals are a half to all of the values.
func wideRelease(random *rand.Rand, rows, size, values int) *anonymize.Release {
	r := &anonymize.Release{Method: "test", Rows: rows}
	for left := rows; left > 0; left -= size {
		r.GroupSizes = append(r.GroupSizes, uint32(min(size, left)))
	}
	qi := &anonymize.Fragment{Name: "qi1", Role: anonymize.QuasiIdentifying, GroupStart: []uint32{0}}
	for g, size := range r.GroupSizes {
		qi.Count, qi.GroupStart = append(qi.Count, size), append(qi.GroupStart, uint32(g+1))
	}
	for i, n := range []int{60, values, 4, values} {
		qi.Columns = append(qi.Columns, wideColumn(random, []string{"age", "born", "zip", "charge"}[i], n, len(r.GroupSizes)))
	}
	r.Fragments = []*anonymize.Fragment{qi, sensitive(random, r.GroupSizes)}
	return r
}

// wideColumn is a column of intervals of a half to all of the values.
func wideColumn(random *rand.Rand, name string, values, tuples int) *anonymize.FragmentColumn {
	c := &anonymize.FragmentColumn{Name: name, Type: "int"}
	var all []uint32
	for v := range values {
		c.Dictionary, all = append(c.Dictionary, anonymize.IntegerValue(int64(v))), append(all, uint32(v))
	}
	for t := range tuples {
		low := random.IntN(1 + values/2)
		high := low + values/2 + random.IntN(values-values/2-low+1)
		c.Cells = append(c.Cells, anonymize.Cell{Label: fmt.Sprintf("[%d-%d]", low, high-1), Members: all[low:min(high, values)]})
		c.Codes = append(c.Codes, uint32(t))
	}
	return c
}

// Columns of wideRelease: fragment and column.
var wideColumns = map[string][2]int{"age": {0, 0}, "born": {0, 1}, "zip": {0, 2}, "charge": {0, 3}, "disease": {1, 0}}

// wideAsker builds questions over wideRelease.
type wideAsker struct{ *Question }

func (a wideAsker) read(column string, eval func(int64) int64) Expression {
	at := wideColumns[column]
	a.Leaves = append(a.Leaves, Leaf{Fragment: at[0], Columns: []int{at[1]}, Eval: func(v []anonymize.Value) (anonymize.Value, error) {
		return anonymize.IntegerValue(eval(v[0].Int)), nil
	}})
	return Expression{Leaves: []int{len(a.Leaves) - 1}}
}

func (a wideAsker) where(column string, eval func(int64) bool) wideAsker {
	a.Where = append(a.Where, a.read(column, func(x int64) int64 {
		if eval(x) {
			return 1
		}
		return 0
	}))
	return a
}

func (a wideAsker) by(column string) wideAsker {
	a.Keys = append(a.Keys, a.read(column, func(x int64) int64 { return x }))
	return a
}

func (a wideAsker) ask(kind Kind, column string) wideAsker {
	return a.askOf(kind, column, func(x int64) int64 { return x })
}

func (a wideAsker) askOf(kind Kind, column string, eval func(int64) int64) wideAsker {
	argument := a.read(column, eval)
	a.Aggregates = append(a.Aggregates, Aggregate{Kind: kind, Argument: &argument})
	return a
}

func (a wideAsker) count() wideAsker {
	a.Aggregates = append(a.Aggregates, Aggregate{Kind: Count})
	return a
}

// product asks of the product of two columns.
func (a wideAsker) product(kind Kind, x, y string) wideAsker {
	first, second := a.read(x, func(x int64) int64 { return x }), a.read(y, func(x int64) int64 { return x })
	a.Aggregates = append(a.Aggregates, Aggregate{Kind: kind, Argument: &Expression{Leaves: append(first.Leaves, second.Leaves...),
		Combine: func(v []anonymize.Value) (anonymize.Value, error) {
			return anonymize.IntegerValue(v[0].Int * v[1].Int), nil
		}}})
	return a
}

// wideQuestions are ordinary statements over the columns of wideRelease.
func wideQuestions() map[string]wideAsker {
	ask := func() wideAsker { return wideAsker{&Question{}} }
	sick := func(d int64) bool { return d != 3 }
	return map[string]wideAsker{
		"MIN,MAX,DISTINCT,STDDEV":  ask().where("disease", sick).ask(Least, "age").ask(Greatest, "born").ask(Distinct, "zip").ask(DeviationSample, "charge"),
		"MIN,DISTINCT":             ask().ask(Least, "age").ask(Distinct, "zip"),
		"MIN,MAX,STDDEV":           ask().where("disease", sick).ask(Least, "age").ask(Greatest, "born").ask(DeviationSample, "charge"),
		"SUM,AVG":                  ask().where("disease", sick).ask(Sum, "born").ask(Average, "charge"),
		"DISTINCT_zip":             ask().where("disease", sick).ask(Distinct, "zip"),
		"DISTINCT_born":            ask().ask(Distinct, "born"),
		"DISTINCT_born_two":        ask().where("disease", sick).ask(Distinct, "born"),
		"DISTINCT_born_by_disease": ask().by("disease").ask(Distinct, "born"),
		"DISTINCT_born_by_age":     ask().by("age").ask(Distinct, "born"),
		"DISTINCT_year":            ask().where("disease", sick).askOf(Distinct, "born", func(x int64) int64 { return x / 365 }),
		"DISTINCT_weekday":         ask().where("disease", sick).askOf(Distinct, "born", func(x int64) int64 { return x % 7 }),
		"DISTINCT_disease":         ask().where("born", func(x int64) bool { return x%3 > 0 }).ask(Distinct, "disease"),
		"COUNT_by_born":            ask().by("born").count(),
		"COUNT_age_by_born":        ask().by("born").ask(Count, "age"),
		"MIN_by_born":              ask().by("born").ask(Least, "age"),
		"SUM_product":              ask().where("disease", sick).product(Sum, "age", "charge"),
		"DISTINCT_product":         ask().product(Distinct, "age", "zip").ask(Greatest, "born"),
		"MIN_by_born,charge":       ask().by("born").by("charge").ask(Least, "age"),
	}
}
