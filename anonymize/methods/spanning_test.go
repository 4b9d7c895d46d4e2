package methods

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// generalizing are the methods whose cells are sets and ranges of quasi-identifiers, with what they need.
var generalizing = []struct {
	method    string
	arguments anonymize.Arguments
}{
	{"mondrian", anonymize.Arguments{"k": "5", "l": "2"}},
	{"mondrian", anonymize.Arguments{"k": "5", "l": "2", "mode": "strict"}},
	{"mondrian", anonymize.Arguments{"k": "5", "l": "2", "mode": "relaxed"}},
	{"cross_bucket", anonymize.Arguments{"k": "6", "l": "2"}},
	{"cross_bucket", anonymize.Arguments{"k": "6", "l": "2", "search": "paper"}},
	{"fulldomain", anonymize.Arguments{"k": "5", "l": "2", "suppress": "0.05"}},
	{"drasl", anonymize.Arguments{"k": "4"}},
	{"oka", anonymize.Arguments{"k": "4"}},
	{"ika", anonymize.Arguments{"k": "4"}},
	{"dpp", anonymize.Arguments{"k": "4"}},
	{"cdt", anonymize.Arguments{"k": "4", "l": "2"}},
	{"cdt", anonymize.Arguments{"k": "4", "l": "2", "variant": "paper"}},
}

// TestNumbersThatCannotBeListed: with a taxonomy of intervals, a release has nothing of a column
// but which of its narrowest intervals have whom: two tables whose numbers are others inside the
// same intervals have the same cells and the same values.
func TestNumbersThatCannotBeListed(t *testing.T) {
	for _, kind := range []struct {
		name, from, to, narrowest string // as SQL writes the ends of the first interval
		widths                    []string
		value                     func(interval int, inside float64) anonymize.Value
	}{
		{"DECIMAL(9,6)", "51.000000", "51.009999", "[51,51.01)", []string{"0.01", "0.1", "1"}, func(i int, inside float64) anonymize.Value {
			return anonymize.DecimalValue(fmt.Sprintf("51.%06d", 10_000*i+1+int(inside*9_997)))
		}},
		{"DOUBLE", "51", "51.00999999999999", "[51,51.01)", []string{"0.01", "0.1", "1"}, func(i int, inside float64) anonymize.Value {
			return anonymize.RealValue(51 + float64(i)/100 + 0.0001 + 0.0098*inside)
		}},
		{"FLOAT", "51", "51.0099983215332", "[51,51.01)", []string{"0.01", "0.1", "1"}, func(i int, inside float64) anonymize.Value {
			thousandth, within := math.Modf(10 * inside) // single precision is coarse: not at a thousandth itself
			return anonymize.RealValue(float64(float32(51 + float64(i)/100 + thousandth/1000 + 0.0002 + 0.0006*within)))
		}},
		{"INT", "0", "4999", "[0-4999]", []string{"5000", "50000"}, func(i int, inside float64) anonymize.Value {
			return anonymize.IntegerValue(int64(5000*i + 1 + 2*int(2498*inside))) // odd, as no point but an end is
		}},
	} {
		for _, g := range generalizing {
			t.Run(kind.name+" "+g.method+" "+g.arguments["mode"]+g.arguments["variant"], func(t *testing.T) {
				method, err := ByName(g.method)
				if err != nil {
					t.Fatal(err)
				}
				first, own := spanningRelease(t, method, g.arguments, kind.name, kind.widths, 1, kind.value)
				second, _ := spanningRelease(t, method, g.arguments, kind.name, kind.widths, 2, kind.value)
				if len(first.Dictionary) < 900 || !slices.Equal(first.Dictionary, second.Dictionary) {
					t.Errorf("%d and %d values", len(first.Dictionary), len(second.Dictionary))
				}
				if !slices.EqualFunc(first.Cells, second.Cells, func(a, b anonymize.Cell) bool { return a.Label == b.Label && slices.Equal(a.Members, b.Members) }) {
					t.Errorf("cells tell of the numbers inside intervals: %v, %v", labelsOf(first), labelsOf(second))
				}
				checkEnds(t, first, own, kind.from, kind.to, kind.narrowest)
			})
		}
	}
}

