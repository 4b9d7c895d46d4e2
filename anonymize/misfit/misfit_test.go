package misfit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/impute"
	"github.com/anonsql/anonsql/testsize"
)

// small is a misfit to hold in the head.
func small() *Misfit {
	return &Misfit{Records: 100, Cells: 30, Pairs: []Pair{
		{A: "age", B: "disease", Ratio: 0.1, Invented: 0.05, Associated: 0.4, Cells: 20},
		{A: "age", B: "region", Ratio: 0.025, Cells: 4},
		{A: "disease", B: "region", Ratio: 0.2, Invented: 0.3, Associated: 0.31, Cells: 6},
	}}
}

func TestQuestions(t *testing.T) {
	for _, c := range []struct {
		columns     string
		ratio       float64
		independent bool
	}{
		{"", 0, false},
		{"age", 0, false},
		{"age sex", 0, false},
		{"age disease", 0.1, false},
		{"region disease", 0.2, true},
		{"age region", 0.025, false},
		{"age disease region", math.Sqrt(.1*.1 + .2*.2), false}, // .05^2 + .3^2 is less than .4^2 - .05^2 + .31^2 - .3^2
	} {
		columns := strings.Fields(c.columns)
		if got := small().Ratio(columns); math.Abs(got-c.ratio) > 1e-12 {
			t.Errorf("%q: ratio %g, want %g", c.columns, got, c.ratio)
		}
		if got := small().Independent(columns); got != c.independent {
			t.Errorf("%q: independent %t", c.columns, got)
		}
	}
}

func TestEncode(t *testing.T) {
	if older := small().Encode(); bytes.Contains(older, []byte("triples")) {
		t.Errorf("%s is not what older releases have", older)
	}
	tripled := small()
	tripled.Triples = []Triple{{"age", "disease", "region", 0.3}, {"age", "region", "sex", 0.05}}
	text := tripled.Encode()
	m, err := Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Pairs, small().Pairs) || !slices.Equal(m.Triples, tripled.Triples) || m.Records != 100 || m.Cells != 30 {
		t.Errorf("%s was read as %+v", text, m)
	}
	for n := range text {
		if _, err := Decode(text[:n]); err == nil {
			t.Errorf("the first %d bytes are read", n)
		}
	}
	for _, change := range []struct{ from, to string }{
		{`"r":0.1,`, `"r":0.11,`}, {`"r":0.1,`, ``}, {`"r":0.1,`, `"r":0.1,"x":1,`}, {`"r":0.1,`, `"r":0.1,"r":0.1,`},
		{`0.05,`, `-0.05,`}, {`0.05,`, `0.0501,`}, {`"age","b":"region"`, `"age","b":"county"`}, {`"b":"region"`, `"b":"age"`},
		{`"r":0.3}`, `"r":0.31}`}, {`"r":0.3}`, `"r":0}`}, {`"c":"sex"`, `"c":"day"`}, {`"a":"age","b":"disease","c"`, `"a":"zip","b":"disease","c"`},
		{`"b":"region","c":"sex"`, `"b":"county","c":"sex"`}, {`"cells":4`, `"cells":-4`}, {`"cells":4`, `"cells":31`}, {`"records":100`, `"records":0`}, {`}]}`, `}]} `}, {`}]}`, `}]}{}`},
	} {
		damaged := bytes.Replace(text, []byte(change.from), []byte(change.to), 1)
		if bytes.Equal(damaged, text) {
			t.Fatalf("%s is not there", change.from)
		}
		if _, err := Decode(damaged); err == nil {
			t.Errorf("%s is read", damaged)
		}
	}
}

