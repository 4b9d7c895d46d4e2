package datapackage

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/contingency"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// awkward are texts that some CSV reader misreads.
var awkward = []string{"", " leading", "trailing ", "a,b", `say "x"`, "two\nlines", "win\r\ndows", "\r", "NULL", `\N`, "çedilla 数", "[1-2]", "'", "\t"}

// sampled makes a release of two fragments by hand: 3 groups of 4 records, points of every kind, and cells that are
// intervals, sets, weighted, or share labels.
func sampled(t testing.TB) *Package {
	t.Helper()
	instants := []anonymize.Value{anonymize.NullValue, anonymize.InstantValue(-1), anonymize.InstantValue(86_400_000_000)}
	points := []*anonymize.Column{
		anonymize.NewColumn("a text", "varchar(20)", texts(awkward[:12])),
		anonymize.NewColumn("real", "double", cycle(12, anonymize.RealValue(0.1), anonymize.RealValue(1e300), anonymize.NullValue)),
		anonymize.NewColumn("decimal", "decimal(5,2)", cycle(12, anonymize.DecimalValue("-0.50"), anonymize.DecimalValue("12.00"))),
		anonymize.NewColumn("odd", "decimal(65,0)", cycle(12, anonymize.DecimalValue("1234567890123456789012345"), anonymize.DecimalValue("7"))),
		anonymize.NewColumn("big", "bigint unsigned", cycle(12, anonymize.IntegerValue(-3), anonymize.DecimalValue("18446744073709551615"))),
		anonymize.NewColumn("at", "datetime(6)", cycle(12, instants...)),
		anonymize.NewColumn("born", "date", cycle(12, anonymize.InstantValue(-86_400_000_000*20000), anonymize.InstantValue(0))),
		anonymize.NewColumn("bytes", "varbinary(9)", cycle(12, anonymize.TextValue("\xff\x00"), anonymize.TextValue("plain"), anonymize.NullValue)),
		anonymize.NewColumn("nothing", "int", cycle(12, anonymize.NullValue)),
	}
	ages := anonymize.NewColumn("age", "int", append([]anonymize.Value{anonymize.NullValue}, integers(20, 31)...))
	cells := &anonymize.FragmentColumn{Name: "age", Type: "int", Dictionary: ages.Dictionary, Codes: []uint32{0, 1, 2, 3, 0, 1, 4, 5}}
	cells.Cells = []anonymize.Cell{
		{Label: "*", Members: []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
		{Label: "[20-22]", Members: []uint32{1, 2, 3}},
		{Label: "{20,22}", Members: []uint32{1, 3, 4, 9}},
		{Label: "flu", Members: []uint32{2, 3}, Weights: []float64{0.25, 0.75}},
		{Label: "flu", Members: []uint32{5}},
		{Label: "NULL", Members: []uint32{0}},
	}
	r := &anonymize.Release{Method: "slppa", Rows: 12, GroupSizes: []uint32{4, 4, 4}, Fragments: []*anonymize.Fragment{
		{Name: "qi1", Role: anonymize.QuasiIdentifying, GroupStart: []uint32{0, 4, 6, 8}, Count: []uint32{1, 1, 1, 1, 2, 2, 1, 3}, Columns: []*anonymize.FragmentColumn{cells}},
		ungrouped("qi2", points), ungrouped("sa", []*anonymize.Column{anonymize.NewColumn("disease", "varchar(20)", texts(awkward[2:14]))}),
	}}
	r.Fragments[2].Role = anonymize.Sensitive
	guarantees, err := privacy.Verify(r)
	if err != nil {
		t.Fatal(err)
	}
	bound := anonymize.NewRatio(1, 3)
	for i := range guarantees {
		if guarantees[i].Name == "beta" {
			guarantees[i].Required = &bound
		}
	}
	p := &Package{Name: "Sample$1", Version: 3, Release: r, Sensitive: []string{"disease"},
		Parameters: map[string]string{"beta": "1/3"}, Guarantees: guarantees, Published: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Calibration: json.RawMessage(`{"Queries":1}`)}
	for _, f := range r.Fragments {
		for _, c := range f.Columns {
			p.Columns = append(p.Columns, c.Name)
		}
	}
	p.QuasiIdentifiers = slices.Clone(p.Columns[:len(p.Columns)-1])
	return p
}

func texts(list []string) (values []anonymize.Value) {
	for _, text := range list {
		values = append(values, anonymize.TextValue(text))
	}
	return values
}

func integers(from, to int64) (values []anonymize.Value) {
	for i := from; i < to; i++ {
		values = append(values, anonymize.IntegerValue(i))
	}
	return values
}

func cycle(n int, values ...anonymize.Value) (list []anonymize.Value) {
	for i := range n {
		list = append(list, values[i%len(values)])
	}
	return list
}

// ungrouped puts each four records into a group, with a tuple for each record.
func ungrouped(name string, columns []*anonymize.Column) *anonymize.Fragment {
	f := &anonymize.Fragment{Name: name, Role: anonymize.QuasiIdentifying, GroupStart: []uint32{0}}
	for _, c := range columns {
		f.Columns = append(f.Columns, &anonymize.FragmentColumn{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary})
	}
	for g := range 3 {
		rows := []int{4 * g, 4*g + 1, 4*g + 2, 4*g + 3}
		slices.SortFunc(rows, func(a, b int) int {
			for _, c := range columns {
				if d := int(c.Codes[a]) - int(c.Codes[b]); d != 0 {
					return d
				}
			}
			return 0
		})
		for _, row := range rows {
			for i, c := range columns {
				f.Columns[i].Codes = append(f.Columns[i].Codes, c.Codes[row])
			}
			f.Count = append(f.Count, 1)
		}
		f.GroupStart = append(f.GroupStart, uint32(len(f.Count)))
	}
	return f
}

// written writes a package and returns its folder.
func writtenFolder(t testing.TB, p *Package, f Format) string {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if _, _, err := Write(context.Background(), root, "out", p, WriteOptions{Format: f}); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "out")
}

