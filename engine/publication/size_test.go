package publication

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anatomy"
)

// TestLeastSize: groups have the first size from what is asked on whose counts by rank keep the bounds, and are refused by name where none has.
func TestLeastSize(t *testing.T) {
	counts := func(most, all int64) (counts []Count) {
		for v := range int64(10) {
			counts = append(counts, Count{anonymize.IntegerValue(v), (all - most) / 9})
		}
		counts[0].Records = all - 9*counts[1].Records
		return counts
	}
	for _, c := range []struct{ most, l, size, want int64 }{
		{1200, 5, 0, 5}, {1200, 5, 50, 50}, {1200, 5, 2000, 2000},
		{1995, 5, 50, 50},     // a fifth of 10,000, nearly: 10 in each of 200 groups of 50
		{2001, 5, 50, 0},      // with the residue, 2,008 of 10,000: more than a fifth
		{1985, 5, 49, 50},     // 10 of 49 are more than a fifth
		{3330, 3, 32, 33},     // 11 of 32 are more than a third
		{1200, 5, 9999, 9999}, // one group
	} {
		p := &Plan{Request: Request{Method: Anatomy, L: int(c.l), Size: int(c.size)}, Records: 10_000}
		err := (&Engine{}).planSize(t.Context(), p, counts(c.most, 10_000))
		if c.want == 0 {
			var infeasible *anonymize.InfeasibleError
			if !errors.As(err, &infeasible) || infeasible.Parameter != "size" || !strings.Contains(err.Error(), "Leave size out") {
				t.Errorf("%+v: %v", c, err)
			}
			continue
		}
		if err != nil || p.rule.Size != c.want {
			t.Errorf("%+v: groups of %d, %v", c, p.rule.Size, err)
		}
	}
}

// An endingContext ends when it has been looked at a hundred times.
type endingContext struct {
	context.Context
	looks int
}

func (c *endingContext) Err() error {
	if c.looks++; c.looks > 100 {
		return context.Canceled
	}
	return nil
}

// TestKilledWhilePlanning: KILL ends the search for a size within one size, whose groups may have as many records as the table.
func TestKilledWhilePlanning(t *testing.T) {
	const all = int64(1) << 41
	p := &Plan{Request: Request{Method: Slppa, Alpha: ratio("0.5"), Beta: ratio("0.5"), Gamma: ratioOne, Delta: ratioOne, Size: int(all / 2)}, Records: all}
	p.rule = Rule{Share: p.Beta, Delta: p.Delta, Records: all}
	counts := []Count{{anonymize.IntegerValue(1), all / 4}, {anonymize.IntegerValue(2), all / 4}, {anonymize.IntegerValue(3), all / 4}, {anonymize.IntegerValue(4), all / 4}}
	ctx := &endingContext{Context: t.Context()}
	if err := p.leastSize(ctx, 2, counts, [][]int64{{all / 4, 1}}); !errors.Is(err, context.Canceled) || ctx.looks > 110 {
		t.Errorf("after %d looks %v", ctx.looks, err)
	}
}

// A value that is too frequent for l: the error has the largest l.
func TestLargestL(t *testing.T) {
	p := &Plan{Request: Request{Method: Anatomy, Sensitive: "s", L: 9}, Records: 100}
	const want = `l = 9 cannot be met: value 1 of column "s" has 30 of 100 records; the largest feasible l is 3`
	if err := p.check([]Count{{anonymize.IntegerValue(1), 30}, {anonymize.IntegerValue(2), 20}}); err == nil || err.Error() != want {
		t.Error(err)
	}
}

// TestRepublisherKeepsSize: a table at hand is published again with groups as large as they were asked to be.
func TestRepublisherKeepsSize(t *testing.T) {
	in, rule := atHand(t, 20_003), Rule{Size: 50, Share: anonymize.NewRatio(1, 5), Delta: ratioOne}
	p := plannedAtHand(t, Request{Method: Anatomy, L: 5, Size: 50}, rule, [][]Column{{{"age", "bigint"}, {"town", "bigint"}}})
	r, err := p.Republisher(anatomy.Method()).Run(t.Context(), in, anonymize.Arguments{"l": "5"})
	if err != nil {
		t.Fatal(err)
	}
	if r.Groups() < 20_003/50-64 || r.Groups() > 20_003/50 {
		t.Errorf("%d groups of 20,003 records", r.Groups())
	}
	if least := slices.Min(r.GroupSizes); least < 50 {
		t.Errorf("a group has %d records", least)
	}
}

// TestSizeInTheEngine: by every method the engine forms groups of the size that is asked, recomputes it, and says the same of it as we do of all groups.
func TestSizeInTheEngine(t *testing.T) {
	e, _, _ := open(t)
	table := people(t, e, "sized", 5003)
	for _, method := range Methods {
		t.Run(method, func(t *testing.T) {
			r := request(table, 0)
			r.Method, r.L, r.Size = method, 3, 40
			switch method {
			case Mondrian:
				r.K = 5
			case Slppa:
				r.L, r.Beta, r.Alpha, r.Division = 0, ratio("0.3"), ratio("0.7"), [][]string{{"married"}, {"age", "the place", "pay", "since"}}
			}
			a := assign(t, e, plan(t, e, r), "sized")
			defer a.Discard(context.WithoutCancel(t.Context()))
			all := agree(t, a, 5003)
			if least := slices.Min(all.GroupSizes); least < 40 || all.Groups() < 5003/400 {
				t.Errorf("the smallest of %d groups has %d records", all.Groups(), least)
			}
		})
	}
	r := request(table, 0)
	r.Size = 6000
	if _, err := e.NewPlan(t.Context(), r); err == nil || !strings.Contains(err.Error(), "size = 6000 cannot be met: the table has 5003 records") {
		t.Errorf("groups of more records than there are: %v", err)
	}
}
