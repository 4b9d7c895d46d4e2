package completed

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// The loops over the rows of a block and a table are separate functions, so that everything
// they read is in registers. A row's class in a fragment is the class of the slot at the row's
// place in its group.

// countRows counts the rows by their sum of classes.
//
//go:noinline
func countRows[P place, C slotClass](counts []uint32, rows []slotRow, class *[MaxSlots]C, places []P) {
	for _, row := range rows {
		if sum := row.class() + uint32(class[row.group()+uint16(places[row.slot()])]); uint64(sum) < uint64(len(counts)) {
			counts[sum]++
		}
	}
}

// countAllOf2 counts the rows of all slots of two tables.
//
//go:noinline
func countAllOf2[P place, C slotClass](counts, others []uint32, rows []slotRow, class *[MaxSlots]C, a, b []P) {
	a, b, others = a[:len(rows)], b[:len(rows)], others[:len(counts)]
	for k, row := range rows {
		own, group := row.class(), row.group()
		if sum := own + uint32(class[group+uint16(a[k])]); uint64(sum) < uint64(len(counts)) {
			counts[sum]++
		}
		if sum := own + uint32(class[group+uint16(b[k])]); uint64(sum) < uint64(len(others)) {
			others[sum]++
		}
	}
}

// A quad has the counters of four tables, large enough for the sums of two classes.
type quad [4][2 * alwaysDense]uint32

// countAllOf4 counts the rows of all slots of four tables.
//
//go:noinline
func countAllOf4[P place, C slotClass](counts *quad, rows []slotRow, class *[MaxSlots]C, a, b, c, d []P) {
	const below = 2*alwaysDense - 1 // the greatest sum: the mask saves the index check
	a, b, c, d = a[:len(rows)], b[:len(rows)], c[:len(rows)], d[:len(rows)]
	for k, row := range rows {
		own, group := row.class(), row.group()
		counts[0][(own+uint32(class[group+uint16(a[k])]))&below]++
		counts[1][(own+uint32(class[group+uint16(b[k])]))&below]++
		counts[2][(own+uint32(class[group+uint16(c[k])]))&below]++
		counts[3][(own+uint32(class[group+uint16(d[k])]))&below]++
	}
}

// addRows adds the classes of a fragment to the sums.
//
//go:noinline
func addRows[P place, C slotClass](sums, rows []slotRow, class *[MaxSlots]C, places []P) {
	sums = sums[:len(rows)]
	for k, row := range rows {
		sums[k] = row + slotRow(class[row.group()+uint16(places[row.slot()])])<<32
	}
}

// tableCounts are numbers of records by table and combination of classes.
type tableCounts struct {
	sides  []*question.Side
	tables int
	// dense has, by table, the number of records of every combination, with room for dead ones;
	// nil if the combinations are too many.
	dense   [][]uint32
	product int
	sparse  *combinationCounts
	quads   []*quad // a worker's dense counters, if rows are many compared to them
}

func (p *TablePlan) newCounts(tables int) *tableCounts {
	c := &tableCounts{sides: p.Sides, tables: tables, product: p.Product}
	if p.Product == 0 {
		c.sparse = &combinationCounts{sides: len(p.Sides), tables: c.tables}
		return c
	}
	room := p.Product
	if room <= alwaysDense { // counting is cheaper than looking
		room *= len(p.Sides) + 1
	}
	for range c.tables {
		c.dense = append(c.dense, make([]uint32, room))
	}
	return c
}

// manyRows is the number of records beyond which clearing quads costs nothing noticeable.
const manyRows = 1 << 17

// newWorkerCounts returns the counters of one core.
func (s *tableScan[P, C]) newWorkerCounts(tables int) *tableCounts {
	c := s.newCounts(tables)
	if s.Product == 0 || s.Product > alwaysDense || s.release.Rows < manyRows {
		return c
	}
	for d := 0; d+4 <= tables; d += 4 {
		q := new(quad)
		c.quads = append(c.quads, q)
		for i := range q {
			c.dense[d+i] = q[i][:]
		}
	}
	return c
}

// merge adds the counters of another core.
func (c *tableCounts) merge(other *tableCounts, work *question.Checkpoint) error {
	for d, counts := range other.dense {
		for x, n := range counts[:c.product] {
			c.dense[d][x] += n
		}
		if err := work.Pass(c.product); err != nil {
			return err
		}
	}
	if c.sparse == nil {
		return nil
	}
	return c.sparse.merge(other.sparse, work)
}