// A package has an exact round trip in both formats; only unused values of a dictionary may differ.
func TestRoundTrip(t *testing.T) {
	p := sampled(t)
	for _, format := range Formats() {
		folder := writtenFolder(t, p, format)
		got, err := Read(context.Background(), os.DirFS(folder), Limits{})
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		for i, f := range got.Release.Fragments {
			want := p.Release.Fragments[i]
			if !reflect.DeepEqual(f, want) {
				t.Errorf("%s: fragment %s is\n%+v\nwas\n%+v", format, want.Name, f, want)
				for j, c := range f.Columns {
					if !reflect.DeepEqual(c, want.Columns[j]) {
						t.Errorf("column %s is\n%+v\nwas\n%+v", c.Name, c, want.Columns[j])
					}
				}
			}
		}
		if want := json.RawMessage(strings.ReplaceAll(string(p.Calibration), " ", "")); !equalJSON(got.Calibration, want) {
			t.Errorf("%s: the calibration is %s", format, got.Calibration)
		}
		got.Calibration = p.Calibration
		if !reflect.DeepEqual(got, p) {
			t.Errorf("%s: the package is\n%+v\nwas\n%+v", format, got, p)
		}
	}
}

// Names that are long, and differ in their last letters alone, lead to files of different names, which are read.
func TestLongNames(t *testing.T) {
	for _, size := range []int{40, 64, 150} {
		p := sampled(t)
		p.Name = strings.Repeat("r", size)
		name := strings.Repeat("A ", 32)
		p.Columns[0], p.QuasiIdentifiers[0], p.Release.Fragments[0].Columns[0].Name = name, name, name
		for _, format := range Formats() {
			folder := writtenFolder(t, p, format)
			got, err := Read(context.Background(), os.DirFS(folder), Limits{})
			if err != nil {
				t.Fatalf("%d, %s: %v", size, format, err)
			}
			if !reflect.DeepEqual(got.Release.Fragments, p.Release.Fragments) {
				t.Errorf("%d, %s: the fragments are\n%+v\nwere\n%+v", size, format, got.Release.Fragments, p.Release.Fragments)
			}
			if files, err := filepath.Glob(filepath.Join(folder, "*_values."+string(format))); err != nil || len(files) != 1 || len(filepath.Base(files[0])) > 110 {
				t.Errorf("%d, %s: the values are in %q, %v", size, format, files, err)
			}
		}
	}
}

