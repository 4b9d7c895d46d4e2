package mondrian

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/generalization"
)

// Partition divides all records into classes that meet the condition, which the
// whole table must meet. sensitive has the sensitive value of every record,
// below values. The order of the classes follows the recursion and must not be
// published. With relaxed, records of one place may come into both halves of a
// cut, drawn by random. The error is the context's, or a *anonymize.DataError for
// a table too large to compare distances in whole numbers.
func Partition(ctx context.Context, attributes []*generalization.Attribute, sensitive []uint32, values int,
	c Condition, relaxed bool, random *rand.Rand, report func(done, total int)) (*bucketization.Partition, error) {
	return partition(ctx, attributes, []sensitiveAttribute{newSensitive(sensitive, values, c.Ordered)}, c, relaxed, random, report)
}

// PartitionEach is [Partition] with a condition on several sensitive attributes: a cut is
// allowed if both halves meet it for every attribute separately. Numeric ones use the ordered
// distance for T.
func PartitionEach(ctx context.Context, attributes []*generalization.Attribute, sensitive []*anonymize.Column,
	c Condition, relaxed bool, random *rand.Rand, report func(done, total int)) (*bucketization.Partition, error) {
	var all []sensitiveAttribute
	for _, column := range sensitive {
		all = append(all, newSensitive(column.Codes, len(column.Dictionary), column.IsNumeric()))
	}
	return partition(ctx, attributes, all, c, relaxed, random, report)
}

func partition(ctx context.Context, attributes []*generalization.Attribute, sensitive []sensitiveAttribute,
	c Condition, relaxed bool, random *rand.Rand, report func(done, total int)) (*bucketization.Partition, error) {
	d, err := newDivision(ctx, attributes, sensitive, c)
	if err != nil {
		return nil, err
	}
	d.relaxed, d.seed, d.report = relaxed, random.Uint64(), report
	p := d.partition()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return p, nil
}

// partition divides the whole table, or as much as the context allows.
func (d *division) partition() *bucketization.Partition {
	d.run()
	p := &bucketization.Partition{Member: d.member}
	for place, first := range d.first {
		if first {
			p.Start = append(p.Start, uint32(place))
		}
	}
	p.Start = append(p.Start, uint32(len(d.member)))
	return p
}

// A sensitiveAttribute is bounded by the condition.
type sensitiveAttribute struct {
	value   []uint32 // by position of member
	total   []uint32 // records of the table by value
	ordered bool
}

func newSensitive(codes []uint32, values int, ordered bool) sensitiveAttribute {
	s := sensitiveAttribute{value: append([]uint32(nil), codes...), total: make([]uint32, values), ordered: ordered}
	for _, v := range codes {
		s.total[v]++
	}
	return s
}

// A division is a partition under construction. It stores records by columns, and the records
// of a class are contiguous: a cut partitions the same range of all columns, so every pass
// reads contiguous memory.
type division struct {
	ctx        context.Context
	condition  Condition
	relaxed    bool
	byLoss     bool      // cut by gain instead of at medians
	weight     []float64 // byLoss: of the attributes' gains; nil for equal weights
	stop       int       // byLoss: ranges of at most stop records are not divided
	seed       uint64
	attributes []*generalization.Attribute
	report     func(done, total int)

	member    []uint32
	sensitive []sensitiveAttribute
	place     [][]uint32 // by attribute and position of member
	spare     []uint32   // scratch: the worker of a range owns the same range of it
	first     []bool     // a class begins here

	queue   sync.WaitGroup
	workers chan struct{} // one token per free core
	lock    sync.Mutex
	settled int // records in final classes
}

func newDivision(ctx context.Context, attributes []*generalization.Attribute, sensitive []sensitiveAttribute, c Condition) (*division, error) {
	n := len(sensitive[0].value)
	for _, s := range sensitive {
		if values := len(s.total); float64(n)*float64(n)*float64(max(values, 2)) > 1<<62 && c.T.Num < c.T.Den {
			return nil, &anonymize.DataError{Reason: fmt.Sprintf("%d records of %d sensitive values are too many to measure t exactly", n, values)}
		}
	}
	d := &division{ctx: ctx, condition: c, attributes: attributes, sensitive: sensitive,
		member: anonymize.Indices(n), spare: make([]uint32, n), first: make([]bool, n)}
	for _, a := range attributes {
		d.place = append(d.place, append([]uint32(nil), a.Place...))
	}
	return d, nil
}

// serialBelow is the number of records below which a worker divides a class itself.
const serialBelow = 1 << 13

// run divides the whole table.
func (d *division) run() {
	d.workers = make(chan struct{}, runtime.GOMAXPROCS(0))
	for range cap(d.workers) - 1 {
		d.workers <- struct{}{}
	}
	d.first[0] = true
	w := d.newWorker()
	w.divide(0, len(d.member))
	d.queue.Wait()
}

// A worker has its own scratch memory.
type worker struct {
	*division
	here, left [][]uint32 // by sensitive attribute: counts by value, 0 of all but present
	present    [][]uint32 // by sensitive attribute: the values of the current class, ascending
	histogram  []uint32   // by place
	sorted     []uint32
	found      []run
	order      []int    // attributes, the widest first
	low, high  []uint32 // by attribute: the span of the current class
	penalty    []float64
	marks      []uint8 // by position in the current class: goes to the left
	inSet      []bool  // by place: goes to the left
}

func (d *division) newWorker() *worker {
	places := 0
	for _, a := range d.attributes {
		places = max(places, a.Places)
	}
	m := len(d.attributes)
	counts := func() (of [][]uint32) {
		for _, s := range d.sensitive {
			of = append(of, make([]uint32, len(s.total)))
		}
		return of
	}
	return &worker{division: d, here: counts(), left: counts(), present: make([][]uint32, len(d.sensitive)), inSet: make([]bool, places),
		histogram: make([]uint32, places+1), order: make([]int, m), low: make([]uint32, m), high: make([]uint32, m), penalty: make([]float64, m)}
}

// divide divides the records at [first, end). A free core, if any, takes the right part.
func (w *worker) divide(first, end int) {
	for {
		middle := 0
		if w.ctx.Err() == nil && end-first >= 2*w.condition.K && end-first > w.stop {
			if w.byLoss {
				middle = w.cutByLoss(first, end)
			} else {
				middle = w.cut(first, end)
			}
		}
		if middle == 0 {
			w.settle(end - first)
			return
		}
		w.first[middle] = true
		if end-middle < serialBelow || !w.hand(middle, end) {
			w.divide(middle, end)
		}
		end = middle
	}
}

// hand gives a range to a free core, if any.
func (w *worker) hand(first, end int) bool {
	select {
	case <-w.workers:
	default:
		return false
	}
	w.queue.Go(func() {
		w.newWorker().divide(first, end)
		w.workers <- struct{}{}
	})
	return true
}

// settle counts finished records and reports sometimes.
func (d *division) settle(records int) {
	d.lock.Lock()
	defer d.lock.Unlock()
	const steps = 100
	before := d.settled * steps / len(d.member)
	d.settled += records
	if d.settled*steps/len(d.member) > before && d.report != nil {
		d.report(d.settled, len(d.member))
	}
}
