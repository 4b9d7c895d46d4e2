package detection_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/detection"
)

// visits is a table of so many rows a person, on average: who is what a column says of the person, birth is constant in one, ward varies. Sex goes with the name.
func visits(name string, mean float64, who func(person int) anonymize.Value) *anonymize.Microdata {
	const rows = 2000
	r, persons := rand.New(rand.NewPCG(1, 2)), int(rows/mean)
	var whom, birth, sex, ward []anonymize.Value
	for row := range rows {
		person := row
		if row >= persons { // everybody comes once
			person = r.IntN(persons)
		}
		whom = append(whom, who(person))
		birth = append(birth, anonymize.IntegerValue(int64(1930+person*7919%70)))
		sex = append(sex, text([]string{"f", "m"}[person%2]))
		ward = append(ward, anonymize.IntegerValue(r.Int64N(12)))
	}
	return &anonymize.Microdata{Rows: rows, Columns: []*anonymize.Column{anonymize.NewColumn(name, "", whom),
		anonymize.NewColumn("birth_year", "", birth), anonymize.NewColumn("sex", "", sex), anonymize.NewColumn("ward", "", ward)}}
}

func number(person int) anonymize.Value { return anonymize.IntegerValue(int64(70001 + 13*person)) }
func coded(person int) anonymize.Value  { return text(fmt.Sprintf("P-%05d", person)) }
func titled(person int) anonymize.Value {
	return text(fmt.Sprintf("%s %s-%s", forenames[person%20], families[person/20%20], families[person/400]))
}

// TestRepeatedUnits: numbers and codes that come several times are of persons, whom the name or the owner says that they number. Names are, where somebody's
// rows are of one age; namesakes are not.
func TestRepeatedUnits(t *testing.T) {
	namesake := func(person int) anonymize.Value { return text(forenames[person%20] + " " + families[person*7/20%20]) }
	month := func(person int) anonymize.Value { return anonymize.IntegerValue(int64(person % 12)) }
	unknown := func(person int) anonymize.Value { // of every second patient the number is not known
		if person%2 == 0 {
			return anonymize.NullValue
		}
		return number(person)
	}
	decimal := func(person int) anonymize.Value { return anonymize.DecimalValue(strconv.Itoa(100_000 + person)) }
	floating := func(person int) anonymize.Value { return anonymize.RealValue(float64(100_000 + person)) }
	halves := func(person int) anonymize.Value { return anonymize.RealValue(float64(person) / 2) } // measurements, every second of them whole
	for _, c := range []struct {
		name     string
		mean     float64
		who      func(int) anonymize.Value
		declared bool
		want     string // how often which values come, "" for no unit
	}{
		{"patient", 1, number, true, ""}, {"patient", 1.005, number, true, ""},
		{"patient", 1.05, number, false, "1904 values in 2000 rows"}, {"patient", 2, number, false, "1000 values in 2000 rows"},
		{"patient", 10, number, false, "200 values in 2000 rows"}, {"patient", 100, number, false, "20 values in 2000 rows"},
		{"patient", 200, number, false, "10 values in 2000 rows"}, {"patient", 1000, number, false, ""}, {"patient", 200, titled, false, "10 values in 2000 rows"},
		{"Patienten-Nr", 2, coded, false, "1000 values in 2000 rows"}, {"id", 2, number, false, "1000 values in 2000 rows"},
		{"x7", 2, coded, false, ""}, {"x7", 2, coded, true, "1000 values in 2000 rows"}, {"product_id", 10, number, false, ""},
		{"patient", 2, unknown, false, "500 values in"}, {"patient", 1, unknown, true, ""},
		{"patient", 2, decimal, false, "1000 values in 2000 rows"}, {"x7", 2, decimal, true, "1000 values in 2000 rows"},
		{"patient", 2, floating, false, "1000 values in 2000 rows"}, {"x7", 2, halves, true, ""}, {"patient", 2, halves, false, ""},
		{"name", 2, titled, false, "1000 values in 2000 rows"}, {"name", 1.05, titled, true, "1904 values in 2000 rows"},
		{"name", 1, namesake, true, ""}, {"full_name", 1, namesake, false, ""}, {"patient", 1, namesake, true, ""},
		{"ward_no", 1, month, true, "12 values"}, {"city", 50, coded, true, ""}, {"street", 2, titled, true, ""}, {"month", 1, month, true, ""},
	} {
		table := visits(c.name, c.mean, c.who)
		var columns, declared []string
		if c.declared || detection.MayNameUnits(c.name) {
			columns = []string{c.name}
		}
		if c.declared {
			declared = columns
		}
		found, ok := detection.RepeatedUnit(table, columns, declared)
		if c.name == "ward_no" {
			c.want = "" // twelve wards of many rows are no persons
		}
		if ok != (c.want != "") || ok && !strings.HasPrefix(found.String(), c.want) {
			t.Errorf("%s of %g rows a value, declared %v: %v %v, want %q", c.name, c.mean, c.declared, ok, found, c.want)
		}
	}
}

