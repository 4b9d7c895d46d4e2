package estimate

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize/estimate/completed"
	"github.com/anonsql/anonsql/anonymize/estimate/planes"
)

// Planes count the rows of completed tables as looking at every row does, for all heights of groups that they take.
func TestPlacesCountAsRows(t *testing.T) {
	random := rand.New(rand.NewPCG(91, 92))
	counted := 0
	for trial := range trials(400) {
		tallest := []int{1, 2, 3, 7, 8, 9, 16, 33, 64, 65}[trial%10]
		r := codedRelease(random, 1+random.IntN(200), 2+random.IntN(2), func(*rand.Rand) int { return 1 + random.IntN(tallest) })
		completion := randomCompletion(random, r, 1+random.IntN(4))
		q := &Question{Aggregates: []Aggregate{{Kind: Count}}}
		for f := range r.Fragments {
			for c, column := range r.Fragments[f].Columns {
				switch at := len(q.Leaves); random.IntN(4) {
				case 0:
					q.Leaves, q.Keys = append(q.Leaves, ValueOf(f, c)), append(q.Keys, Expression{Leaves: []int{at}})
				case 1:
					q.Leaves = append(q.Leaves, ValueLeaf(f, c, randomSet(random, len(column.Dictionary))))
					q.Where = append(q.Where, Expression{Leaves: []int{at}})
				}
			}
		}
		sides, touched := mustSides(t, r, q), q.Touched()
		if len(touched) < 2 {
			continue
		}
		plan := completed.NewTablePlan(r, sides, touched)
		if planes.NewStore(r, planes.NewLayout(r)).PlanPlaces(sides, touched) != nil {
			counted++
		}
		got := tablesText(t, completed.NewTables(r, planes.NewStore(r, planes.NewLayout(r)), completion), plan)
		if want := tablesText(t, completed.NewTables(r, planes.NewStore(r, nil), completion), plan); got != want {
			t.Fatalf("trial %d, groups of up to %d records: planes count\n%s\nrows are\n%s", trial, tallest, got, want)
		}
	}
	if counted < atLeast(100) {
		t.Errorf("only %d questions were counted by planes", counted)
	}
}

// tablesText has the combinations that some table has, with their numbers of rows.
func tablesText(t *testing.T, tables *completed.Tables, plan *completed.TablePlan) (text string) {
	t.Helper()
	counts, err := tables.Count(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	err = counts.VisitCombinations(t.Context(), func(classes, records []uint32) error {
		text += fmt.Sprintln(classes, records)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}
