package membership_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/membership"
)

// tiny is a release of one group of units with some records each: sex is constant in units, illness varies, and both are in one fragment; and the
// sex and illness of its records in the order of places.
func tiny(t *testing.T, random *rand.Rand, units, records int) *anonymize.Release {
	t.Helper()
	var of, group []uint32
	var sexes, illnesses []anonymize.Value
	for unit := range units {
		own := anonymize.IntegerValue(random.Int64N(2))
		for range records {
			of, group, sexes = append(of, uint32(unit)), append(group, 0), append(sexes, own)
			illnesses = append(illnesses, anonymize.IntegerValue(random.Int64N(3)))
		}
	}
	table, err := anonymize.NewMicrodata(anonymize.NewColumn("sex", "int", sexes), anonymize.NewColumn("illness", "int", illnesses))
	if err != nil {
		t.Fatal(err)
	}
	return anontest.UnitRelease(t, table, of, group,
		anontest.Projection{Name: "all", Role: anonymize.Mixed, Columns: []string{"sex", "illness"}},
		anontest.Projection{Name: "sa", Role: anonymize.Sensitive, Columns: []string{"illness"}})
}

// tuplesOf are the tuples of a fragment's places.
func tuplesOf(f *anonymize.Fragment) (tuples []uint32) {
	for t, n := range f.Count {
		tuples = append(tuples, slices.Repeat([]uint32{uint32(t)}, int(n))...)
	}
	return tuples
}

// misses is how far the numbers of units with each tuple are from those that are published.
func misses(f *anonymize.Fragment, units []uint16) (cost int) {
	for t, wanted := range f.Units {
		met := make(map[uint16]bool)
		for place, tuple := range tuplesOf(f) {
			if tuple == uint32(t) {
				met[units[place]] = true
			}
		}
		cost += max(len(met)-int(wanted), int(wanted)-len(met))
	}
	return cost
}

// A release has its numbers of units, so that units can be drawn that have them all; a few searches in a hundred end before. Sex is constant in all.
func TestUnitsHaveTheirTuples(t *testing.T) {
	random, missed, mixed := rand.New(rand.NewPCG(1, 2)), 0, 0
	for range 200 {
		units, records := 2+random.IntN(3), 2+random.IntN(2)
		r := tiny(t, random, units, records)
		drawn, err := membership.Draw(context.Background(), r, 0)
		if err != nil {
			t.Fatal(err)
		}
		again, err := membership.Draw(context.Background(), r, 0)
		if err != nil || !slices.Equal(drawn, again) {
			t.Fatalf("two draws are %v and %v, %v", drawn, again, err)
		}
		f, rows := r.Fragments[0], make(map[uint16]int)
		sex := make(map[uint16]uint32)
		for place, tuple := range tuplesOf(f) {
			unit := drawn[place]
			if known, ok := sex[unit]; ok && known != f.Columns[0].Codes[tuple] {
				mixed++
			}
			sex[unit] = f.Columns[0].Codes[tuple]
			rows[unit]++
		}
		for u := range uint16(units) {
			if rows[u] != records {
				t.Fatalf("unit %d of %v has %d rows, each has %d", u, drawn, rows[u], records)
			}
		}
		if misses(f, drawn) > 0 {
			missed++
		}
	}
	if t.Logf("%d of 200 groups miss a number of units, %d rows a sex", missed, mixed); missed > 2 || mixed > 0 {
		t.Errorf("%d of 200 groups miss a number of units, and %d rows are of another sex than their unit's", missed, mixed)
	}
}