// Decimals with the same float64 have their own order in a package, or, in older programs' packages, the order of their texts.
func TestOrderOfDecimals(t *testing.T) {
	for _, c := range []struct{ low, high, failure string }{
		{"9999999999999999999", "10000000000000000000", ""},
		{"10000000000000000000", "9999999999999999999", ""},
		{"-10000000000000000000", "-9999999999999999999", ""},
		{"-9999999999999999999", "-10000000000000000000", "out of order"},
		{"10000000000000000000", "9999999999999990000", "out of order"},
	} {
		p := sampled(t)
		ages := p.Release.Fragments[0].Columns[0]
		for i := range 9 {
			ages.Dictionary[1+i] = anonymize.DecimalValue(fmt.Sprintf("-%d00000000000000000000", 9-i))
		}
		ages.Dictionary = append(ages.Dictionary[:10], anonymize.DecimalValue(c.low), anonymize.DecimalValue(c.high))
		got, err := Read(context.Background(), os.DirFS(writtenFolder(t, p, CSV)), Limits{})
		if c.failure != "" && (err == nil || !strings.Contains(err.Error(), c.failure)) {
			t.Errorf("%s, %s: %v, want %q", c.low, c.high, err, c.failure)
		}
		if c.failure == "" && (err != nil || !reflect.DeepEqual(got.Release.Fragments, p.Release.Fragments)) {
			t.Errorf("%s, %s: %v, or other fragments", c.low, c.high, err)
		}
	}
}

// The tuples show which order a program used.
func TestOrderOfTuples(t *testing.T) {
	for _, older := range []bool{false, true} {
		p := sampled(t)
		disease := p.Release.Fragments[2].Columns[0]
		for i := range disease.Dictionary { // all of them share a float64
			disease.Dictionary[i] = anonymize.DecimalValue(fmt.Sprintf("-10000000000000000000%02d", i))
		}
		if !older {
			slices.Reverse(disease.Dictionary)
		}
		var err error
		if p.Guarantees, err = privacy.Verify(p.Release); err != nil {
			t.Fatal(err)
		}
		got, err := Read(context.Background(), os.DirFS(writtenFolder(t, p, CSV)), Limits{})
		if err != nil || !reflect.DeepEqual(got.Release.Fragments, p.Release.Fragments) {
			t.Errorf("older %t: %v, or other fragments", older, err)
		}
	}
}

// A release with a model is read as it was written. A model that is not of the release's records is refused.
func TestModelRoundTrip(t *testing.T) {
	p := sampled(t)
	columns := []*anonymize.Column{anonymize.NewColumn("decimal", "decimal(5,2)", cycle(12, anonymize.DecimalValue("-0.50"), anonymize.DecimalValue("12.00"))),
		anonymize.NewColumn("bytes", "varbinary(9)", cycle(12, anonymize.TextValue("\xff\x00"), anonymize.TextValue("plain"), anonymize.NullValue))}
	sensitive := anonymize.NewColumn("disease", "varchar(20)", texts(awkward[2:14]))
	model, err := contingency.Count(p.Release, columns, sensitive, contingency.Options{Least: 2, Base: 1})
	if err != nil {
		t.Fatal(err)
	}
	p.Release.Model = model
	folder := writtenFolder(t, p, CSV)
	if got, err := Read(context.Background(), os.DirFS(folder), Limits{}); err != nil || !reflect.DeepEqual(got.Release.Model, model) {
		t.Fatalf("%v: the model is\n%+v\nwas\n%+v", err, got.Release.Model, model)
	}
	for reason, change := range map[string]func(m *anonymize.Model){
		"other numbers of records by disease": func(m *anonymize.Model) { m.Categories[0].Records++ },
		"other numbers of records by decimal": func(m *anonymize.Model) { m.Tables[0].Categories[1].Records = 0 },
		"is no quasi-identifier":              func(m *anonymize.Model) { m.Tables[0].Attribute = "disease" },
		"which no fragment has":               func(m *anonymize.Model) { m.Sensitive = "none" },
		"weights in":                          func(m *anonymize.Model) { m.Tables[0].Weight = m.Tables[0].Weight[1:] },
		"tells a weight of 1000":              func(m *anonymize.Model) { m.Tables[0].Weight[0] = 1000 },
	} {
		lying := &anonymize.Model{}
		text, err := json.Marshal(model)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, lying); err != nil {
			t.Fatal(err)
		}
		change(lying)
		p.Release.Model = lying
		if _, err := Read(context.Background(), os.DirFS(writtenFolder(t, p, CSV)), Limits{}); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("want %q: %v", reason, err)
		}
	}
}

