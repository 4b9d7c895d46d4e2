package impute

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A target is a two-way table of the release's model, prepared for the fit: its counts replace those of the completed
// table in the gradient of both conditional likelihoods. Unpublished cells keep the counts of the completed table.
type target struct {
	// row and column are attributes of the schema: a quasi-identifier and the sensitive attribute.
	row, column *attribute
	// at has the positions of both among the schema's attributes.
	at [2]int
	// weight has every cell, row by row; untold if it is pooled. records has the totals of the rows, then of the columns.
	weight, records []float32
	// variance of the noise in a count, or of its rounding.
	variance float32
}

// untold marks a pooled cell; no noisy weight is as small.
const untold = -math.MaxFloat32

// A meeting of a target and a chain has the records of a step, by cell, row and column.
type meeting struct {
	*target
	count              []float32
	rowTotal, colTotal []float32
	expected           []float32 // of the cells of a line
}

// targetsOf returns the tables of a release's model; nil without one.
func (s *schema) targetsOf(r *anonymize.Release) []*target {
	if r.Model == nil {
		return nil
	}
	place := make(map[string]int)
	for i, a := range s.attributes {
		place[r.Fragments[a.fragment].Columns[a.column].Name] = i
	}
	variance := float64(r.Model.Base*r.Model.Base)/12 + r.Model.NoiseVariance()
	var all []*target
	for _, table := range r.Model.Tables {
		i, j := place[table.Attribute], place[r.Model.Sensitive]
		if s.attributes[i].fragment == s.attributes[j].fragment {
			continue // every completed table has it exactly
		}
		t := &target{row: &s.attributes[i], column: &s.attributes[j], at: [2]int{i, j}, variance: float32(variance)}
		for _, c := range append(slices.Clone(table.Categories), r.Model.Categories...) {
			t.records = append(t.records, float32(c.Records))
		}
		for _, w := range table.Weight {
			if w == anonymize.Pooled {
				t.weight = append(t.weight, untold)
			} else {
				t.weight = append(t.weight, float32(w))
			}
		}
		all = append(all, t)
	}
	return all
}

// perturbed returns the tables with additional noise of the same variance, so that what noise
// or rounding hides appears as a difference between models.
func perturbed(all []*target, random *rand.Rand) []*target {
	var drawn []*target
	for _, t := range all {
		c := *t
		c.weight = append([]float32(nil), t.weight...)
		deviation := float32(math.Sqrt(float64(t.variance)))
		for i := range c.weight {
			if c.weight[i] != untold && deviation > 0 {
				c.weight[i] += float32(deviation * normalVariate(random))
			}
		}
		drawn = append(drawn, &c)
	}
	return drawn
}

// rows and columns are the dimensions of the table.
func (t *target) rows() int    { return t.row.end - t.row.first }
func (t *target) columns() int { return t.column.end - t.column.first }

func (t *target) begin() *meeting {
	rows, columns := t.rows(), t.columns()
	return &meeting{t, make([]float32, len(t.weight)), make([]float32, rows), make([]float32, columns), make([]float32, max(rows, columns))}
}

// clear begins a step.
func (t *meeting) clear() {
	clear(t.count)
	clear(t.rowTotal)
	clear(t.colTotal)
}

// add counts the slots low .. high-1 of a completed table, which have one weight.
func (t *meeting) add(of *table, low, high int, weight float32) {
	width, columns := len(of.attributes), t.columns()
	for slot := low; slot < high; slot++ {
		u := int(of.rows[slot*width+t.at[0]]) - t.row.first
		v := int(of.rows[slot*width+t.at[1]]) - t.column.first
		t.count[u*columns+v] += weight
		t.rowTotal[u] += weight
		t.colTotal[v] += weight
	}
}

// meet replaces the completed table's counts in a finished score by those of the model.
func (t *meeting) meet(s *score) {
	rows, columns := t.rows(), t.columns()
	if first := t.column.first - s.responses; first >= 0 {
		for u := range rows {
			l := line{t, u * columns, 1, columns, t.rowTotal[u], t.records[u]}
			l.meet(s.pair[(t.row.first+u)*len(s.bias)+first:])
		}
	}
	if first := t.row.first - s.responses; first >= 0 {
		for v := range columns {
			l := line{t, v, columns, rows, t.colTotal[v], t.records[rows+v]}
			l.meet(s.pair[(t.column.first+v)*len(s.bias)+first:])
		}
	}
}

// A line is a row or a column of a target: cells from first on, step apart. seen is the number
// of its records in the step, records that in the release.
type line struct {
	*meeting
	first, step, cells int
	seen, records      float32
}

// meet replaces the counts of a line in the gradient. The expected number e of a cell is the completed table's count
// minus the gradient. With noise of variance s^2, the distance between the published number and e shrinks by e / (e +
// s^2): this is the count's conditional mean if it has a Poisson distribution around e. The sum stays that of the line.
func (l *line) meet(gradient []float32) {
	scale := l.seen / max(l.records, 1)
	told, open, counted := l.sum()
	left := max(0, l.seen-float32(told*scale)) // of the unpublished cells
	missing := float32(0)
	if open == 0 {
		missing = (l.seen - float32(told*scale)) / float32(l.cells)
	}
	variance := float32(float32(l.variance*scale) * scale)
	sum, expected := float32(0), float32(0)
	for i := range l.cells {
		at := l.first + i*l.step
		e := max(l.count[at]-gradient[i], 0)
		switch {
		case l.weight[at] != untold:
			distance := float32(l.weight[at]*scale) + missing - e
			gradient[i] = float32(distance*e) / max(e+variance, minExpected)
		case counted > 0:
			gradient[i] = float32(l.count[at]*left)/counted - e
		default:
			gradient[i] = left/float32(open) - e
		}
		l.expected[i] = e
		sum, expected = sum+gradient[i], expected+e
	}
	for i := range l.cells {
		gradient[i] -= float32(sum*l.expected[i]) / max(expected, minExpected)
	}
}

// minExpected keeps a quotient finite.
const minExpected = 1e-6

// sum returns the sum of a line's published cells, the number of the others, and their records in the completed table.
func (l *line) sum() (told float32, open int, counted float32) {
	for i := range l.cells {
		if at := l.first + i*l.step; l.weight[at] == untold {
			open++
			counted += l.count[at]
		} else {
			told += l.weight[at]
		}
	}
	return told, open, counted
}
