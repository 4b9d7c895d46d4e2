package completed

import (
	"context"
	"math"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/planes"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// The tables are counted in blocks of groups, small enough that the classes of a block's slots
// stay in the first-level cache while all tables are read. A slot is a place in a group of the
// block, numbered through the block. In every slot, a fragment has a tuple and a completed
// table a row: the row whose tuple of fragment 0 is there. So the class of a row in fragment 0
// is that of its slot. In fragment j it is the class of the slot that lies the row's place
// behind the first slot of its group.

// BlockRecords is the number of slots of a block, unless a single group has more. At two bytes
// per slot, two fragments take 16 KB.
const BlockRecords = 2048

// MaxSlots is the size of the largest group, and so of the largest block, whose places fit into
// two bytes. Class arrays have this length and blocks use their beginning, so that an index of
// two bytes needs no check.
const MaxSlots = 1 << 16

// A recordBlock is where a block begins.
type recordBlock struct{ group, record int }

// recordBlocks divides the groups into blocks; the last entry marks the end.
func recordBlocks(sizes []uint32) []recordBlock {
	blocks, at := []recordBlock{{}}, recordBlock{}
	for _, size := range sizes {
		if begun := at.record - blocks[len(blocks)-1].record; begun > 0 && begun+int(size) > BlockRecords {
			blocks = append(blocks, at)
		}
		at = recordBlock{at.group + 1, at.record + int(size)}
	}
	return append(blocks, at)
}

// A TablePlan says what to count: the records of every table by combination of classes, one
// class per side.
type TablePlan struct {
	Sides     []*question.Side
	fragments []int // of the sides, ascending
	// Product is the number of combinations, with the first side's classes as the fastest
	// digit; 0 if they are too many for a counter each.
	Product int
	// dead is the class of slots that fail a condition of their fragment. It exceeds all other
	// classes and all sums of classes of different sides.
	dead uint32
}

// alwaysDense is the number of combinations that always have a counter each. More have one if
// they are few compared to the records and terms has places for them.
const alwaysDense = 1 << 12

// deadSparse is the dead class if combinations are numbered: twice it fits into 32 bits, and
// there are fewer classes than records.
const deadSparse = MaxCompletedRecords

func NewTablePlan(r *anonymize.Release, sides []*question.Side, fragments []int) *TablePlan {
	p := &TablePlan{Sides: sides, fragments: fragments, Product: 1}
	most := max(alwaysDense, min(r.Rows/2, question.MaxDenseCombinations))
	for _, s := range sides {
		if p.Product *= s.Classes; p.Product > most || p.Product*len(sides) > MaxCompletedRecords {
			p.Product = 0
			break
		}
	}
	if p.dead = uint32(p.Product); p.Product == 0 {
		p.dead = deadSparse
	}
	return p
}

// A place is a tuple's place in its group; a slotClass is the class of a slot, multiplied by
// its stride if combinations are counted by sums.
type (
	place     interface{ uint8 | uint16 }
	slotClass interface{ uint16 | uint32 }
)

// Count counts the records of the plan's tables: by planes if these take few operations, else row by row with the narrowest integers that fit.
func (c *Tables) Count(ctx context.Context, p *TablePlan) (*tableCounts, error) {
	if dense, err := c.countByPlanes(ctx, p); dense != nil || err != nil {
		return &tableCounts{sides: p.Sides, tables: c.Completion.Tables, product: p.Product, dense: dense}, err
	}
	if c.Completion.Narrow != nil {
		return countPlaces(ctx, c, p, c.Completion.Narrow)
	}
	return countPlaces(ctx, c, p, c.Completion.Wide)
}

// countByPlanes returns nil if planes do not fit.
func (c *Tables) countByPlanes(ctx context.Context, p *TablePlan) ([][]uint32, error) {
	if p.Product == 0 || c.Completion.Narrow == nil {
		return nil, nil
	}
	k := c.planes.PlanPlaces(p.Sides, p.fragments)
	if k == nil {
		return nil, nil
	}
	places, err := c.placesOf(ctx)
	if err != nil {
		return nil, err
	}
	return places.Count(ctx, k, p.fragments)
}

// placesOf returns the planes of the tables, made for the first question that they fit.
func (c *Tables) placesOf(ctx context.Context) (*planes.Places, error) {
	select {
	case c.making <- struct{}{}:
		defer func() { <-c.making }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if c.places == nil {
		places, err := c.planes.NewPlaces(ctx, c.Completion)
		if err != nil {
			return nil, err
		}
		c.places = places
	}
	return c.places, nil
}

func countPlaces[P place](ctx context.Context, c *Tables, p *TablePlan, places [][][]P) (*tableCounts, error) {
	if p.Product > 0 && p.Product*(len(p.Sides)+1) < 1<<16 {
		return countAll[P, uint16](ctx, c, p, places)
	}
	return countAll[P, uint32](ctx, c, p, places)
}

// countAll counts the blocks in parallel. Counts are whole, so the order of additions does not
// matter.
func countAll[P place, C slotClass](ctx context.Context, c *Tables, p *TablePlan, places [][][]P) (*tableCounts, error) {
	s := newTableScan[P, C](c, p, places)
	newWorker := func(int) *tableWorker[P, C] { return newTableWorker(ctx, s, c.MostSlots) }
	workers, err := parallel.Collect(ctx, parallel.All, len(c.Blocks)-1, newWorker, func(w *tableWorker[P, C], b int) error {
		return w.block(w.blocks[b], w.blocks[b+1])
	})
	if err != nil {
		return nil, err
	}
	total := p.newCounts(len(places))
	for _, w := range workers {
		if err := total.merge(w.counts, &w.work); err != nil {
			return nil, err
		}
	}
	return total, nil
}

// A tableScan is a plan with the class of each code, as the workers read it.
type tableScan[P place, C slotClass] struct {
	*TablePlan
	release *anonymize.Release
	blocks  []recordBlock
	places  [][][]P
	sides   []slotSide[C]
	dead    C
	// marked is the side beyond fragment 0 that is dead in most groups, which are skipped; -1
	// if too few groups are.
	marked int
}

// A slotSide is a side with the classes of its codes.
type slotSide[C slotClass] struct {
	*question.Side
	number  int  // of the fragment
	classOf []C  // by code
	filters bool // slots may be dead
}

func newTableScan[P place, C slotClass](c *Tables, p *TablePlan, places [][][]P) *tableScan[P, C] {
	s := &tableScan[P, C]{TablePlan: p, release: c.release, blocks: c.Blocks, places: places, dead: C(p.dead), marked: -1}
	stride, most := uint32(1), worthMarking
	for i, side := range p.Sides {
		slots := slotSide[C]{Side: side, number: p.fragments[i]}
		for _, class := range side.ClassOfCode() {
			if class == question.Dead {
				slots.classOf, slots.filters = append(slots.classOf, s.dead), true
				continue
			}
			slots.classOf = append(slots.classOf, C(class*stride))
		}
		if p.Product > 0 {
			stride *= uint32(side.Classes)
		}
		if slots.filters && slots.number > 0 {
			if share := slots.deadGroups(s.release, s.dead); share > most {
				s.marked, most = i, share
			}
		}
		s.sides = append(s.sides, slots)
	}
	return s
}

// worthMarking is the share of groups without a counting tuple from which on marking the others
// pays.
const worthMarking = .1

// deadGroups estimates the share of groups in which all slots are dead from the first tuples:
// groups are numbered at random.
func (s *slotSide[C]) deadGroups(r *anonymize.Release, dead C) float64 {
	n, alive := min(sampledTuples, s.Fragment.Tuples()), 0
	for _, code := range s.CodesBetween(0, uint32(n), &question.CodeScratch{}) {
		alive += holds(s.classOf[code] < dead)
	}
	return math.Pow(1-float64(alive)/float64(max(1, n)), float64(r.Rows)/float64(max(1, r.Groups())))
}

// sampledTuples is the number of tuples that deadGroups looks at.
const sampledTuples = 1 << 10

// A tableWorker has one core's scratch space, so that blocks need no allocation.
type tableWorker[P place, C slotClass] struct {
	*tableScan[P, C]
	counts *tableCounts
	work   question.Checkpoint
	slots  int // of the current block
	record int // its first record
	// row has the slots. At the first slot of a group, met says whether the marked side has a slot in the group that is not dead.
	row []slotRow
	met []uint8
	// class has, by side, the class of every slot.
	class []*[MaxSlots]C
	codes question.CodeScratch
	// rows are the slots whose rows may count.
	rows, kept, sums []slotRow
	classes          []uint32 // of one row
	found            [][]P    // places of one table, by side beyond fragment 0
}

// A slotRow is a slot in bits 0 to 15, the first slot of its group from bit 16 on, and the row's sum of classes from bit 32 on.
type slotRow uint64

func (r slotRow) slot() uint16 { return uint16(r) }

func (r slotRow) group() uint16 { return uint16(r >> 16) }

func (r slotRow) class() uint32 { return uint32(r >> 32) }

func newTableWorker[P place, C slotClass](ctx context.Context, s *tableScan[P, C], slots int) *tableWorker[P, C] {
	w := &tableWorker[P, C]{tableScan: s, counts: s.newWorkerCounts(len(s.places)), work: question.Checkpoint{Ctx: ctx}, row: make([]slotRow, slots),
		met: make([]uint8, slots), kept: make([]slotRow, slots), sums: make([]slotRow, slots), classes: make([]uint32, len(s.sides))}
	for range s.sides {
		w.class = append(w.class, new([MaxSlots]C))
	}
	return w
}

// block counts the records of one block, table by table.
func (w *tableWorker[P, C]) block(from, to recordBlock) error {
	w.slots, w.record = to.record-from.record, from.record
	for i := range w.sides {
		w.classify(i, from.group, to.group)
		if err := w.work.Pass(w.slots); err != nil {
			return err
		}
	}
	w.findRows(w.release.GroupSizes[from.group:to.group])
	for d := 0; d < len(w.places) && len(w.rows) > 0; {
		tables, err := w.table(d)
		if err != nil {
			return err
		}
		if err := w.work.Pass(tables * len(w.rows) * len(w.sides)); err != nil {
			return err
		}
		d += tables
	}
	return nil
}

// classify sets the classes of all slots of a side: those of its tuples, repeated by their counts.
func (w *tableWorker[P, C]) classify(i, first, end int) {
	s, out := &w.sides[i], w.class[i]
	from, to := s.Fragment.GroupStart[first], s.Fragment.GroupStart[end]
	codes, counts, classOf := s.CodesBetween(from, to, &w.codes), s.Fragment.Count[from:to], s.classOf
	if len(codes) == w.slots { // one record per tuple
		for t, code := range codes {
			out[uint16(t)] = classOf[code]
		}
		return
	}
	counts = counts[:len(codes)]
	at := uint16(0)
	for t, code := range codes {
		class := classOf[code]
		out[at] = class
		for n := counts[t]; n > 1; n-- {
			at++
			out[at] = class
		}
		at++
	}
}

// findRows lists the slots whose rows may count, with their classes in fragment 0: the slot's
// tuple is not dead there, and its group has a tuple in the marked fragment that is not dead.
func (w *tableWorker[P, C]) findRows(sizes []uint32) {
	class, touched := w.class[0][:w.slots], w.sides[0].number == 0
	at := 0
	for _, size := range sizes {
		group := slotRow(at) << 16
		rows, own := w.row[at:at+int(size)], class[at:at+int(size)]
		for i := range rows {
			rows[i] = group | slotRow(at+i)
			if touched {
				rows[i] |= slotRow(own[i]) << 32
			}
		}
		at += int(size)
	}
	w.rows = w.row[:w.slots]
	if touched && w.sides[0].filters {
		n := 0
		for _, row := range w.rows {
			w.kept[n] = row
			n += holds(row.class() < uint32(w.dead))
		}
		w.rows = w.kept[:n]
	}
	if w.marked >= 0 {
		w.mark()
		n := 0
		for _, row := range w.rows {
			w.kept[n] = row
			n += int(w.met[row.group()])
		}
		w.rows = w.kept[:n]
	}
}

// holds returns 1 or 0 without a branch.
func holds(condition bool) int {
	n := 0
	if condition {
		n = 1
	}
	return n
}

// mark marks the groups in which the marked side has a slot that is not dead.
func (w *tableWorker[P, C]) mark() {
	group, met := uint16(0), 0
	for slot, class := range w.class[w.marked][:w.slots] {
		next := w.row[slot].group()
		if next != group {
			met = 0
		}
		group = next
		met |= holds(class < w.dead)
		w.met[group] = uint8(met)
	}
}

// table counts the rows of table d, and of the tables after it if that is faster. It returns
// the number of tables counted.
func (w *tableWorker[P, C]) table(d int) (tables int, err error) {
	first, last := w.firstSideBeyond(), len(w.sides)-1
	class, rows := w.class[last], w.rows
	switch {
	case w.counts.sparse != nil:
		return 1, w.countSparse(d)
	case first == last && d/4 < len(w.counts.quads) && len(rows) == w.slots:
		countAllOf4(w.counts.quads[d/4], rows, class, w.placesOf(d, last), w.placesOf(d+1, last), w.placesOf(d+2, last), w.placesOf(d+3, last))
		return 4, nil
	case first == last && d+2 <= len(w.places) && len(rows) == w.slots:
		counts := w.counts.dense[d:]
		countAllOf2(counts[0], counts[1], rows, class, w.placesOf(d, last), w.placesOf(d+1, last))
		return 2, nil
	}
	for i := first; i < last; i++ {
		before := rows
		rows = w.sums[:len(before)]
		addRows(rows, before, w.class[i], w.placesOf(d, i))
	}
	countRows(w.counts.dense[d], rows, class, w.placesOf(d, last)) // by combination number; with a dead class, it is product or more
	return 1, nil
}

// firstSideBeyond returns the position of the first side beyond fragment 0.
func (w *tableWorker[P, C]) firstSideBeyond() int {
	if w.sides[0].number == 0 {
		return 1
	}
	return 0
}

// placesOf returns the places of the block's slots in table d for side i.
func (w *tableWorker[P, C]) placesOf(d, i int) []P {
	return w.places[d][w.sides[i].number-1][w.record : w.record+w.slots]
}

// countSparse counts table d under numbered combinations.
func (w *tableWorker[P, C]) countSparse(d int) error {
	first, end := w.firstSideBeyond(), len(w.sides)
	w.found = w.found[:0]
	for i := first; i < end; i++ {
		w.found = append(w.found, w.placesOf(d, i))
	}
rows:
	for _, row := range w.rows {
		w.classes[0] = row.class()
		for i := first; i < end; i++ {
			class := w.class[i][row.group()+uint16(w.found[i-first][row.slot()])]
			if class >= w.dead {
				continue rows
			}
			w.classes[i] = uint32(class)
		}
		entry, err := w.counts.sparse.number(w.classes, &w.work)
		if err != nil {
			return err
		}
		w.counts.sparse.recordsOf(entry)[d]++
	}
	return nil
}
