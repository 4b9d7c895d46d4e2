package utility

import (
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// noCohort is the cohort of a record outside the release.
const noCohort = math.MaxUint32

// cohorts are sets of records that the release does not distinguish: the groups, and if
// quasi-identifiers are published with the sensitive attribute, the records of a group that
// share them.
type cohorts struct {
	*distributions          // of the sensitive attribute
	of             []uint32 // the cohort of every record; nil without the link
}

func newCohorts(ctx context.Context, sensitive published, quasi []*anonymize.Column, gidOf []uint32) (*cohorts, error) {
	f := sensitive.fragment
	sets, of := groupsOf(f), gidOf
	refined := false
	for _, column := range quasi {
		c := f.Column(column.Name)
		if c < 0 || !f.Columns[c].IsPoint() {
			continue
		}
		refined = true
		sets, of = refine(sets, of, f.Columns[c], column)
	}
	if of != nil && !refined {
		of = withoutStrays(of, f.Groups())
	}
	d, err := newDistributions(ctx, sensitive, sets)
	return &cohorts{d, of}, err
}

// withoutStrays sets every gid beyond the groups to noCohort.
func withoutStrays(gidOf []uint32, groups int) []uint32 {
	if !slices.ContainsFunc(gidOf, func(gid uint32) bool { return int(gid) >= groups }) {
		return gidOf
	}
	of := slices.Clone(gidOf)
	for record, gid := range of {
		if int(gid) >= groups {
			of[record] = noCohort
		}
	}
	return of
}

// refine divides every set by the values of a column of the same fragment, for both tuples and
// records.
func refine(sets *bucketization.Partition, of []uint32, c *anonymize.FragmentColumn, raw *anonymize.Column) (*bucketization.Partition, []uint32) {
	number := make(map[uint64]uint32)
	fine := make([]uint32, len(sets.Member)) // by index in Member
	for set := range sets.Groups() {
		for at := sets.Start[set]; at < sets.Start[set+1]; at++ {
			key := uint64(set)<<32 | uint64(c.Codes[sets.Member[at]])
			n, known := number[key]
			if !known {
				n = uint32(len(number))
				number[key] = n
			}
			fine[at] = n
		}
	}
	if of != nil {
		codes := recoded(raw, c.Dictionary)
		cut := make([]uint32, len(of))
		for record, set := range of {
			cut[record] = noCohort
			if n, known := number[uint64(set)<<32|uint64(codes[record])]; known {
				cut[record] = n
			}
		}
		of = cut
	}
	return bucketization.NewPartition(sets.Member, fine, len(number)), of
}

// probability sums Property 1 over the cohorts: in a cohort of n records with c_i of value i,
// c_i records have probability c_i/n. It is for point cells only.
func (c *cohorts) probability() *Probability {
	var s probabilities
	for set, n := range c.records {
		_, mass := c.distributions.distributionOf(uint32(set))
		for _, m := range mass {
			s.add(m, m/n)
		}
	}
	return s.result()
}

// withoutCounterfeits scales the sums to the real records' share, since all published records
// are equally likely to be real.
func (p *Probability) withoutCounterfeits(r *anonymize.Release) *Probability {
	if r.Forged > 0 {
		share := float64(r.Rows-r.Forged) / float64(r.Rows)
		p.Error *= share
		p.Bound *= share
	}
	return p
}

// probabilities adds up the probabilities of actual values.
type probabilities struct{ records, sum, greatest float64 }

func (s *probabilities) add(records, probability float64) {
	s.records += records
	s.sum += records * probability
	s.greatest = max(s.greatest, probability)
}

func (s *probabilities) result() *Probability {
	if s.records == 0 || s.greatest == 0 {
		return &Probability{}
	}
	// 1/(1/3) may be slightly below 3.
	l := math.Floor(1/s.greatest + 1e-9)
	return &Probability{Mean: s.sum / s.records, Greatest: s.greatest, L: int(l),
		Error: s.records - s.sum, Bound: s.records * (1 - 1/l)}
}

// compare walks through the records by cohort, and within a cohort by their quasi-identifiers.
// It returns GLP and the probabilities of the actual values. value has the sensitive code of
// every record, at most width.
func (c *cohorts) compare(ctx context.Context, value []uint32, width int, classes *bucketization.Projection) (glp float64, _ *Probability, err error) {
	all := anonymize.Indices(len(value))
	byClass := bucketization.CountingSort(bucketization.CountingSort(all, value, width+1), classes.ID, len(classes.Frequency))
	known := knownValues(byClass, value, classes)
	released := slices.DeleteFunc(byClass, func(record uint32) bool { return c.of[record] == noCohort })
	released = bucketization.CountingSort(released, c.of, len(c.records))
	loss, s := 0.0, probabilities{}
	mass := make([]float64, width+1) // of the current cohort
	for first := 0; first < len(released); {
		if ctx.Err() != nil {
			return 0, nil, ctx.Err()
		}
		cohort := c.of[released[first]]
		values, masses := c.distributions.distributionOf(cohort)
		for i, v := range values {
			mass[v] = masses[i]
		}
		next := first
		for next < len(released) && c.of[released[next]] == cohort {
			class, start := classes.ID[released[next]], next
			for ; next < len(released) && c.of[released[next]] == cohort && classes.ID[released[next]] == class; next++ {
				s.add(1, mass[value[released[next]]]/c.records[cohort])
			}
			shared := overlap(mass, values, known.Records(int(class)))
			loss += float64(next-start) * max(0, 1-shared/c.records[cohort])
		}
		for _, v := range values {
			mass[v] = 0
		}
		first = next
	}
	probability := s.result()
	probability.ofRecords = true
	return loss / float64(max(1, len(released))), probability, nil
}

// knownValues lists, for every class of records with equal quasi-identifiers, its sensitive
// values in the raw table, S_t, ascending. byClass has the records by class and within by
// value.
func knownValues(byClass, value []uint32, classes *bucketization.Projection) *bucketization.Partition {
	p := &bucketization.Partition{Start: make([]uint32, len(classes.Frequency)+1)}
	for i, record := range byClass {
		class := classes.ID[record]
		if i > 0 && classes.ID[byClass[i-1]] == class && value[byClass[i-1]] == value[record] {
			continue
		}
		p.Member = append(p.Member, value[record])
		p.Start[class+1] = uint32(len(p.Member))
	}
	for class := range classes.Frequency { // those without records
		p.Start[class+1] = max(p.Start[class+1], p.Start[class])
	}
	return p
}

// overlap returns the mass on known values, using the shorter list. values are those with mass.
func overlap(mass []float64, values, known []uint32) float64 {
	sum := 0.0
	if len(known) <= 4*len(values) {
		for _, v := range known {
			sum += mass[v]
		}
		return sum
	}
	for _, v := range values {
		if _, found := slices.BinarySearch(known, v); found {
			sum += mass[v]
		}
	}
	return sum
}
