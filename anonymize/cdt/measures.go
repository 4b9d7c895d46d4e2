package cdt

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// Measures are the paper's figures of a release, each between 0 and 1.
type Measures struct {
	UL float64 // utility loss, Eq. (9) to (12)
	PQ float64 // privacy provided by generalized quasi-identifiers, Eq. (13)
	PS float64 // prevention of the homogeneity attack, Eq. (14) and (15)
	PD float64 // privacy provided by the release, Eq. (16)
}

// Measure computes the figures from a release with all quasi-identifiers in one fragment;
// numeric says which of them use Eq. (11) instead of Eq. (10). It does not use the table: an
// attribute's range and number of values are those that the cells cover.
//
// A class of one record prevents nothing: its PHA, 0/0, counts as 0. O(tuples).
func Measure(ctx context.Context, r *anonymize.Release, numeric func(column string) bool) (m Measures, err error) {
	var quasi *anonymize.Fragment
	for _, f := range r.Fragments {
		if f.Role == anonymize.QuasiIdentifying {
			if quasi != nil {
				return m, fmt.Errorf("quasi-identifiers are in the fragments %s and %s: no record is shown whole", quasi.Name, f.Name)
			}
			quasi = f
		}
	}
	if quasi == nil || len(r.Fragments) < 2 {
		return m, fmt.Errorf("the release has no fragment of quasi-identifiers beside one of sensitive attributes")
	}
	m.UL = utilityLoss(quasi, numeric)
	if m.PQ, err = privacyOfTuples(ctx, quasi); err != nil {
		return m, err
	}
	m.PS = homogeneity(r)
	m.PD = rootMeanSquare(m.PQ, m.PS)
	return m, nil
}

// rootMeanSquare is Eq. (16).
func rootMeanSquare(x, y float64) float64 { return math.Sqrt((x*x + y*y) / 2) }

// utilityLoss is Eq. (12) with (9), the mean over records.
func utilityLoss(f *anonymize.Fragment, numeric func(column string) bool) float64 {
	loss := make([][]float64, len(f.Columns)) // by cell
	for i, c := range f.Columns {
		loss[i] = cellLoss(c, numeric(c.Name))
	}
	total, rows := 0.0, 0.0
	for t, n := range f.Count {
		squares := 0.0
		for i, c := range f.Columns {
			if loss[i] != nil {
				u := loss[i][c.Codes[t]]
				squares += u * u
			}
		}
		total += float64(n) * math.Sqrt(squares/float64(len(f.Columns)))
		rows += float64(n)
	}
	return total / rows
}

// cellLoss is Eq. (10) or (11) for every cell; nil for points, which lose nothing. A NULL among
// numbers adds nothing to their range.
func cellLoss(c *anonymize.FragmentColumn, numeric bool) []float64 {
	if c.IsPoint() {
		return nil
	}
	used, loss := make([]bool, len(c.Cells)), make([]float64, len(c.Cells))
	for _, code := range c.Codes {
		used[code] = true
	}
	covered, values := make([]bool, len(c.Dictionary)), 0
	low, high := math.Inf(1), math.Inf(-1)
	for i, cell := range c.Cells {
		if !used[i] {
			continue
		}
		for _, v := range cell.Members {
			if !covered[v] {
				covered[v] = true
				values++
			}
		}
		least, most := ends(c, cell.Members)
		low, high = min(low, least), max(high, most)
	}
	for i, cell := range c.Cells {
		least, most := ends(c, cell.Members)
		switch {
		case !used[i]:
		case !numeric:
			loss[i] = float64(len(cell.Members)-1) / float64(values)
		case most > least && high > low:
			loss[i] = (most - least) / (high - low)
		}
	}
	return loss
}

// ends returns the least and the greatest number among members, which ascend.
func ends(c *anonymize.FragmentColumn, members []uint32) (low, high float64) {
	first := members[0]
	if c.Dictionary[first].IsNull() && len(members) > 1 {
		first = members[1]
	}
	low, ok := c.Dictionary[first].Number()
	high, other := c.Dictionary[members[len(members)-1]].Number()
	if !ok || !other {
		return math.Inf(1), math.Inf(-1)
	}
	return low, high
}

// privacyOfTuples is P(Q), Eq. (13). Tuples with equal cells count as one, across groups.
func privacyOfTuples(ctx context.Context, f *anonymize.Fragment) (float64, error) {
	columns := make([]*anonymize.Column, len(f.Columns))
	for i, c := range f.Columns {
		width := len(c.Dictionary)
		if !c.IsPoint() {
			width = len(c.Cells)
		}
		columns[i] = &anonymize.Column{Name: c.Name, Dictionary: make([]anonymize.Value, width), Codes: c.Codes}
	}
	p, err := bucketization.NewProjection(ctx, columns)
	if err != nil {
		return 0, err
	}
	count, rows := make([]int64, len(p.Frequency)), int64(0)
	for t, id := range p.ID {
		count[id] += int64(f.Count[t])
		rows += int64(f.Count[t])
	}
	return ofIdeal(count, rows), nil
}