// Joined tables complete the release, and the rows of a unit are of one unit in every fragment: what is published of two fragments' units, illness in
// both, is so of the rows.
func TestJoinedTablesAreOfUnits(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		units, records := 2+random.IntN(3), 2+random.IntN(2)
		r := tiny(t, random, units, records)
		places := make([]uint16, r.Rows)
		for i, place := range random.Perm(r.Rows) {
			places[i] = uint16(place)
		}
		joined, err := membership.Join(context.Background(), r, anonymize.NewCompletion(r, [][][]uint16{{places}}), unrelated)
		if err == nil {
			err = joined.Check(context.Background(), r)
		}
		if err != nil {
			t.Fatal(err)
		}
		rows, err := membership.Draw(context.Background(), r, 0)
		if err != nil {
			t.Fatal(err)
		}
		ofSensitive := make([]uint16, r.Rows) // by place: whose it is by the rows
		for row, place := range joined.Narrow[0][0] {
			ofSensitive[place] = rows[row]
		}
		alone := &anonymize.Release{Rows: r.Rows, GroupSizes: r.GroupSizes, Units: r.Units, Fragments: r.Fragments[1:]}
		expected, err := membership.Draw(context.Background(), alone, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := misses(r.Fragments[1], ofSensitive), misses(r.Fragments[1], expected); got > want+1 {
			t.Errorf("illnesses miss their units by %d, drawn alone by %d", got, want)
		}
	}
}

// Rows whose matches are those of units as they are published stay matched, in groups of any size: here by the table itself.
func TestRowsThatFitStayMatched(t *testing.T) {
	random, compared := rand.New(rand.NewPCG(5, 6)), 0
	for range 50 {
		r := tiny(t, random, 2+random.IntN(20), 2+random.IntN(3))
		rows, err := membership.Draw(context.Background(), r, 0)
		if err != nil {
			t.Fatal(err)
		}
		if misses(r.Fragments[0], rows) > 0 {
			continue // no units with these tuples were found
		}
		// Tuples of the first fragment are ordered by illness last, so that places of the second are taken in the order of illnesses.
		next := make([]uint16, 3)
		for illness, n := range r.Fragments[1].Count {
			if illness+1 < len(next) {
				next[illness+1] = next[illness] + uint16(n)
			}
		}
		places := make([]uint16, r.Rows)
		for row, tuple := range tuplesOf(r.Fragments[0]) {
			illness := slices.Index(r.Fragments[1].Columns[0].Codes, r.Fragments[0].Columns[1].Codes[tuple])
			places[row] = next[illness]
			next[illness]++
		}
		ofSensitive := make([]uint16, r.Rows)
		for row, place := range places {
			ofSensitive[place] = rows[row]
		}
		if misses(r.Fragments[1], ofSensitive) > 0 {
			continue
		}
		compared++
		joined, err := membership.Join(context.Background(), r, anonymize.NewCompletion(r, [][][]uint16{{places}}), unrelated)
		if err != nil {
			t.Fatal(err)
		}
		for row, place := range joined.Narrow[0][0] {
			if uint16(place) != places[row] {
				t.Fatalf("row %d of %d was matched with place %d, and is now with %d", row, r.Rows, places[row], place)
			}
		}
	}
	if compared < 20 {
		t.Errorf("%d groups were compared", compared)
	}
}

// distinct is a release of so many groups in which units have two records each, every record has tuples of its own, and sex and kind are constant.
func distinct(t *testing.T, groups, units int) *anonymize.Release {
	t.Helper()
	var of, group []uint32
	columns := make([][]anonymize.Value, 4)
	for row := range 2 * units * groups {
		of, group = append(of, uint32(row/2)), append(group, uint32(row/2/units))
		for i, value := range []int{row, row / 2 % 2, row, row / 4 % 2} {
			columns[i] = append(columns[i], anonymize.IntegerValue(int64(value)))
		}
	}
	table, err := anonymize.NewMicrodata(anonymize.NewColumn("visit", "int", columns[0]), anonymize.NewColumn("sex", "int", columns[1]),
		anonymize.NewColumn("lab", "int", columns[2]), anonymize.NewColumn("kind", "int", columns[3]))
	if err != nil {
		t.Fatal(err)
	}
	return anontest.UnitRelease(t, table, of, group,
		anontest.Projection{Name: "qi", Role: anonymize.QuasiIdentifying, Columns: []string{"visit", "sex"}},
		anontest.Projection{Name: "sa", Role: anonymize.Sensitive, Columns: []string{"lab", "kind"}})
}

// shuffled is a completed table of a release whose groups have so many rows.
func shuffled(r *anonymize.Release, rows int) *anonymize.Completion {
	random, places := rand.New(rand.NewPCG(9, 10)), []uint16(nil)
	for range r.GroupSizes {
		for _, place := range random.Perm(rows) {
			places = append(places, uint16(place))
		}
	}
	return anonymize.NewCompletion(r, [][][]uint16{{places}})
}

