package misfit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/impute"
	"github.com/anonsql/anonsql/testsize"
)

// visits has two numbers of 60 values each: places are names, each with diseases of its own, and ages go with
// diseases as their neighbours do.
func visits(rows int) source {
	random := rand.New(rand.NewPCG(5, 6))
	c := anontest.Collect("age place sex disease")
	for range rows {
		age, place := random.IntN(60), random.IntN(60)
		disease := random.IntN(8)
		switch {
		case random.Float64() < 0.4:
			disease = place * 37 % 61 % 8
		case random.Float64() < 0.4:
			disease = min(7, age/7)
		}
		c.Add(age, place, random.IntN(2), disease)
	}
	return sourceOf(c.Source())
}

// Deviation 160: groups show that values of one category go with others differently; then single values
// have more luck. Without that, counts of places are missed.
func TestDeviation160_InsideCategories(t *testing.T) {
	c := trial{"", func(t testing.TB) source { return visits(testsize.Of(4_000, 8_000)) }, "anatomy", []string{"l", "4"}}
	s, r, completion, m, _ := c.measured(t, impute.Options{Tables: 12}, Options{})
	place, age := pairIn(m, "disease", "place"), pairIn(m, "age", "disease")
	if place.Luck < 2 || age.Luck > 1 {
		t.Errorf("the luck is %v by place, whose values differ, and %v by age", place.Luck, age.Luck)
	}
	all, err := (&subject{r, completion, s.table, commonRecords, nil}).compare(t.Context(), 2, everyPair)
	if err != nil {
		t.Fatal(err)
	}
	cells := find(all, place)
	inside := func(luck float64) (share float64) {
		for _, x := range cells.cells {
			x.variance += luck * x.mean / (1 + 1/float64(completion.Tables))
			if x.covers(place.Ratio, 2.201, 1, completion.Tables) {
				share += 1 / float64(len(cells.cells))
			}
		}
		return share
	}
	if before, after := inside(0), inside(place.Luck); len(cells.cells) < 50 || before > .85 || after < .85 {
		t.Errorf("of %d counts %.2f are inside without luck, %.2f with it", len(cells.cells), before, after)
	}
}

func pairIn(m *Misfit, a, b string) *Pair {
	for i := range m.Pairs {
		if m.Pairs[i].A == a && m.Pairs[i].B == b {
			return &m.Pairs[i]
		}
	}
	return &Pair{}
}

