package interval

import (
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// addNoise adds the noise of the counts of a sensitive attribute (package modeled) to the standard errors of
// aggregates that read nothing else, whatever stands beside them: every completed table has the same noisy counts, so other packages do not
// see the noise. With noise of variance v, a COUNT of t of the attribute's V values has the variance
//
//	v t (1 - t/V),
//
// because the counts add up to the records. It is less if counts were cut at 0, but then counts are also shifted
// ([lostByCutting]): with c cut values among the t, the actual figure is expected to be t lost - c gained above
// the published one.
//
// Who asks for values that the release shows asks for those that noise raised. Then the actual figure may be lower than the published one, by the
// excess of [lostByCutting] for each of the t with a small count. Where C of M rare values with the same number of records are cut, Laplace noise of
// scale b adds at most b C (1 + log(M/C / 2)) to the others, so this is at most b C times [small].
//
// The standard error is the root of the variance and the square of the larger shift. SUM and AVG then have no standard error.
func (s *Spread) addNoise(ctx context.Context, r *anonymize.Release, q *estimate.Question) error {
	noisy := s.findNoisy(r, q)
	if len(noisy) == 0 {
		return nil
	}
	part := q.RestrictedTo(noisy)
	at, position, _ := r.Locate(r.Model.Sensitive)
	records := r.Fragments[at].Weigh(r.Fragments[at].Columns[position])
	all := anonymize.Indices(len(records))
	cut := slices.DeleteFunc(slices.Clone(all), func(code uint32) bool { return records[code] > 0 })
	unit := noiseUnit(r.Model)
	few := slices.DeleteFunc(slices.Clone(all), func(code uint32) bool { return records[code] == 0 || float64(records[code]) >= small*unit })
	taken, err := countValues(ctx, r, part, all)
	if err != nil {
		return err
	}
	takenOfCut, err := countValues(ctx, r, part, cut)
	if err != nil {
		return err
	}
	takenOfFew, err := countValues(ctx, r, part, few)
	if err != nil {
		return err
	}
	values, variance := float64(len(all)), r.Model.NoiseVariance()
	lost, gained, excess := lostByCutting(r.Model, values, float64(len(cut)))
	s.shifts = make([][]shift, len(s.Deviations))
	for i, row := range s.Deviations {
		s.shifts[i] = make([]shift, len(row))
		for n, a := range noisy {
			if q.Aggregates[a].Kind != estimate.Count {
				row[a] = anonymize.NullValue
				continue
			}
			keys := s.answer.Rows[i].Keys
			t := taken(keys, n)
			moved := shift{t*lost - takenOfCut(keys, n)*gained, min(takenOfFew(keys, n)*excess, small*unit*float64(len(cut)))}
			s.shifts[i][a] = moved
			row[a] = anonymize.RealValue(math.Hypot(moved.size(), math.Sqrt(variance*t*(1-t/values))))
		}
	}
	return nil
}

// A shift is how far the actual figure is expected above a noisy one, and how far it may be below if noise chose the values.
type shift struct{ above, below float64 }

func (s shift) size() float64 { return max(math.Abs(s.above), s.below) }

// small is the number of units of noise below which a published count may be of a value without records.
const small = 4

// noiseUnit returns the scale of Laplace noise, or the deviation of Gaussian noise.
func noiseUnit(m *anonymize.Model) float64 {
	if m.Variance > 0 {
		return math.Sqrt(float64(m.Variance))
	}
	return m.Scale
}

// findNoisy returns the aggregates whose figures differ from the actual ones only by noise, and remembers them and those that read noise and
// more. If the question reads one fragment, all of its aggregates are noisy: a COUNT(*) of all records is of all values.
func (s *Spread) findNoisy(r *anonymize.Release, q *estimate.Question) (noisy []int) {
	s.noisy, s.mixed = make(map[int]bool), make(map[int]bool)
	for a := range q.Aggregates {
		part := q.RestrictedTo([]int{a})
		several := len(part.Touched()) > 1
		s.mixed[a] = several && part.ReadsNoise(r)
		if q.ReadsNoise(r) && s.answer.IsAlike() || part.ReadsNoise(r) && !several {
			s.noisy[a], noisy = true, append(noisy, a)
		}
	}
	return noisy
}

// isNoisyQuotient reports whether noise in one part of a quotient is not in the other. Records of a value that meet a condition have its noise, too.
func (s *Spread) isNoisyQuotient(row, quotient int) bool {
	q := s.question.Quotients[quotient]
	return (s.noisy[q.Numerator] || s.noisy[q.Denominator]) && !s.mixed[q.Numerator] && !s.mixed[q.Denominator] || s.apart[[2]int{row, quotient}]
}

// findApart finds quotients of a noisy and a mixed part, the mixed one of which has records of a value that the noisy one lacks, with the noise of that value.
func (s *Spread) findApart(ctx context.Context, p *estimate.Prepared, q *estimate.Question) error {
	s.apart = make(map[[2]int]bool)
	for n, quotient := range q.Quotients {
		noisy, mixed := quotient.Numerator, quotient.Denominator
		if s.mixed[noisy] {
			noisy, mixed = mixed, noisy
		}
		if !s.noisy[noisy] || !s.mixed[mixed] {
			continue
		}
		part := q.RestrictedTo([]int{noisy, mixed})
		for a := range part.Aggregates {
			part.Aggregates[a] = recordsOf(part.Aggregates[a])
		}
		at, position, _ := p.Release().Locate(p.Release().Model.Sensitive)
		part.Keys = append(part.Keys, estimate.Expression{Leaves: []int{len(part.Leaves)}})
		part.Leaves, part.MaxKeys = append(part.Leaves, estimate.ValueOf(at, position)), 0
		answer, err := p.Ask(ctx, part)
		if err != nil {
			return err
		}
		for _, value := range answer.Rows {
			i, found := findKeys(s.answer, value.Keys[:len(q.Keys)])
			if found && value.Figures[0].Float == 0 && value.Figures[1].Float > 0 {
				s.apart[[2]int{i, n}] = true
			}
		}
	}
	return nil
}

// recordsOf counts the records that contribute to a COUNT or SUM.
func recordsOf(a estimate.Aggregate) estimate.Aggregate {
	if a.Kind == estimate.Count {
		return a
	}
	added := estimate.Expression{Leaves: a.Argument.Leaves, Combine: func(values []anonymize.Value) (v anonymize.Value, err error) {
		if a.Argument.Combine != nil {
			v, err = a.Argument.Combine(values)
		} else {
			v = values[0]
		}
		if number, ok := v.Number(); ok && number == 0 {
			v = anonymize.NullValue
		}
		return v, err
	}}
	return estimate.Aggregate{Kind: estimate.Count, Argument: &added}
}

// findKeys returns the row of an answer with some keys.
func findKeys(answer *estimate.Answer, keys []anonymize.Value) (row int, found bool) {
	return slices.BinarySearchFunc(answer.Rows, keys, func(row estimate.AnswerRow, keys []anonymize.Value) int {
		return slices.CompareFunc(row.Keys, keys, anonymize.Compare)
	})
}

// lostByCutting returns how much every count lost where some of the values were cut at 0, how much a cut value gained, and how much more than its records
// another one has at most, all in expectation.
// It uses only what is public: the number of cut values and the noise.
//
// Every count lost the same x (package modeled), and a cut one then gained x - y, for its noisy count y. The counts add up to the records
// again, and the noise has mean 0. So all V values lost what the C cut ones gained:
//
//	V x = C E[x - y | y <= x].
//
// For a value without records, y is the noise k. A value with records gains less: for log-concave noise, such as Laplace's and Gauss's,
// x - E[y | y <= x] grows with the distance of x from the mean (Bagnoli and Bergstrom, "Log-Concave Probability and Its Applications", 2005,
// on the mean-advantage-over-inferiors function). So x is at most the solution of
//
//	(V - C) x = C E[-k | k <= x],
//
// where, by integration, E[-k | k <= x] is b (u + 1) / (2 exp(u) - 1) with u = x/b for Laplace noise of scale b, and the deviation
// times the normal density over its distribution, both at x/deviation, for Gaussian noise. The left side rises in x, and the right side falls.
//
// A value of n records that is not cut has E[k - x | k > x - n] too many, most for n = 0 (again for log-concave noise): b for Laplace noise.
func lostByCutting(m *anonymize.Model, values, cut float64) (lost, gained, excess float64) {
	if cut == 0 || cut == values {
		return 0, 0, 0
	}
	unit, below := noiseUnit(m), func(u float64) float64 { return (u + 1) / (2*math.Exp(u) - 1) }
	if m.Variance > 0 {
		below = func(u float64) float64 { return math.Sqrt(2/math.Pi) * math.Exp(-u*u/2) / math.Erfc(-u/math.Sqrt2) }
	}
	low, high := 0.0, 40.0 // exp(40) is more than there are values
	for range 60 {
		if u := (low + high) / 2; (values-cut)*u < cut*below(u) {
			low = u
		} else {
			high = u
		}
	}
	lost, gained, excess = high*unit, high*unit*values/cut, unit
	if m.Variance > 0 {
		excess = unit * (below(-high) - high) // by symmetry
	}
	return lost, gained, excess
}

// countValues counts those of some values of the sensitive attribute that a question selects, by a question to a release that has each value once.
func countValues(
	ctx context.Context, r *anonymize.Release, q *estimate.Question, codes []uint32,
) (taken func(keys []anonymize.Value, aggregate int) float64, err error) {
	n := len(codes)
	if n == 0 {
		return func([]anonymize.Value, int) float64 { return 0 }, nil
	}
	at, position, _ := r.Locate(r.Model.Sensitive)
	column := *r.Fragments[at].Columns[position]
	each := &anonymize.Fragment{Name: r.Fragments[at].Name, Role: r.Fragments[at].Role, GroupStart: []uint32{0, uint32(n)}}
	each.Count = slices.Repeat([]uint32{1}, n)
	column.Codes = codes
	each.Columns = []*anonymize.FragmentColumn{&column}
	once := &anonymize.Release{Rows: n, GroupSizes: []uint32{uint32(n)}, Fragments: slices.Clone(r.Fragments)}
	once.Fragments[at] = each
	answer, err := estimate.PrepareTuples(once).Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	return func(keys []anonymize.Value, aggregate int) float64 {
		i, found := findKeys(answer, keys)
		if !found {
			return 0
		}
		number, _ := answer.Rows[i].Figures[aggregate].Number()
		return number
	}, nil
}