// TestDoubtfulUnits: what is too rare or too shared to be surely persons is found, if it is numbers or codes, or if another column confirms it.
func TestDoubtfulUnits(t *testing.T) {
	for _, c := range []struct {
		name     string
		mean     float64
		who      func(int) anonymize.Value
		declared bool
		want     string // how often which values come, "" for nothing to warn of
	}{
		{"patient", 1, number, false, ""}, {"patient", 1.005, number, false, "1990 values in 2000 rows"}, {"patient", 1000, number, false, "2 values in 2000 rows"},
		{"x7", 200, coded, true, "10 values in 2000 rows"}, {"x7", 200, number, true, "10 values in 2000 rows"}, {"ward_no", 200, number, true, "10 values in 2000 rows"},
		{"x7", 200, titled, true, "10 values in 2000 rows"}, {"household_id", 50, number, false, "40 values in 2000 rows"}, {"name", 1, titled, true, ""},
	} {
		table, columns := visits(c.name, c.mean, c.who), []string{c.name}
		var declared []string
		if c.declared {
			declared = columns
		}
		if unit, ok := detection.RepeatedUnit(table, columns, declared); ok {
			t.Errorf("%s of %g rows a value, declared %v: %v are surely units", c.name, c.mean, c.declared, unit)
		}
		if found, ok := detection.RepeatedRows(table, columns, declared); ok != (c.want != "") || ok && found.String() != c.want {
			t.Errorf("%s of %g rows a value, declared %v: %v %v, want %q", c.name, c.mean, c.declared, ok, found, c.want)
		}
	}
}

// TestIdentifiersThatAreDecimals: a number that was given to a person is one in any type of SQL.
func TestIdentifiersThatAreDecimals(t *testing.T) {
	for name, value := range map[string]func(n int) anonymize.Value{
		"DECIMAL(9,0)":  func(n int) anonymize.Value { return anonymize.DecimalValue(strconv.Itoa(n)) },
		"DECIMAL(11,2)": func(n int) anonymize.Value { return anonymize.DecimalValue(strconv.Itoa(n) + ".00") },
		"DOUBLE":        func(n int) anonymize.Value { return anonymize.RealValue(float64(n)) },
	} {
		table := visits("ssn", 1, func(person int) anonymize.Value { return value(100_000_000 + 397_001*person) })
		if got := detection.Suggest(table)[0]; got.Role != detection.ExplicitIdentifier {
			t.Errorf("ssn %s is %q: %q", name, got.Role, got.Reasons)
		}
	}
}

// TestSuggestedUnit: what is constant in a patient is said to be.
func TestSuggestedUnit(t *testing.T) {
	got := detection.Suggest(visits("patient", 2.5, number))
	if got[0].Role != detection.Unit || got[0].Reasons[0] != "several rows are one unit's: 800 values in 2000 rows" {
		t.Errorf("patient is %s: %q", got[0].Role, got[0].Reasons)
	}
	for i, want := range map[int]string{1: "constant in patient", 2: "constant in patient", 3: "varies in patient: 2.3 values of 2.5 rows"} {
		if !slices.Contains(got[i].Reasons, want) {
			t.Errorf("%s: %q, want %q", got[i].Column, got[i].Reasons, want)
		}
	}
	slip := visits("patient", 2.5, number)
	slip.Columns[1].Codes[1900] ^= 1
	if got := detection.Suggest(slip)[1].Reasons; !slices.Contains(got, "constant in patient, but for 1 of 800") {
		t.Errorf("birth_year with a slip: %q", got)
	}
	for _, s := range detection.Suggest(visits("patient", 1, number)) {
		if s.Role == detection.Unit || strings.Contains(strings.Join(s.Reasons, ";"), "constant in") {
			t.Errorf("one row a patient: %s is %s: %q", s.Column, s.Role, s.Reasons)
		}
	}
}

// TestAdultHasNoUnit: it is a row a person.
func TestAdultHasNoUnit(t *testing.T) {
	adult := anontest.Adult(t)
	var all []string
	for _, c := range adult.Columns {
		if detection.MayNameUnits(c.Name) {
			all = append(all, c.Name)
		}
	}
	if found, ok := detection.RepeatedUnit(adult, all, nil); ok || len(all) > 0 {
		t.Errorf("%q: %v", all, found)
	}
}
