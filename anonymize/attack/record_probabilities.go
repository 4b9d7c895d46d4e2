package attack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// Probabilities are those of each record's own sensitive value for an attacker who knows its
// quasi-identifiers and counts the matches.
type Probabilities struct {
	// Of has p(t,s) by record: of all, or of Truth.Most of them, spread over the table.
	Of        []float64
	Mean, Max float64
	// Matches is the mean number of published records whose cells match.
	Matches float64
}

// A CurvePoint is the share of the records with at least this probability.
type CurvePoint struct {
	Probability, Share float64
}

// Curve returns that many points of the distribution, at equal steps of probability from 0 to
// the maximum: the curves of Figs. 5 and 8a of Li et al., cross-bucket generalization.
func (p *Probabilities) Curve(points int) []CurvePoint {
	sorted := slices.Clone(p.Of)
	slices.Sort(sorted)
	curve := make([]CurvePoint, 0, max(points, 0))
	for i := range points {
		at := p.Max * float64(i) / float64(max(points-1, 1))
		if i == points-1 {
			at = p.Max
		}
		lower, _ := slices.BinarySearch(sorted, at)
		curve = append(curve, CurvePoint{at, float64(len(sorted)-lower) / float64(len(sorted))})
	}
	return curve
}

// RecordProbabilities is section 4.1 of Li et al.: for a record t with sensitive
// value s,
//
//	p(t,s) = sum over groups B of Num(t,B)/Num(t) * Num(s,B)/|B|,
//
// where Num(t,B) is the number of published records of B whose cells contain t's
// quasi-identifiers, Num(t) that of the whole release, and Num(s,B) the number of records of B
// with s. All matching records count, whatever their group. If the guarantee breach is at most
// 1/l, so is every p(t,s).
//
// A small mean alone says little: wide overlapping cells make it small, too, and not only a
// good release. The maximum is the promise.
//
// The release must have the quasi-identifiers in one fragment; the attacker does not know
// columns that truth lacks. truth.GroupOf is not needed. An index over the cells finds the
// matches: O(n log n), then for each distinct t the nodes and the classes that contain it.
// Adult: half a second on two cores for classes of three that overlap three hundred deep.
func RecordProbabilities(ctx context.Context, r *anonymize.Release, truth Truth) (*Probabilities, error) {
	r = withOnly(r, truth.Sensitive.Name)
	p, linked, err := locate(r, truth)
	if err != nil {
		return nil, err
	}
	if linked != nil || !p.column.IsPoint() {
		return nil, fmt.Errorf("%s is published beside quasi-identifiers, or as sets: this measure does not know it", p.column.Name)
	}
	if truth.Sensitive.Rows() != r.Rows {
		return nil, fmt.Errorf("the release has %d records, the truth %d", r.Rows, truth.Sensitive.Rows())
	}
	known, err := newKnowledge(r, truth)
	if err != nil {
		return nil, err
	}
	m := &matcher{knowledge: known, index: newBoxIndex(known.boxes), shares: newShares(r, p, known)}
	return m.run(ctx, truth.Sensitive.Codes, truth.Most)
}

// A knowledge is what the attacker has: the published cells and everyone's quasi-identifiers,
// in the release's codes.
type knowledge struct {
	boxes  *boxes
	points [][]uint32 // by known column and record: published code
	start  []uint32   // by class: its tuples are tuple[start[c]:start[c+1]]
	tuple  []uint32
	f      *anonymize.Fragment
}

func newKnowledge(r *anonymize.Release, truth Truth) (*knowledge, error) {
	k := &knowledge{}
	for _, f := range r.Fragments {
		if f.Role == anonymize.Sensitive {
			continue
		}
		if k.f != nil {
			return nil, errors.New("the quasi-identifiers are in several fragments: no record is shown whole")
		}
		k.f = f
	}
	if k.f == nil {
		return nil, errors.New("the release has no quasi-identifiers")
	}
	var columns []*anonymize.FragmentColumn
	for _, c := range k.f.Columns {
		for _, raw := range truth.QuasiIdentifiers {
			if raw.Name != c.Name {
				continue
			}
			codes, err := publishedCodes(raw, c)
			if err != nil {
				return nil, err
			}
			columns, k.points = append(columns, c), append(k.points, codes)
		}
	}
	if len(columns) == 0 {
		return nil, errors.New("the truth has none of the published quasi-identifiers")
	}
	number, distinct := equalTuples(columns, k.f.Tuples())
	all := anonymize.Indices(len(number))
	k.start, k.tuple = bucketization.Starts(all, number, distinct), bucketization.CountingSort(all, number, distinct)
	k.boxes = newBoxes(columns, k)
	return k, nil
}

// publishedCodes translates a raw column into the dictionary of the published one.
func publishedCodes(raw *anonymize.Column, c *anonymize.FragmentColumn) ([]uint32, error) {
	absent := uint32(len(c.Dictionary))
	to := anonymize.Translate(raw.Dictionary, c.Dictionary, absent)
	for code, n := range raw.Histogram() {
		if n > 0 && to[code] == absent {
			return nil, fmt.Errorf("%s = %s is not in the release", raw.Name, raw.Dictionary[code])
		}
	}
	return anonymize.Gather(to, raw.Codes), nil
}

