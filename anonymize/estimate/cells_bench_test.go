package estimate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// mondrianLike is a release as Mondrian makes it: one tuple of intervals a group
// of 5 to 10 records in fragment qi1, and points in fragment sa.
func mondrianLike(random *rand.Rand, rows, columns, values int) *anonymize.Release {
	r := &anonymize.Release{Method: "test"}
	for r.Rows < rows {
		size := 5 + random.IntN(6)
		r.GroupSizes = append(r.GroupSizes, uint32(size))
		r.Rows += size
	}
	qi := &anonymize.Fragment{Name: "qi1", Role: anonymize.QuasiIdentifying, GroupStart: []uint32{0}}
	for g, size := range r.GroupSizes {
		qi.Count, qi.GroupStart = append(qi.Count, size), append(qi.GroupStart, uint32(g+1))
	}
	for c := range columns {
		qi.Columns = append(qi.Columns, intervals(random, fmt.Sprintf("q%d", c), values, len(r.GroupSizes)))
	}
	r.Fragments = []*anonymize.Fragment{qi, sensitive(random, r.GroupSizes)}
	return r
}

// intervals is a column of n cells of 1 to some 25 of the values.
func intervals(random *rand.Rand, name string, values, n int) *anonymize.FragmentColumn {
	c := &anonymize.FragmentColumn{Name: name, Type: "int"}
	var all []uint32
	for v := range values {
		c.Dictionary, all = append(c.Dictionary, anonymize.IntegerValue(int64(v))), append(all, uint32(v))
	}
	known := make(map[[2]int]uint32)
	for range n {
		low := random.IntN(values)
		high := min(values-1, low+random.IntN(1+values/4))
		code, ok := known[[2]int{low, high}]
		if !ok {
			code = uint32(len(c.Cells))
			known[[2]int{low, high}] = code
			c.Cells = append(c.Cells, anonymize.Cell{Label: fmt.Sprintf("[%d-%d]", low, high), Members: all[low : high+1]})
		}
		c.Codes = append(c.Codes, code)
	}
	return c
}

func sensitive(random *rand.Rand, sizes []uint32) *anonymize.Fragment {
	f := &anonymize.Fragment{Name: "sa", Role: anonymize.Sensitive, GroupStart: []uint32{0}}
	c := &anonymize.FragmentColumn{Name: "s", Type: "int"}
	for v := range 50 {
		c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(int64(v)))
	}
	for _, size := range sizes {
		drawn := make([]uint32, size)
		for i := range drawn {
			drawn[i] = uint32(random.IntN(50))
		}
		slices.Sort(drawn)
		for i, code := range drawn {
			if i > 0 && code == drawn[i-1] {
				f.Count[len(f.Count)-1]++
				continue
			}
			c.Codes, f.Count = append(c.Codes, code), append(f.Count, 1)
		}
		f.GroupStart = append(f.GroupStart, uint32(len(f.Count)))
	}
	f.Columns = []*anonymize.FragmentColumn{c}
	return f
}

// ringLike is a release as the nonhomogeneous method makes it: every record a
// group, its attributes points, and a set of l sensitive values.
func ringLike(random *rand.Rand, rows, columns, l int) *anonymize.Release {
	r := &anonymize.Release{Method: "test", Rows: rows}
	qi := &anonymize.Fragment{Name: "qi1", Role: anonymize.QuasiIdentifying, GroupStart: []uint32{0}}
	for c := range columns {
		column := &anonymize.FragmentColumn{Name: fmt.Sprintf("q%d", c), Type: "int"}
		for v := range 100 {
			column.Dictionary = append(column.Dictionary, anonymize.IntegerValue(int64(v)))
		}
		qi.Columns = append(qi.Columns, column)
	}
	sa := &anonymize.FragmentColumn{Name: "s", Type: "int", Dictionary: qi.Columns[0].Dictionary[:50]}
	for range 5000 {
		members := random.Perm(50)[:l]
		slices.Sort(members)
		cell := anonymize.Cell{Label: fmt.Sprint(members)}
		for _, v := range members {
			cell.Members = append(cell.Members, uint32(v))
		}
		sa.Cells = append(sa.Cells, cell)
	}
	for g := range rows {
		for _, c := range qi.Columns {
			c.Codes = append(c.Codes, uint32(random.IntN(100)))
		}
		sa.Codes = append(sa.Codes, uint32(random.IntN(len(sa.Cells))))
		r.GroupSizes, qi.Count, qi.GroupStart = append(r.GroupSizes, 1), append(qi.Count, 1), append(qi.GroupStart, uint32(g+1))
	}
	r.Fragments = []*anonymize.Fragment{qi, {Name: "sa", Role: anonymize.Sensitive, Columns: []*anonymize.FragmentColumn{sa}, GroupStart: qi.GroupStart, Count: qi.Count}}
	return r
}

