package units_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/anonymize/units"
)

// tableOfUnits has a record for each row of values (a, b, c); d is the unit itself, so that it bounds no group.
func tableOfUnits(unit []uint32, values [][3]int) *anonymize.Input {
	var columns [4][]anonymize.Value
	for i, row := range values {
		for j, v := range row {
			columns[j] = append(columns[j], anonymize.IntegerValue(int64(v)))
		}
		columns[3] = append(columns[3], anonymize.IntegerValue(int64(unit[i])))
	}
	in := &anonymize.Input{Rows: len(values), Units: unit, Random: rand.NewPCG(uint64(len(values)), 1)}
	for j, name := range []string{"a", "b", "c"} {
		in.QuasiIdentifiers = append(in.QuasiIdentifiers, anonymize.NewColumn(name, "int", columns[j]))
	}
	in.Sensitive = []*anonymize.Column{anonymize.NewColumn("d", "int", columns[3])}
	return in
}

func runUnits(t *testing.T, method string, in *anonymize.Input, arguments anonymize.Arguments, leftOut string) (*units.Result, error) {
	t.Helper()
	m, err := methods.ByName(method)
	if err != nil {
		t.Fatal(err)
	}
	return units.Run(t.Context(), m, in, arguments, anonymize.MustRatio(leftOut))
}

// In units of one record a goes with b, in those of two with c. One division is published of both, and it keeps what is promised of it.
func TestStrataShareRelations(t *testing.T) {
	for _, run := range []struct {
		method    string
		arguments anonymize.Arguments
	}{
		{"slppa", anonymize.Arguments{"beta": "0.25", "alpha": "0.6", "tables": "2"}},
		{"slicing", anonymize.Arguments{"l": "3", "tables": "2"}},
	} {
		for seed := range uint64(8) {
			random := rand.New(rand.NewPCG(seed, 6))
			var unit []uint32
			var values [][3]int
			for u := range uint32(120) {
				x, y := random.IntN(8), random.IntN(2)
				if u < 70 {
					unit, values = append(unit, u), append(values, [3]int{x, x, y})
				} else {
					unit, values = append(unit, u, u), append(values, [3]int{x % 4, y, x % 4}, [3]int{x % 4, y, x % 4})
				}
			}
			result, err := runUnits(t, run.method, tableOfUnits(unit, values), run.arguments, "0")
			if err != nil {
				t.Fatalf("%s %v: %v", run.method, run.arguments, err)
			}
			if _, err := privacy.Keeps(result.Release); err != nil {
				t.Errorf("%s %v, seed %d: %v", run.method, run.arguments, seed, err)
			}
		}
	}
}

// Three units of two records cannot keep gamma by themselves. They lose a record each, as left_out= allows.
func TestUnitsAreLeftOutForGamma(t *testing.T) {
	var unit []uint32
	var values [][3]int
	for u := range uint32(63) {
		row := [3]int{int(u) % 8, int(u) / 8 % 8, 0}
		if u >= 60 {
			row = [3]int{1, 1, 0}
			unit, values = append(unit, u), append(values, row)
		}
		unit, values = append(unit, u), append(values, row)
	}
	in := tableOfUnits(unit, values)
	in.QuasiIdentifiers = in.QuasiIdentifiers[:2]
	result, err := runUnits(t, "slppa", in, anonymize.Arguments{"beta": "0.5", "gamma": "0.1"}, "1/2")
	if err != nil || result.Release.Rows != 63 {
		t.Fatalf("%+v, %v", result, err)
	}
}

// Units of five, four and three records lose some until all have one. The release tells how many units that are, each once.
func TestTrimmedUnitsAreToldOnce(t *testing.T) {
	var unit []uint32
	var values [][3]int
	for u := range uint32(23) {
		records := 1
		if u < 3 {
			records = 5 - int(u)
		}
		for range records {
			unit, values = append(unit, u), append(values, [3]int{int(u) % 7, 0, 0})
		}
	}
	result, err := runUnits(t, "anatomy", tableOfUnits(unit, values), anonymize.Arguments{"l": "4"}, "1/2")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range result.Release.Facts {
		if f.Name == "warning" && strings.HasPrefix(f.Value, "9 of 32 records (28.12 %) are left out, of 3 units:") {
			return
		}
	}
	t.Errorf("3 units are told otherwise: %v", result.Release.Facts)
}

// Groups that are united, and those whose units move, show nodes where the method shows nodes: sets would tell which of their leaves occur.
func TestUnitedGroupsShowNodes(t *testing.T) {
	for method, arguments := range map[string]anonymize.Arguments{
		"mondrian": {"k": "3", "l": "3", "mode": "strict"}, "cdt": {"k": "3", "l": "3", "variant": "paper", "k1": "2", "k2": "2"},
	} {
		for _, moving := range []bool{false, true} {
			in := anontest.VisitTable(anontest.VisitShape{Units: 200, Records: 2, Values: 12, Moving: moving}, 3)
			ward := in.QuasiIdentifiers[2]
			for code := range ward.Dictionary {
				ward.Dictionary[code] = anonymize.TextValue(fmt.Sprintf("w%02d", code))
			}
			tree := anontest.Tree(t, "north: w00 w01 w02 w03", "south: w04 w05 w06 w07", "west: w08 w09 w10 w11")
			in.Domains = map[string]*anonymize.Domain{"ward": {Scale: anonymize.Semantic, Taxonomy: tree}}
			result, err := runUnits(t, method, in, arguments, "0")
			if err != nil {
				t.Fatal(method, err)
			}
			f := result.Release.Fragments[0]
			for _, cell := range f.Columns[f.Column("ward")].Cells {
				if strings.Contains(cell.Label, "{") {
					t.Errorf("%s shows %s, moving: %t", method, cell.Label, moving)
				}
			}
		}
	}
}

// Groups that are united have no cells at the levels of fulldomain, which publishes others and refuses these.
func TestLevelsAreNotUnited(t *testing.T) {
	in := anontest.VisitTable(anontest.VisitShape{Units: 200, Records: 2, Values: 12}, 3)
	_, err := runUnits(t, "fulldomain", in, anonymize.Arguments{"k": "3", "l": "3"}, "0")
	if !errors.As(err, new(*anonymize.DataError)) || !strings.Contains(err.Error(), "diagnosis varies in a unit") || !anonymize.HasNoGroups(err) { // so that a refresh lets them wait
		t.Errorf("with l: %v", err)
	}
	if _, err = runUnits(t, "fulldomain", in, anonymize.Arguments{"k": "3"}, "0"); err != nil {
		t.Errorf("k alone unites no groups: %v", err)
	}
}

// What is promised of one row is not promised of units with several values, whose other rows the method has not seen.
func TestPromisesOfOneRowAreRefused(t *testing.T) {
	for method, arguments := range map[string]anonymize.Arguments{
		"drasl": {"k": "2", "links": "none"}, "anatomy": {"l": "2", "homogeneous": "score", "max_posterior": "0.9"},
	} {
		in := anontest.VisitTable(anontest.VisitShape{Units: 60, Records: 2, Values: 12}, 3)
		_, err := runUnits(t, method, in, arguments, "0")
		if !errors.As(err, new(*anonymize.ParameterError)) || !strings.Contains(err.Error(), "diagnosis varies in a unit") {
			t.Errorf("%s: %v", method, err)
		}
		in = anontest.VisitTable(anontest.VisitShape{Units: 60, Records: 2, Values: 12, Chronic: 1}, 3)
		if _, err := runUnits(t, method, in, arguments, "0"); err != nil {
			t.Errorf("%s, of units with one value: %v", method, err)
		}
	}
}