// spanningRelease publishes 400 records of 100 intervals, and returns the column.
func spanningRelease(t *testing.T, m anonymize.Method, arguments anonymize.Arguments, sqlType string, widths []string, seed uint64,
	value func(int, float64) anonymize.Value) (*anonymize.FragmentColumn, *anonymize.Column) {
	t.Helper()
	same, inside := rand.New(rand.NewPCG(7, 7)), rand.New(rand.NewPCG(seed, 8))
	const rows = 400
	lat, ward, disease := make([]anonymize.Value, rows), make([]anonymize.Value, rows), make([]anonymize.Value, rows)
	for i := range rows {
		interval := same.IntN(100)
		if i < 3 {
			interval = []int{0, 0, 99}[i]
		}
		lat[i] = value(interval, inside.Float64())
		ward[i], disease[i] = anonymize.IntegerValue(int64(same.IntN(5))), anonymize.TextValue("d"+fmt.Sprint(same.IntN(8)))
	}
	c := anonymize.NewColumn("lat", sqlType, lat)
	paths, err := anonymize.IntervalPaths(c, widths, "0", anonymize.Value.String)
	if err != nil || !c.Spans() {
		t.Fatal(err, c.Spans())
	}
	tree, err := anonymize.TaxonomyOfPaths(paths, reader(c))
	if err != nil {
		t.Fatal(err)
	}
	in := &anonymize.Input{Rows: rows, Random: rand.NewPCG(3, 4),
		QuasiIdentifiers: []*anonymize.Column{c, anonymize.NewColumn("ward", "INT", ward)}, Sensitive: []*anonymize.Column{anonymize.NewColumn("disease", "TEXT", disease)},
		Domains: map[string]*anonymize.Domain{"lat": {Scale: anonymize.Semantic, Taxonomy: tree.Spanning()}}}
	r, err := m.Run(context.Background(), in, arguments)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(fmt.Sprint(r.Facts), "which numbers of") {
		t.Errorf("it warns of numbers: %v", r.Facts)
	}
	columns := r.Recode([]*anonymize.Column{c, in.QuasiIdentifiers[1], in.Sensitive[0]})
	if err := privacy.Complete(r, columns); err != nil {
		t.Error(err)
	}
	fragment, column, _ := r.Locate("lat")
	return r.Fragments[fragment].Columns[column], c
}

// reader reads what Value.String wrote.
func reader(c *anonymize.Column) func(string) (anonymize.Value, error) {
	kind := c.Dictionary[0].Kind
	return func(text string) (v anonymize.Value, err error) {
		switch kind {
		case anonymize.Integer:
			_, err = fmt.Sscan(text, &v.Int)
		case anonymize.Real:
			_, err = fmt.Sscan(text, &v.Float)
		case anonymize.Decimal:
			return anonymize.DecimalValue(text), nil
		}
		v.Kind = kind
		return v, err
	}
}

// checkEnds looks at the values, none of which is a record's, and at the ends of the cells.
func checkEnds(t *testing.T, c *anonymize.FragmentColumn, own *anonymize.Column, from, to, narrowest string) {
	t.Helper()
	for _, v := range c.Dictionary {
		if slices.Contains(own.Dictionary, v) {
			t.Errorf("%s is a record's", v)
		}
	}
	if got := c.Dictionary[0].String(); got != from {
		t.Errorf("the least value is %s, want %s", got, from)
	}
	if !slices.ContainsFunc(c.Dictionary, func(v anonymize.Value) bool { return v.String() == to }) {
		t.Errorf("%s is no value", to)
	}
	for _, cell := range c.Cells {
		if len(cell.Members) < 11 || cell.Label == narrowest && len(cell.Members) != 11 {
			t.Errorf("cell %s has %d values", cell.Label, len(cell.Members))
		}
	}
}

func labelsOf(c *anonymize.FragmentColumn) (labels []string) {
	for _, cell := range c.Cells {
		labels = append(labels, cell.Label)
	}
	return labels
}
