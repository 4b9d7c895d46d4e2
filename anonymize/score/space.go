package score

import (
	"math"

	"github.com/anonsql/anonsql/anonymize"
)

// A Space has the records as points: the components of their scores, scaled by 1 - weight, then their quasi-identifiers, scaled
// by weight, each part divided by its greatest standard deviation. A numeric quasi-identifier is one dimension: the position of
// the value in the domain, from 0 to 2. Otherwise every category is a dimension, and records of different categories have
// distance 1. So a record has one nonzero coordinate per quasi-identifier, and only that is stored.
type Space struct {
	*Model
	components int
	component  []float32 // by record and component
	columns    int
	dimension  []uint16  // by record and column: the dimension of its coordinate
	coordinate []float32 // by record and column
	owner      []int     // by dimension, from components on
}

// dimensions returns the number of all dimensions.
func (s *Space) dimensions() int { return s.components + len(s.owner) }

// Place combines scores and quasi-identifiers.
func (m *Model) Place(columns []*anonymize.Column, weight float64) *Space {
	s := &Space{Model: m, columns: len(columns),
		dimension: make([]uint16, m.rows*len(columns)), coordinate: make([]float32, m.rows*len(columns))}
	points, components, spread := m.components()
	s.component, s.components = points, components
	for i := range points {
		points[i] *= float32((1 - weight) / spread)
	}
	for i, c := range columns {
		s.place(i, c)
	}
	if greatest := s.greatestDeviation(); greatest > 0 {
		for i := range s.coordinate {
			s.coordinate[i] *= float32(weight / greatest)
		}
	}
	return s
}

// place adds the dimensions of a column.
func (s *Space) place(i int, c *anonymize.Column) {
	first := s.dimensions()
	if c.IsNumeric() {
		scale := 2 / float32(max(1, len(c.Dictionary)-1))
		for record, code := range c.Codes {
			s.dimension[record*s.columns+i], s.coordinate[record*s.columns+i] = uint16(first), scale*float32(code)
		}
		s.owner = append(s.owner, i)
		return
	}
	bin, bins := categoriesOf(c)
	for record, code := range c.Codes {
		s.dimension[record*s.columns+i], s.coordinate[record*s.columns+i] = uint16(first)+bin[code], math.Sqrt2/2
	}
	for range bins {
		s.owner = append(s.owner, i)
	}
}

// greatestDeviation returns the greatest standard deviation of a dimension of the quasi-identifiers.
func (s *Space) greatestDeviation() float64 {
	sum, squares := make([]float64, s.dimensions()), make([]float64, s.dimensions())
	for i, d := range s.dimension {
		x := float64(s.coordinate[i])
		sum[d] += x
		squares[d] += x * x
	}
	greatest, n := 0.0, float64(s.rows)
	for d := range sum {
		greatest = max(greatest, squares[d]/n-sum[d]*sum[d]/n/n)
	}
	return math.Sqrt(greatest)
}

// coordinateOf returns a coordinate of a record.
func (s *Space) coordinateOf(record uint32, d int) float32 {
	if d < s.components {
		return s.component[int(record)*s.components+d]
	}
	if i := int(record)*s.columns + s.owner[d-s.components]; int(s.dimension[i]) == d {
		return s.coordinate[i]
	}
	return 0
}

// add adds a record, multiplied by a factor, to a point.
func (s *Space) add(to []float64, record uint32, factor float64) {
	for d, x := range s.component[int(record)*s.components:][:s.components] {
		to[d] += factor * float64(x)
	}
	first := int(record) * s.columns
	for i, d := range s.dimension[first : first+s.columns] {
		to[d] += factor * float64(s.coordinate[first+i])
	}
}

// quasi returns the inner product of a point and the record's quasi-identifiers.
func (s *Space) quasi(point []float64, record uint32) (product float64) {
	first := int(record) * s.columns
	for i, d := range s.dimension[first : first+s.columns] {
		product += point[d] * float64(s.coordinate[first+i])
	}
	return product
}

// quasiOf returns the inner product of two records' quasi-identifiers.
func (s *Space) quasiOf(a, b uint32) (product float64) {
	x, y := int(a)*s.columns, int(b)*s.columns
	for i := range s.columns {
		if s.dimension[x+i] == s.dimension[y+i] {
			product += float64(s.coordinate[x+i]) * float64(s.coordinate[y+i])
		}
	}
	return product
}