func TestCheck(t *testing.T) {
	r := &anonymize.Release{Rows: 100}
	for _, names := range []string{"age sex", "disease", "region"} {
		f := &anonymize.Fragment{}
		for _, name := range strings.Fields(names) {
			f.Columns = append(f.Columns, &anonymize.FragmentColumn{Name: name})
		}
		r.Fragments = append(r.Fragments, f)
	}
	m := &Misfit{Records: 100, Pairs: pairsOf(r)}
	if err := m.Check(r); err != nil || len(m.Pairs) != 5 {
		t.Fatal(err, m.Pairs)
	}
	m.Records++
	if m.Check(r) == nil {
		t.Error("there are more records than the release has")
	}
	m.Records--
	m.Triples = []Triple{{"age", "disease", "sex", 0.1}}
	if err := m.Check(r); err != nil {
		t.Error(err)
	}
	for _, other := range []Triple{{"age", "sex", "zip", 0.1}, {"country", "county", "zip", 0.1}, {"age", "disease", "zip", 0.1}} {
		m.Triples[0] = other
		if m.Check(r) == nil {
			t.Errorf("%v is another release's", other)
		}
	}
	m.Triples = nil
	m.Pairs[2].B = "zip"
	if m.Check(r) == nil {
		t.Error("it is another release's")
	}
	m.Pairs = m.Pairs[1:]
	if m.Check(r) == nil {
		t.Error("a pair is missing")
	}
}

// published is a small release with completed tables.
func published(t testing.TB, rows int, name string, arguments ...string) (source, anonymize.Method, anonymize.Arguments, *anonymize.Release, *anonymize.Completion) {
	t.Helper()
	s := made(rows, 1)
	m, a := method(t, name, arguments...)
	r := s.released(t, m, a)
	c, err := impute.Complete(t.Context(), r, impute.Options{Tables: 3})
	if err != nil {
		t.Fatal(err)
	}
	return s, m, a, r, c
}

// Some groups of a release, and a release with a split, are releases.
func TestParts(t *testing.T) {
	_, _, _, r, c := published(t, 2000, "slppa", "beta", "0.25", "tables", "2")
	s, sc, _ := sampled(r, c, 700, rand.New(rand.NewPCG(1, 2)))
	if s.Rows > 700 || s.Rows < 690 {
		t.Errorf("%d of 700 records", s.Rows)
	}
	if err := errors.Join(s.Check(), sc.Check(t.Context(), s)); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for j, whole := range s.Fragments {
		if len(whole.Columns) == 1 {
			continue
		}
		apart := alternateSplit(j, len(whole.Columns)).apply(s)
		if err := apart.Check(); err != nil {
			t.Fatal(err)
		}
		if len(apart.Fragments) != len(s.Fragments)+1 || len(s.Fragments[j].Columns) != len(whole.Columns) {
			t.Errorf("%d fragments", len(apart.Fragments))
		}
		for g := range s.Groups() { // every value is as often in its group as before
			for _, column := range whole.Columns {
				f, i, _ := apart.Locate(column.Name)
				cut := apart.Fragments[f]
				if got, want := inGroup(cut, cut.Columns[i], g), inGroup(whole, column, g); !slices.Equal(got, want) {
					t.Fatalf("group %d has %v of %s, want %v", g, got, column.Name, want)
				}
			}
		}
		compared++
	}
	if compared == 0 {
		t.Error("no fragment has several columns")
	}
}

func inGroup(f *anonymize.Fragment, c *anonymize.FragmentColumn, g int) (codes []uint32) {
	for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
		for range f.Count[t] {
			codes = append(codes, c.Codes[t])
		}
	}
	slices.Sort(codes)
	return codes
}

// Every attribute of a fragment with others takes part in a split, of the widest fragments
// first. A single such fragment has none: of pairs that are asked for it would say nothing.
func TestSplitsTakeAll(t *testing.T) {
	for _, c := range []struct{ columns, split []int }{
		{[]int{4, 1}, nil},
		{[]int{1, 1, 1}, nil},
		{[]int{2, 1, 3}, []int{2, 0}},
		{[]int{2, 3, 2, 4}, []int{3, 1, 0}}, // no more than maxSplits
	} {
		r := &anonymize.Release{}
		for _, n := range c.columns {
			r.Fragments = append(r.Fragments, &anonymize.Fragment{Columns: make([]*anonymize.FragmentColumn, n)})
		}
		var fragments []int
		for _, s := range splitsOf(r) {
			if n := len(s.moved); n != c.columns[s.fragment] || !slices.Contains(s.moved, true) || !slices.Contains(s.moved, false) {
				t.Errorf("of %v columns: the split %v", c.columns, s)
			}
			fragments = append(fragments, s.fragment)
		}
		if !slices.Equal(fragments, c.split) {
			t.Errorf("of %v columns the fragments %v are split, want %v", c.columns, fragments, c.split)
		}
	}
}

