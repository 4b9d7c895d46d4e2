package publication

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// agree compares the engine's findings over all groups with package privacy's over the pulled relations, and returns the release.
func agree(t *testing.T, a *Attempt, records int) *anonymize.Release {
	t.Helper()
	found, err := a.Verify(t.Context(), 50)
	if err != nil {
		t.Fatal(err)
	}
	all, err := a.Sample(t.Context(), int(a.Groups))
	if err != nil {
		t.Fatal(err)
	}
	if all.Rows != records || int64(all.Groups()) != a.Groups || len(found) != len(a.plan.promises()) {
		t.Fatalf("%d records in %d groups, planned %d; %v", all.Rows, all.Groups(), a.Groups, found)
	}
	ours, err := privacy.Verify(all)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range found {
		at := slices.IndexFunc(ours, func(of anonymize.Guarantee) bool { return of.Name == g.Name })
		achieved := g.Achieved
		if g.Name == "l" { // privacy rounds it down
			achieved = math.Floor(achieved)
		}
		if !g.Holds || math.Abs(achieved-ours[at].Achieved) > 1e-12 {
			t.Errorf("%s is %v in the engine, %v here: %s", g.Name, achieved, ours[at].Achieved, g.Detail)
		}
	}
	t.Logf("%d groups in %d blocks: %+v", a.Groups, a.plan.Blocks, found)
	return all
}

// Buckets of slicing are planned blocks; its column groups come from the method's clustering.
func TestDeviation147_BucketsAreBlocks(t *testing.T) {
	e, _, _ := open(t)
	r := request(people(t, e, "sliced", 5003), 0)
	r.Method, r.L = Slicing, 3
	p := plan(t, e, r)
	a := assign(t, e, p, "sliced")
	defer a.Discard(context.WithoutCancel(t.Context()))
	all := agree(t, a, 5003)
	if len(all.Fragments) != 3 || all.Groups() < 20 {
		t.Errorf("%d fragments, %d groups", len(all.Fragments), all.Groups())
	}
	near(t, all, true)
}

// Classes of mondrian are planned blocks, hardly larger than they must be: ranges have all values of their class, and no wider ends.
func TestDeviation148_ClassesAreBlocks(t *testing.T) {
	e, _, _ := open(t)
	table := people(t, e, "classed", 5003)
	// Combinations of bins of seven columns are more than an integer has numbers.
	run(t, e, "CREATE TABLE "+raw("wide")+" AS SELECT *, mod(id * 7, 1009) AS room, mod(id * 11, 1013) AS door FROM "+raw("classed"))
	wide := &Table{Schema: table.Schema, Name: "wide", Columns: append(slices.Clone(table.Columns), Column{"room", "bigint"}, Column{"door", "bigint"})}
	for name, c := range map[string]struct {
		of          *Table
		more        []string
		k, l, least int
	}{"anonymous": {of: table, k: 20, least: 180}, "diverse": {of: wide, more: []string{"room", "door"}, k: 5, l: 4, least: 400}} {
		t.Run(name, func(t *testing.T) {
			r := request(c.of, 0)
			r.Method, r.K, r.L, r.QuasiIdentifiers = Mondrian, c.k, c.l, append(r.QuasiIdentifiers, c.more...)
			a := assign(t, e, plan(t, e, r), name)
			defer a.Discard(context.WithoutCancel(t.Context()))
			all := agree(t, a, 5003)
			if all.Groups() < c.least || all.Fragments[0].Tuples() != all.Groups() {
				t.Errorf("%d groups, %d tuples of ranges", all.Groups(), all.Fragments[0].Tuples())
			}
			t.Log(all.Fragments[0].Columns[0].Cells[0], all.Fragments[0].Columns[1].Cells[0])
		})
	}
	r := request(table, 0)
	r.Method, r.K = Mondrian, 20
	a := assign(t, e, plan(t, e, r), "torn")
	defer a.Discard(context.WithoutCancel(t.Context()))
	qi := a.relation(a.Fragments[0])
	for _, c := range []struct{ breaks, mends, want string }{
		{"UPDATE " + qi + " SET age_low = age_low + 1", "UPDATE " + qi + " SET age_low = age_low - 1", "lie outside of the ranges"},
		{"UPDATE " + qi + ` SET "the place_null" = false WHERE "the place_null"`, "", "lie outside of the ranges"},
		{"UPDATE " + qi + ` SET "count" = 1 WHERE mod(gid, 7) = 0`, "", "k is 1"},
	} {
		run(t, e, c.breaks)
		if _, err := a.Verify(t.Context(), 100); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.breaks, err, c.want)
		}
		if c.mends != "" {
			run(t, e, c.mends)
		}
	}
}

