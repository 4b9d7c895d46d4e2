package membership_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/membership"
)

// tiny is a release of one group of units with some records each, of which sex is constant in units, and illness varies; and the rows' sex and
// illness where the first completed table is the table itself.
func tiny(t *testing.T, random *rand.Rand, units, records int) (r *anonymize.Release, c *anonymize.Completion, sex, illness []uint32) {
	t.Helper()
	var of, group []uint32
	var sexes, illnesses []anonymize.Value
	for unit := range units {
		own := anonymize.IntegerValue(random.Int64N(2))
		for range records {
			of, group, sexes = append(of, uint32(unit)), append(group, 0), append(sexes, own)
			illnesses = append(illnesses, anonymize.IntegerValue(random.Int64N(4)))
		}
	}
	table, err := anonymize.NewMicrodata(anonymize.NewColumn("sex", "int", sexes), anonymize.NewColumn("illness", "int", illnesses))
	if err != nil {
		t.Fatal(err)
	}
	r = anontest.UnitRelease(t, table, of, group,
		anontest.Projection{Name: "qi1", Role: anonymize.QuasiIdentifying, Columns: []string{"sex"}},
		anontest.Projection{Name: "sa", Role: anonymize.Sensitive, Columns: []string{"illness"}})
	sex, illness = sorted(table.Columns[0].Codes), sorted(table.Columns[1].Codes)
	places := make([]uint16, table.Rows) // a matching at random
	for i := range places {
		places[i] = uint16(i)
	}
	random.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	moved := make([]uint32, len(places))
	for row, place := range places {
		moved[row] = illness[place]
	}
	return r, anonymize.NewCompletion(r, [][][]uint16{{places}}), sex, moved
}

func sorted(codes []uint32) []uint32 {
	codes = slices.Clone(codes)
	slices.Sort(codes)
	return codes
}

// misses is how far the numbers of units with each value are from those that are published: of sex four times, as it is constant.
func misses(r *anonymize.Release, units []uint16, columns ...[]uint32) (cost int) {
	for i, codes := range columns {
		f := r.Fragments[i]
		for t, wanted := range f.Units {
			met := make(map[uint16]bool)
			for row, code := range codes {
				if code == f.Columns[0].Codes[t] {
					met[units[row]] = true
				}
			}
			weight := 1
			if i == 0 {
				weight = 4
			}
			cost += weight * max(len(met)-int(wanted), int(wanted)-len(met))
		}
	}
	return cost
}

// least is the least of misses over all ways to give the rows to units.
func least(r *anonymize.Release, units, records int, columns ...[]uint32) int {
	best, given, left := 1<<30, make([]uint16, units*records), slices.Repeat([]int{records}, units)
	var give func(row int)
	give = func(row int) {
		if row == len(given) {
			best = min(best, misses(r, given, columns...))
			return
		}
		for u := range left {
			if left[u] > 0 {
				left[u]--
				given[row] = uint16(u)
				give(row + 1)
				left[u]++
			}
			if left[u] == records { // units that have nothing are alike
				break
			}
		}
	}
	give(0)
	return best
}

// The units of rows are as near to what is published as the best of all ways to draw them, but for a few searches in a hundred that end some swaps before it.
func TestUnitsAreThoseOfTheBestDraw(t *testing.T) {
	random, worse, groups := rand.New(rand.NewPCG(1, 2)), 0, 0
	for range 100 {
		units, records := 2+random.IntN(2), 2+random.IntN(2)
		r, c, sex, illness := tiny(t, random, units, records)
		drawn, err := membership.Draw(context.Background(), r, c, 0)
		if err != nil {
			t.Fatal(err)
		}
		again, err := membership.Draw(context.Background(), r, c, 0)
		if err != nil || !slices.Equal(drawn, again) {
			t.Fatalf("two draws are %v and %v, %v", drawn, again, err)
		}
		for u := range units {
			rows := 0
			for _, of := range drawn {
				if int(of) == u {
					rows++
				}
			}
			if rows != records {
				t.Fatalf("unit %d of %v has %d rows, each has %d", u, drawn, rows, records)
			}
		}
		groups++
		if misses(r, drawn, sex, illness) > least(r, units, records, sex, illness) {
			worse++
		}
	}
	if t.Logf("%d of %d groups are not the best", worse, groups); worse > 2 {
		t.Errorf("%d of %d groups are drawn worse than they can be", worse, groups)
	}
}
