package recognition

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A Former sketch is what older programs remembered of the records of a released table:
// catalogs have such sketches, and a new publication is compared with them by one
// of their form. What is remembered today is a [Sketch].
//
// A record is hashed to the sum of its values' hashes, whatever the columns are
// called and in whatever order they stand. That is done for several sets of
// columns (projections), since a copy may release others: all, all but one, pairs,
// and triples of up to ten columns. Of every projection there is the sum over all
// records, which is equal for equal tables; and where the records are nearly all
// different, the sketchSize least hashes (bottom-k, Cohen and Kaplan 2007), from
// which the share of common records is estimated: of a share p with a standard
// error of at most sqrt(p (1-p) / 20), for fewer than 20 compared ones it is not
// estimated.
//
// What it cannot see: a part of the records of a table whose released columns do
// not tell most of them apart (independent tables of that kind have most of their
// records in common anyway) or of fewer than 60 records, values that were changed
// on the way, a copy with less than some 4 % of the original's records.
//
// Cost: linear; 176 projections of ten columns (BenchmarkSketch).
type Former []projection

type projection struct {
	records uint64
	sum     uint64   // of all records
	least   []uint64 // ascending; nil when records repeat
}

const (
	// Copied is the share of common records from which on a table counts as a
	// copy, by sketches of this form.
	Copied     = 0.2
	sketchSize = 512
	// byChance bounds the share of records that two independent tables like this
	// one may have in common, for the least hashes to be kept.
	byChance = 0.1
	// leastTuples different records must be in a projection before its sum says
	// anything.
	leastTuples = 5
	// mostForTriples bounds the columns of which all triples are taken.
	mostForTriples = 10
	// fewestCompared hashes are compared at least.
	fewestCompared = 20
)

// NewFormer sketches records under a key.
func NewFormer(ctx context.Context, key []byte, columns []*anonymize.Column) (Former, error) {
	if len(columns) < 2 || len(columns[0].Codes) < leastTuples {
		return nil, nil
	}
	rows := len(columns[0].Codes)
	table := &hashedTable{columns: columns, hashes: make([][]uint64, len(columns)), block: make([][]uint64, len(columns))}
	for i, c := range columns {
		table.hashes[i] = formerHashes(key, c.Dictionary)
	}
	var taken []*projecting
	for _, set := range projections(len(columns)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if p := table.begin(set); p != nil {
			taken = append(taken, p)
		}
	}
	for first := 0; first < rows; first += sketchBlock {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		table.enter(first, min(first+sketchBlock, rows))
		for _, p := range taken {
			p.add(table.block)
		}
	}
	s := make(Former, len(taken))
	for i, p := range taken {
		s[i] = projection{records: uint64(rows), sum: p.sum, least: p.keep.finish()}
	}
	return s, nil
}

// A hashedTable hands out the hashes of a block of rows, column by column: a sum
// over columns then runs through memory in order.
type hashedTable struct {
	columns []*anonymize.Column
	hashes  [][]uint64 // of the values of every column
	block   [][]uint64
}

// sketchBlock rows of ten columns fit a cache.
const sketchBlock = 4096

func (t *hashedTable) enter(first, end int) {
	for i, c := range t.columns {
		t.block[i] = t.block[i][:0]
		for _, code := range c.Codes[first:end] {
			t.block[i] = append(t.block[i], t.hashes[i][code])
		}
	}
}

// begin decides by a sample whether a projection says anything, nil for not, and
// whether its least hashes do.
func (t *hashedTable) begin(set []int) *projecting {
	rows := len(t.columns[0].Codes)
	sample := sampleSize(rows)
	seen := make(map[uint64]struct{}, sample)
	for i := range sample {
		row, sum := i*rows/sample, uint64(0)
		for _, c := range set {
			sum += t.hashes[c][t.columns[c].Codes[row]]
		}
		seen[sum] = struct{}{}
	}
	if len(seen) < leastTuples {
		return nil
	}
	return &projecting{set: set, keep: newBottom(chance(rows, sample, len(seen)) <= byChance)}
}

// A projecting is a projection in the making.
type projecting struct {
	set  []int
	sum  uint64
	keep *bottom
	sums []uint64
}

func (p *projecting) add(block [][]uint64) {
	p.sums = append(p.sums[:0], block[p.set[0]]...)
	for _, c := range p.set[1:] {
		for i, hash := range block[c] {
			p.sums[i] += hash
		}
	}
	for _, sum := range p.sums {
		hash := scramble(sum)
		p.sum += hash
		if hash <= p.keep.bound {
			p.keep.add(hash)
		}
	}
}

// formerHashes hashes every entry of a dictionary as older programs did.
func formerHashes(key []byte, dictionary []anonymize.Value) []uint64 {
	hashes := make([]uint64, len(dictionary))
	mac := hmac.New(sha256.New, key)
	for i, v := range dictionary {
		mac.Reset()
		if v.Kind == anonymize.Null {
			mac.Write([]byte{0})
		} else {
			mac.Write([]byte(v.String()))
		}
		hashes[i] = binary.LittleEndian.Uint64(mac.Sum(nil))
	}
	return hashes
}

// projections lists sets of at least two of n columns, each once.
func projections(n int) [][]int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	sets := [][]int{all}
	if n > 4 {
		for i := range all {
			sets = append(sets, slices.Delete(slices.Clone(all), i, i+1))
		}
	}
	for i := range all {
		for j := i + 1; j < n; j++ {
			if n > 2 {
				sets = append(sets, []int{i, j})
			}
			for k := j + 1; k < n && n > 3 && n <= mostForTriples; k++ {
				sets = append(sets, []int{i, j, k})
			}
		}
	}
	return sets
}

// sampleSize is the number of records from which chance is estimated: enough for
// it to come out below byChance.
func sampleSize(rows int) int {
	return min(rows, max(4096, int(3*math.Sqrt(float64(rows)*6/byChance))))
}

// chance bounds the expected share of records that an independent table of as
// many rows has in common with this one. A pair of the sample is equal with the
// probability 2 lost / sample^2, and a record has so many partners as there are
// rows; 3 more may have been lost with a probability of 5 percent.
func chance(rows, sample, different int) float64 {
	return float64(rows) * 2 * float64(sample-different+3) / (float64(sample) * float64(sample))
}

// A bottom keeps the least different hashes: it gathers twice as many as it needs
// and then throws the greater half away.
type bottom struct {
	on    bool
	bound uint64
	kept  []uint64
}

func newBottom(on bool) *bottom {
	if !on {
		return &bottom{} // a bound that next to nothing is below
	}
	return &bottom{on: true, bound: ^uint64(0)}
}

func (b *bottom) add(hash uint64) {
	if !b.on {
		return
	}
	b.kept = append(b.kept, hash)
	if len(b.kept) == 4*sketchSize {
		b.shrink()
	}
}

func (b *bottom) shrink() {
	slices.Sort(b.kept)
	b.kept = slices.Compact(b.kept)
	if len(b.kept) >= sketchSize {
		b.kept = b.kept[:sketchSize]
		b.bound = b.kept[sketchSize-1]
	}
}

func (b *bottom) finish() []uint64 {
	if !b.on {
		return nil
	}
	b.shrink()
	return slices.Clone(b.kept)
}