// Infeasible requests for blocks are refused by name, before anything is written.
func TestBlockedRefusals(t *testing.T) {
	e, _, _ := open(t)
	table := people(t, e, "unblocked", 1000)
	table.Columns = append(table.Columns, Column{"Count", "integer"})
	for _, c := range []struct {
		change func(r *Request)
		want   string
	}{
		{func(r *Request) { r.Method, r.L = Slicing, 1 }, "l is 1, must be 2 or more"},
		{func(r *Request) { r.Method, r.L = Slicing, 12 }, "the largest feasible l is 11"},
		{func(r *Request) { r.Method, r.K, r.L = Mondrian, 5, 12 }, "the largest feasible l is 11"},
		{func(r *Request) { r.Method, r.K, r.L = Mondrian, 0, 0 }, "k is 0, must be 1 or more"},
		{func(r *Request) { r.Method, r.K, r.L = Mondrian, 1001, 0 }, "k = 1001 cannot be met: the table has 1000 records"},
		{func(r *Request) {
			r.Method, r.K, r.L, r.QuasiIdentifiers = Mondrian, 5, 0, append(r.QuasiIdentifiers, "Count")
		}, `column "Count" is called as`},
	} {
		r := request(table, 0)
		c.change(&r)
		if _, err := e.NewPlan(t.Context(), r); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want an error with %q", err, c.want)
		}
	}
}

// A span is the cell of all values between its ends, and of NULL where a record has it.
func TestSpansAreCells(t *testing.T) {
	whole := anonymize.IntegerValue
	domain := []anonymize.Value{anonymize.NullValue, whole(1), whole(3), whole(7), whole(9)}
	for _, c := range []struct {
		of      Span
		label   string
		members []uint32
	}{
		{Span{whole(3), whole(3), false}, "3", []uint32{2}},
		{Span{whole(1), whole(7), false}, "[1-7]", []uint32{1, 2, 3}},
		{Span{whole(3), whole(9), true}, "{NULL,[3-9]}", []uint32{0, 2, 3, 4}},
		{Span{whole(9), whole(9), true}, "{NULL,9}", []uint32{0, 4}},
		{Span{anonymize.NullValue, anonymize.NullValue, true}, "NULL", []uint32{0}},
		{Span{whole(2), whole(9), false}, "", nil},
		{Span{anonymize.NullValue, anonymize.NullValue, false}, "", nil},
	} {
		cell, ok := newMembers(domain).cell(c.of)
		if ok != (c.members != nil) || ok && (cell.Label != c.label || !slices.Equal(cell.Members, c.members)) {
			t.Errorf("%v is %v, %v; must be %s %v", c.of, cell, ok, c.label, c.members)
		}
	}
	if _, ok := newMembers(domain[1:]).cell(Span{Null: true, Low: whole(1), High: whole(1)}); ok {
		t.Error("NULL is no value of the domain, and has a cell")
	}
	text := Span{anonymize.TextValue("a-b"), anonymize.TextValue("c"), false}
	if got := text.label(); got != "[a-b-c]" {
		t.Errorf("texts are labelled %s", got)
	}
	random := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		low, high := 1+random.IntN(4), 1+random.IntN(4)
		cell, ok := newMembers(domain).cell(Span{domain[min(low, high)], domain[max(low, high)], random.IntN(2) == 0})
		if !ok || !slices.IsSorted(cell.Members) || int(cell.Members[len(cell.Members)-1]) != max(low, high) {
			t.Fatalf("%v to %v: %v", low, high, cell)
		}
	}
}