// BenchmarkCells shows the cost of questions over generalized releases, per tuple
// of fragment qi1: three conditions, with one on the sensitive attribute or
// without, standard errors and bounds with /spread.
func BenchmarkCells(b *testing.B) {
	between := func(fragment, column int, low, high int64) Leaf {
		return ValueLeaf(fragment, column, func(v anonymize.Value) bool { return v.Int >= low && v.Int <= high })
	}
	conditions := []Leaf{between(0, 0, 10, 60), between(0, 1, 30, 80), between(0, 2, 5, 50), between(1, 0, 0, 20)}
	where := func(n int) []Expression {
		var list []Expression
		for i := range n {
			list = append(list, Expression{Leaves: []int{i}})
		}
		return list
	}
	band := Leaf{Fragment: 0, Columns: []int{3}, Eval: func(v []anonymize.Value) (anonymize.Value, error) {
		return anonymize.IntegerValue(v[0].Int / 10), nil
	}}
	count, sum := []Aggregate{{Kind: Count}}, func(l int) []Aggregate { return []Aggregate{{Kind: Sum, Argument: &Expression{Leaves: []int{l}}}} }
	questions := []struct {
		name string
		q    *Question
	}{
		{"COUNT/conditions=qi", &Question{Leaves: conditions[:3], Where: where(3), Aggregates: count}},
		{"COUNT/conditions=qi,sa", &Question{Leaves: conditions, Where: where(4), Aggregates: count}},
		{"SUM_qi/conditions=qi", &Question{Leaves: append(conditions[:3:3], ValueOf(0, 3)), Where: where(3), Aggregates: sum(3)}},
		{"SUM_sa/conditions=qi", &Question{Leaves: append(conditions[:3:3], ValueOf(1, 0)), Where: where(3), Aggregates: sum(3)}},
		{"COUNT_by_band/conditions=qi", &Question{Leaves: append(conditions[:3:3], band), Where: where(3), Keys: []Expression{{Leaves: []int{3}}}, Aggregates: count}},
		{"COUNT_by_value/conditions=qi", &Question{Leaves: append(conditions[:3:3], ValueOf(0, 3)), Where: where(3), Keys: []Expression{{Leaves: []int{3}}}, Aggregates: count}},
	}
	releases := map[string]func(*rand.Rand) *anonymize.Release{
		"mondrian/rows=100000":        func(r *rand.Rand) *anonymize.Release { return mondrianLike(r, 100_000, 9, 100) },
		"mondrian/rows=1000000":       func(r *rand.Rand) *anonymize.Release { return mondrianLike(r, 1_000_000, 9, 100) },
		"nonhomogeneous/rows=1000000": func(r *rand.Rand) *anonymize.Release { return ringLike(r, 1_000_000, 4, 5) },
	}
	for _, name := range []string{"mondrian/rows=100000", "mondrian/rows=1000000", "nonhomogeneous/rows=1000000"} {
		r := releases[name](rand.New(rand.NewPCG(1, 2)))
		p := Prepare(r)
		for _, asked := range questions {
			if !question.ReadsCells(r, asked.q) {
				continue
			}
			for way, ask := range map[string]func(context.Context, *Question) (*Answer, error){"": p.Ask, "/spread": p.AskWithSpread} {
				b.Run(asked.name+"/"+name+way, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						answer, err := ask(context.Background(), asked.q)
						if err != nil {
							b.Fatal(err)
						}
						if kept(answer).cells == nil {
							b.Fatal("no kernel")
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(r.Fragments[0].Tuples()), "ns/tuple")
				})
			}
		}
	}
}
