package mondrian

import (
	"context"
	"math/rand/v2"
	"sync"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/generalization"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

const (
	// blockRecords is the number of records of a block, which are compared with each other.
	// More records lose less but take longer.
	blockRecords = 512
	// blockClasses is the least size of a block in classes.
	blockClasses = 8
	// maxCompared is the size of the greatest block whose records are compared with each other.
	maxCompared = 1 << 13
	// maxGrown is the size of the greatest class that is grown record by record. Larger ones
	// come from cuts alone, because comparing would cost more than it gains.
	maxGrown = 256
	// rounds is the number of rounds of exchanges between blocks, each between other neighbours.
	rounds = 1
)

// PartitionLocal is local recoding: classes that meet the condition, which the whole
// table must meet, and whose cells lose little by the normalized certainty penalty (Xu
// et al., KDD 2006). Records with equal quasi-identifiers may be in different classes.
// The loss, summed over records and attributes, is never above that of [PartitionEach]
// with strict cuts, whose classes are returned where nothing better is found.
//
// It cuts the table into blocks where most of the loss goes; grows classes in every block, as
// small as the condition permits; lets neighbouring classes move and swap records while that
// lowers their loss; and merges classes with equal cells. For T below 1 or further
// requirements, classes are stratified samples of the table or come from cuts alone, whichever
// loses less; classes above 256 records always come from cuts alone. Attributes are lines or
// sets, see [generalization.NewSetAttributes]; taxonomies are ignored. Errors are as in
// Partition. O(n log n) for the blocks, and 512 comparisons per record.
func PartitionLocal(ctx context.Context, attributes []*generalization.Attribute, sensitive []*anonymize.Column, c Condition,
	random *rand.Rand, report func(phase string, done, total int)) (*bucketization.Partition, error) {
	phase := func(name string) func(done, total int) { return func(done, total int) { report(name, done, total) } }
	best, err := PartitionEach(ctx, attributes, sensitive, c, false, random, phase("partition"))
	if err != nil {
		return nil, err
	}
	s := newSearch(ctx, attributes, sensitive, c)
	s.seed, s.report = random.Uint64(), report
	loss := s.loss(best)
	for _, search := range s.searches() {
		found, err := search()
		if err != nil {
			return nil, err
		}
		if found != nil && s.loss(found) < loss {
			best, loss = found, s.loss(found)
		}
	}
	return mergeEqualCells(best, attributes), nil
}

// searches returns the searches that the condition permits; the best result is used.
func (s *search) searches() (list []func() (*bucketization.Partition, error)) {
	everybody := func() (*bucketization.Partition, error) { return s.grow(upTo(0, len(s.axes[0].place))) }
	switch {
	case s.condition.grows() && s.target <= maxGrown:
		return append(list, everybody)
	case !s.condition.grows() && len(s.sensitive) == 1:
		list = append(list, s.strata)
	}
	return append(list, s.cutOnly)
}

// notAsked is a t that demands nothing.
func notAsked() anonymize.Ratio { return anonymize.NewRatio(1, 1) }

// A search looks for classes with little loss.
type search struct {
	ctx        context.Context
	attributes []*generalization.Attribute
	axes       []axis
	sensitive  []sensitiveAttribute // by record
	condition  Condition
	// target is the least size at which any class whose values occur at most most
	// times meets the condition: k, rounded up to a multiple of l.
	target, most int
	seed         uint64
	report       func(phase string, done, total int)
	spare        sync.Pool  // of *denseNumbers
	count        [][]uint32 // by sensitive attribute and value, else zero: scratch of meets
}

func newSearch(ctx context.Context, attributes []*generalization.Attribute, sensitive []*anonymize.Column, c Condition) *search {
	s := &search{ctx: ctx, attributes: attributes, axes: newAxes(attributes), condition: c}
	for _, column := range sensitive {
		s.sensitive = append(s.sensitive, newSensitive(column.Codes, len(column.Dictionary), column.IsNumeric()))
	}
	s.target = (c.K + c.L - 1) / c.L * c.L
	s.most = s.target / c.L
	s.spare.New = func() any { return newDenseNumbers(s.axes, s.sensitive) }
	return s
}

// cutOnly cuts by loss until no cut is allowed.
func (s *search) cutOnly() (*bucketization.Partition, error) {
	d := s.divisionOf(upTo(0, len(s.axes[0].place)), s.condition)
	d.byLoss = true
	return d.partition(), s.ctx.Err()
}

// grow makes classes in every block of some records and lets them exchange records.
func (s *search) grow(records []uint32) (*bucketization.Partition, error) {
	d := s.divisionOf(records, Condition{K: max(2*s.target, 16), L: s.condition.L, T: s.condition.T})
	d.byLoss, d.stop = true, s.blockSize()
	blocks := d.partition()
	p, err := s.inBlocks("classes", blocks.Groups(), func(b int, numbers *denseNumbers) [][]uint32 {
		of := anonymize.Gather(records, blocks.Records(b))
		if len(of) > maxCompared { // it cannot be divided evenly
			return s.medians(of)
		}
		block := newBlock(s, of, numbers)
		classes := newClasses(block, newGrower(block).grow())
		classes.Exchange(s.ctx, minSaving)
		return classes.records()
	})
	for round := 0; round < rounds && err == nil; round++ {
		p, err = s.exchangeAgain(p, rand.New(rand.NewPCG(s.seed, uint64(round))))
	}
	return p, err
}

func (s *search) blockSize() int { return max(blockRecords, blockClasses*s.target) }

// medians divides records by strict cuts.
func (s *search) medians(records []uint32) (classes [][]uint32) {
	p := s.divisionOf(records, s.condition).partition()
	for g := range p.Groups() {
		classes = append(classes, anonymize.Gather(records, p.Records(g)))
	}
	return classes
}

// exchangeAgain exchanges records between classes that other cuts bring together: cuts of one
// record per class, with randomly weighted attributes.
func (s *search) exchangeAgain(p *bucketization.Partition, random *rand.Rand) (*bucketization.Partition, error) {
	record := make([]uint32, p.Groups())
	for g := range record {
		of := p.Records(g)
		record[g] = of[random.IntN(len(of))]
	}
	d := s.divisionOf(record, Condition{K: 4, L: 1, T: notAsked()})
	d.byLoss, d.stop = true, s.blockSize()/s.target
	for range s.attributes {
		d.weight = append(d.weight, .3+1.4*random.Float64())
	}
	blocks := d.partition()
	return s.inBlocks("exchanges", blocks.Groups(), func(b int, numbers *denseNumbers) [][]uint32 {
		var records []uint32
		var items [][]uint32
		for _, g := range blocks.Records(b) {
			first := len(records)
			records = append(records, p.Records(int(g))...)
			items = append(items, upTo(first, len(records)))
		}
		classes := newClasses(newBlock(s, records, numbers), items)
		classes.Exchange(s.ctx, minSaving)
		return classes.records()
	})
}

// divisionOf prepares cuts of some records, renumbered from 0.
func (s *search) divisionOf(records []uint32, c Condition) *division {
	n := len(records)
	d := &division{ctx: s.ctx, condition: c, attributes: s.attributes, seed: s.seed,
		member: upTo(0, n), spare: make([]uint32, n), first: make([]bool, n)}
	for _, of := range s.sensitive {
		of.value = anonymize.Gather(of.value, records)
		d.sensitive = append(d.sensitive, of)
	}
	for _, a := range s.attributes {
		d.place = append(d.place, anonymize.Gather(a.Place, records))
	}
	return d
}

// upTo returns first .. end-1.
func upTo(first, end int) []uint32 {
	all := make([]uint32, 0, end-first)
	for i := first; i < end; i++ {
		all = append(all, uint32(i))
	}
	return all
}

// inBlocks makes the classes of every block on all cores; the result does not depend on the
// number of cores.
func (s *search) inBlocks(phase string, blocks int, classes func(block int, numbers *denseNumbers) [][]uint32) (*bucketization.Partition, error) {
	found := make([][][]uint32, blocks)
	done := parallel.NewCounter(blocks, func(done, total int) { s.report(phase, done, total) })
	err := parallel.Run(s.ctx, blocks, func(b int) error {
		numbers := s.spare.Get().(*denseNumbers)
		found[b] = classes(b, numbers)
		s.spare.Put(numbers)
		done.Add(1)
		return nil
	})
	return joined(found, len(s.sensitive[0].value)), err
}

// joined returns the partition into the classes of all blocks.
func joined(blocks [][][]uint32, records int) *bucketization.Partition {
	p := &bucketization.Partition{Start: []uint32{0}, Member: make([]uint32, 0, records)}
	for _, classes := range blocks {
		for _, class := range classes {
			p.Add(class)
		}
	}
	return p
}