// VisitCombinations visits the combinations that some table has, with their classes and, by
// table, their numbers of records. The order is deterministic.
func (c *tableCounts) VisitCombinations(ctx context.Context, visit func(classes, records []uint32) error) error {
	work := &question.Checkpoint{Ctx: ctx}
	if c.sparse != nil {
		return c.sparse.visitCombinations(work, visit)
	}
	classes, records := make([]uint32, len(c.sides)), make([]uint32, c.tables)
	for x := range c.product {
		some := uint32(0)
		for d := range records {
			records[d] = c.dense[d][x]
			some |= records[d]
		}
		steps := c.tables
		if some > 0 {
			for s, side := range c.sides {
				classes[s] = uint32(x % side.Classes)
				x /= side.Classes
			}
			if err := visit(classes, records); err != nil {
				return err
			}
			steps *= question.WorkPerEvaluation
		}
		if err := work.Pass(steps); err != nil {
			return err
		}
	}
	return nil
}

// combinationCounts number the occurring combinations, in a hash table.
type combinationCounts struct {
	sides, tables int
	slots         []uint32 // 1 + the number of a combination, or 0; the length is a power of two
	combinations  int
	// classes and records are in chunks, so that growing moves nothing. A combination has one
	// class per side and one number per table.
	classes, records [][]uint32
}

// chunkCombinations is the number of combinations of a chunk.
const chunkCombinations = 1 << 12

func (c *combinationCounts) classesOf(n int) []uint32 {
	at := n % chunkCombinations * c.sides
	return c.classes[n/chunkCombinations][at : at+c.sides]
}

func (c *combinationCounts) recordsOf(n int) []uint32 {
	at := n % chunkCombinations * c.tables
	return c.records[n/chunkCombinations][at : at+c.tables]
}

// number returns the number of a combination and adds a new one.
func (c *combinationCounts) number(classes []uint32, work *question.Checkpoint) (int, error) {
	if 2*c.combinations >= len(c.slots) {
		if err := c.grow(work); err != nil {
			return 0, err
		}
	}
	at := c.find(classes)
	if c.slots[at] == 0 {
		if c.combinations%chunkCombinations == 0 {
			c.classes = append(c.classes, make([]uint32, chunkCombinations*c.sides))
			c.records = append(c.records, make([]uint32, chunkCombinations*c.tables))
		}
		copy(c.classesOf(c.combinations), classes)
		c.combinations++
		c.slots[at] = uint32(c.combinations)
	}
	return int(c.slots[at]) - 1, nil
}

// find returns the slot of a combination, or the empty slot for it.
func (c *combinationCounts) find(classes []uint32) int {
	hash := uint64(0)
	for _, class := range classes {
		hash = (hash ^ uint64(class)) * 0x9e3779b97f4a7c15
		hash ^= hash >> 32
	}
	mask := len(c.slots) - 1
	for at := int(hash) & mask; ; at = (at + 1) & mask {
		n := int(c.slots[at])
		if n == 0 || slices.Equal(c.classesOf(n-1), classes) {
			return at
		}
	}
}

func (c *combinationCounts) grow(work *question.Checkpoint) error {
	c.slots = make([]uint32, max(1<<10, 4*len(c.slots)))
	for n := range c.combinations {
		c.slots[c.find(c.classesOf(n))] = uint32(n + 1)
		if err := work.Pass(question.WorkPerEvaluation); err != nil {
			return err
		}
	}
	return nil
}

func (c *combinationCounts) merge(other *combinationCounts, work *question.Checkpoint) error {
	for i := range other.combinations {
		n, err := c.number(other.classesOf(i), work)
		if err != nil {
			return err
		}
		for d, records := range other.recordsOf(i) {
			c.recordsOf(n)[d] += records
		}
		if err := work.Pass(question.WorkPerEvaluation); err != nil {
			return err
		}
	}
	return nil
}

// visitCombinations visits the combinations in ascending order; the last side's class is the most significant.
func (c *combinationCounts) visitCombinations(work *question.Checkpoint, visit func(classes, records []uint32) error) error {
	order, err := c.order(work)
	if err != nil {
		return err
	}
	for _, n := range order {
		if err := visit(c.classesOf(int(n)), c.recordsOf(int(n))); err != nil {
			return err
		}
		if err := work.Pass(question.WorkPerEvaluation * c.tables); err != nil {
			return err
		}
	}
	return nil
}

// order radix-sorts the combinations, side by side (Knuth, The Art of Computer Programming 3,
// Algorithm 5.2.5 R).
func (c *combinationCounts) order(work *question.Checkpoint) ([]uint32, error) {
	order, sorted := anonymize.Indices(c.combinations), make([]uint32, c.combinations)
	for s := range c.sides {
		var starts []int // by class: where its combinations go
		for n := range order {
			class := int(c.classesOf(int(order[n]))[s])
			for len(starts) < class+2 {
				starts = append(starts, 0)
			}
			starts[class+1]++
			if err := work.Pass(1); err != nil {
				return nil, err
			}
		}
		for class := 1; class < len(starts); class++ {
			starts[class] += starts[class-1]
		}
		for _, n := range order {
			start := &starts[c.classesOf(int(n))[s]]
			sorted[*start] = n
			*start++
			if err := work.Pass(1); err != nil {
				return nil, err
			}
		}
		order, sorted = sorted, order
	}
	return order, nil
}
