package clustering

import (
	"cmp"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A Space is a table's quasi-identifiers under the mixed distance. A record is a
// row of coordinates, one an attribute:
//
//	numeric   Def. 1  the value on a line of length 1
//	ordinal   Def. 4  phi, the rank on a line of length 1 (Eq. 5)
//	semantic  Def. 2  the place of the value in a walk through the taxonomy
//	nominal   Def. 3  the place of the value in the dictionary
//
// so that a centroid is a row of coordinates too.
type Space struct {
	axes []axis
	at   []float64 // by record, then by axis
	// lines has the weights of the axes where all are lines, else it is nil.
	lines []float64
}

type axisKind uint8

const (
	line   axisKind = iota // numeric and ordinal: the distance is a difference
	branch                 // semantic: the share of the leaves below the common node
	label                  // nominal: equal or not
)

// absent is the coordinate of NULL on a line: at distance 1 from every value, because distances
// on a line are capped at 1.
const absent = 2

type axis struct {
	kind    axisKind
	ordinal bool    // the centre of a line is the median, not the mean
	weight  float64 // of the axis in the distance of two records
	places  int     // branch and label: coordinates are 0 .. places-1

	taxonomy *anonymize.Taxonomy
	leaf     []int     // branch: by place, the node; -1 for NULL
	table    []float64 // branch, few places: the distance of two places
}

// NewSpace prepares the quasi-identifiers of in. With joint, nominal attributes
// count as one together, as Definition 3 and Example 1 have it; the sum is
// divided by the number of attributes all the same (Eq. 6). Errors are
// *anonymize.DataError: a domain that does not fit its column. O(rows x
// attributes).
func NewSpace(in *anonymize.Input, joint bool) (*Space, error) {
	q := len(in.QuasiIdentifiers)
	s := &Space{axes: make([]axis, q), at: make([]float64, in.Rows*q)}
	labels := 0
	for i, c := range in.QuasiIdentifiers {
		d := in.Domain(c)
		if err := d.Check(c); err != nil {
			return nil, err
		}
		c = d.Taxonomy.Coarse(c)
		a := &s.axes[i]
		coordinate := a.place(c, d)
		a.weight = 1 / float64(q)
		if a.kind == label {
			labels++
		}
		for record, code := range c.Codes {
			s.at[record*q+i] = coordinate[code]
		}
	}
	for i := range s.axes {
		if joint && s.axes[i].kind == label {
			s.axes[i].weight /= float64(labels)
		}
	}
	if !slices.ContainsFunc(s.axes, func(a axis) bool { return a.kind != line }) {
		for _, a := range s.axes {
			s.lines = append(s.lines, a.weight)
		}
	}
	return s, nil
}

// place chooses the kind of an axis and returns the coordinate of every code.
func (a *axis) place(c *anonymize.Column, d *anonymize.Domain) []float64 {
	var codes []uint32 // those that occur, ascending
	for code, n := range c.Histogram() {
		if n > 0 {
			codes = append(codes, uint32(code))
		}
	}
	coordinate := make([]float64, len(c.Dictionary))
	switch {
	case d.Scale == anonymize.Numeric:
		placeNumbers(c, codes, coordinate)
	case d.Scale == anonymize.Ordinal:
		a.ordinal = true
		placeRanks(c, d, codes, coordinate)
	case d.Taxonomy != nil:
		a.kind, a.taxonomy = branch, d.Taxonomy
		a.placeLeaves(c, codes, coordinate)
	default:
		a.kind, a.places = label, len(codes)
		for place, code := range codes {
			coordinate[code] = float64(place)
		}
	}
	return coordinate
}

func placeNumbers(c *anonymize.Column, codes []uint32, coordinate []float64) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, code := range codes {
		if x, ok := c.Dictionary[code].Number(); ok {
			low, high = min(low, x), max(high, x)
		}
	}
	for _, code := range codes {
		switch x, ok := c.Dictionary[code].Number(); {
		case !ok:
			coordinate[code] = absent
		case high > low:
			coordinate[code] = (x - low) / (high - low)
		}
	}
}

