package publication

import (
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize/parallel"
)

// Classes forms small classes of cells, so that their ranges are narrow. Each has at least
// least records, and no heavy value exceeds the rule's share of them, 1 in l; all cells
// together must be such a class. The loss ([clustering.loss]) never exceeds that of [Divide],
// whose blocks are the fallback.
//
// It cuts the cells into parts where the loss falls most ([cutter]). In every part, classes
// grow cell by cell ([grower]) and trade cells while that reduces their loss ([traders]). The
// result does not depend on the number of cores. For c cells of a attributes, the cuts take O(c
// a^2 log c), the classes O(c a partCells).
func Classes(ctx context.Context, c *Cells, r Rule, least int64) (*Division, error) {
	halves, err := Divide(ctx, c, r, least)
	if err != nil {
		return nil, err
	}
	g := newClustering(ctx, c, r, least)
	found, err := g.classes(g.parts())
	if err != nil || g.loss(found) < g.loss(halves) {
		return found, err
	}
	return halves, nil
}

// A clustering is a run of Classes.
type clustering struct {
	*Cells
	ctx      context.Context
	rule     Rule
	l, least int64
	target   int64   // the least size at which l values of as many records each are a class: least, rounded up to a multiple of l
	records  []int64 // by cell
	// penalty is a record's loss by attribute and by the number of bins beyond the first that its class spans.
	penalty [][]float32
}

func newClustering(ctx context.Context, c *Cells, r Rule, least int64) *clustering {
	l := int64(r.Share.Den / r.Share.Num)
	g := &clustering{Cells: c, ctx: ctx, rule: r, l: l, least: least, target: (least + l - 1) / l * l, records: make([]int64, len(c.Start)-1)}
	for cell := range g.records {
		for _, n := range c.Records[c.Start[cell]:c.Start[cell+1]] {
			g.records[cell] += n
		}
	}
	for _, bins := range c.Numbers {
		penalty := make([]float32, bins)
		for span := 1; span < bins; span++ {
			penalty[span] = float32(math.Sqrt(float64(span) / float64(bins-1)))
		}
		g.penalty = append(g.penalty, penalty)
	}
	return g
}

// loss returns the sum over records and attributes of the root of the class's span, from 0 for
// one bin to 1 for all: the normalized certainty penalty (Xu et al. 2006, Definition 1). The
// root reflects that the first surplus values of a range distort counts most.
func (g *clustering) loss(d *Division) (sum float64) {
	records := make([]int64, d.Blocks)
	for cell, b := range d.BlockOf {
		records[b] += g.records[cell]
	}
	for a, bins := range g.Bins {
		lowest, highest := slices.Repeat([]uint8{math.MaxUint8}, d.Blocks), make([]uint8, d.Blocks)
		for cell, b := range d.BlockOf {
			lowest[b], highest[b] = min(lowest[b], bins[cell]), max(highest[b], bins[cell])
		}
		for b, n := range records {
			sum += float64(n) * float64(g.penalty[a][highest[b]-lowest[b]])
		}
	}
	return sum
}

// classes forms the classes of all parts, on all cores.
func (g *clustering) classes(parts [][]uint32) (*Division, error) {
	found := make([][][]uint32, len(parts))
	err := parallel.Run(g.ctx, len(parts), func(i int) (err error) {
		if len(parts[i]) > maxCompared {
			found[i], err = g.divideInHalves(parts[i])
			return err
		}
		found[i] = newPart(g, parts[i]).classes()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return g.division(slices.Concat(found...)), nil
}

// divideInHalves returns the blocks that Divide makes of some cells.
func (g *clustering) divideInHalves(part []uint32) (classes [][]uint32, err error) {
	cells := make([]int, len(part))
	for i, cell := range part {
		cells[i] = int(cell)
	}
	blocks, err := newDivision(g.Cells, g.rule, g.least).blocks(g.ctx, cells)
	for _, b := range blocks {
		class := make([]uint32, len(b.cells))
		for i, cell := range b.cells {
			class[i] = uint32(cell)
		}
		classes = append(classes, class)
	}
	return classes, err
}

// division numbers the classes.
func (g *clustering) division(classes [][]uint32) *Division {
	d := &Division{BlockOf: make([]uint32, len(g.records)), Blocks: len(classes)}
	for i, cells := range classes {
		var records int64
		for _, cell := range cells {
			d.BlockOf[cell] = uint32(i)
			records += g.records[cell]
		}
		d.Largest = max(d.Largest, records)
	}
	return d
}

// isRareEnough reports whether a heavy value may have n of size records.
func (g *clustering) isRareEnough(n, size int64) bool { return n <= size/g.l }
