package generalization

import (
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// The cells of every level, in the order of the values. Levels that tell the same
// values apart as the one below are left out.
func TestLevels(t *testing.T) {
	short, err := anonymize.TaxonomyOfEdges([]anonymize.Edge{{Node: "a", Parent: "ab"}, {Node: "b", Parent: "ab"}, {Node: "ab", Parent: "*"}, {Node: "c", Parent: "*"}},
		func(text string) (anonymize.Value, error) { return anonymize.TextValue(text), nil })
	if err != nil {
		t.Fatal(err)
	}
	reals := []anonymize.Value{anonymize.RealValue(0.1), anonymize.RealValue(0.15), anonymize.RealValue(0.3), anonymize.RealValue(1.5)}
	for name, c := range map[string]struct {
		values []anonymize.Value
		domain *anonymize.Domain
		want   string // a line a level: number, name: labels of the values in the order of their places
	}{
		"ages": {integers("17", "21", "28", "39", "90"), nil, `
0 as it is: 17 21 28 39 90
2 intervals of 10: [10-19] [20-29] [20-29] [30-39] [90-99]
3 intervals of 20: [0-19] [20-39] [20-39] [20-39] [80-99]
4 intervals of 40: [0-39] [0-39] [0-39] [0-39] [80-119]
5 *: * * * * *`},
		"few numbers": {integers("0", "1", "NULL"), nil, `
0 as it is: NULL 0 1
1 *: * * *`},
		"negative": {integers("-7", "-1", "3"), nil, `
0 as it is: -7 -1 3
3 intervals of 8: [-8--1] [-8--1] [0-7]
4 *: * * *`},
		"fractions": {reals, nil, `
0 as it is: 0.1 0.15 0.3 1.5
1 intervals of 0.1: [0.1,0.2) [0.1,0.2) [0.3,0.4) [1.5,1.6)
3 intervals of 0.4: [0.0,0.4) [0.0,0.4) [0.0,0.4) [1.2,1.6)
5 *: * * * *`},
		"numbers that are too close to be divided": {[]anonymize.Value{anonymize.RealValue(0), anonymize.RealValue(5e-324), anonymize.RealValue(1e-323)}, nil, `
0 as it is: 0 5e-324 1e-323
1 *: * * *`},
		"one number": {integers("5", "5"), nil, `
0 as it is: 5`},
		"texts": {text("b", "NULL", "a"), nil, `
0 as it is: NULL a b
1 *: * * *`},
		"a taxonomy": {text("nurse", "judge", "NULL", "lawyer"), &anonymize.Domain{Scale: anonymize.Semantic, Taxonomy: jobs(t)}, `
0 as it is: NULL nurse lawyer judge
1 level 1: NULL health law law
2 *: * * * *`},
		"leaves at two depths": {text("a", "b", "c"), &anonymize.Domain{Scale: anonymize.Semantic, Taxonomy: short}, `
0 as it is: a b c
1 level 1: ab ab c
2 *: * * *`},
	} {
		t.Run(name, func(t *testing.T) { checkLevels(t, c.values, c.domain, c.want) })
	}
}

// checkLevels compares the levels of a column with want, a line a level; a domain that
// is nil is inferred.
func checkLevels(t *testing.T, values []anonymize.Value, domain *anonymize.Domain, want string) {
	column := anonymize.NewColumn("x", "T", values)
	if domain == nil {
		domain = anonymize.InferDomain(column)
	}
	a, err := NewAttribute(column, domain)
	if err != nil {
		t.Fatal(err)
	}
	levels, height := a.Levels()
	var lines []string
	for i := range levels {
		lines = append(lines, line(t, a, &levels[i]))
	}
	if got := strings.Join(lines, "\n"); got != strings.TrimSpace(want) {
		t.Errorf("height %d:\n%s\nwant%s", height, got, want)
	}
}

// line writes a level, and checks that every value is a member of its cell, that
// cells do not overlap and that penalties are between those of the values and of
// everything.
func line(t *testing.T, a *Attribute, level *Level) string {
	t.Helper()
	places := anonymize.Indices(a.Places)
	g := a.GeneralizeTo(level, places)
	var labels []string
	owner := map[uint32]uint32{}
	for place, cell := range g.Of {
		labels = append(labels, g.Cells[cell].Label)
		if g.Penalty[cell] < 0 || g.Penalty[cell] > a.RootLoss() || g.Penalty[cell] != level.Loss[level.Of[place]] {
			t.Errorf("%s: penalty %g of %s", level.Name, g.Penalty[cell], g.Cells[cell].Label)
		}
		found := false
		for _, m := range g.Cells[cell].Members {
			found = found || g.Dictionary[m] == a.value(place)
			if other, owned := owner[m]; owned && other != cell {
				t.Errorf("%s: %s is in two cells", level.Name, g.Dictionary[m])
			}
			owner[m] = cell
		}
		if !found || !slices.IsSorted(g.Cells[cell].Members) {
			t.Errorf("%s: %s is not in %v", level.Name, a.value(place), g.Cells[cell])
		}
	}
	return strings.TrimSpace(strings.Join([]string{string(rune('0' + level.Number)), level.Name + ":", strings.Join(labels, " ")}, " "))
}

// Suppressed records have the cell of everything, and cells that nobody has are
// not published.
func TestEverything(t *testing.T) {
	a, err := NewAttribute(anonymize.NewColumn("x", "T", integers("17", "18", "21", "90", "NULL")), &anonymize.Domain{Scale: anonymize.Numeric})
	if err != nil {
		t.Fatal(err)
	}
	levels, _ := a.Levels()
	g := a.GeneralizeTo(&levels[1], []uint32{1, Everything})
	if len(g.Cells) != 2 || g.Cells[g.Of[0]].Label != "[15-19]" || g.Cells[g.Of[1]].Label != "*" ||
		len(g.Cells[g.Of[1]].Members) != 75 || g.Penalty[g.Of[1]] != 1 || !near(g.Penalty[g.Of[0]], 2./73) {
		t.Errorf("%+v", g.Cells)
	}
}
