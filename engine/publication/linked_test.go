package publication

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/engine/dialect"
	"github.com/anonsql/anonsql/testsize"
)

// TestLinked: a sample of whole groups has the assignment's records, each with 1 if no other record of the table has its quasi-identifiers,
// including NULL, else 2.
func TestLinked(t *testing.T) {
	e, _, _ := open(t)
	table := people(t, e, "linked", 2003)
	few := func(r Request) Request {
		r.QuasiIdentifiers = []string{"age", "the place"} // some records are alone by these, others are not
		return r
	}
	requests := map[string]Request{
		"anatomy": few(request(table, 0)),
		"blocks":  few(request(table, 150)),
		"merged":  {Method: Slppa, Table: table, QuasiIdentifiers: []string{"age", "the place", "pay", "married", "since"}, Sensitive: "disease", Alpha: ratio("0.35"), Beta: ratio("0.2"), Fragments: 2},
		"slicing": {Method: Slicing, Table: table, QuasiIdentifiers: []string{"age", "the place", "married"}, Sensitive: "disease", L: 5, Fragments: 2},
		"classes": {Method: Mondrian, Table: table, QuasiIdentifiers: []string{"age", "married"}, Sensitive: "disease", K: 10, L: 3},
	}
	for _, name := range testsize.Some(2, slices.Sorted(maps.Keys(requests))) {
		t.Run(name, func(t *testing.T) {
			r := requests[name]
			a := assign(t, e, plan(t, e, r), "linked"+name)
			defer a.Discard(context.WithoutCancel(t.Context()))
			for _, every := range []int64{1, 3} {
				text, columns := a.Linked(every)
				if want := append(slices.Clone(r.QuasiIdentifiers), r.Sensitive); !slices.Equal(columns, want) {
					t.Fatalf("columns %q, want %q", columns, want)
				}
				found, want := rows(t, e, text), linkedByHand(t, e, a, every)
				slices.Sort(found)
				if !slices.Equal(found, want) || len(want) < 400 {
					t.Errorf("every %d: %d records, want %d", every, len(found), len(want))
				}
			}
			if ranges := a.Fragments[0]; ranges.IsRanges() {
				sharesRanges(t, e, a, ranges)
			}
		})
	}
}

// TestLinkedCountsToTwo: however many records are alike, a row's number is read.
func TestLinkedCountsToTwo(t *testing.T) {
	p := &Plan{quasiIdentifiers: []Column{{"age", "bigint"}}, sensitive: Column{"disease", "varchar"}}
	text, _ := (&Attempt{engine: &Engine{Dialect: dialect.Trino, Catalog: "c", Private: "p"}, plan: p, name: "a", source: assignedTable}).Linked(3)
	if !strings.HasPrefix(text, "SELECT sampled.gid, sampled.a0, sampled.a1, least(alike.records, 2) FROM ") {
		t.Error(text)
	}
}

// linkedByHand counts here what the query counts in the engine.
func linkedByHand(t *testing.T, e *Engine, a *Attempt, every int64) (sample []string) {
	t.Helper()
	alike := make(map[string]int)
	type record struct {
		gid          int64
		quasi, value string
	}
	var records []record
	list := make([]string, len(a.plan.released()))
	for i := range list {
		list[i] = attribute(i)
	}
	if err := e.Conn.Query(t.Context(), "SELECT gid, "+strings.Join(list, ", ")+" FROM "+a.table(a.source), func(row []any) error {
		last := len(row) - 1
		one := record{row[0].(int64), strings.Trim(fmt.Sprintf("%v", row[1:last]), "[]"), fmt.Sprint(row[last])}
		alike[one.quasi]++
		records = append(records, one)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if r.gid%every == 0 {
			sample = append(sample, fmt.Sprint(r.gid, " ", r.quasi, " ", r.value, " ", min(2, alike[r.quasi])))
		}
	}
	slices.Sort(sample)
	return sample
}

// sharesRanges compares ranges of groups, unchanged and with one group's ranges replaced by another's.
func sharesRanges(t *testing.T, e *Engine, a *Attempt, r Relation) {
	t.Helper()
	var names []string
	for _, name := range r.stored() {
		names = append(names, e.Dialect.Name(name))
	}
	for _, made := range []bool{false, true} {
		if made {
			run(t, e, fmt.Sprintf("INSERT INTO %s SELECT gid + 1000000, %s, \"count\" FROM %s LIMIT 1", a.relation(r), strings.Join(names, ", "), a.relation(r)))
		}
		shown := rows(t, e, "SELECT "+strings.Join(names, ", ")+" FROM "+a.relation(r))
		slices.Sort(shown)
		want := len(slices.Compact(slices.Clone(shown))) < len(shown)
		if shares, err := a.SharesRanges(t.Context(), r); err != nil || shares != want || made && !want {
			t.Errorf("groups share ranges: %v, %v; of %d groups it is %v", shares, err, len(shown), want)
		}
	}
}