// Sums are those of a loop over the records of every group.
func TestCompareInside(t *testing.T) {
	s, _, _, r, c := published(t, 1500, "anatomy", "l", "4")
	category := make([]uint16, len(s.table.Column("age").Dictionary))
	for code := range category {
		category[code] = uint16(code / 5)
	}
	subject := &subject{r, c, s.table, 5, map[string][]uint16{"age": category}}
	all, err := subject.compareInside(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	want := insideByHand(t, subject, category)
	got := all[average{"age", "disease"}]
	for _, pair := range [][2]float64{{got.cells, want.cells}, {got.squares, want.squares}, {got.fourths, want.fourths}, {got.both, want.both}, {got.known, want.known}} {
		if math.Abs(pair[0]-pair[1]) > 1e-9*(1+pair[1]) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if want.cells < 20 {
		t.Errorf("%v cells are no test", want.cells)
	}
}

// insideByHand is that of ages by disease.
func insideByHand(t *testing.T, s *subject, category []uint16) (want inside) {
	t.Helper()
	codes, _, err := s.lay()
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) []uint32 {
		fragment, column, _ := s.release.Locate(name)
		return codes[place{fragment, column}]
	}
	of, by := at("age"), at("disease")
	type key [2]uint32
	shown, known, records := make(map[key]float64), make(map[key]float64), make(map[uint32]float64)
	begin := 0
	for _, size := range s.release.GroupSizes {
		for _, a := range of[begin : begin+int(size)] {
			records[a]++
			for _, b := range by[begin : begin+int(size)] {
				shown[key{a, b}] += 1 / float64(size)
			}
		}
		begin += int(size)
	}
	for record, a := range s.known.Column("age").Codes {
		known[key{a, s.known.Column("disease").Codes[record]}]++
	}
	for a := range uint32(len(category)) {
		for b := range uint32(len(s.known.Column("disease").Dictionary)) {
			together, shownTogether, knownTogether := 0.0, 0.0, 0.0
			for other := range uint32(len(category)) {
				if category[other] == category[a] {
					together += records[other]
					shownTogether += shown[key{other, b}]
					knownTogether += known[key{other, b}]
				}
			}
			part := records[a] / together
			if expected := part * knownTogether; records[a] > 0 && part < 1 && expected >= 1 {
				distance, luck := shown[key{a, b}]-part*shownTogether, known[key{a, b}]-expected
				want.cells++
				want.squares += distance * distance / expected
				want.fourths += math.Pow(distance, 4) / expected / expected
				want.both += distance * luck / expected
				want.known += luck * luck / expected
			}
		}
	}
	return want
}

// What is more than luck, and what is not.
func TestBeyond(t *testing.T) {
	again := inside{cells: 100, squares: 10, fourths: 3, both: 20, known: 100} // .1 a cell, a share of .2
	for _, c := range []struct {
		name string
		own  inside
		want float64
	}{
		{"as much as again", again, 0},
		{"within two standard errors", inside{cells: 100, squares: 13, fourths: 3}, 0},
		{"more", inside{cells: 100, squares: 30, fourths: 3}, (.2 + math.Sqrt(2.0/3*6e-4)) / .04},
		{"nothing", inside{}, 0},
	} {
		if got := c.own.excessOver(again); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if got := again.excessOver(inside{cells: 100, squares: 1, both: -1, known: 100}); got != 0 {
		t.Errorf("where groups show nothing of what is known: %v", got)
	}
}

// Means that tables have at half their distance are drawn by all of it; without a trend none are.
func TestDrawn(t *testing.T) {
	var half, none, own, again []meanCell
	for i := range 20 {
		away, luck := float64(i)-9.5, .1*float64(i%2*2-1)
		half = append(half, meanCell{off: away + luck, away: away})
		none = append(none, meanCell{off: luck, away: away})
		own = append(own, meanCell{away: away, shown: 2 * away, records: 50, variance: .01})
		again = append(again, meanCell{off: luck, away: away, shown: away + 2*luck, records: 100})
	}
	if u := drawn(half); math.Abs(u-1) > .01 {
		t.Errorf("half the distance: %v", u)
	}
	if u := drawn(none); u != 0 {
		t.Errorf("no trend: %v", u)
	}
	// Groups show twice the distance that tables have. Of means that are known they show what these are but for .1, of twice as many records.
	shown := estimated(own, again, 1)
	if u := drawn(shown); u != 1 || math.Abs(shown[0].variance-.01-2*.01) > 1e-9 {
		t.Errorf("of what groups show: %v, variance %v", u, shown[0].variance)
	}
	if r := momentRatio(shown, 1, 1); r != 0 {
		t.Errorf("what is left has r = %v", r)
	}
}

// Groups of different shares of two classes tell the means of both; NULLs count nothing, and groups of equal shares tell nothing but the mean of all.
func TestMeansThatGroupsShow(t *testing.T) {
	tally := func() *meanTally {
		return &meanTally{numbers: []float64{1, 5, 3, math.NaN()}, known: []moments{{records: 4}, {records: 4}, {}}}
	}
	const a, b, missing = 0, 1, 2
	shares := tally()
	shares.show([]uint32{2, 2, 4, 1}, []uint32{0, 3, 1, 1, 2, 2, 2, 2, 2}, []uint32{a, a, b, b, a, b, b, a, missing})
	if shown := shares.shown; math.Abs(shown[a]-1) > 1e-9 || math.Abs(shown[b]-5) > 1e-9 || !math.IsNaN(shown[missing]) {
		t.Errorf("groups show %v, want 1 and 5", shown)
	}
	alike := tally()
	alike.show([]uint32{2, 2}, []uint32{0, 1, 1, 1}, []uint32{a, b, b, a})
	if shown := alike.shown; math.Abs(shown[a]-4) > 1e-9 || math.Abs(shown[b]-4) > 1e-9 {
		t.Errorf("groups of equal shares show %v, want the mean of all", shown)
	}
}
