package utility

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
)

// maxJointCells is 32 MB of expected counts.
const maxJointCells = 1 << 22

// expectedPhiSquared is phi^2 of the joint distribution of two attributes that
// a release lets one expect.
func expectedPhiSquared(ctx context.Context, r *anonymize.Release, a, b published) (float64, error) {
	joint := make([]float64, len(a.column.Dictionary)*len(b.column.Dictionary))
	if a.fragment == b.fragment {
		jointOfTuples(joint, a, b)
	} else if err := jointOfGroups(ctx, joint, r, a, b); err != nil {
		return 0, err
	}
	return phiSquaredOf(joint, len(b.column.Dictionary)), ctx.Err()
}

// jointOfGroups adds up, group by group, the products of what the fragments say:
// inside a group every matching of their tuples is equally likely, so a value
// with expected count x meets one with y in x y / n records.
func jointOfGroups(ctx context.Context, joint []float64, r *anonymize.Release, a, b published) error {
	left, right, width := newExpectation(a.column), newExpectation(b.column), uint32(len(b.column.Dictionary))
	for g, n := range r.GroupSizes {
		if g%groupsPerLook == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for t := a.fragment.GroupStart[g]; t < a.fragment.GroupStart[g+1]; t++ {
			left.add(a.column, t, float64(a.fragment.Count[t]))
		}
		for t := b.fragment.GroupStart[g]; t < b.fragment.GroupStart[g+1]; t++ {
			right.add(b.column, t, float64(b.fragment.Count[t]))
		}
		for _, x := range left.values {
			row, share := joint[x*width:(x+1)*width], left.mass[x]/float64(n)
			for _, y := range right.values {
				row[y] += share * right.mass[y]
			}
		}
		left.clear()
		right.clear()
	}
	return nil
}

// jointOfTuples is for attributes of one fragment: a tuple links their cells,
// and draws them independently.
func jointOfTuples(joint []float64, a, b published) {
	left, right, width := newExpectation(a.column), newExpectation(b.column), uint32(len(b.column.Dictionary))
	for t, count := range a.fragment.Count {
		left.add(a.column, uint32(t), float64(count))
		right.add(b.column, uint32(t), 1)
		for _, x := range left.values {
			for _, y := range right.values {
				joint[x*width+y] += left.mass[x] * right.mass[y]
			}
		}
		left.clear()
		right.clear()
	}
}

// phiSquaredOf is Eq. (10) of Yao et al. 2021 on expected counts, row by row; 0 where it
// is 0/0, when one of the attributes has fewer than two values.
func phiSquaredOf(joint []float64, width int) float64 {
	if width == 0 {
		return 0
	}
	columns := make([]float64, width)
	rows := make([]float64, len(joint)/width)
	for i, n := range joint {
		rows[i/width] += n
		columns[i%width] += n
	}
	sum := 0.0
	for i, n := range joint {
		if n > 0 {
			sum += n / rows[i/width] * (n / columns[i%width])
		}
	}
	least := min(positive(rows), positive(columns))
	if least < 2 {
		return 0
	}
	return min(max((sum-1)/float64(least-1), 0), 1)
}

func positive(counts []float64) int {
	n := 0
	for _, c := range counts {
		if c > 0 {
			n++
		}
	}
	return n
}
