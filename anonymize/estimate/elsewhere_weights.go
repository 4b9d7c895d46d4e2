package estimate

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// Bounds of questions over relations that are elsewhere: combinations of the values of the columns of
// one unit, and classes of a fragment. How many combinations of classes are told, the store bounds.
const (
	maxDistantProduct = 1 << 20
	maxDistantClasses = 1 << 31
)

// askElsewhere answers q by sums that the store of the relations forms.
func (s *scan) askElsewhere(ctx context.Context, q *Question) (*Answer, error) {
	if s.prepared.elsewhere.readsHere(q) {
		counted, err := s.prepared.counted(ctx, q)
		if err != nil {
			return nil, err
		}
		return ask(ctx, counted.release, q, &scan{prepared: counted, question: q, spreads: s.spreads})
	}
	answer := &Answer{Fragments: q.touched()}
	r, sides, err := s.distantSides(ctx)
	if err != nil {
		return nil, err
	}
	answer.Exact = len(sides) <= 1
	if rows, err := s.distantLinear(ctx, r, answer.Fragments); rows != nil || err != nil {
		answer.Rows = rows
		if !answer.Exact {
			answer.scan = s
		}
		return answer, err
	}
	w := &weights{dense: []float64{float64(r.Rows)}}
	if len(sides) > 0 {
		if w, err = s.weights(ctx, answer.Fragments); err != nil {
			return nil, err
		}
	}
	w.work = &checkpoint{ctx: ctx}
	if answer.Rows, err = q.aggregate(w, thinning{}); err != nil {
		return nil, err
	}
	if !answer.Exact {
		answer.scan = s
		if q.asksDistinct() {
			err = s.distantDistinct(ctx, answer.Rows)
		}
	}
	return answer, err
}

// distantSides classifies the fragments that the question touches, by the values of their columns.
func (s *scan) distantSides(ctx context.Context) (*anonymize.Release, []*side, error) {
	r, columns, err := s.prepared.elsewhere.loaded(ctx, s.prepared.release, s.question)
	if err != nil {
		return nil, nil, err
	}
	s.columns = columns
	s.sides, err = sidesOf(ctx, r, s.question)
	for _, side := range s.sides {
		if err == nil && side.classes >= maxDistantClasses {
			err = &TooManyCombinationsError{side.fragment.Name, maxDistantClasses}
		}
	}
	return r, s.sides, err
}

// asked are the classes of a side of a fragment, as its store is asked for them.
func (s *side) asked(fragment int) Classes {
	c := Classes{Fragment: fragment}
	for _, u := range s.units {
		unit := ClassUnit{Columns: u.columns, Class: u.classOf, Classes: u.classes}
		for _, column := range u.columns {
			unit.Dictionaries = append(unit.Dictionaries, s.fragment.Columns[column].Dictionary)
		}
		c.Units = append(c.Units, unit)
	}
	return c
}

// weights are those of all combinations of classes: sums over the groups of a size, divided by m^(f-1)
// from the least size to the greatest, as kernel.divide has it.
func (s *scan) weights(ctx context.Context, fragments []int) (*weights, error) {
	d, sides := s.prepared.elsewhere, s.sides
	w := &weights{sides: sides}
	if slices.ContainsFunc(sides, (*side).isEmpty) {
		return w, nil
	}
	if err := d.fits(len(sides)); err != nil {
		return nil, err
	}
	var sums []Weight
	if column := s.soleColumn(fragments[0]); column != nil {
		sums = column.weights(sides[0].units[0])
	} else {
		var asked []Classes
		for i, f := range fragments {
			asked = append(asked, sides[i].asked(f))
		}
		var err error
		if sums, err = d.store.Weights(ctx, asked); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(sums, compareWeights)
	perSize := make([]uint64, len(d.sizes)+1)
	for i := 0; i < len(sums); {
		sum, next := sums[i], i+1
		for ; next < len(sums) && compareWeights(sum, sums[next]) == 0; next++ {
			sum.Products += sums[next].Products
		}
		if i = next; sum.Products == 0 {
			continue
		}
		size, err := d.check(&sum, sides, perSize)
		if err != nil {
			return nil, err
		}
		w.add(sum.Classes, divided(sum.Products, size, len(sides)))
	}
	return w, nil
}

// add adds a weight to that of a combination, the last or a new one.
func (w *weights) add(classes []uint32, weight float64) {
	if n := len(w.sparse); n == 0 || !slices.Equal(w.sparse[n-1].classes, classes) {
		w.sparse = append(w.sparse, combination{classes: classes})
	}
	w.sparse[len(w.sparse)-1].weight += weight
}

// compareWeights orders weights as arrays of combinations have them, the first class counting
// fastest, and by size.
func compareWeights(a, b Weight) int {
	for i := len(a.Classes) - 1; i >= 0; i-- {
		if c := cmp.Compare(a.Classes[i], b.Classes[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.Size, b.Size)
}

// check refuses a sum that no release of these groups has, and returns its size, 1 for that of a single
// fragment. perSize has the sums so far: all combinations together have at most m^f per group of m records.
func (d *elsewhere) check(sum *Weight, sides []*side, perSize []uint64) (size float64, err error) {
	at, most := len(d.sizes), uint64(0)
	if len(sides) == 1 {
		for _, s := range d.sizes {
			most += uint64(s.Size) * s.Groups
		}
	} else {
		if at, err = d.size(sum.Size); err != nil {
			return 0, err
		}
		most = d.sizes[at].Groups
		for range sides {
			most *= uint64(sum.Size)
		}
	}
	var carry uint64
	if perSize[at], carry = bits.Add64(perSize[at], sum.Products, 0); carry > 0 || perSize[at] > most {
		return 0, fmt.Errorf("the relations are not those of the release: their groups of %d records have more than there are", sum.Size)
	}
	for i, class := range sum.Classes {
		if int(class) >= sides[i].classes {
			return 0, fmt.Errorf("class %d of fragment %s was not asked for", class, sides[i].fragment.Name)
		}
	}
	return float64(max(1, sum.Size)), nil
}

// divided is a sum of products of the counts of some fragments, over m^(f-1).
func divided(products uint64, m float64, fragments int) float64 {
	scale := 1.0
	for range fragments - 1 {
		scale *= m
	}
	return float64(products) / scale
}

// soleColumn is the column that a question reads alone, of a fragment: its marginal, which is at hand, answers.
func (s *scan) soleColumn(fragment int) *readColumn {
	if len(s.sides) != 1 || len(s.sides[0].units) != 1 || len(s.sides[0].units[0].columns) != 1 {
		return nil
	}
	return s.columns[[2]int{fragment, s.sides[0].units[0].columns[0]}]
}

// weights are the records of the classes of a unit that reads the column alone.
func (c *readColumn) weights(u *unit) (sums []Weight) {
	for code, class := range u.classOf {
		if class != dead {
			sums = append(sums, Weight{Classes: []uint32{class}, Products: c.records[code]})
		}
	}
	return sums
}
