package demo

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/testsize"
)

// TestFirstAnswers plays the session, and checks its claims: intervals miss no more actual values than 95 percent
// permits, and in full, with all the people of `anonsql demo` instead of 1,000, the median error is within 3 percent.
//
// Of n estimated figures at most missesExpected(n) may be missed. If each is missed one time in twenty,
// independently, more are missed in one session in ten thousand.
func TestFirstAnswers(t *testing.T) {
	var out bytes.Buffer
	o := Options{Listen: "127.0.0.1:0", Exit: true, Output: &out, people: 1000}
	if testsize.All() {
		o.people = sampleRows
	}
	all, err := run(context.Background(), o)
	if err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if all.estimated < 10 || len(all.errors) != all.estimated {
		t.Fatalf("%d figures are estimated, %d have an error:\n%s", all.estimated, len(all.errors), &out)
	}
	if missed := all.estimated - all.inside; missed > missesExpected(all.estimated) {
		t.Errorf("%d of %d actual values are outside their intervals:\n%s", missed, all.estimated, &out)
	}
	if all.median() > 0.03 && testsize.All() {
		t.Errorf("the median error is %.3f:\n%s", all.median(), &out)
	}
	t.Logf("%s", all)
	if !strings.Contains(out.String(), all.String()) || strings.Count(out.String(), "drew 12 tables") != 1 {
		t.Errorf("the session does not say how good its answers are, and why:\n%s", &out)
	}
}

// missesExpected is the least number that a binomial variable of n and 0.05 exceeds with a
// probability of less than 1/10,000.
func missesExpected(n int) int {
	term, sum := 1.0, 0.0
	for range n {
		term *= 0.95
	}
	for k := 0; k <= n; k++ {
		if sum += term; 1-sum < 1e-4 {
			return k
		}
		term *= float64(n-k) / float64(k+1) * 0.05 / 0.95
	}
	return n
}

func TestMissesExpected(t *testing.T) {
	for n, want := range map[int]int{1: 1, 10: 4, 20: 6} {
		if got := missesExpected(n); got != want {
			t.Errorf("of %d: %d, want %d", n, got, want)
		}
	}
}

// A figure is inside its interval, at its ends too, and one without doubt is exact.
func TestFigures(t *testing.T) {
	var all figures
	for _, f := range []figure{
		{"10", "10", "10", "10", "0"},
		{"71131.62300000001", "71131.62299999998", "71131.62300000002", "71131.62300000003", "0"},
		{"11.5", "9", "14", "9", "0.27777"},
		{"20", "15", "25", "26", "0.2307"},
		{"3", "0", "5", "0", "NULL"},
	} {
		if err := all.add(f); err != nil {
			t.Error(err)
		}
	}
	if got, want := fmt.Sprint(all.exact, all.estimated, all.inside, len(all.errors), all.median()), "2 3 2 2 0.27777"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := strings.Join(figure{"20", "15", "25", "26", "0.2307"}.cells(), "|"), "20|15 to 25|26|23.1 %|NO"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if err := all.add(figure{"1", "NULL", "NULL", "1", "0"}); err == nil {
		t.Error("an answer without an interval is counted")
	}
	if err := all.add(figure{"10", "10", "10", "11", "0.1"}); err == nil {
		t.Error("an exact answer that is wrong is counted")
	}
}
