package recognition

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/testsize"
)

// A trial is a published table and other people of the same kind.
type trial struct {
	*dataset
	others    *dataset
	random    *rand.Rand
	published *dataset // the table's published columns
	shuffled  []int
}

func newTrial(d, others *dataset) *trial {
	random := rand.New(rand.NewPCG(3, 4))
	return &trial{d, others, random, d.keep(d.released()...), random.Perm(d.rows())}
}

func (tr *trial) part(share float64) *dataset {
	return tr.published.pick(tr.shuffled[:int(share*float64(tr.rows())+0.5)])
}

// joined repeats every record as often as many returns.
func (tr *trial) joined(many func() int) *dataset {
	var rows []int
	for row := range tr.rows() {
		for range many() {
			rows = append(rows, row)
		}
	}
	return tr.published.pick(rows)
}

// and adds other people, share for each original record.
func (tr *trial) and(own *dataset, share float64) *dataset {
	more := tr.others.keep(tr.released()...)
	return own.stacked(more.pick(span(0, int(share*float64(own.rows())+0.5))))
}

// kinds are the tested copies, and tables of other people. Unless stated otherwise, they have only the published
// columns.
var kinds = []struct {
	name string
	make func(tr *trial) *dataset
}{
	{"the table under another name", func(tr *trial) *dataset { return tr.dataset }},
	{"published columns, renamed, in another order, numbers as texts", func(tr *trial) *dataset { return tr.published.renamed() }},
	{"rows shuffled", func(tr *trial) *dataset { return tr.part(1) }},
	{"50 % of the rows", func(tr *trial) *dataset { return tr.part(.5) }},
	{"10 % of the rows", func(tr *trial) *dataset { return tr.part(.1) }},
	{"5 % of the rows", func(tr *trial) *dataset { return tr.part(.05) }},
	{"2 % of the rows", func(tr *trial) *dataset { return tr.part(.02) }},
	{"1 % of the rows", func(tr *trial) *dataset { return tr.part(.01) }},
	{"0.5 % of the rows", func(tr *trial) *dataset { return tr.part(.005) }},
	{"one row less", func(tr *trial) *dataset { return tr.published.pick(tr.shuffled[1:]) }},
	{"and 1 % other people", func(tr *trial) *dataset { return tr.and(tr.published, .01) }},
	{"and as many other people", func(tr *trial) *dataset { return tr.and(tr.published, 1) }},
	{"half of the rows, and as many other people", func(tr *trial) *dataset { return tr.and(tr.part(.5), 1) }},
	{"10 % of the rows, and as many other people", func(tr *trial) *dataset { return tr.and(tr.part(.1), 1) }},
	{"one quasi-identifier of every row changed", func(tr *trial) *dataset { return tr.published.changed(tr.random, 1) }},
	{"two of every row changed", func(tr *trial) *dataset { return tr.published.changed(tr.random, 2) }},
	{"three of every row changed", func(tr *trial) *dataset { return tr.published.changed(tr.random, 3) }},
	{"10 % of the rows, one changed", func(tr *trial) *dataset { return tr.part(.1).changed(tr.random, 1) }},
	{"every row twice", func(tr *trial) *dataset { return tr.joined(func() int { return 2 }) }},
	{"1:n join, 1 to 5 rows each", func(tr *trial) *dataset { return tr.joined(func() int { return 1 + tr.random.IntN(5) }) }},
	{"1:n join, 2 or 3 rows each", func(tr *trial) *dataset { return tr.joined(func() int { return 2 + tr.random.IntN(2) }) }},
	{"all quasi-identifiers recoded one to one", func(tr *trial) *dataset { return tr.published.recoded(tr.random, oneToOne) }},
	{"recoded one to one, one row less", func(tr *trial) *dataset {
		return tr.published.recoded(tr.random, oneToOne).pick(tr.shuffled[1:])
	}},
	{"all quasi-identifiers in bands", func(tr *trial) *dataset { return tr.published.recoded(tr.random, banded) }},
	{"recoded one to one, half of the rows", func(tr *trial) *dataset {
		return tr.published.recoded(tr.random, oneToOne).pick(tr.shuffled[:tr.rows()/2])
	}},
	{"recoded, half of the rows, row numbers kept", func(tr *trial) *dataset {
		if tr.keep("person_id").columns == nil {
			return nil
		}
		return tr.keep(append(tr.released(), "person_id")...).recoded(tr.random, oneToOne).pick(tr.shuffled[:tr.rows()/2])
	}},
	{"four quasi-identifiers and the sensitive attribute", func(tr *trial) *dataset { return tr.keep(append(tr.quasi[4:8:8], tr.protects)...) }},
	{"four quasi-identifiers, another sensitive attribute", func(tr *trial) *dataset { return tr.keep(tr.quasi[:4]...) }},
	{"two quasi-identifiers", func(tr *trial) *dataset { return tr.keep(tr.quasi[0], tr.quasi[2]) }},
	{"other quasi-identifiers, the same sensitive attribute", func(tr *trial) *dataset { return tr.keep(tr.protects) }},
	{"the same, half of the rows", func(tr *trial) *dataset { return tr.keep(tr.protects).pick(tr.shuffled[:tr.rows()/2]) }},
	{noCopy + "as many other people", func(tr *trial) *dataset { return tr.others }},
	{noCopy + "the same, published columns alone", func(tr *trial) *dataset { return tr.others.keep(tr.released()...) }},
	{noCopy + "a tenth as many other people", func(tr *trial) *dataset { return tr.others.pick(span(0, tr.others.rows()/10)) }},
}