// placeRanks is Eq. (5) with the distinct values that occur as |O|.
func placeRanks(c *anonymize.Column, d *anonymize.Domain, codes []uint32, coordinate []float64) {
	if len(codes) > 0 && c.Dictionary[codes[0]].IsNull() {
		coordinate[codes[0]] = absent
		codes = codes[1:]
	}
	if d.Order != nil {
		rank := make(map[anonymize.Value]int, len(d.Order))
		for i, v := range d.Order {
			rank[v] = i
		}
		slices.SortFunc(codes, func(x, y uint32) int { return cmp.Compare(rank[c.Dictionary[x]], rank[c.Dictionary[y]]) })
	}
	for rank, code := range codes {
		coordinate[code] = float64(rank) / float64(max(1, len(codes)-1))
	}
}

// maxTabled is the number of places up to which distances are a table.
const maxTabled = 512

func (a *axis) placeLeaves(c *anonymize.Column, codes []uint32, coordinate []float64) {
	leafOf := func(code uint32) (node, position int) {
		if c.Dictionary[code].IsNull() {
			return -1, -1
		}
		node = a.taxonomy.Leaf(c.Dictionary[code])
		position, _ = a.taxonomy.LeafRange(node)
		return node, position
	}
	slices.SortFunc(codes, func(x, y uint32) int {
		_, i := leafOf(x)
		_, j := leafOf(y)
		return cmp.Compare(i, j)
	})
	a.places = len(codes)
	for place, code := range codes {
		node, _ := leafOf(code)
		a.leaf = append(a.leaf, node)
		coordinate[code] = float64(place)
	}
	if a.places <= maxTabled {
		table := make([]float64, a.places*a.places)
		for x := range a.places {
			for y := range a.places {
				table[x*a.places+y] = a.distance(x, y)
			}
		}
		a.table = table
	}
}

// distance is Definition 2 for two places; NULL has maximal distance from every value.
func (a *axis) distance(x, y int) float64 {
	switch {
	case x == y:
		return 0
	case a.table != nil:
		return a.table[x*a.places+y]
	case a.leaf[x] < 0 || a.leaf[y] < 0:
		return 1
	}
	return a.taxonomy.Share(a.taxonomy.Covering(a.leaf[x], a.leaf[y]))
}

// Coordinates returns the coordinates of a record; the caller must not change them.
func (s *Space) Coordinates(record uint32) []float64 { return s.row(s.at, record) }

// row returns one of several rows of coordinates.
func (s *Space) row(of []float64, i uint32) []float64 {
	q := len(s.axes)
	return of[int(i)*q : int(i)*q+q : int(i)*q+q]
}

// Distance is Definition 5 (Eq. 6): the distance of two records, or of a record
// and a centroid, by their coordinates, between 0 and 1.
func (s *Space) Distance(x, y []float64) float64 {
	if s.lines != nil {
		return onLines(s.lines, x, y)
	}
	sum := 0.0
	y = y[:len(x)]
	for i := range s.axes {
		if x[i] == y[i] {
			continue
		}
		switch a := &s.axes[i]; a.kind {
		case line:
			sum += a.weight * min(1, math.Abs(x[i]-y[i]))
		case label:
			sum += a.weight
		default:
			sum += a.weight * a.distance(int(x[i]), int(y[i]))
		}
	}
	return sum
}

// onLines is Distance where all axes are lines.
func onLines(weight, x, y []float64) float64 {
	sum := 0.0
	x, y = x[:len(weight)], y[:len(weight)]
	for i, w := range weight {
		d := math.Abs(x[i] - y[i])
		if d > 1 {
			d = 1
		}
		sum += w * d
	}
	return sum
}
