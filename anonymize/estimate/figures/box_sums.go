package figures

import (
	"math"
	"math/big"

	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// BoxSums are sums over all groups, by box.
type BoxSums struct {
	boxes     *Boxes
	sizes     []uint32     // of groups
	fragments int          // fragments that the boxes span
	Moments   []BoxMoments // by size and box
	// Floats are sums and products of fractions, by box. Each task computes its own; they are
	// combined in the order of tasks, so that results are deterministic.
	Floats []BoxFloats
}

func NewBoxSums(b *Boxes, sizes []uint32, fragments int) BoxSums {
	return BoxSums{b, sizes, fragments, make([]BoxMoments, len(sizes)*len(b.List)), NewFloats(b)}
}

// BoxMoments are sums over groups of one size, of the counts a_1, ..., a_f of records in a box.
// They are whole numbers.
type BoxMoments struct {
	Products  uint64 // prod a_i
	Pairs     uint64 // prod a_i (a_i - 1)
	Squares   uint64 // prod a_i^2
	Low, High uint64 // max(0, sum a_i - (f-1) m), min a_i
}

func (m *BoxMoments) Add(other *BoxMoments) {
	m.Products += other.Products
	m.Pairs += other.Pairs
	m.Squares += other.Squares
	m.Low += other.Low
	m.High += other.High
}

// BoxFloats are the figures that are not whole: for Distinct the probability that no record is
// in the box, for SUM and AVG sums over groups.
type BoxFloats struct {
	Absent float64
	Sums   SecondMoments
	Takes  Takes // what the groups allow; nil for COUNT
}

func NewFloats(b *Boxes) []BoxFloats {
	floats := make([]BoxFloats, len(b.List))
	for i := range floats {
		if floats[i].Absent = 1; b.List[i].Worth != nil {
			floats[i].Takes = make(Takes)
		}
	}
	return floats
}

// boxOf returns the box of aggregate a in a row; ok is false if no record counts.
func (s *BoxSums) boxOf(row question.AnswerRow, a int) (box int, ok bool) {
	box, ok = s.boxes.of[a][KeyedValue{Key: int32(s.boxes.terms.Numbering.Number(row.Keys))}]
	return box, ok
}

// MomentsOf is a [MomentsOf].
func (s *BoxSums) MomentsOf(row question.AnswerRow, a int) SecondMoments {
	switch box, ok := s.boxOf(row, a); {
	case !ok:
		return SecondMoments{}
	case s.boxes.List[box].Worth == nil:
		return SecondMoments{MeanN: s.Mean(box), VarN: s.Variance(box)}
	default:
		return s.Floats[box].Sums
	}
}

// TotalOf is a [TotalOf].
func (s *BoxSums) TotalOf(row question.AnswerRow, a int) *Total {
	switch box, ok := s.boxOf(row, a); {
	case !ok:
		return &Total{}
	case s.boxes.List[box].Worth == nil:
		return s.CountBounds(box)
	default:
		return &Total{takes: s.Floats[box].Takes}
	}
}

// Mean returns the expected number of records in a box.
func (s *BoxSums) Mean(box int) float64 {
	total := 0.0
	for i, size := range s.sizes {
		products := s.Moments[i*len(s.boxes.List)+box].Products
		total += float64(products) / math.Pow(float64(size), float64(s.fragments-1))
	}
	return total
}

// Variance returns the variance of the number of records in a box: per group, for X of m,
//
//	E[X] = m prod(a_i/m),  E[X(X-1)] = m (m-1) prod(a_i (a_i-1) / (m (m-1)))
//
// A variance can be small compared to the squares of means that are subtracted, so the
// difference is computed in whole numbers, over m^(2f-2) (m-1)^(f-1).
func (s *BoxSums) Variance(box int) float64 {
	total := 0.0
	for i, size := range s.sizes {
		t := &s.Moments[i*len(s.boxes.List)+box]
		if t.Products == 0 || size == 1 {
			continue // a single record has no variance
		}
		m, less, f := big.NewInt(int64(size)), big.NewInt(int64(size-1)), big.NewInt(int64(s.fragments-1))
		m.Exp(m, f, nil)
		less.Exp(less, f, nil)
		means, pairs, squares := new(big.Int).SetUint64(t.Products), new(big.Int).SetUint64(t.Pairs), new(big.Int).SetUint64(t.Squares)
		means.Mul(means.Mul(means, m), less)
		means.Add(means, pairs.Mul(pairs, m))
		means.Sub(means, squares.Mul(squares, less))
		variance, _ := new(big.Rat).SetFrac(means, less.Mul(less, m.Mul(m, m))).Float64()
		total += variance
	}
	return max(0, total)
}

// CountBounds returns the least and the greatest number of records in a box: per group max(0,
// sum a_i - (f-1) m) and min a_i.
func (s *BoxSums) CountBounds(box int) *Total {
	sum := &Total{}
	for i := range s.sizes {
		t := &s.Moments[i*len(s.boxes.List)+box]
		sum.Low += float64(t.Low)
		sum.High += float64(t.High)
	}
	return sum
}

// CountValues sets the expected numbers of values: the sum over values of one minus the probability that no record has the value.
func (b *Boxes) CountValues(floats []BoxFloats, rows []question.AnswerRow) {
	for a, of := range b.of {
		if b.terms.Question.Aggregates[a].Kind != question.Distinct {
			continue
		}
		expected := make([]float64, len(b.terms.Keys))
		for key := range expected {
			for value := range b.terms.Values[a].List { // in a fixed order
				if i, ok := of[KeyedValue{int32(key), int32(value)}]; ok {
					expected[key] += 1 - floats[i].Absent
				}
			}
		}
		FillExpected(b.terms, a, expected, rows)
	}
}

// AddProfile adds the groups of a profile.
func (t *BoxMoments) AddProfile(p *Profile) {
	product, pairs, total, high := uint64(1), uint64(1), uint64(0), uint64(p.Size)
	for _, n := range p.Counts {
		a := uint64(n)
		product *= a
		pairs *= a * (a - 1)
		total += a
		high = min(high, a)
	}
	others := uint64(len(p.Counts)-1) * uint64(p.Size)
	t.Products += p.Groups * product
	t.Pairs += p.Groups * pairs
	t.Squares += p.Groups * product * product
	t.Low += p.Groups * (max(total, others) - others)
	t.High += p.Groups * high
}

// ProbabilityOfNone returns the probability that a group of the profile has no record in the box.
func (p *Profile) ProbabilityOfNone(work *question.Checkpoint) (float64, error) {
	common := Distribution{int(p.Size), []float64{1}}
	for _, n := range p.Counts {
		var err error
		if common, err = common.Intersect(Distribution{int(n), []float64{1}}, int(p.Size), work); err != nil {
			return 0, err
		}
	}
	if common.From > 0 {
		return 0, nil
	}
	return common.P[0], nil
}

// AddProfile adds the groups of a profile.
func (f *BoxFloats) AddProfile(p *Profile, w *familyWorth, argument int) {
	one, two, m := 1.0, 1.0, int(p.Size)
	for s, n := range p.Counts {
		if a := int(n); s != argument {
			one *= float64(a) / float64(m)
			two *= float64(a*(a-1)) / float64(max(1, m*(m-1)))
		}
	}
	groups, n := float64(p.Groups), float64(p.Counts[argument])
	sum, squared, squares := FloatOf(p.Sum)/w.Scale, FloatOf(p.SquaredSums)/w.Scale/w.Scale, FloatOf(p.Squares)/w.Scale/w.Scale
	f.Sums.Add(SecondMoments{
		MeanN: groups * n * one, MeanS: sum * one,
		VarN:       groups * (n*one + n*(n-1)*two - n*one*n*one),
		VarS:       squares*one + (squared-squares)*two - squared*one*one,
		Covariance: sum*one + (n-1)*sum*two - n*one*sum*one,
		Squares:    squares * one,
	})
}