const noCopy = "no copy: "

var reasons = map[Reason]string{Records: "records", Recoded: "groups", Numbered: "numbers", Counted: "counts"}

// Which copies of a published table are recognised, and how. docs/measured.md has the table; if it differs, the test
// prints the actual one.
func TestWhichCopiesAreRecognised(t *testing.T) {
	whole := adult(t)
	perm := rand.New(rand.NewPCG(1, 2)).Perm(whole.rows())
	half := len(perm) / 2
	trials := []*trial{
		newTrial(whole.pick(perm[:half]), whole.pick(perm[half:])),
		newTrial(people(50_000, 1), people(50_000, 2)),
		newTrial(people(500, 3), people(500, 4)),
	}
	var sketches []*Sketch
	for _, tr := range trials {
		sketches = append(sketches, sketchOf(t, tr.dataset))
	}
	lines := []string{"| copy | half of Adult, 24,421 rows | bundled sample, 50,000 rows | sample, 500 rows |", "|---|---|---|---|"}
	for _, kind := range kinds {
		line := "| " + kind.name
		for i, tr := range trials {
			copied := kind.make(tr)
			if copied == nil {
				line += " | -"
				continue
			}
			found := compared(t, sketches[i], copied)
			cell := "no"
			if found.Share > 0 {
				cell = reasons[found.Reason]
			}
			if strings.HasPrefix(kind.name, noCopy) && found.Share > 0 {
				t.Errorf("%s: %s is taken for a copy: %+v", tr.name, kind.name, found)
			}
			line += " | " + cell
		}
		lines = append(lines, line+" |")
	}
	document, err := os.ReadFile("../../docs/measured.md")
	if err != nil {
		t.Fatal(err)
	}
	if table := strings.Join(lines, "\n"); !strings.Contains(string(document), table) {
		t.Errorf("docs/measured.md must have the table\n%s", table)
	}
}