// A release with units has an exact round trip, and its files have the numbers of units. A package that claims units without their numbers is
// refused.
func TestUnitsRoundTrip(t *testing.T) {
	r := anontest.Visits(t)
	p := &Package{Name: "visits", Version: 1, Release: r, QuasiIdentifiers: []string{"sex", "ward"}, Sensitive: []string{"illness"},
		Unit: []string{"patient"}, MovedDays: 30, Partial: true, Columns: []string{"sex", "ward", "illness"}}
	for _, format := range Formats() {
		folder := os.DirFS(writtenFolder(t, p, format))
		got, err := Read(context.Background(), folder, Limits{})
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		if !reflect.DeepEqual(got.Release, r) || !slices.Equal(got.Unit, p.Unit) || got.MovedDays != 30 || !got.Partial {
			t.Errorf("%s: the release of units %v is\n%+v\nwas\n%+v", format, got.Unit, got.Release, r)
		}
	}
	folder := writtenFolder(t, p, CSV)
	sa, err := os.ReadFile(filepath.Join(folder, "visits_sa.csv"))
	if want := "gid,illness,count,units\n1,asthma,3,2\n1,cold,2,2\n1,flu,1,1\n2,cold,1,1\n2,flu,2,1\n"; err != nil || string(sa) != want {
		t.Errorf("%s, %v\nwant %s", sa, err, want)
	}
	descriptor, err := os.ReadFile(filepath.Join(folder, DescriptorName))
	if err != nil {
		t.Fatal(err)
	}
	for from, reason := range map[string]string{`"unit": [`: "3 fields", `"patient"`: "names units"} {
		to := map[string]string{`"unit": [`: `"none": [`, `"patient"`: `"sex"`}[from]
		if err := os.WriteFile(filepath.Join(folder, DescriptorName), []byte(strings.Replace(string(descriptor), from, to, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(context.Background(), os.DirFS(folder), Limits{}); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("with %s for %s: %v", to, from, err)
		}
	}
}

// The package names the release's weight; a column that is not a quasi-identifier of positive numbers is refused.
func TestWeightRoundTrip(t *testing.T) {
	p := &Package{Name: "visits", Version: 1, Release: anontest.Visits(t), QuasiIdentifiers: []string{"sex", "ward"}, Sensitive: []string{"illness"},
		Unit: []string{"patient"}, Weight: "ward", WeightDeviation: 0.05, Columns: []string{"sex", "ward", "illness"}}
	at, column, _ := p.Release.Locate("ward")
	ward := p.Release.Fragments[at].Columns[column]
	for i := range ward.Dictionary {
		ward.Dictionary[i] = anonymize.RealValue(float64(i) + 0.5)
	}
	got, err := Read(context.Background(), os.DirFS(writtenFolder(t, p, CSV)), Limits{})
	if err != nil || got.Weight != "ward" || got.WeightDeviation != 0.05 {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, change := range []func(){func() { p.Weight = "sex" }, func() { p.Weight = "illness" }, func() { p.Weight, p.WeightDeviation = "ward", 2 }} {
		change()
		if _, err := Read(context.Background(), os.DirFS(writtenFolder(t, p, CSV)), Limits{}); err == nil || !strings.Contains(err.Error(), "weight is") {
			t.Errorf("the weight %s, %g: %v", p.Weight, p.WeightDeviation, err)
		}
	}
}

func equalJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// Nothing is left next to a package, and an existing one is overwritten only on request.
func TestWriteWhole(t *testing.T) {
	p, dir := sampled(t), t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	write := func(name string, o WriteOptions) error {
		_, _, err := Write(context.Background(), root, name, p, o)
		return err
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "away")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "mine"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", ".", "..", "../x", "/tmp/x", "a/../../x", "a//b", ".hidden", "a/.b", `a\b`, "a\x00b", "away/x", "mine", "-rf", "a/-rf", "a\nb", "a\u202eb", "a\xffb"} {
		if err := write(name, WriteOptions{Overwrite: true}); err == nil {
			t.Errorf("%q was written", name)
		}
	}
	if err := write("2026/sample", WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := write("2026/sample", WriteOptions{Format: Parquet}); err == nil || !strings.Contains(err.Error(), "overwrite=true") {
		t.Errorf("a package was overwritten: %v", err)
	}
	if err := write("2026/sample", WriteOptions{Format: Parquet, Overwrite: true}); err != nil {
		t.Error(err)
	}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Write(canceled, root, "late", p, WriteOptions{}); err == nil {
		t.Error("a canceled export wrote")
	}
	var found []string
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if !d.IsDir() && !strings.HasSuffix(name, ".parquet") {
			found = append(found, name)
		}
		if strings.HasPrefix(d.Name(), ".") && name != "." {
			t.Errorf("%s is left", name)
		}
		return err
	})
	if want := []string{"2026/sample/README.md", "2026/sample/datapackage.json", "away"}; err != nil || !slices.Equal(found, want) {
		t.Errorf("the folder has %v, %v", found, err)
	}
}

// The README of CSV says how pandas keeps texts such as NA and 01234.
func TestReadmeKeepsTexts(t *testing.T) {
	for _, format := range Formats() {
		readme, err := os.ReadFile(filepath.Join(writtenFolder(t, sampled(t), format), "README.md"))
		if says := strings.Contains(string(readme), `keep_default_na=False, na_values=r["schema"]["missingValues"],`); err != nil || says != (format == CSV) {
			t.Errorf("%s: %v:\n%s", format, err, readme)
		}
	}
}

// TestRunsOfCells: a cell of NULL and of numbers has a line for each, so that the numbers have both their ends.
func TestRunsOfCells(t *testing.T) {
	c := &anonymize.FragmentColumn{Name: "age", Type: "int", Dictionary: []anonymize.Value{anonymize.NullValue, anonymize.IntegerValue(18), anonymize.IntegerValue(19), anonymize.IntegerValue(20)},
		Cells: []anonymize.Cell{{Label: "{NULL,[18-19]}", Members: []uint32{0, 1, 2}}, {Label: "[18-20]", Members: []uint32{1, 2, 3}}, {Label: "NULL", Members: []uint32{0}}}}
	lines := cellTable("cells", c, integerKind, c.Dictionary)
	for i := range c.Cells {
		lines.addCell(uint32(i), &c.Cells[i], []uint32{0, 1, 2, 3})
	}
	var got []string
	for row := range lines.rows {
		got = append(got, fmt.Sprint(lines.columns[0].codes[row], " ", c.Dictionary[lines.columns[2].codes[row]], " ", c.Dictionary[lines.columns[3].codes[row]]))
	}
	if want := "0 NULL NULL, 0 18 19, 1 18 20, 2 NULL NULL"; strings.Join(got, ", ") != want {
		t.Errorf("lines are %s, want %s", strings.Join(got, ", "), want)
	}
}