// equalTuples gives tuples that agree in columns equal numbers, below distinct.
func equalTuples(columns []*anonymize.FragmentColumn, tuples int) (number []uint32, distinct int) {
	codes := make([][]uint32, len(columns))
	for i, c := range columns {
		codes[i] = c.Codes
	}
	return anonymize.NumberRows(codes, tuples)
}

// A matcher adds up the matches.
type matcher struct {
	*knowledge
	index  *boxIndex
	shares *shares
}

const matchShards = 64

// run visits the distinct points of at most that many records, 0 for all, each with all its records.
func (m *matcher) run(ctx context.Context, truth []uint32, most int) (*Probabilities, error) {
	visited := make([]uint32, len(truth))
	if most > 0 {
		visited = visited[:min(most, len(truth))]
	}
	for i := range visited {
		visited[i] = uint32(i * len(truth) / len(visited))
	}
	number, distinct := anonymize.NumberRows(m.points, len(truth))
	start, record := bucketization.Starts(visited, number, distinct), bucketization.CountingSort(visited, number, distinct)
	of := make([]float64, len(truth))
	matches := make([]float64, matchShards)
	err := parallel.Run(ctx, matchShards, func(shard int) error {
		point, found := make([]uint32, len(m.points)), []uint32(nil)
		first, end := shard*distinct/matchShards, (shard+1)*distinct/matchShards
		for n := first; n < end; n++ {
			if n%checkEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			there := record[start[n]:start[n+1]]
			if len(there) == 0 {
				continue
			}
			for i, codes := range m.points {
				point[i] = codes[there[0]]
			}
			found = m.index.containing(point, found[:0])
			whole := m.shares.records(found)
			matches[shard] += whole * float64(len(there))
			for _, t := range there {
				if whole > 0 {
					of[t] = m.shares.sumOverClasses(found, truth[t]) / whole
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	p := &Probabilities{Of: make([]float64, len(visited))}
	for i, t := range visited {
		x := of[t]
		p.Of[i] = x
		p.Mean += x / float64(len(p.Of))
		p.Max = max(p.Max, x)
	}
	for _, x := range matches {
		p.Matches += x / float64(len(p.Of))
	}
	return p, nil
}

// shares has the sensitive values of classes.
type shares struct {
	*knowledge
	group  []uint32  // by tuple
	weight []float64 // by class: records
	p      *published
	// values has, for classes with many tuples, the expected records by value.
	values map[uint32]map[uint32]float64
	// ranked has the sensitive fragment's tuples by group, and within a group by value.
	ranked []valueShare
}

// A valueShare is the share of a sensitive value in a group.
type valueShare struct {
	value uint32 // raw code
	share float64
}

// manyTuples is the number of tuples from which on a class's values are added up once.
const manyTuples = 16

func newShares(r *anonymize.Release, p *published, k *knowledge) *shares {
	s := &shares{knowledge: k, group: make([]uint32, k.f.Tuples()), weight: make([]float64, len(k.start)-1), p: p,
		values: make(map[uint32]map[uint32]float64), ranked: make([]valueShare, p.fragment.Tuples())}
	for g, size := range r.GroupSizes {
		for t := k.f.GroupStart[g]; t < k.f.GroupStart[g+1]; t++ {
			s.group[t] = uint32(g)
		}
		first := p.fragment.GroupStart[g]
		here := s.ranked[first:p.fragment.GroupStart[g+1]]
		for i := range here {
			t := first + uint32(i)
			here[i] = valueShare{p.raw[p.column.Codes[t]], float64(p.fragment.Count[t]) / float64(size)}
		}
		slices.SortFunc(here, func(a, b valueShare) int { return cmp.Compare(a.value, b.value) })
	}
	for c := range s.weight {
		tuples := k.tuple[k.start[c]:k.start[c+1]]
		for _, t := range tuples {
			s.weight[c] += float64(k.f.Count[t])
		}
		if len(tuples) < manyTuples {
			continue
		}
		sum := make(map[uint32]float64)
		for _, t := range tuples {
			for _, v := range s.valuesBeside(t) {
				sum[v.value] += float64(k.f.Count[t]) * v.share
			}
		}
		s.values[uint32(c)] = sum
	}
	return s
}

// valuesBeside returns the sensitive values of a tuple's group.
func (s *shares) valuesBeside(t uint32) []valueShare {
	g := s.group[t]
	return s.ranked[s.p.fragment.GroupStart[g]:s.p.fragment.GroupStart[g+1]]
}

// records returns Num(t).
func (s *shares) records(classes []uint32) (n float64) {
	for _, c := range classes {
		n += s.weight[c]
	}
	return n
}

// sumOverClasses returns the sum of n(C,B) Num(s,B)/|B| over these classes.
func (s *shares) sumOverClasses(classes []uint32, value uint32) (sum float64) {
	for _, c := range classes {
		if values, ok := s.values[c]; ok {
			sum += values[value]
			continue
		}
		for _, t := range s.tuple[s.start[c]:s.start[c+1]] {
			sum += float64(s.f.Count[t]) * shareOf(s.valuesBeside(t), value)
		}
	}
	return sum
}

// shareOf returns the share of a value, 0 if the group lacks it.
func shareOf(values []valueShare, value uint32) float64 {
	if len(values) > 32 {
		at, _ := slices.BinarySearchFunc(values, value, func(v valueShare, value uint32) int { return cmp.Compare(v.value, value) })
		values = values[at:min(at+1, len(values))]
	}
	for _, v := range values {
		if v.value == value {
			return v.share
		}
	}
	return 0
}
