package mondrian

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

const (
	// leftoverClasses is the number of classes with which a leftover record is compared.
	leftoverClasses = 1 << 10
	// triedClasses is the number of random classes to try before classes are made of neighbours.
	triedClasses = 100
	// maxGrownAgain is the number of attempts to make classes before cuts are used.
	maxGrownAgain = 3
)

// strata makes classes that are close to the table because each is a stratified sample of
// it: after Soria-Comas, Domingo-Ferrer, Sanchez and Martinez, t-Closeness through
// Microaggregation, IEEE TKDE 2015 (t-closeness first). The records in the order of their
// sensitive values are cut into as many strata of one size as a class has records, and a
// class has one record of each: it is diverse in the number of the stratum. nil where that
// is not enough for t and l, or classes would be too large to be grown.
func (s *search) strata() (*bucketization.Partition, error) {
	safe := s.safeStrata()
	most := min(2*safe, maxGrown, len(s.sensitive[0].value))
	grown := 0
	for size := max((safe+3)/4, s.target); size <= most && grown < maxGrownAgain; size += (size + 3) / 4 {
		r := s.cutIntoStrata(size)
		if !s.promises(r) {
			continue
		}
		grown++
		if p, err := s.stratified(r); err != nil || p != nil {
			return p, err
		}
	}
	return nil, nil
}

// safeStrata returns a number of strata with which every class is close enough, whichever
// record a stratum contributes, up to the rounding of the table's size.
func (s *search) safeStrata() int {
	total, values, boundaries := s.sensitive[0].total, 0, 0
	for _, n := range total {
		if n > 0 {
			values++
		}
	}
	// A stratum in which a value ends has several values; its record may have any of them.
	if boundaries = values - 1; s.sensitive[0].ordered {
		boundaries = 1 // neighbours are 1/(values-1) apart, and boundaries add up to one span
	}
	t := float64(s.condition.T.Num) / float64(s.condition.T.Den)
	return int(min(math.Ceil(float64(boundaries)/max(t, 1e-9)), 1<<20)) + 1
}

// stratifiedRecords has the records in the order of their sensitive values, in strata of equal
// size, and the leftover records, fewer than there are strata.
type stratifiedRecords struct {
	record, over []uint32
	strata       int
	random       *rand.Rand
}

func (s *search) cutIntoStrata(strata int) *stratifiedRecords {
	value := s.sensitive[0].value
	random := rand.New(rand.NewPCG(s.seed, uint64(strata)))
	records := upTo(0, len(value))
	random.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
	over := records[:len(records)%strata]
	records = records[len(over):]
	slices.SortStableFunc(records, func(x, y uint32) int { return int(value[x]) - int(value[y]) })
	return &stratifiedRecords{record: records, over: over, strata: strata, random: random}
}

// size returns the size of a stratum.
func (r *stratifiedRecords) size() int { return len(r.record) / r.strata }

// promises reports whether some random classes of one record per stratum meet the condition: if
// one of them does not, some of many would not.
func (s *search) promises(r *stratifiedRecords) bool {
	class := make([]uint32, r.strata)
	for range triedClasses {
		for stratum := range class {
			class[stratum] = r.record[stratum*r.size()+r.random.IntN(r.size())]
		}
		if !s.meets(class) {
			return false
		}
	}
	return true
}

// stratified makes classes of one record per stratum; nil if one violates the condition.
func (s *search) stratified(r *stratifiedRecords) (*bucketization.Partition, error) {
	stratum := make([]uint32, len(s.sensitive[0].value))
	for i, record := range r.record {
		stratum[record] = uint32(i / r.size())
	}
	of := newSearch(s.ctx, s.attributes, nil, Condition{K: r.strata, L: r.strata, T: notAsked()})
	of.sensitive, of.seed, of.report = []sensitiveAttribute{newSensitive(stratum, r.strata, false)}, s.seed, s.report
	p, err := of.grow(r.record)
	if err != nil {
		return nil, err
	}
	return s.withLeftovers(p, r.over, r.random), nil
}

// withLeftovers adds records to near classes; nil if a class violates the condition.
func (s *search) withLeftovers(p *bucketization.Partition, over []uint32, random *rand.Rand) *bucketization.Partition {
	classes := make([][]uint32, p.Groups())
	for g := range classes {
		if classes[g] = p.Records(g); !s.meets(classes[g]) {
			return nil
		}
	}
	for _, record := range over {
		best, least := -1, float32(math.MaxFloat32)
		for _, g := range random.Perm(len(classes))[:min(leftoverClasses, len(classes))] {
			with := append(slices.Clone(classes[g]), record)
			if more := s.classLoss(with) - s.classLoss(classes[g]); more < least && s.meets(with) {
				best, least = g, more
			}
		}
		if best < 0 {
			return nil
		}
		classes[best] = append(slices.Clone(classes[best]), record)
	}
	return joined([][][]uint32{classes}, len(p.Member)+len(over))
}

// meets reports whether some records may be a class.
func (s *search) meets(records []uint32) bool {
	for i := range s.sensitive {
		if !s.meetsOf(i, records) {
			return false
		}
	}
	return true
}

// meetsOf is meets for one sensitive attribute.
func (s *search) meetsOf(sensitive int, records []uint32) bool {
	of := &s.sensitive[sensitive]
	if s.count == nil {
		s.count = make([][]uint32, len(s.sensitive))
	}
	if s.count[sensitive] == nil {
		s.count[sensitive] = make([]uint32, len(of.total))
	}
	count, present := s.count[sensitive], anonymize.Gather(of.value, records)
	for _, v := range present {
		count[v]++
	}
	slices.Sort(present)
	present = slices.Compact(present)
	defer func() {
		for _, v := range present {
			count[v] = 0
		}
	}()
	return s.condition.allows(count, present, of.total, len(records), len(of.value), of.ordered) && s.condition.asks(sensitive, count, present, len(records))
}

// classLoss returns the penalty of some records, summed over them.
func (s *search) classLoss(records []uint32) (sum float32) {
	for i := range s.axes {
		x := &s.axes[i]
		if x.position != nil {
			sum += x.penalty(records, nil, 1)
			continue
		}
		places := anonymize.Gather(x.place, records)
		slices.Sort(places)
		sum += setPenalty(len(slices.Compact(places)), x.unit)
	}
	return sum * float32(len(records))
}
