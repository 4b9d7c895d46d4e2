package completed

import (
	"context"
	"math"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/planes"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// The tables are counted in blocks of groups, so small that the classes of a block's
// slots stay in the nearest cache while all tables are read. A slot is a place of a
// group of the block, counted through the block. A fragment has a tuple in every
// slot, and a completed table a row: the one whose tuple of fragment 0 is there. So
// the class of a row in fragment 0 is that of its slot, and in fragment j that of
// the slot place places after the first of its group.

// BlockRecords is the number of slots of a block, unless a single group has more:
// at two bytes a slot, what is read of two fragments is 16 KB.
const BlockRecords = 2048

// MaxSlots is the size of the largest group, and so of the largest block, whose
// places fit into two bytes. Classes are in arrays of that length, of which blocks
// use the beginning, so that an index of two bytes needs no check.
const MaxSlots = 1 << 16

// A recordBlock is where a block begins.
type recordBlock struct{ group, record int }

// recordBlocks cuts the groups into blocks; the last entry is the end.
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

// A TablePlan says what is counted: the records of every table by combination of
// classes, one a side.
type TablePlan struct {
	Sides      []*question.Side
	fragments  []int // of the sides, ascending
	first, end int   // the tables
	// product is the number of combinations, the first side's classes counting
	// fastest; 0 where there are too many for a counter each.
	Product int
	// dead is the class of slots that fail a condition inside their fragment: no
	// other class is so large, nor is a sum of classes of different sides.
	dead uint32
}

// alwaysDense is the number of combinations that always have a counter each; more
// have one where they are few beside the records and terms has places for them.
const alwaysDense = 1 << 12

// deadSparse is the dead class where combinations are numbered: twice it fits into 32
// bits, and there are fewer classes than records.
const deadSparse = MaxCompletedRecords

func NewTablePlan(r *anonymize.Release, sides []*question.Side, fragments []int, first, end int) *TablePlan {
	p := &TablePlan{Sides: sides, fragments: fragments, first: first, end: end, Product: 1}
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

// A place is the place of a tuple in its group; a slotClass the class of a slot,
// times its stride where combinations are counted by their sum.
type (
	place     interface{ uint8 | uint16 }
	slotClass interface{ uint16 | uint32 }
)

// Count counts the records of the plan's tables: by planes where these take few operations, else row by row in the narrowest widths that fit.
func (c *Tables) Count(ctx context.Context, p *TablePlan) (*tableCounts, error) {
	if dense, err := c.countByPlanes(ctx, p); dense != nil || err != nil {
		return &tableCounts{sides: p.Sides, tables: p.end - p.first, product: p.Product, dense: dense}, err
	}
	if c.Completion.Narrow != nil {
		return countPlaces(ctx, c, p, c.Completion.Narrow)
	}
	return countPlaces(ctx, c, p, c.Completion.Wide)
}

// countByPlanes returns nil where planes do not fit.
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
	return places.Count(ctx, k, p.fragments, p.first, p.end)
}

// placesOf are the planes of the tables, made at the first question that they fit.
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

// countAll splits the blocks over the cores. Numbers of records are whole, so that
// their sums are the same whoever adds them up.
func countAll[P place, C slotClass](ctx context.Context, c *Tables, p *TablePlan, places [][][]P) (*tableCounts, error) {
	s := newTableScan[P, C](c, p, places)
	newWorker := func(int) *tableWorker[P, C] { return newTableWorker(ctx, s, c.MostSlots) }
	workers, err := parallel.Collect(ctx, parallel.All, len(c.Blocks)-1, newWorker, func(w *tableWorker[P, C], b int) error {
		return w.block(w.blocks[b], w.blocks[b+1])
	})
	if err != nil {
		return nil, err
	}
	total := p.newCounts()
	for _, w := range workers {
		if err := total.merge(w.counts, &w.work); err != nil {
			return nil, err
		}
	}
	return total, nil
}

// A tableScan is a plan with the classes of codes as the workers look them up.
type tableScan[P place, C slotClass] struct {
	*TablePlan
	release *anonymize.Release
	blocks  []recordBlock
	places  [][][]P
	sides   []slotSide[C]
	dead    C
	// marked is the side beyond fragment 0 that is dead in most groups, which are
	// left out; -1 where they are too few.
	marked int
}

// A slotSide is a side with the classes of its codes.
type slotSide[C slotClass] struct {
	fragment *anonymize.Fragment
	number   int // of the fragment
	units    []slotUnit[C]
	filters  bool // slots may be dead
}

// A slotUnit has the classes of a unit's codes, which are given, or made of several
// columns' codes.
type slotUnit[C slotClass] struct {
	codes   []uint32
	columns [][]uint32
	radix   []int
	classOf []C
}

func newTableScan[P place, C slotClass](c *Tables, p *TablePlan, places [][][]P) *tableScan[P, C] {
	s := &tableScan[P, C]{TablePlan: p, release: c.release, blocks: c.Blocks, places: places, dead: C(p.dead), marked: -1}
	stride, most := uint32(1), worthMarking
	for i, side := range p.Sides {
		slots := slotSide[C]{fragment: side.Fragment, number: p.fragments[i]}
		if p.Product == 0 {
			stride = 1
		}
		for _, u := range side.Units {
			unit := slotUnit[C]{codes: u.Codes, radix: u.Radix, classOf: make([]C, len(u.ClassOf))}
			for _, column := range u.Columns {
				unit.columns = append(unit.columns, side.Fragment.Columns[column].Codes)
			}
			for code, class := range u.ClassOf {
				unit.classOf[code] = C(class * stride)
				if class == question.Dead {
					unit.classOf[code], slots.filters = s.dead, true
				}
			}
			stride *= uint32(u.Classes)
			slots.units = append(slots.units, unit)
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

// worthMarking is the share of groups without a tuple that counts from which on it
// pays to mark the others.
const worthMarking = .1

// deadGroups is about the share of groups in which all slots are dead, by the first
// tuples: groups are numbered at random.
func (s *slotSide[C]) deadGroups(r *anonymize.Release, dead C) float64 {
	n := min(sampledTuples, s.fragment.Tuples())
	out := make([]C, n)
	alive := 0
	s.classifyTuples(out, 0, n, dead, &codeScratch{})
	for _, class := range out {
		alive += holds(class < dead)
	}
	return math.Pow(1-float64(alive)/float64(max(1, n)), float64(r.Rows)/float64(max(1, r.Groups())))
}

// sampledTuples are those of deadGroups.
const sampledTuples = 1 << 10

// A tableWorker holds one core's scratch space: no allocation per block.
type tableWorker[P place, C slotClass] struct {
	*tableScan[P, C]
	counts *tableCounts
	work   question.Checkpoint
	slots  int // of the current block
	record int // the first
	// row has, by slot, the slot and the first of its group; met, at that one,
	// whether the marked side has a slot in the group that is not dead.
	row []slotRow
	met []uint8
	// class has, by side, the class of every slot.
	class []*[MaxSlots]C
	tuple []C // classes of tuples, before they are repeated
	codes codeScratch
	// rows are those that may count, own their classes in fragment 0: 0 where that
	// is not touched, and where there is one combination.
	rows, keptRows []slotRow
	own, keptOwn   []C
	sums           []C
	classes        []uint32 // of one row
	found          [][]P    // places of one table, by side beyond fragment 0
}

// A slotRow is a slot, in the lower half, and the first of its group.
type slotRow uint32

func (r slotRow) slot() uint16 { return uint16(r) }

func (r slotRow) group() uint16 { return uint16(r >> 16) }

func newTableWorker[P place, C slotClass](ctx context.Context, s *tableScan[P, C], slots int) *tableWorker[P, C] {
	w := &tableWorker[P, C]{tableScan: s, counts: s.newCounts(), work: question.Checkpoint{Ctx: ctx},
		row: make([]slotRow, slots), met: make([]uint8, slots), sums: make([]C, slots), tuple: make([]C, slots),
		keptRows: make([]slotRow, slots), keptOwn: make([]C, slots), classes: make([]uint32, len(s.sides))}
	for range s.sides {
		w.class = append(w.class, new([MaxSlots]C))
	}
	return w
}

// block counts the records of one block, table by table.
func (w *tableWorker[P, C]) block(from, to recordBlock) error {
	w.slots, w.record = to.record-from.record, from.record
	w.findGroups(from.group, to.group)
	for i := range w.sides {
		w.classify(i, from.group, to.group)
		if err := w.work.Pass(w.slots); err != nil {
			return err
		}
	}
	w.findRows()
	for d := w.first; d < w.end && len(w.rows) > 0; {
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

// findGroups finds the first slots of the groups first to end-1.
func (w *tableWorker[P, C]) findGroups(first, end int) {
	at := 0
	for _, size := range w.release.GroupSizes[first:end] {
		group := slotRow(at) << 16
		for i := range w.row[at : at+int(size)] {
			w.row[at+i] = group | slotRow(at+i)
		}
		at += int(size)
	}
}

// classify finds the classes of all slots of a side: of its tuples first, which
// are repeated by their counts.
func (w *tableWorker[P, C]) classify(i, first, end int) {
	s := &w.sides[i]
	from, to := int(s.fragment.GroupStart[first]), int(s.fragment.GroupStart[end])
	out := w.class[i][:w.slots]
	if to-from == w.slots { // all counts are 1
		s.classifyTuples(out, from, to, w.dead, &w.codes)
		return
	}
	s.classifyTuples(w.tuple[:to-from], from, to, w.dead, &w.codes)
	at := uint32(0)
	for t, n := range s.fragment.Count[from:to] {
		class := w.tuple[t]
		out[at] = class
		for k := at + 1; k < at+n; k++ {
			out[k] = class
		}
		at += n
	}
}

// classifyTuples adds up the classes of the units of tuples; dead is dead whatever is
// added.
func (s *slotSide[C]) classifyTuples(out []C, from, to int, dead C, scratch *codeScratch) {
	for i := range s.units {
		u := &s.units[i]
		codes := u.codesOf(from, to, scratch)
		codes = codes[:len(out)]
		if i == 0 {
			for t, code := range codes {
				out[t] = u.classOf[code]
			}
			continue
		}
		for t, code := range codes {
			out[t] = min(out[t]+u.classOf[code], dead)
		}
	}
}

// codeScratch has codes of units of several columns.
type codeScratch struct{ codes []uint32 }

func (u *slotUnit[C]) codesOf(from, to int, scratch *codeScratch) []uint32 {
	if u.codes != nil {
		return u.codes[from:to]
	}
	codes := question.Resized(scratch.codes, to-from)
	scratch.codes = codes
	clear(codes)
	stride := uint32(1)
	for i, column := range u.columns {
		for t, code := range column[from:to] {
			codes[t] += code * stride
		}
		stride *= uint32(u.radix[i])
	}
	return codes
}

// findRows lists the slots whose rows may count: their tuples of fragment 0 are not
// dead, and their groups have one that is not dead in the marked fragment.
func (w *tableWorker[P, C]) findRows() {
	w.rows = w.row[:w.slots]
	class, touched := w.class[0][:w.slots], w.sides[0].number == 0
	if touched && w.sides[0].filters {
		n := 0
		for slot, row := range w.rows {
			w.keptRows[n] = row
			n += holds(class[slot] < w.dead)
		}
		w.rows = w.keptRows[:n]
	}
	if w.marked >= 0 {
		w.mark()
		n := 0
		for _, row := range w.rows {
			w.keptRows[n] = row
			n += int(w.met[row.group()])
		}
		w.rows = w.keptRows[:n]
	}
	switch {
	case !touched || w.Product == 1:
		w.own = w.keptOwn[:len(w.rows)] // all 0
	case len(w.rows) == w.slots:
		w.own = class
	default:
		w.own = w.keptOwn[:len(w.rows)]
		for k, row := range w.rows {
			w.own[k] = class[row.slot()]
		}
	}
}

// holds is 1 or 0, without a branch.
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

// table counts the rows of table d, and of some more where that is faster: of so
// many tables.
func (w *tableWorker[P, C]) table(d int) (tables int, err error) {
	first, last := w.firstSideBeyond(), len(w.sides)-1
	class, rows := w.class[last], w.rows
	switch {
	case w.counts.sparse != nil:
		return 1, w.countSparse(d)
	case first == last && d+2 <= w.end:
		counts := w.counts.dense[d-w.first:]
		countRowsOf2(counts[0], counts[1], w.own, rows, class, w.placesOf(d, last), w.placesOf(d+1, last))
		return 2, nil
	default: // by the combination's number, or product or more where a class is dead
		countRows(w.counts.dense[d-w.first], w.sumBut(d, first, last), rows, class, w.placesOf(d, last))
	}
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

// sumBut adds up the classes of the rows in all fragments but the last.
func (w *tableWorker[P, C]) sumBut(d, first, last int) []C {
	sums := w.own
	for i := first; i < last; i++ {
		before := sums
		sums = w.sums[:len(before)]
		addRows(w.rows, sums, before, w.class[i], w.placesOf(d, i))
	}
	return sums
}

// countSparse numbers the combinations as they occur.
func (w *tableWorker[P, C]) countSparse(d int) error {
	first, end := w.firstSideBeyond(), len(w.sides)
	w.found = w.found[:0]
	for i := first; i < end; i++ {
		w.found = append(w.found, w.placesOf(d, i))
	}
rows:
	for k, row := range w.rows {
		w.classes[0] = uint32(w.own[k])
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
		w.counts.sparse.recordsOf(entry)[d-w.first]++
	}
	return nil
}
