package estimates

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/engine/dialect"
)

// ranged turns a fragment's cells into ranges around its values.
func ranged(random *rand.Rand, f *anonymize.Fragment) {
	for _, c := range f.Columns {
		for code := range c.Dictionary {
			cell := anonymize.Cell{Label: fmt.Sprint("cell ", code)}
			for member := max(0, code-random.IntN(5)); member <= min(len(c.Dictionary)-1, code+random.IntN(5)); member++ {
				cell.Members = append(cell.Members, uint32(member))
			}
			c.Cells = append(c.Cells, cell)
		}
	}
}

// TestQuestionsBesideRanges: relations of points are counted by group, in statements that a small stand-in of the engine runs, and questions over them and ranges have the answers,
// standard errors and bounds of the release at hand.
func TestQuestionsBesideRanges(t *testing.T) {
	random := rand.New(rand.NewPCG(101, 102))
	db, asked, spreads := newStandIn(t), 0, map[int]int{}
	for trial := range trials(8) {
		r := randomRelease(random, 40+random.IntN(40), 2+trial%2, kinds)
		relations, store := relationsOf(r, fmt.Sprintf("ranged%d", trial)), &Store{Dialect: dialect.Trino}
		numbers := make([]int, r.Groups())
		for g := range numbers {
			numbers[g] = 3*g + random.IntN(3)
			store.Numbers = append(store.Numbers, int64(numbers[g]))
		}
		db.exec(t, insertsOf(random, dialect.Trino, r, relations, false, numbers)...)
		ranged(random, r.Fragments[0])
		shape, sizes := shapeOf(r)
		shape.Fragments[0], shape.GroupSizes = r.Fragments[0], r.GroupSizes
		store.Relations, store.Sizes = relations, sizes
		store.Query = func(ctx context.Context, text string, row func([]any) error) error {
			asked += strings.Count(text, "SELECT gid, c0, sum(n) AS n")
			return db.query(ctx, text, row)
		}
		there, err := estimate.PrepareElsewhere(shape, sizes, store)
		if err != nil {
			t.Fatal(err)
		}
		here := estimate.Prepare(r)
		for range 10 {
			q := randomQuestion(random, r)
			compareNear(t, here, there, q)
			spreads[compareSpreads(t, here, there, q, 4)]++
		}
	}
	if t.Logf("%d statements of groups and keys, spreads %v", asked, spreads); asked < trials(8) || spreads[3] < trials(20) {
		t.Errorf("%d statements of groups and keys, spreads %v", asked, spreads)
	}
}

// TestOtherGroups: a group outside the ranges, and an invalid number of records, are noticed.
func TestOtherGroups(t *testing.T) {
	for want, row := range map[string][]any{"group 7 is new": {int64(7), int64(1)}, "group <nil> is new": {nil, int64(1)}, "for a whole number": {int64(5), "many"}} {
		s := &Store{Dialect: dialect.Trino, Relations: []Relation{{Path: []string{"r"}, Columns: []Column{{"a", "bigint"}}}}, Numbers: []int64{3, 5, 9},
			Query: func(_ context.Context, _ string, visit func([]any) error) error { return visit(row) }}
		if _, err := s.ByGroup(t.Context(), estimate.Classes{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want an error with %q", row, err, want)
		}
	}
}