// Tables of different people are not taken for copies: random parts of a table
// that have no record in common, of all sizes, with all columns or some, and parts
// of one kind of people only.
func TestDisjointPartsAreNoCopies(t *testing.T) {
	whole := adult(t)
	alarms, pairs := 0, 0
	seeds, parts := uint64(3), 8 // all columns, one by one, some
	if !testsize.All() {
		seeds, parts = 1, 5
	} else if testsize.All() {
		seeds, parts = 8, 25
	}
	for seed := range seeds {
		random := rand.New(rand.NewPCG(seed, 1))
		perm := random.Perm(whole.rows())
		cut := []int{len(perm) / 2, len(perm) / 2, len(perm) / 10, len(perm) / 50, 9 * len(perm) / 10}[random.IntN(5)]
		known, rest := whole.pick(perm[:cut]), whole.pick(perm[cut:])
		if columns := known.released(); seed%4 == 1 {
			known = known.keep(columns...)
		} else if seed%4 == 2 {
			random.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
			known = known.keep(columns[:2+random.IntN(6)]...)
		}
		s := sketchOf(t, known)
		for range parts {
			other, kind := rest.partOf(random)
			if other.rows() < 10 {
				continue
			}
			pairs++
			for name, found := range map[string]Likeness{
				"all columns":           compared(t, s, other),
				"the published columns": compared(t, s, other.keep(whole.released()...)),
				"the other way round":   compared(t, sketchOf(t, other), known),
			} {
				if found.Share > 0 {
					alarms++
					t.Errorf("seed %d: %d records and %d other ones (%s), %s: %+v", seed, known.rows(), other.rows(), kind, name, found)
				}
			}
		}
	}
	t.Logf("%d false alarms in %d pairs of tables, each compared in 3 ways", alarms, pairs)
}

// partOf draws records: at random, or those with one or two random values.
func (d *dataset) partOf(random *rand.Rand) (*dataset, string) {
	var rows []int
	if random.IntN(2) == 0 {
		share := []float64{1, .5, .1, .05, .02}[random.IntN(5)]
		for row := range d.rows() {
			if random.Float64() < share {
				rows = append(rows, row)
			}
		}
		return d.pick(rows), fmt.Sprint("a share of ", share)
	}
	a, b := d.columns[random.IntN(len(d.columns))], d.columns[random.IntN(len(d.columns))]
	row := random.IntN(d.rows())
	v, w, both := a.Codes[row], b.Codes[row], random.IntN(2) == 0
	for row := range d.rows() {
		if a.Codes[row] == v && (!both || b.Codes[row] == w) {
			rows = append(rows, row)
		}
	}
	return d.pick(rows), fmt.Sprintf("%s is %s", a.Name, a.Dictionary[v])
}

// The same for unrelated people, some with row numbers from 1, and for skewed columns of many shapes.
func TestOtherPeopleAreNoCopies(t *testing.T) {
	pairs, seeds := 0, uint64(6)
	if testsize.All() {
		seeds = 40
	}
	for seed := range seeds {
		for _, rows := range []int{50, 500, 4000} {
			a, b := people(rows, 2*seed+10), people(rows+int(seed%2)*rows/3, 2*seed+11)
			pairs++
			if found := compared(t, sketchOf(t, a), b); found.Share > 0 {
				t.Errorf("seed %d, %d people: %+v", seed, rows, found)
			}
			random := rand.New(rand.NewPCG(seed, uint64(rows)))
			for _, shape := range [][]int{{2, 2}, {5, 2, 7}, {80, 16, 7, 15, 6}, {80, 70, 60, 50}, {100000, 2, 5}} {
				pairs++
				if found := compared(t, sketchOf(t, shaped(random, rows, shape)), shaped(random, rows, shape)); found.Share > 0 {
					t.Errorf("seed %d, %d rows of %v: %+v", seed, rows, shape, found)
				}
			}
		}
	}
	t.Logf("no false alarm in %d pairs", pairs)
}

// shaped makes skewed columns with given numbers of values; the last one is sensitive.
func shaped(random *rand.Rand, rows int, domains []int) *dataset {
	d := &dataset{name: "shaped"}
	for i, domain := range domains {
		values := make([]anonymize.Value, rows)
		for row := range values {
			values[row] = anonymize.IntegerValue(int64(float64(domain) * random.Float64() * random.Float64()))
		}
		d.columns = append(d.columns, anonymize.NewColumn(fmt.Sprint("c", i), "int", values))
		d.quasi = append(d.quasi, fmt.Sprint("c", i))
	}
	last := len(domains) - 1
	d.protects, d.quasi = d.quasi[last], slices.Clone(d.quasi[:last])
	return d
}