// ofIdeal returns the missing part of the entropy of unique tuples.
func ofIdeal(count []int64, rows int64) float64 {
	if rows < 2 {
		return 0
	}
	ideal := math.Log2(float64(rows))
	return max(0, (ideal-entropy(count))/ideal)
}

// homogeneity is P(S), Eq. (14), over the columns of all sensitive fragments.
func homogeneity(r *anonymize.Release) float64 {
	squares, terms := 0.0, 0
	for _, f := range r.Fragments {
		if f.Role != anonymize.Sensitive {
			continue
		}
		for _, c := range f.Columns {
			eachValue(f, c, func(group int, count []int64) {
				terms++
				if size := r.GroupSizes[group]; size > 1 {
					pha := entropy(count) / math.Log2(float64(size))
					squares += pha * pha
				}
			})
		}
	}
	if terms == 0 {
		return 0
	}
	return math.Sqrt(squares / float64(terms))
}

// eachValue calls look with the counts of the values of every group, in the order of their
// codes' first tuples.
func eachValue(f *anonymize.Fragment, c *anonymize.FragmentColumn, look func(group int, count []int64)) {
	width := len(c.Dictionary)
	if !c.IsPoint() {
		width = len(c.Cells)
	}
	place, count := make([]uint32, width), []int64{} // place plus one
	for g := range f.Groups() {
		count = count[:0]
		codes := c.Codes[f.GroupStart[g]:f.GroupStart[g+1]]
		for t, code := range codes {
			if place[code] == 0 {
				count = append(count, 0)
				place[code] = uint32(len(count))
			}
			count[place[code]-1] += int64(f.Count[f.GroupStart[g]+uint32(t)])
		}
		look(g, count)
		for _, code := range codes {
			place[code] = 0
		}
	}
}

// MeasureTable returns the figures of the table itself: nothing is lost, P(Q) is that of its
// tuples, and P(S) is 0, since no record is hidden among others.
func MeasureTable(ctx context.Context, in *anonymize.Input) (m Measures, err error) {
	p, err := bucketization.NewProjection(ctx, in.QuasiIdentifiers)
	if err != nil {
		return m, err
	}
	count := make([]int64, len(p.Frequency))
	for id, n := range p.Frequency {
		count[id] = int64(n)
	}
	m.PQ = ofIdeal(count, int64(in.Rows))
	m.PD = rootMeanSquare(m.PQ, 0)
	return m, nil
}

// addMeasures reports the figures of a release to the owner.
func addMeasures(ctx context.Context, r *anonymize.Release, in *anonymize.Input) error {
	scale := make(map[string]anonymize.Scale)
	for _, c := range in.QuasiIdentifiers {
		scale[c.Name] = in.Domain(c).Scale
	}
	m, err := Measure(ctx, r, func(column string) bool { return scale[column] == anonymize.Numeric })
	if err != nil {
		return err
	}
	before, err := MeasureTable(ctx, in)
	if err != nil {
		return err
	}
	figure := func(name string, x float64) {
		r.Facts = append(r.Facts, anonymize.Fact{Name: name, Value: fmt.Sprintf("%.4f", x)})
	}
	figure("utility loss (UL)", m.UL)
	figure("privacy of quasi-identifiers (P(Q))", m.PQ)
	if len(in.NotSensitive) > 0 { // the others would count the stand-ins
		return nil
	}
	figure("prevention of homogeneity (P(S))", m.PS)
	figure("privacy of the release (P(D'))", m.PD)
	figure("privacy gain", m.PD-before.PD)
	if len(in.Sensitive) > 1 {
		r.Facts = append(r.Facts, anonymize.Fact{Name: "linked sensitive values", Value: linked(r)})
	}
	return nil
}

// linked reports the number of records that are the only ones of their class with their value
// of an attribute: knowing that value and the class reveals the others.
func linked(r *anonymize.Release) string {
	var parts []string
	for _, f := range r.Fragments {
		if f.Role != anonymize.Sensitive {
			continue
		}
		for _, c := range f.Columns {
			alone := 0
			eachValue(f, c, func(_ int, count []int64) {
				for _, n := range count {
					if n == 1 {
						alone++
					}
				}
			})
			parts = append(parts, fmt.Sprintf("%s: %.1f percent", c.Name, 100*float64(alone)/float64(r.Rows)))
		}
	}
	return "records whose value is the only one in their class, so that knowing it reveals their other sensitive values: " + strings.Join(parts, ", ")
}