// Cells are those of a plain count, record by record.
func TestCompare(t *testing.T) {
	s, _, _, r, c := published(t, 1500, "slppa", "beta", "0.25", "tables", "2")
	all, err := (&subject{r, c, s.table, 12, nil}).compare(t.Context(), 2, everyPair)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(pairsOf(r)) {
		t.Fatalf("%d pairs", len(all))
	}
	for _, pair := range all {
		a, b := s.table.Column(pair.a), s.table.Column(pair.b)
		known := make(map[[2]uint32]float64)
		for record := range s.table.Rows {
			known[[2]uint32{a.Codes[record], b.Codes[record]}]++
		}
		var want []cell
		for x := range a.Dictionary {
			for y := range b.Dictionary {
				if n := known[[2]uint32{uint32(x), uint32(y)}]; n >= 12 {
					want = append(want, counts(r, c, pair, uint32(x), uint32(y), n))
				}
			}
		}
		if !slices.EqualFunc(pair.cells, want, func(a, b cell) bool {
			return a.known == b.known && math.Abs(a.independent-b.independent) < 1e-9 && math.Abs(a.mean-b.mean) < 1e-9 && math.Abs(a.variance-b.variance) < 1e-9
		}) {
			t.Errorf("%s and %s: %v, want %v", pair.a, pair.b, pair.cells, want)
		}
	}
}

// counts is one cell, the slow way.
func counts(r *anonymize.Release, c *anonymize.Completion, pair comparison, x, y uint32, known float64) cell {
	i, u, _ := r.Locate(pair.a)
	j, v, _ := r.Locate(pair.b)
	one, other := repeated(r.Fragments[i], r.Fragments[i].Columns[u], r.Rows), repeated(r.Fragments[j], r.Fragments[j].Columns[v], r.Rows)
	result := cell{known: known}
	var tables []float64
	for d := range c.Tables {
		n, first := 0.0, 0
		for _, size := range r.GroupSizes {
			for s := first; s < first+int(size); s++ {
				at, to := s, first+int(c.Narrow[d][j-1][s])
				if i > 0 {
					at = first + int(c.Narrow[d][i-1][s])
				}
				if one[at] == x && other[to] == y {
					n++
				}
				for k := first; d == 0 && k < first+int(size); k++ {
					if one[s] == x && other[k] == y {
						result.independent += 1 / float64(size)
					}
				}
			}
			first += int(size)
		}
		tables = append(tables, n)
		result.mean += n / float64(c.Tables)
	}
	for _, n := range tables {
		result.variance += (n - result.mean) * (n - result.mean) / float64(c.Tables-1)
	}
	return result
}

// Where there are too many values, those of the largest cells are left.
func TestManyValues(t *testing.T) {
	column := func(values int) *anonymize.Column {
		c := &anonymize.Column{Dictionary: make([]anonymize.Value, values)}
		for code := range values {
			c.Codes = append(c.Codes, slices.Repeat([]uint32{uint32(code)}, 2)...)
		}
		c.Codes = append(c.Codes, 0, 0) // one value has four records
		return c
	}
	for _, c := range []struct{ values, cells int }{{4000, 4000}, {5000, 1}} {
		if got := len(newTally(codedOf(column(c.values)), codedOf(column(c.values)), 2).cells); got != c.cells {
			t.Errorf("%d values: %d cells, want %d", c.values, got, c.cells)
		}
	}
}

