package contingency

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// Options say how counts are published.
type Options struct {
	// Least and Base are the model's: cells of fewer units are pooled, and other counts are
	// rounded to multiples of Base. Both are ignored with noise.
	Least, Base int
	// Noise draws the noise of a cell; nil for none.
	Noise func() (int64, error)
	// Epsilon and Delta are the noise's promise; Scale or Variance, of Laplace or Gaussian noise, are published.
	Epsilon, Delta anonymize.Ratio
	Scale          float64
	Variance       uint64
	// Records is the number of a unit's records that the noise hides, 0 if records are the units.
	Records int
	// Units has the unit of every record; nil if every record is one.
	Units []uint32
}

// Usual are the options of a model without noise.
var Usual = Options{Least: 10, Base: 5}

// Count returns the model of a release: tables of its quasi-identifiers by a sensitive attribute. All
// are columns of the published records, in any order, and the release must keep their values. It fails
// for a column that the release does not have as points, and if the noise fails.
func Count(r *anonymize.Release, quasiIdentifiers []*anonymize.Column, sensitive *anonymize.Column, o Options) (*anonymize.Model, error) {
	columns := append(slices.Clone(quasiIdentifiers), sensitive)
	margins := make([]Margin, len(columns))
	for i, c := range columns {
		fragment, column, ok := r.Locate(c.Name)
		if !ok {
			return nil, fmt.Errorf("no fragment has %s", c.Name)
		}
		f := r.Fragments[fragment]
		of := f.Columns[column]
		if !of.IsPoint() {
			return nil, fmt.Errorf("column %s has cells that stand for several values, which no table counts", c.Name)
		}
		margins[i] = Margin{c.Name, of.Dictionary, f.Weigh(of)}
	}
	m := o.blank(margins)
	return m, o.count(m, columns)
}

// A Margin is a column of a release: its ascending values, with their numbers of records.
type Margin struct {
	Name       string
	Dictionary []anonymize.Value
	Records    []int
}

// A Binned is a margin with its values' categories, by place; anonymize.Uncategorized for a value without records.
type Binned struct {
	Margin
	Category []uint16
	Number   int
}