// Memory grows with a group's rows, not with their square: 20,000 rows of as many tuples and half as many units have 400 million pairs.
func TestLargeGroupsInBoundedMemory(t *testing.T) {
	const units = 10_000
	r := distinct(t, 1, units)
	c := shuffled(r, 2*units)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	joined, err := membership.Join(t.Context(), r, c, unrelated)
	runtime.ReadMemStats(&after)
	if err == nil {
		err = joined.Check(t.Context(), r)
	}
	if err != nil {
		t.Fatal(err)
	}
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 100 {
		t.Errorf("%d MB were allocated", mb)
	}
}

// A canceled Join ends in the group where it is, and begins no other.
func TestJoinEndsWhereItIsCanceled(t *testing.T) {
	const units = 200
	r := distinct(t, 4, units)
	ctx, cancel := context.WithCancel(t.Context())
	later := false
	_, err := membership.Join(ctx, r, shuffled(r, 2*units), func(_, _ int, s uint32, _ int, _ uint32) float32 {
		cancel()
		later = later || s >= r.Fragments[0].GroupStart[1]
		return 0
	})
	if !errors.Is(err, context.Canceled) || later {
		t.Errorf("a canceled Join came to the second group: %v, and ended with %v", later, err)
	}
}

// unrelated are the odds where no tuple goes with another.
func unrelated(int, int, uint32, int, uint32) float32 { return 0 }

// visited is a release of one group of 24 units with 4 records each: the units have one of three illnesses, and one in three of their records at most
// is in the ward of another.
func visited(t *testing.T) *anonymize.Release {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 8))
	var of, group []uint32
	var wards, illnesses []anonymize.Value
	for record := range 24 * 4 {
		unit := record / 4
		illness := int64(unit % 3)
		ward := illness
		if record%4 == 2 {
			ward = random.Int64N(3)
		}
		of, group = append(of, uint32(unit)), append(group, 0)
		wards, illnesses = append(wards, anonymize.IntegerValue(ward)), append(illnesses, anonymize.IntegerValue(illness))
	}
	table, err := anonymize.NewMicrodata(anonymize.NewColumn("ward", "int", wards), anonymize.NewColumn("illness", "int", illnesses))
	if err != nil {
		t.Fatal(err)
	}
	return anontest.UnitRelease(t, table, of, group,
		anontest.Projection{Name: "qi", Role: anonymize.QuasiIdentifying, Columns: []string{"ward"}},
		anontest.Projection{Name: "sa", Role: anonymize.Sensitive, Columns: []string{"illness"}})
}

// Deviation 166: places are exchanged where odds allow it: here from a table in which most records are in the ward of their illness, and whose units have several.
func TestDeviation166_MatchesKeepTheirOdds(t *testing.T) {
	r := visited(t)
	wards, illnesses := tuplesOf(r.Fragments[0]), tuplesOf(r.Fragments[1])
	drawn := make([]uint16, r.Rows) // both are ascending
	for i := range drawn {
		drawn[i] = uint16(i)
	}
	rows, err := membership.Draw(context.Background(), r, 0)
	if err != nil {
		t.Fatal(err)
	}
	alike := func(_, _ int, ward uint32, _ int, illness uint32) float32 {
		if ward == illness {
			return 1.4
		}
		return 0
	}
	for _, c := range []struct {
		name        string
		odds        membership.LogOdds
		least, most int // records in the ward of their illness
	}{{"odds of 4", alike, 72, 96}, {"no odds", unrelated, 0, 70}} {
		joined, err := membership.Join(context.Background(), r, anonymize.NewCompletion(r, [][][]uint16{{slices.Clone(drawn)}}), c.odds)
		if err != nil {
			t.Fatal(err)
		}
		kept, ofSensitive := 0, make([]uint16, r.Rows)
		for row, place := range joined.Narrow[0][0] {
			if ofSensitive[place] = rows[row]; wards[row] == illnesses[place] {
				kept++
			}
		}
		if off := misses(r.Fragments[1], ofSensitive); kept < c.least || kept > c.most || off > 1 {
			t.Errorf("%s: %d records are in the ward of their illness, want %d to %d; units are off by %d", c.name, kept, c.least, c.most, off)
		}
	}
}