// A ratio misses one cell in twenty-five at most, and one cell is not enough to raise it.
func TestRatio(t *testing.T) {
	of := func(errors ...float64) float64 {
		var c comparison
		for _, e := range errors {
			c.cells = append(c.cells, cell{known: 100 - 100*e, mean: 100})
		}
		return c.ratio(1)
	}
	fifty := append(slices.Repeat([]float64{0}, 47), 0.11, 0.11, 0.11)
	for _, c := range []struct {
		got, want float64
	}{
		{of(), 0}, {of(0.4), 0}, {of(0.4, 0), 0}, {of(0.4, 0.11), 0.1}, {of(0.4, -0.11), 0.1}, {of(0.7, 0.5), 0.5}, {of(1.9, 1.9), 1},
		{of(fifty...), 0.1}, {of(fifty[1:49]...), 0.1}, {of(fifty[:49]...), 0.1}, {of(append(fifty[:49:49], 0)...), 0},
	} {
		if c.got != c.want {
			t.Errorf("ratio %g, want %g", c.got, c.want)
		}
	}
}

// A pair of which nothing is known is not one without misfit.
func TestUnmeasured(t *testing.T) {
	r := &anonymize.Release{Rows: 100, Fragments: []*anonymize.Fragment{
		{Columns: []*anonymize.FragmentColumn{{Name: "age"}}}, {Columns: []*anonymize.FragmentColumn{{Name: "sex"}}}, {Columns: []*anonymize.FragmentColumn{{Name: "zip"}}}}}
	cells := func(errors float64, n int) []cell {
		return slices.Repeat([]cell{{known: 100 - 100*errors, mean: 100}}, n)
	}
	for _, c := range []struct {
		known []cell // of age and sex
		want  string // ratios of age and sex, age and zip, sex and zip
	}{{nil, "0.1 0.1 0.1"}, {cells(0, 30), "0 0.1 0.1"}, {cells(0.3, 30), "0.3 0.3 0.3"}, {cells(0.3, 1), "0 0.1 0.1"}, {cells(0.3, 2), "0.3 0.3 0.3"}} {
		var got []string
		for _, p := range concluded(t, r, nil, []comparison{{a: "age", b: "sex", cells: c.known}}) {
			got = append(got, fmt.Sprint(p.Ratio))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%d cells: %v, want %s", len(c.known), got, c.want)
		}
	}
}

// Re-publications count together, pair by pair: what one of them misses alone is luck, and a
// pair of few cells stays one, however often its cells were compared.
func TestMerged(t *testing.T) {
	luck := merged(merged(nil, []comparison{missing("a", "b", 25, 2, .4)}), []comparison{missing("b", "a", 25, 0, 0), missing("a", "c", 12, 1, .4)})
	both, one := find(luck, &Pair{A: "a", B: "b"}), find(luck, &Pair{A: "a", B: "c"})
	if len(luck) != 2 || len(both.cells) != 50 || both.times != 2 || len(one.cells) != 12 || one.times != 1 {
		t.Fatalf("%d pairs, one of %d cells %d times, one of %d cells %d times", len(luck), len(both.cells), both.times, len(one.cells), one.times)
	}
	if alone := missing("a", "b", 25, 2, .4); alone.ratio(1) == 0 || both.ratio(1) != 0 {
		t.Errorf("the ratio is %v alone, and %v of both", alone.ratio(1), both.ratio(1))
	}
	twice := merged(merged(nil, []comparison{missing("a", "b", 12, 1, .4)}), []comparison{missing("a", "b", 12, 1, .4)})
	if !hasFewCells(&twice[0]) || hasFewCells(both) || twice[0].ratio(1) == 0 {
		t.Errorf("few %t and %t, the ratio of a cell missed twice is %v", hasFewCells(&twice[0]), hasFewCells(both), twice[0].ratio(1))
	}
}

