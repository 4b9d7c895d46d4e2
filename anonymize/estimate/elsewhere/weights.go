package elsewhere

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"math/bits"
	"slices"

	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// weights returns the weights of all combinations of classes: sums over the groups of a size,
// divided by m^(f-1), from the least size to the greatest, as in the kernel of planes.
func (s *Counter) weights(ctx context.Context) (*figures.Weights, error) {
	d, sides, fragments := s.Relations, s.Sides, s.Question.Touched()
	w := &figures.Weights{Sides: sides, Work: &question.Checkpoint{Ctx: ctx}}
	if slices.ContainsFunc(sides, (*question.Side).IsEmpty) {
		return w, nil
	}
	if err := d.fits(len(sides)); err != nil {
		return nil, err
	}
	var sums []figures.Weight
	if column := s.soleColumn(fragments[0]); column != nil {
		sums = column.weights(sides[0].Units[0])
	} else {
		var err error
		if sums, err = d.store.Weights(ctx, s.classesOf(sides), nil); err != nil {
			return nil, err
		}
	}
	perSize := make([]uint64, len(d.sizes)+1)
	for _, sum := range mergeWeights(sums) {
		if sum.Products == 0 {
			continue
		}
		size, err := d.check(&sum, sides, perSize)
		if err != nil {
			return nil, err
		}
		w.Add(sum.Classes, divided(sum.Products, size, len(sides)))
	}
	return w, nil
}

// mergeWeights adds up the sums of every combination and size, in the order of compareWeights.
func mergeWeights(sums []figures.Weight) (list []figures.Weight) {
	slices.SortFunc(sums, compareWeights)
	for i, sum := range sums {
		if i == 0 || compareWeights(sums[i-1], sum) != 0 {
			list = append(list, figures.Weight{Classes: sum.Classes, Size: sum.Size, Sum: new(big.Int)})
		}
		last := &list[len(list)-1]
		last.Products += sum.Products
		last.Records += sum.Records
		if sum.Sum != nil {
			last.Sum.Add(last.Sum, sum.Sum)
		}
	}
	return list
}

// compareWeights orders weights by combination, with the first class as the fastest digit, then
// by size.
func compareWeights(a, b figures.Weight) int {
	return cmp.Or(compareClasses(a.Classes, b.Classes), cmp.Compare(a.Size, b.Size))
}

// compareClasses orders combinations of classes, with the first as the fastest digit.
func compareClasses(a, b []uint32) int {
	for i := len(a) - 1; i >= 0; i-- {
		if c := cmp.Compare(a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

// check refuses a sum that no release of these groups can have. It returns the sum's group size, 1 if there is a single
// fragment. perSize accumulates the sums: all combinations together have at most m^f per group of m records.
func (d *Relations) check(sum *figures.Weight, sides []*question.Side, perSize []uint64) (size float64, err error) {
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
		if int(class) >= sides[i].Classes {
			return 0, fmt.Errorf("class %d of fragment %s was not asked for", class, sides[i].Fragment.Name)
		}
	}
	return float64(max(1, sum.Size)), nil
}

// divided divides a sum of products of the counts of several fragments by m^(f-1).
func divided(products uint64, m float64, fragments int) float64 {
	scale := 1.0
	for range fragments - 1 {
		scale *= m
	}
	return float64(products) / scale
}

// soleColumn returns the only column that a question reads of a fragment: its known marginal answers the question.
func (s *Counter) soleColumn(fragment int) *readColumn {
	if len(s.Sides) != 1 || len(s.Sides[0].Units) != 1 || len(s.Sides[0].Units[0].Columns) != 1 {
		return nil
	}
	return s.columns[[2]int{fragment, s.Sides[0].Units[0].Columns[0]}]
}

// weights returns the records by class of a unit that reads this column only.
func (c *readColumn) weights(u *question.Unit) (sums []figures.Weight) {
	for code, class := range u.ClassOf {
		if class != question.Dead {
			sums = append(sums, figures.Weight{Classes: []uint32{class}, Products: c.records[code]})
		}
	}
	return sums
}
