package generalization

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

func text(values ...string) []anonymize.Value {
	list := make([]anonymize.Value, len(values))
	for i, v := range values {
		if list[i] = anonymize.TextValue(v); v == "NULL" {
			list[i] = anonymize.NullValue
		}
	}
	return list
}

func integers(values ...string) []anonymize.Value {
	list := make([]anonymize.Value, len(values))
	for i, v := range values {
		if n, err := strconv.ParseInt(v, 10, 64); err == nil {
			list[i] = anonymize.IntegerValue(n)
		}
	}
	return list
}

// partitionOf puts record i into group[i].
func partitionOf(group ...uint32) *bucketization.Partition {
	records := anonymize.Indices(len(group))
	return bucketization.NewPartition(records, group, int(slices.Max(group))+1)
}

func jobs(t *testing.T) *anonymize.Taxonomy {
	t.Helper()
	tree, err := anonymize.TaxonomyOfPaths([][]string{
		{"nurse", "health", "*"}, {"doctor", "health", "*"}, {"vet", "health", "*"}, {"lawyer", "law", "*"}, {"judge", "law", "*"},
	}, func(text string) (anonymize.Value, error) { return anonymize.TextValue(text), nil })
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// The cells of classes {0,1}, {2,3}, {4}, by scale: label, values, penalty.
func TestCells(t *testing.T) {
	type cell struct {
		label   string
		values  []anonymize.Value
		penalty float64
	}
	null := anonymize.TextValue("NULL")
	for name, c := range map[string]struct {
		values []anonymize.Value
		domain *anonymize.Domain
		want   [3]cell
	}{
		"numbers": {integers("16", "19", "30", "24", "20"), &anonymize.Domain{Scale: anonymize.Numeric}, [3]cell{
			{"[16-19]", integers("16", "17", "18", "19"), 3. / 14},
			{"[24-30]", integers("24", "25", "26", "27", "28", "29", "30"), 6. / 14},
			{"20", integers("20"), 0}}},
		"numbers and NULL": {integers("NULL", "19", "30", "24", "NULL"), &anonymize.Domain{Scale: anonymize.Numeric}, [3]cell{
			{"{NULL,19}", integers("NULL", "19"), 0},
			{"[24-30]", integers("24", "25", "26", "27", "28", "29", "30"), 6. / 11},
			{"NULL", integers("NULL"), 0}}},
		"sets": {text("c", "a", "b", "b", "d"), &anonymize.Domain{Scale: anonymize.Nominal}, [3]cell{
			{"{a,c}", text("a", "c"), 2. / 4}, {"b", text("b"), 0}, {"d", text("d"), 0}}},
		"the text NULL beside NULL": {[]anonymize.Value{anonymize.NullValue, null, null, anonymize.TextValue("a"), null}, &anonymize.Domain{Scale: anonymize.Nominal}, [3]cell{
			{"{NULL,'NULL'}", []anonymize.Value{anonymize.NullValue, null}, 2. / 3}, {"{'NULL',a}", []anonymize.Value{null, anonymize.TextValue("a")}, 2. / 3}, {"'NULL'", []anonymize.Value{null}, 0}}},
		"an order": {text("low", "high", "mid", "high", "top"), &anonymize.Domain{Scale: anonymize.Ordinal, Order: text("low", "mid", "high", "top")}, [3]cell{
			{"[low-high]", text("high", "low", "mid"), 2. / 3}, {"[mid-high]", text("high", "mid"), 1. / 3}, {"top", text("top"), 0}}},
		"a taxonomy": {text("doctor", "nurse", "judge", "nurse", "lawyer"), &anonymize.Domain{Scale: anonymize.Semantic, Taxonomy: jobs(t)}, [3]cell{
			{"health", text("doctor", "nurse", "vet"), 3. / 5}, {"*", text("doctor", "judge", "lawyer", "nurse", "vet"), 1}, {"lawyer", text("lawyer"), 0}}},
	} {
		a, err := NewAttribute(anonymize.NewColumn("x", "T", c.values), c.domain)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		g, err := a.Generalize(context.Background(), partitionOf(0, 0, 1, 1, 2))
		if err != nil {
			t.Fatal(err)
		}
		for class, want := range c.want {
			got := g.Cells[g.Of[class]]
			var values []anonymize.Value
			for _, m := range got.Members {
				values = append(values, g.Dictionary[m])
			}
			if got.Label != want.label || !slices.Equal(values, want.values) || !near(g.Penalty[g.Of[class]], want.penalty) {
				t.Errorf("%s, class %d: %s %v penalty %.4f\nwant %+v", name, class, got.Label, values, g.Penalty[g.Of[class]], want)
			}
		}
	}
}

func near(x, y float64) bool { return x-y < 1e-12 && y-x < 1e-12 }

// A published dictionary lists whole numbers, decimals and days that do not occur,
// unless they span too much.
func TestListed(t *testing.T) {
	const day = 86_400_000_000
	for name, c := range map[string]struct {
		values []anonymize.Value
		listed bool
		length int
	}{
		"whole numbers": {integers("5", "9"), true, 5},
		"days":          {[]anonymize.Value{anonymize.InstantValue(0), anonymize.InstantValue(9 * day)}, true, 10},
		"hours":         {[]anonymize.Value{anonymize.InstantValue(0), anonymize.InstantValue(day / 24)}, false, 2},
		"wide":          {integers("0", "1000000"), false, 2},
		"widest":        {integers("-9223372036854775808", "9223372036854775807"), false, 2},
		"cents":         {[]anonymize.Value{anonymize.DecimalValue("-0.05"), anonymize.DecimalValue("1.00")}, true, 106},
		"many cents":    {[]anonymize.Value{anonymize.DecimalValue("0.00"), anonymize.DecimalValue("1310.72")}, false, 2},
		"fractions":     {[]anonymize.Value{anonymize.RealValue(0.5), anonymize.RealValue(1)}, false, 2},
		"texts":         {text("a", "b"), false, 2},
	} {
		a, err := NewAttribute(anonymize.NewColumn("x", "T", c.values), anonymize.InferDomain(anonymize.NewColumn("x", "T", c.values)))
		if err != nil {
			t.Fatal(err)
		}
		if got := a.published(); a.Listed() != c.listed || len(got) != c.length || !slices.IsSortedFunc(got, anonymize.Compare) {
			t.Errorf("%s: listed %v, %d values", name, a.Listed(), len(got))
		}
	}
}

// A domain that does not fit its column is refused with the value in the way.
func TestDomainErrors(t *testing.T) {
	c := anonymize.NewColumn("job", "TEXT", text("nurse", "smith"))
	for name, d := range map[string]*anonymize.Domain{
		"numeric": {Scale: anonymize.Numeric}, "no taxonomy": {Scale: anonymize.Semantic},
		"no leaf": {Scale: anonymize.Semantic, Taxonomy: jobs(t)}, "no place": {Scale: anonymize.Ordinal, Order: text("nurse")}, "no scale": {Scale: "x"},
	} {
		if _, err := NewAttribute(c, d); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// Releases of random classes and groups are well-formed and complete, and every
// record's value is among the members of its cell.
func TestPublish(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		in, group := randomInput(random)
		attributes, err := NewAttributes(in)
		if err != nil {
			t.Fatal(err)
		}
		class := make([]uint32, in.Rows)
		for i := range class {
			class[i] = random.Uint32N(uint32(1 + in.Rows/3))
		}
		var gidOf []uint32
		in.Assigned = func(of []uint32) { gidOf = of }
		classes := compacted(class)
		r, generalized, err := Publish(context.Background(), "test", in, attributes, classes, compacted(group), random)
		if err != nil {
			t.Fatal(err)
		}
		if err := privacy.Complete(r, slices.Concat(in.QuasiIdentifiers, in.Sensitive)); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if p := MeanPenalty(generalized, classes); p < 0 || p > 1 {
			t.Fatalf("mean penalty %g", p)
		}
		f := r.Fragments[0]
		for record, gid := range gidOf {
			if !covers(f, gid, in, record) {
				t.Fatalf("seed %d: no tuple of group %d covers record %d", seed, gid, record)
			}
		}
	}
}

func covers(f *anonymize.Fragment, gid uint32, in *anonymize.Input, record int) bool {
	for tuple := f.GroupStart[gid]; tuple < f.GroupStart[gid+1]; tuple++ {
		all := true
		for i, c := range f.Columns {
			value := in.QuasiIdentifiers[i].Value(record)
			all = all && slices.ContainsFunc(c.Cells[c.Codes[tuple]].Members, func(m uint32) bool { return c.Dictionary[m] == value })
		}
		if all {
			return true
		}
	}
	return false
}

func compacted(group []uint32) *bucketization.Partition {
	number := map[uint32]uint32{}
	of := make([]uint32, len(group))
	for i, g := range group {
		if _, known := number[g]; !known {
			number[g] = uint32(len(number))
		}
		of[i] = number[g]
	}
	return partitionOf(of...)
}

func randomInput(random *rand.Rand) (in *anonymize.Input, group []uint32) {
	rows := 1 + random.IntN(40)
	var columns [3][]anonymize.Value
	for range rows {
		columns[0] = append(columns[0], integers([]string{"NULL", "3", "7", "9", "20"}[random.IntN(5)])[0])
		columns[1] = append(columns[1], text([]string{"nurse", "judge", "vet", "NULL"}[random.IntN(4)])[0])
		columns[2] = append(columns[2], text([]string{"u", "v", "w"}[random.IntN(3)])[0])
		group = append(group, random.Uint32N(uint32(1+rows/4)))
	}
	columns[0][0] = anonymize.IntegerValue(3)
	return &anonymize.Input{Rows: rows, Random: rand.NewPCG(1, 1),
		QuasiIdentifiers: []*anonymize.Column{anonymize.NewColumn("age", "INT", columns[0]), anonymize.NewColumn("job", "TEXT", columns[1])},
		Sensitive:        []*anonymize.Column{anonymize.NewColumn("s", "TEXT", columns[2])}}, group
}

// Cells of sets and ranges, with the names that a taxonomy has for their parts.
func TestSetCells(t *testing.T) {
	ages := func(groups ...string) *anonymize.Taxonomy {
		var paths [][]string
		for i, age := range []string{"10", "16", "19", "20", "24", "30"} {
			paths = append(paths, []string{age, groups[i], "*"})
		}
		tree, err := anonymize.TaxonomyOfPaths(paths, func(text string) (anonymize.Value, error) { return integers(text)[0], nil })
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	for name, c := range map[string]struct {
		values  []anonymize.Value // of the one class
		others  []anonymize.Value
		domain  *anonymize.Domain
		label   string
		penalty float64
	}{
		"one":               {text("vet", "vet"), text("judge"), &anonymize.Domain{Scale: anonymize.Semantic, Taxonomy: jobs(t)}, "vet", 0},
		"some":              {text("vet", "judge"), text("nurse"), &anonymize.Domain{Scale: anonymize.Semantic, Taxonomy: jobs(t)}, "{vet,judge}", 2. / 5},
		"a node":            {text("judge", "lawyer"), text("nurse"), &anonymize.Domain{Scale: anonymize.Semantic, Taxonomy: jobs(t)}, "law", 2. / 5},
		"a node and more":   {text("judge", "vet", "NULL", "lawyer"), text("nurse"), &anonymize.Domain{Scale: anonymize.Semantic, Taxonomy: jobs(t)}, "{NULL,vet,law}", 4. / 6},
		"everything":        {text("judge", "vet", "nurse", "lawyer", "doctor"), nil, &anonymize.Domain{Scale: anonymize.Nominal, Taxonomy: jobs(t)}, "*", 1},
		"neighbours":        {integers("16", "20"), integers("30"), &anonymize.Domain{Scale: anonymize.Semantic, Taxonomy: ages("a", "a", "b", "b", "c", "c")}, "[16-20]", 4. / 20},
		"no neighbours":     {integers("16", "20"), integers("30"), &anonymize.Domain{Scale: anonymize.Semantic, Taxonomy: ages("a", "b", "a", "b", "a", "b")}, "{16,20}", 2. / 6},
		"nodes of one":      {integers("10", "20"), integers("30"), &anonymize.Domain{Scale: anonymize.Nominal, Taxonomy: ages("a", "b", "b", "c", "d", "d")}, "{10,20}", 2. / 6},
		"no taxonomy":       {text("vet", "judge"), text("nurse"), &anonymize.Domain{Scale: anonymize.Nominal}, "{judge,vet}", 2. / 3},
		"the whole domain":  {integers("10", "30"), nil, &anonymize.Domain{Scale: anonymize.Numeric, Taxonomy: ages("a", "a", "b", "b", "c", "c")}, "[10-30]", 1},
		"all that occur":    {integers("16", "24"), nil, &anonymize.Domain{Scale: anonymize.Numeric, Taxonomy: ages("a", "a", "b", "b", "c", "c")}, "[16-24]", 8. / 20},
		"nominal by wish":   {integers("16", "24"), nil, &anonymize.Domain{Scale: anonymize.Nominal, Taxonomy: ages("a", "a", "b", "b", "c", "c")}, "{16,24}", 2. / 6},
		"an order of texts": {text("mid", "top"), text("low"), &anonymize.Domain{Scale: anonymize.Ordinal, Order: text("low", "mid", "top")}, "[mid-top]", 1. / 2},
	} {
		column := anonymize.NewColumn("x", "", append(slices.Clone(c.values), c.others...))
		a, err := NewSetAttribute(column, c.domain)
		if err != nil {
			t.Fatal(name, err)
		}
		group := make([]uint32, len(column.Codes))
		for i := len(c.values); i < len(group); i++ {
			group[i] = 1
		}
		g, err := a.Generalize(context.Background(), partitionOf(group...))
		if err != nil {
			t.Fatal(name, err)
		}
		if cell := g.Cells[g.Of[0]]; cell.Label != c.label || math.Abs(g.Penalty[g.Of[0]]-c.penalty) > 1e-9 {
			t.Errorf("%s: %s with a penalty of %g, want %s with %g", name, cell.Label, g.Penalty[g.Of[0]], c.label, c.penalty)
		}
	}
}
