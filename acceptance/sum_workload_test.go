package acceptance

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/server/servertest/census"
	"github.com/anonsql/anonsql/testsize"
)

// The SUM workload over a release of the bundled people: the bounds hold in every query, the calibrated interval has
// 33~
func TestSumWorkload(t *testing.T) {
	t.Parallel() // long, with servers of its own
	s := servertest.Start(t, server.Config{Extend: server.Product})
	census.Import(t, s.Addr, census.Write(t, testsize.Of(1000, 2000)))
	db := s.Open(t, servertest.Root)
	run(t, db, strings.TrimSuffix(publishSample, ")")+fmt.Sprintf(", 'calibrate=true', 'attacks=%t', 'misfit=%[1]t', 'seed=5')", testsize.All()))
	evaluate := func(of string) [][]any {
		return fetchRows(t, db, fmt.Sprintf("CALL evaluate('people', 'queries=%d', 'aggregate=sum', 'of=%s', 'qi=3,1-2', 'seed=9')", testsize.Of(60, 400), of))
	}
	returned := evaluate("hours_per_week")
	if again := evaluate("hours_per_week"); fmt.Sprint(returned) != fmt.Sprint(again) {
		t.Errorf("the same seed gave\n%v\nand\n%v", returned, again)
	}
	returned = slices.Concat(returned, returned, evaluate("age")) // a row for each estimator
	stored := fetchRows(t, db, "SELECT aggregate, qi, queries, estimator, mean, median, p95, zero_share, coverage, width FROM anonsql.evaluations WHERE aggregate LIKE 'SUM%'")
	for _, row := range stored { // stored figures are the returned ones, rounded
		for i, figure := range row {
			if figure, ok := figure.(float64); ok {
				row[i] = math.Round(1000*figure) / 1000
			}
		}
	}
	if fmt.Sprint(stored) != fmt.Sprint(returned) {
		t.Errorf("returned\n%v\nstored\n%v", returned, stored)
	}
	const mean, coverage, boundsMedian, held = 0, 1, 2, 3
	covered := 0.0
	for _, row := range fetchRows(t, db, "SELECT mean, coverage, bounds_median, bounds_held FROM anonsql.evaluations WHERE aggregate LIKE 'SUM%'")[4:] {
		t.Logf("%v", row)
		if row[held] != 1.0 || row[mean].(float64) <= 0 || row[boundsMedian].(float64) <= 0 {
			t.Errorf("%v: bounds must hold always, and the release has an error", row)
		}
		covered += row[coverage].(float64) / 8
	}
	// The width is the smallest of eight that covers, over all attributes.
	if covered < 0.95 {
		t.Errorf("the 95 percent intervals cover %.3f", covered)
	}
}
