package attack

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/contingency"
)

// A Presence measures how visible single records are in the model of a release.
type Presence struct {
	Records int
	// With is the mean probability that the model gives to a record's actual value; Without is that of the
	// model that the other records would give. The difference is the effect of a record's own presence.
	With, Without float64
	// Greatest is the greatest ratio of both for one record: its likelihood ratio. Above2 is the share of records with a ratio above 2.
	Greatest, Above2 float64
	// Changed is the share of records without which a cell of the model would be published
	// differently: an attacker who knows all other records sees that these are present.
	Changed float64
}

// PresenceIn measures, for a sample of the records, whether their presence is visible in the tables of a model without
// noise: the likelihood of a record's value with and without it. The probability is that of naive Bayes over the
// tables: P(v) times P(v|q)/P(v) for every quasi-identifier q of the model; one record has the most influence there.
// Pooled cells share the rest of their row as the table's records do; 0.5 is added to every count. truth.GroupOf is not
// needed. For a model with noise, epsilon says more, so it is an error. Of Options it uses only Sample and Random.
//
// Cost: O(records x tables) to count, then O(tables x values log values) per record.
func PresenceIn(ctx context.Context, r *anonymize.Release, truth Truth, o Options) (p Presence, err error) {
	c, err := newCounted(r, truth)
	if err != nil {
		return p, fmt.Errorf("attack on presence: %w", err)
	}
	judged := truth.judged()
	records := slices.DeleteFunc(recordsOf(r.Rows, o), func(record uint32) bool { return !judged[record] })
	for i, record := range records {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return p, ctx.Err()
		}
		with, _ := c.probability(record, 0)
		without, changed := c.probability(record, 1)
		p.With, p.Without = p.With+with, p.Without+without
		p.Greatest = max(p.Greatest, with/without)
		if with > 2*without {
			p.Above2++
		}
		if changed {
			p.Changed++
		}
	}
	p.Records = len(records)
	for _, share := range []*float64{&p.With, &p.Without, &p.Above2, &p.Changed} {
		*share /= float64(max(1, len(records)))
	}
	return p, nil
}

// recordsOf draws the sample, or returns all records.
func recordsOf(rows int, o Options) []uint32 {
	records := anonymize.Indices(rows)
	if o.Sample > 0 && o.Sample < rows && o.Random != nil {
		rand.New(o.Random).Shuffle(rows, func(i, j int) { records[i], records[j] = records[j], records[i] })
		records = records[:o.Sample]
	}
	return records
}

// counted is a model with the counts from which it was made.
type counted struct {
	told       contingency.Options
	exact      *anonymize.Model
	sensitive  []uint16   // by record: the category of its value
	categories [][]uint16 // by table and record
	row, units []int64    // buffers: of a table
	share      []float64  // of a row, by value
	likely     []float64
}

func newCounted(r *anonymize.Release, truth Truth) (*counted, error) {
	m := r.Model
	if m == nil || m.IsNoisy() || m.Sensitive != truth.Sensitive.Name {
		return nil, fmt.Errorf("the release has no model of %s without noise", truth.Sensitive.Name)
	}
	c := &counted{told: contingency.Options{Least: m.Least, Base: m.Base}}
	var columns []*anonymize.Column
	for _, t := range m.Tables {
		at := slices.IndexFunc(truth.QuasiIdentifiers, func(q *anonymize.Column) bool { return q.Name == t.Attribute })
		if at < 0 {
			return nil, fmt.Errorf("the truth lacks column %s of the model", t.Attribute)
		}
		columns = append(columns, truth.QuasiIdentifiers[at])
		c.categories = append(c.categories, categoryOf(t.Categories, columns[len(columns)-1]))
	}
	c.sensitive = categoryOf(m.Categories, truth.Sensitive)
	n := len(m.Categories)
	c.row, c.units, c.share, c.likely = make([]int64, n), make([]int64, n), make([]float64, n), make([]float64, n)
	var err error
	c.exact, err = contingency.Count(r, columns, truth.Sensitive, contingency.Options{})
	return c, err
}

// categoryOf returns the category of every record.
func categoryOf(categories []anonymize.Category, column *anonymize.Column) []uint16 {
	of := anonymize.Categorize(categories, column.Dictionary)
	return anonymize.Gather(of, column.Codes)
}

// probability returns the probability of a record's actual value by the model with it (less is 0) or without it (1), and whether some cell then differs.
func (c *counted) probability(record uint32, less int64) (own float64, changed bool) {
	v := c.sensitive[record]
	for u, category := range c.exact.Categories {
		c.likely[u] = math.Log(max(minLikelihood, float64(category.Records)))
	}
	c.likely[v] = math.Log(max(minLikelihood, float64(c.exact.Categories[v].Records-less)))
	marginal := slices.Clone(c.likely)
	for i, t := range c.exact.Tables {
		row := t.Weight[int(c.categories[i][record])*len(c.row):][:len(c.row)]
		changed = c.apportion(row, int(v), less) || changed
		for u, share := range c.share {
			c.likely[u] += math.Log(share) - marginal[u]
		}
	}
	exponentiate(c.likely)
	sum := 0.0
	for _, x := range c.likely {
		sum += x
	}
	return c.likely[v] / sum, changed
}

// apportion sets the shares of a row as published without less records of a value, and reports whether a cell differs from the row with them.
func (c *counted) apportion(exact []int64, value int, less int64) (changed bool) {
	copy(c.row, exact)
	copy(c.units, exact)
	c.told.Censor(c.row, c.units)
	if before := slices.Clone(c.row); less > 0 {
		copy(c.row, exact)
		c.row[value] -= less
		copy(c.units, c.row)
		c.told.Censor(c.row, c.units)
		changed = !slices.Equal(before, c.row)
	}
	left, pooled, all := -less, int64(0), -less
	for u, n := range exact {
		left, all = left+n, all+n
		if c.row[u] == anonymize.Pooled {
			pooled += c.exact.Categories[u].Records
		} else {
			left -= c.row[u]
		}
	}
	for u, n := range c.row {
		count := float64(n)
		if n == anonymize.Pooled {
			count = float64(max(0, left)) * float64(c.exact.Categories[u].Records) / float64(max(1, pooled))
		}
		c.share[u] = (count + laplace) / (float64(all) + laplace*float64(len(c.row)))
	}
	return changed
}
