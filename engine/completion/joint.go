package completion

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/engine/estimates"
)

// A joint is a set of a fragment's columns whose categories are looked up together: two joints' combinations have one weight.
type joint struct {
	columns []int
	size    int // combinations of categories
}

// Bounds of joints: Trino's sequences have at most maxSequence numbers, and it does not compile long expressions.
const (
	maxJointSize    = 512
	maxJointColumns = 5
	maxJointWeights = 1 << 20 // of all pairs and draws
)

// joined joins the columns of every fragment, as many per joint as the bounds allow.
func (r *Request) joined() (all [][]joint) {
	for most := maxJointSize; most > 0; most /= 2 {
		all = nil
		for f := range r.Relations {
			all = append(all, r.jointsOf(f, most))
		}
		weights := 0
		for g := range all {
			for f := range g {
				weights += sizeOf(all[f]) * sizeOf(all[g]) * r.draws()
			}
		}
		if weights <= maxJointWeights {
			break
		}
	}
	return all
}

// jointsOf joins columns of a fragment, the largest first, while no joint has more than most combinations.
func (r *Request) jointsOf(fragment, most int) (joints []joint) {
	columns := make([]int, len(r.Relations[fragment].Columns))
	for i := range columns {
		columns[i] = i
	}
	slices.SortStableFunc(columns, func(a, b int) int {
		return cmp.Compare(r.columnSpan(fragment, b).size(), r.columnSpan(fragment, a).size())
	})
	for _, c := range columns {
		size := r.columnSpan(fragment, c).size()
		at := slices.IndexFunc(joints, func(j joint) bool { return j.size*size <= most && len(j.columns) < maxJointColumns })
		if at < 0 {
			joints = append(joints, joint{[]int{c}, size})
			continue
		}
		joints[at] = joint{append(joints[at].columns, c), joints[at].size * size}
	}
	return joints
}

// sizeOf returns the total number of combinations of some joints.
func sizeOf(joints []joint) (sum int) {
	for _, j := range joints {
		sum += j.size
	}
	return sum
}

// combination returns an expression of the number of a tuple's categories; the first column varies fastest.
func (d *drawing) combination(fragment int, j joint) (string, error) {
	var digits []string
	stride := 1
	for _, i := range j.columns {
		c, span, of := d.Relations[fragment].Columns[i], d.columnSpan(fragment, i), d.Fitted.Category[fragment][i]
		numbers := make([]uint32, len(of))
		for code, category := range of {
			numbers[code] = uint32(stride * (int(category) - span.first))
		}
		text, err := estimates.Chosen(d.Dialect, c, d.Fitted.Sample.Fragments[fragment].Columns[i].Dictionary, numbers)
		if err != nil {
			return "", err
		}
		if len(text) > d.longest.length {
			d.longest.column, d.longest.length = c.Name, len(text)
		}
		digits = append(digits, "coalesce("+text+", 0)")
		stride *= span.size()
	}
	return "CAST(" + strings.Join(digits, " + ") + " AS BIGINT)", nil
}

// pairWeights returns the weights of two fragments as an expression of an array of the second's
// weights w: by pair of joints, draw, combination of the first and combination of the second.
func (d *drawing) pairWeights(first, second int) string {
	var tables []string
	for _, a := range d.joints[first] {
		for _, b := range d.joints[second] {
			var terms []string
			aStride := 1
			for _, i := range a.columns {
				of := d.columnSpan(first, i)
				u := digit(fmt.Sprintf("mod(p, %d)", a.size), aStride, of)
				aStride *= of.size()
				bStride := 1
				for _, k := range b.columns {
					with := d.columnSpan(second, k)
					v := digit("q", bStride, with)
					bStride *= with.size()
					terms = append(terms, fmt.Sprintf("w[p / %d * %d + (%d + %s) * %d + %d + %s]",
						a.size, d.size(second), of.first, u, d.width(second), with.first-d.spanOf(second).first+1, v))
				}
			}
			tables = append(tables, fmt.Sprintf("flatten(transform(sequence(0, %d), p -> transform(sequence(0, %d), q -> %s)))",
				d.draws()*a.size-1, b.size-1, strings.Join(terms, " + ")))
		}
	}
	if len(tables) == 1 {
		return tables[0]
	}
	return "concat(" + strings.Join(tables, ", ") + ")"
}

// digit returns an expression of a digit of a number.
func digit(number string, stride int, of span) string {
	return fmt.Sprintf("mod(%s / %d, %d)", number, stride, of.size())
}

// energy returns an expression of the energy, in a task, of the tuple of the member row in one fragment and of the member column in another.
func (d *drawing) energy(first, second, round int) string {
	var terms []string
	offset, draw := 1, d.drawOf()
	one, of := d.drawn("x", first, round, "task")
	other, with := d.drawn("x", second, round, "task")
	for i, a := range d.joints[first] {
		u := fmt.Sprintf("%s[%s * %d + %d]", one, slot(of, row), len(d.joints[first]), i+1)
		for k, b := range d.joints[second] {
			v := fmt.Sprintf("%s[%s * %d + %d]", other, slot(with, column), len(d.joints[second]), k+1)
			terms = append(terms, fmt.Sprintf("w%d_%d[%d + (%s * %d + %s) * %d + %s]", first, second, offset, draw, a.size, u, b.size, v))
			offset += d.draws() * a.size * b.size
		}
	}
	return strings.Join(terms, " + ")
}