// CountElsewhere is [Count] for remote records, each a unit, by the margins of the quasi-identifiers and the sensitive attribute. cells returns the number of
// records of each pair of categories, row by row. It fails with the errors of cells and of the noise, and for counts that contradict the margins.
func CountElsewhere(quasiIdentifiers []Margin, sensitive Margin, o Options, cells func(row, column Binned) ([]int64, error)) (*anonymize.Model, error) {
	m := o.blank(append(slices.Clone(quasiIdentifiers), sensitive))
	columns := Binned{sensitive, anonymize.Categorize(m.Categories, sensitive.Dictionary), len(m.Categories)}
	for i, q := range quasiIdentifiers {
		t := &m.Tables[i]
		weight, err := cells(Binned{q, anonymize.Categorize(t.Categories, q.Dictionary), len(t.Categories)}, columns)
		if err == nil {
			err = checkMargins(weight, t, m.Categories)
		}
		if err != nil {
			return nil, err
		}
		if t.Weight, err = o.publishCounts(weight, len(m.Categories), slices.Clone(weight)); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// checkMargins checks that counts add up to their rows' and columns' counts.
func checkMargins(weight []int64, t *anonymize.TwoWay, columns []anonymize.Category) error {
	rows, sums := make([]int64, len(t.Categories)), make([]int64, len(columns))
	for at, n := range weight {
		rows[at/len(columns)] += n
		sums[at%len(columns)] += n
	}
	for i, c := range slices.Concat(t.Categories, columns) {
		if got := slices.Concat(rows, sums)[i]; got != c.Records {
			return fmt.Errorf("%d records were counted by %s where its column has %d", got, t.Attribute, c.Records)
		}
	}
	return nil
}

// blank returns a model without weights, of quasi-identifiers and the sensitive attribute, which is last.
func (o *Options) blank(margins []Margin) *anonymize.Model {
	last := len(margins) - 1
	m := &anonymize.Model{Sensitive: margins[last].Name, Epsilon: o.Epsilon, Delta: o.Delta, Scale: o.Scale, Variance: o.Variance, Records: o.Records}
	if o.Noise == nil {
		m.Least, m.Base = o.Least, o.Base
	}
	all := categorize(margins)
	m.Categories = all[last]
	for i, q := range margins[:last] {
		m.Tables = append(m.Tables, anonymize.TwoWay{Attribute: q.Name, Categories: all[i]})
	}
	return m
}

// Recount returns the tables of a model for another table of the same columns, published as
// release r, as in a re-publication. If that table has a share of the records, all thresholds
// scale: pooling, rounding and noise. The noise comes from random and protects nothing.
func Recount(m *anonymize.Model, r *anonymize.Release, table *anonymize.Microdata, share float64, random *rand.Rand) (*anonymize.Model, error) {
	again := &anonymize.Model{Sensitive: m.Sensitive, Scale: m.Scale * share, Categories: weighed(m.Categories, r, m.Sensitive)}
	if m.Variance > 0 {
		again.Variance = max(1, uint64(float64(m.Variance)*share*share+0.5))
	}
	if m.Least > 0 || m.Base > 0 {
		again.Least, again.Base = max(1, int(float64(m.Least)*share+0.5)), max(1, int(float64(m.Base)*share+0.5))
	}
	o := Options{Least: again.Least, Base: again.Base}
	switch {
	case again.Variance > 0:
		o.Noise = func() (int64, error) {
			return int64(math.Round(random.NormFloat64() * math.Sqrt(float64(again.Variance)))), nil
		}
	case again.Scale > 0:
		o.Noise = func() (int64, error) {
			return int64(math.Round((random.ExpFloat64() - random.ExpFloat64()) * again.Scale)), nil
		}
	}
	columns := make([]*anonymize.Column, 0, len(m.Tables)+1)
	for _, t := range m.Tables {
		again.Tables = append(again.Tables, anonymize.TwoWay{Attribute: t.Attribute, Categories: weighed(t.Categories, r, t.Attribute)})
		columns = append(columns, table.Column(t.Attribute))
	}
	return again, o.count(again, append(columns, table.Column(m.Sensitive)))
}

// weighed returns the categories with their records in a release.
func weighed(categories []anonymize.Category, r *anonymize.Release, attribute string) []anonymize.Category {
	again := slices.Clone(categories)
	for i := range again {
		again[i].Records = 0
	}
	if fragment, column, ok := r.Locate(attribute); ok {
		f := r.Fragments[fragment]
		c := f.Columns[column]
		of := anonymize.Categorize(again, c.Dictionary)
		for code, records := range f.Weigh(c) {
			if records > 0 && of[code] != anonymize.Uncategorized {
				again[of[code]].Records += int64(records)
			}
		}
	}
	return again
}

// Check verifies a model against its release as far as possible: records of categories, and weights
// without noise, which may exceed the row's records only by rounding. It trusts no stated number.
func Check(r *anonymize.Release) error {
	m := r.Model
	if m == nil {
		return nil
	}
	if err := checkCategories(m.Categories, r, m.Sensitive); err != nil {
		return err
	}
	for _, t := range m.Tables {
		if err := checkCategories(t.Categories, r, t.Attribute); err != nil {
			return err
		}
		for at, w := range t.Weight {
			row := t.Categories[at/len(m.Categories)].Records
			if !m.IsNoisy() && w != anonymize.Pooled && (w < 0 || w > row+int64(m.Base)) {
				return fmt.Errorf("the model tells a weight of %d of the %d records of a value of %s", w, row, t.Attribute)
			}
		}
	}
	return nil
}

// checkCategories checks that every record has a category, and that categories have their stated numbers of records.
func checkCategories(categories []anonymize.Category, r *anonymize.Release, attribute string) error {
	records := int64(0)
	for _, c := range categories {
		records += c.Records
	}
	if records != int64(r.Rows) || !slices.Equal(categories, weighed(categories, r, attribute)) {
		return fmt.Errorf("the model has other numbers of records by %s than the fragments", attribute)
	}
	return nil
}

// uncounted is the cell of a record whose value has no category.
const uncounted = math.MaxUint32

// count sets the weights of a model's tables; the sensitive column is last.
func (o *Options) count(m *anonymize.Model, columns []*anonymize.Column) (err error) {
	sensitive := columns[len(m.Tables)]
	place := anonymize.Categorize(m.Categories, sensitive.Dictionary)
	for i := range m.Tables {
		t, q := &m.Tables[i], columns[i]
		rows := anonymize.Categorize(t.Categories, q.Dictionary)
		cell := make([]uint32, len(q.Codes))
		for record, code := range q.Codes {
			if u, v := rows[code], place[sensitive.Codes[record]]; u != anonymize.Uncategorized && v != anonymize.Uncategorized {
				cell[record] = uint32(u)*uint32(len(m.Categories)) + uint32(v)
			} else {
				cell[record] = uncounted
			}
		}
		if t.Weight, err = o.publish(cell, len(t.Categories), len(m.Categories)); err != nil {
			return err
		}
	}
	return nil
}

// most bounds the total number of categories: a fit costs its square.
const most = 1024

// categorize returns the categories of some attributes, as fine as the bound permits.
func categorize(margins []Margin) [][]anonymize.Category {
	for g := Finest; ; g = g.Coarser() {
		var all [][]anonymize.Category
		total := 0
		for _, m := range margins {
			all = append(all, g.ranges(m))
			total += len(all[len(all)-1])
		}
		if total <= most || g.IsCoarsest() {
			return all
		}
	}
}

// ranges returns a column's categories by their least and greatest values.
func (g Grain) ranges(m Margin) []anonymize.Category {
	category, n := g.Categories(m.Dictionary, m.Records)
	ranges, begun := make([]anonymize.Category, n), make([]bool, n)
	for code, w := range m.Records {
		if w == 0 {
			continue
		}
		c := &ranges[category[code]]
		if !begun[category[code]] {
			c.Low, begun[category[code]] = m.Dictionary[code], true
		}
		c.High = m.Dictionary[code]
		c.Records += int64(w)
	}
	return ranges
}

// publish counts cells and returns the published counts.
func (o *Options) publish(cell []uint32, rows, columns int) ([]int64, error) {
	weight := make([]int64, rows*columns)
	for _, at := range cell {
		if at != uncounted {
			weight[at]++
		}
	}
	if o.Noise != nil {
		return o.publishCounts(weight, columns, nil)
	}
	return o.publishCounts(weight, columns, o.unitsOf(cell, weight))
}

// publishCounts converts counts of cells, in rows of columns, to the published ones. units are theirs; noise needs none.
func (o *Options) publishCounts(weight []int64, columns int, units []int64) ([]int64, error) {
	if o.Noise == nil {
		for row := 0; row < len(weight); row += columns {
			o.Censor(weight[row:][:columns], units[row:][:columns])
		}
		return weight, nil
	}
	for at := range weight {
		k, err := o.Noise()
		if err != nil {
			return nil, err
		}
		weight[at] += k
	}
	return weight, nil
}

// unitsOf counts the units of every cell.
func (o *Options) unitsOf(cell []uint32, records []int64) []int64 {
	if o.Units == nil {
		return slices.Clone(records)
	}
	seen, units := make(map[[2]uint32]bool), make([]int64, len(records))
	for record, at := range cell {
		if key := [2]uint32{at, o.Units[record]}; !seen[key] && at != uncounted {
			seen[key] = true
			units[at]++
		}
	}
	return units
}

// Censor converts a row of counts, of records and of units, to the published one without noise: it
// pools at least two small cells, so that no cell is the rest of the row, and rounds the others.
func (o *Options) Censor(weight, units []int64) {
	order := anonymize.Ints(len(units))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(units[a], units[b]) })
	pooled := 0
	for _, i := range order {
		if units[i] < int64(o.Least) || pooled == 1 {
			weight[i] = anonymize.Pooled
			pooled++
			continue
		}
		base := int64(max(1, o.Base))
		weight[i] = (weight[i] + base/2) / base * base
	}
}