// What all re-publications miss lasts in the mean of theirs; what one misses alone is luck.
// Cells that not all of them have are left out.
func TestLasting(t *testing.T) {
	// A half width is t sqrt(9/8 * 20) = 11.2 of one publication, 7.9 of the mean of two.
	publication := func(missed ...float64) comparison {
		c := comparison{a: "a", b: "b"}
		for i, by := range missed {
			c.cells = append(c.cells, cell{known: 100 + by, independent: 90, mean: 100, variance: 20, at: 7 * i})
		}
		return c
	}
	for _, c := range []struct {
		name        string
		one, other  comparison
		cells       int
		known       float64 // of the first cell
		alone, mean float64 // ratios
	}{
		{"both miss the same", publication(11, 11, 11), publication(11, 11, 11), 3, 111, 0, 0.1},
		{"each misses the other way", publication(11, 11, 11), publication(-11, -11, -11), 3, 100, 0, 0},
		{"one misses", publication(11, 11, 11), publication(0, 0, 0), 3, 105.5, 0, 0},
		{"one has fewer cells", publication(11, 11, 11), publication(11, 11), 2, 111, 0, 0.1},
	} {
		again := merged(merged(nil, []comparison{c.one}), []comparison{c.other})
		means := persistentCells(again)
		if len(means) != 1 || len(means[0].cells) != c.cells || means[0].times != 1 {
			t.Fatalf("%s: %+v", c.name, means)
		}
		if first := means[0].cells[0]; first.known != c.known || first.mean != 100 || first.variance != 10 || first.independent != 90 {
			t.Errorf("%s: the first cell is %+v", c.name, first)
		}
		if got := again[0].ratio(1); got != c.alone {
			t.Errorf("%s: the ratio of all cells is %v, want %v", c.name, got, c.alone)
		}
		if got := means[0].ratio(1); got != c.mean {
			t.Errorf("%s: the ratio of their means is %v, want %v", c.name, got, c.mean)
		}
	}
	if one := merged(nil, []comparison{missing("a", "b", 3, 0, 0)}); len(persistentCells(one)[0].cells) != 3 {
		t.Error("cells of one publication are not what lasts of it")
	}
}

// The same release gives the same misfit, on any number of cores; another end of the
// context gives none.
func TestSame(t *testing.T) {
	persons, records := 2000, 1200
	if !testsize.All() {
		persons, records = 400, 300
	}
	s, m, a, r, c := published(t, persons, "anatomy", "l", "4")
	last := 0
	one, err := Measure(t.Context(), r, c, Recipe{m, a, s.roles, nil}, Options{Workers: 1, Records: records, Progress: func(phase string, done, total int) {
		if done < last || done > total || phase == "" {
			t.Errorf("%s: %d of %d after %d", phase, done, total, last)
		}
		last = done
	}})
	if err != nil {
		t.Fatal(err)
	}
	two, err := Measure(t.Context(), r, c, Recipe{m, a, s.roles, nil}, Options{Workers: 2, Records: records})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Encode(), two.Encode()) {
		t.Errorf("%s on one core, %s on two", one.Encode(), two.Encode())
	}
	if err := one.Check(r); err != nil || one.Records > records || one.Records < records*11/12 || last == 0 {
		t.Error(err, one.Records, last)
	}
	if read, err := Decode(one.Encode()); err != nil || read.Check(r) != nil {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Measure(ended, r, c, Recipe{m, a, s.roles, nil}, Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestRefuse(t *testing.T) {
	s, m, a, r, c := published(t, 500, "anatomy", "l", "4")
	var refused *impute.RefusedError
	forged := *r
	forged.Forged = 1
	if _, err := Measure(t.Context(), &forged, c, Recipe{m, a, s.roles, nil}, Options{}); !errors.As(err, &refused) {
		t.Error(err)
	}
	if _, err := Measure(t.Context(), r, &anonymize.Completion{Tables: 3}, Recipe{m, a, s.roles, nil}, Options{}); err == nil {
		t.Error("no completed tables are taken")
	}
	var parameter *anonymize.ParameterError
	if _, err := Measure(t.Context(), r, c, Recipe{m, anonymize.Arguments{"l": "x"}, s.roles, nil}, Options{}); !errors.As(err, &parameter) {
		t.Error(err)
	}
	var infeasible *anonymize.InfeasibleError
	fitted := func(phase string, done, total int) {
		t.Errorf("%s: %d of %d, though nothing can be published", phase, done, total)
	}
	if _, err := Measure(t.Context(), r, c, Recipe{m, anonymize.Arguments{"l": "8"}, s.roles, nil}, Options{Records: 100, Progress: fitted}); !errors.As(err, &infeasible) {
		t.Error(err)
	}
}

func codedOf(c *anonymize.Column) coded { return coded{c.Codes, c.Histogram(), nil} }
