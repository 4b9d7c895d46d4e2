package estimate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// pairedQuestion asks COUNT, SUM and AVG of single columns by keys of one fragment, under
// conditions on some.
func pairedQuestion(d *shapeDrawer) {
	d.q = &Question{Aggregates: []Aggregate{{Kind: Count}}}
	keys, fragments := d.IntN(len(d.r.Fragments)), len(d.r.Fragments)
	for range d.IntN(3) {
		d.key(keys)
	}
	if d.IntN(2) == 0 {
		d.conditions(keys)
	}
	other := (keys + 1 + d.IntN(fragments-1)) % fragments
	if d.IntN(2) == 0 {
		d.conditions(other)
	}
	for range 1 + d.IntN(2) {
		f := other
		if d.IntN(4) == 0 {
			f = d.IntN(fragments)
		}
		x := d.leaf(ValueOf(f, d.IntN(len(d.r.Fragments[f].Columns))))
		if d.IntN(2) == 0 {
			d.q.Leaves[x.Leaves[0]].Eval = quarters
		}
		for _, kind := range []Kind{Count, Sum, Average} {
			d.q.Aggregates = append(d.q.Aggregates, Aggregate{Kind: kind, Argument: &x})
		}
	}
}

// quarters makes of whole values those that are negative, NULL, or of two places after the point.
func quarters(v []anonymize.Value) (anonymize.Value, error) {
	number, ok := v[0].Number()
	switch {
	case !ok || int(number)%5 == 3:
		return anonymize.NullValue, nil
	case int(number)%5 == 1:
		return anonymize.RealValue(1000*number + .25), nil
	case int(number)%5 == 2:
		return anonymize.RealValue(-100_000 * number), nil
	}
	return v[0], nil
}

// The means that come of pairs have the same bits as those that come of the tables: all values
// are multiples of a quarter.
func TestPairedJoinAnswersAsTheTables(t *testing.T) {
	ctx, random := context.Background(), rand.New(rand.NewPCG(71, 72))
	taken, asked := 0, 0
	for trial := range trials(600) {
		size := completedSizings[trial%len(completedSizings)]
		r := codedRelease(random, 1+random.IntN(40), 2+random.IntN(2), size.draw)
		d := &shapeDrawer{Rand: random, r: r}
		pairedQuestion(d)
		tables := 1 + random.IntN(15)
		if trial%20 == 0 {
			tables = 250 // whose numbers hardly fit
		}
		c := mustComplete(t, r, randomCompletion(random, r, tables))
		if len(d.q.Touched()) < 2 {
			continue
		}
		asked++
		rows, err := c.tables.Means(ctx, d.q)
		if err != nil {
			t.Fatal(err)
		}
		if rows == nil {
			continue
		}
		taken++
		want, err := c.ask(ctx, d.q, false)
		if err != nil {
			t.Fatal(err)
		}
		if got, all := fmt.Sprint(bare(rows)), bare(want.Rows); got != fmt.Sprint(all) {
			t.Fatalf("trial %d, groups of %s, %d tables:\n%v\nthe tables have\n%v", trial, size.name, tables, got, all)
		}
		for i, row := range rows {
			for a := range row.Figures {
				if at := want.Rows[i].Size(a); row.Size(a) < at*(1-1e-9) {
					t.Fatalf("trial %d: figure %d of row %v has the size %v, and in the tables %v", trial, a, row, row.Size(a), at)
				}
			}
		}
	}
	if taken < asked/4 {
		t.Errorf("%d of %d questions are answered from pairs", taken, asked)
	}
}

// bare are rows without what has canceled, which pairs of records do not tell exactly.
func bare(rows []AnswerRow) (keysAndFigures []AnswerRow) {
	for _, row := range rows {
		keysAndFigures = append(keysAndFigures, AnswerRow{Keys: row.Keys, Figures: row.Figures})
	}
	return keysAndFigures
}

// Figures do not change when somebody asks for their standard errors: sums of hundredths,
// which no float64 holds, are those of whole numbers.
func TestPairedJoinAnswersAlikeWithSpread(t *testing.T) {
	ctx, r := context.Background(), benchedRelease(70_000, 2)
	d := &shapeDrawer{r: r, q: &Question{}}
	d.by(0, 1)
	x := d.leaf(Leaf{Fragment: 1, Columns: []int{0}, Eval: func(v []anonymize.Value) (anonymize.Value, error) {
		return anonymize.RealValue(float64(v[0].Int) / 100), nil
	}})
	d.q.Aggregates = []Aggregate{{Kind: Sum, Argument: &x}, {Kind: Average, Argument: &x}}
	c := mustComplete(t, r, benchedCompletion(r, 12))
	asked, err := c.Ask(ctx, d.q)
	if err != nil {
		t.Fatal(err)
	}
	spread, err := c.AskWithSpread(ctx, d.q)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := c.ask(ctx, d.q, false)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(spread.Rows), fmt.Sprint(asked.Rows); got != want || got == fmt.Sprint(tables.Rows) {
		t.Errorf("with their spread the figures are\n%v\nwithout\n%v\nadded up in floating point\n%v", got, want, tables.Rows)
	}
	sameFigures(t, "tables", asked.Rows, tables.Rows)
}

// What no byte holds, or takes too much memory, is answered from the tables.
func TestPairedJoinLeavesWhatIsLarge(t *testing.T) {
	x := Expression{Leaves: []int{1}}
	q := &Question{Leaves: []Leaf{ValueOf(0, 0), ValueOf(1, 0)}, Keys: []Expression{{Leaves: []int{0}}}, Aggregates: []Aggregate{{Kind: Sum, Argument: &x}}}
	for name, of := range map[string]struct {
		size, tables int
		taken        bool
	}{
		"few records": {5, 12, true}, "large groups": {200, 2, false}, "many tables": {5, 256, false},
	} {
		random := rand.New(rand.NewPCG(73, 74)) // each its own: the cases come in any order
		r := codedRelease(random, 3, 2, func(*rand.Rand) int { return of.size })
		c := mustComplete(t, r, randomCompletion(random, r, of.tables))
		if rows, err := c.tables.Means(context.Background(), q); err != nil || (rows != nil) != of.taken {
			t.Errorf("%s: %v, %v: answered from pairs must be %v", name, rows, err, of.taken)
		}
		before := c.Bytes()
		if _, err := c.Ask(context.Background(), q); err != nil || c.Bytes() != before {
			t.Errorf("%s: %v, %d bytes, there were %d", name, err, c.Bytes(), before)
		}
	}
}
