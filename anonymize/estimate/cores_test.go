package estimate

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// Every way of counting has the same bits on every number of cores. The detector of races looks at the tests with Cores in their names (.ci/run):
// whatever is split over cores is in one of them, with work for several.
func TestWaysAreTheSameOnEveryNumberOfCores(t *testing.T) {
	random := rand.New(rand.NewPCG(35, 36))
	points := codedRelease(random, 2*question.BlockGroups+100, 2, sizings[5].draw)
	for _, c := range []struct {
		name    string
		release *anonymize.Release
		ask     func(d *shapeDrawer)
	}{
		{"weighted join", points, func(d *shapeDrawer) { d.across() }},
		{"count bounds", points, func(d *shapeDrawer) { d.key(0); d.key(1) }},
		{"kernel", points, func(d *shapeDrawer) { d.conditions(0); d.argument(Sum, 1); d.argument(Distinct, 1) }},
		{"cells", generalized(random, 2*question.BlockGroups+100, 2, 2, 6), func(d *shapeDrawer) { d.conditions(0); d.argument(Sum, 1) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &shapeDrawer{random, c.release, &Question{Aggregates: []Aggregate{{Kind: Count}}}}
			c.ask(d)
			for _, prepared := range []bool{false, true} {
				sameOnCores(t, func() string {
					answer, errors, bounds := mustAskSpread(t, c.release, d.q, prepared)
					return fmt.Sprint(answer.Rows, errors, bounds)
				})
			}
		})
	}
}

// Pairs of completed tables are counted by blocks, and meet by blocks.
func TestPairsAreTheSameOnEveryNumberOfCores(t *testing.T) {
	r := benchedRelease(20_000, 2)
	d := &shapeDrawer{r: r, q: &Question{}}
	d.by(0, 1)
	x := d.leaf(ValueOf(1, 0))
	d.q.Aggregates = []Aggregate{{Kind: Count}, {Kind: Sum, Argument: &x}}
	completion := benchedCompletion(r, 4)
	sameOnCores(t, func() string {
		c := mustComplete(t, r, completion) // which keeps what it has counted
		rows, err := c.tables.Means(t.Context(), d.q)
		if err != nil || rows == nil || len(c.tables.Blocks) < 4 {
			t.Fatalf("%v, %v, %d blocks", rows, err, len(c.tables.Blocks))
		}
		return fmt.Sprint(rows)
	})
}

// sameOnCores wants the same text on one core, and on others.
func sameOnCores(t *testing.T, describe func() string) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	want := describe()
	for _, cores := range []int{2, 5} {
		runtime.GOMAXPROCS(cores)
		if got := describe(); got != want {
			t.Errorf("%d cores: %.300s, one core: %.300s", cores, got, want)
		}
	}
}
