package nonhomogeneous

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// Departures by number, as in DEVIATIONS.md; those of ARP are in its package.

// Drawing any way to match records to candidates, with equal probability, is not
// 1/l: for l = 3 in a ring of 15 the middle candidate is the true one with
// probability 0.446 (1/sqrt(5) in long rings). The turns are.
func TestDeviation57_TurnsNotMatchings(t *testing.T) {
	const n, l = 15, 3
	total, middle := 0, 0
	var match func(i int, used uint, middles int)
	match = func(i int, used uint, middles int) {
		if i == n {
			total++
			middle += middles
			return
		}
		for d := -1; d <= 1; d++ {
			v := (i + d + n) % n
			if used>>v&1 == 0 {
				if d == 0 {
					match(i+1, used|1<<v, middles+1)
				} else {
					match(i+1, used|1<<v, middles)
				}
			}
		}
	}
	match(0, 0, 0)
	share := float64(middle) / float64(total) / n
	if math.Abs(share-1/math.Sqrt(5)) > 0.002 || share <= 1.0/l {
		t.Errorf("the middle candidate is true with probability %.4f of %d matchings", share, total)
	}
}

// The price: one value known gives the turn, and with it every value of the ring,
// while a group of ARP leaves l-1 values to each of the others.
func TestDeviation58_OneRecordGivesTheRing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	c := column([]int{6, 6, 6, 6}, random)
	const n, l = 24, 3
	ring := newArrangement(bucketization.NewBuckets(c, nil)).arrange(anonymize.Indices(n), l, random)
	w := newWindows(c, l)
	drawn := random.IntN(l)
	w.assignWindows(ring, drawn)
	// The attacker holds the ring of candidate sets and the value of ring[0]: the
	// turn is where it stands among the first window's values, and then the value
	// of ring[i] is the i-th further on.
	turns := 0
	for turn := range l {
		if c.Codes[ring[(turn-drawn+n)%n]] != c.Codes[ring[0]] {
			continue
		}
		turns++
		for i := range ring {
			if got := c.Codes[ring[(i+turn-drawn+n)%n]]; got != c.Codes[ring[i]] {
				t.Errorf("record %d is taken for %d, is %d", ring[i], got, c.Codes[ring[i]])
			}
		}
	}
	if turns != 1 {
		t.Errorf("%d turns agree with the value known, want 1", turns)
	}
}

// Records stay beside their exact quasi-identifiers, a group each, with l
// candidates that include the truth; the paper generalizes the quasi-identifiers
// beside the exact value.
func TestDeviation49_CandidatesNotRanges(t *testing.T) {
	in := anontest.RandomTable(120, 11)
	in.Sensitive[0] = column([]int{30, 30, 20, 20, 20}, rand.New(rand.NewPCG(1, 1)))
	var gids []uint32
	in.Assigned = func(gidOf []uint32) { gids = gidOf }
	r, err := Method().Run(context.Background(), in, anonymize.Arguments{"l": "4"})
	if err != nil {
		t.Fatal(err)
	}
	if err := anontest.Publishable(r, in); err != nil {
		t.Fatal(err)
	}
	if r.Groups() != in.Rows || len(gids) != in.Rows {
		t.Fatalf("%d groups, %d gids for %d records", r.Groups(), len(gids), in.Rows)
	}
	for row, g := range gids {
		for i, c := range in.QuasiIdentifiers {
			if r.Fragments[0].Columns[i].Codes[g] != c.Codes[row] {
				t.Fatalf("row %d: %s is another record's", row, c.Name)
			}
		}
		cell := r.Fragments[1].Columns[0].Cells[r.Fragments[1].Columns[0].Codes[g]]
		if len(cell.Members) != 4 || !slices.Contains(cell.Members, in.Sensitive[0].Codes[row]) {
			t.Fatalf("row %d: candidates %s", row, cell.Label)
		}
	}
	if last := r.Facts[len(r.Facts)-1]; last.Name != "breach" || !strings.Contains(last.Value, "records") {
		t.Errorf("facts %v", r.Facts)
	}
}
