package detection

import (
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// harborColumns are columns of 60 rows: the name, the function for a row's value, and the paragraph, "" for none.
var harborColumns = []struct {
	name  string
	value func(row int) anonymize.Value
	want  string
}{
	{"Full Name", text("Ann Person%c"), "A"},
	{"name", func(row int) anonymize.Value { return anonymize.TextValue([]string{"Basic", "Plus"}[row%2]) }, ""},
	{"initials", text("A%c"), "A"},
	{"street", text("Main Street %c"), "B"},
	{"COUNTY", few("Kent", "Surrey", "Essex"), "B"},
	{"zip", few("02139", "10001", "94110"), "B"},
	{"where", few("02139", "10001-1234", "94110"), "B"},
	{"state", few("MA", "NY", "CA"), ""},
	{"country", few("US", "CA"), ""},
	{"admitted", text("2024-03-%02d"), "C"},
	{"dob", moment, "C"},
	{"year_of_birth", number(1950), ""},
	{"birth", few("1950", "1961", "1972"), ""},
	{"dischargeDate", text("1/%d/2024"), "C"},
	{"age", number(20), ""},
	{"Age", number(45), "ages"},
	{"age_in_days", number(4500), ""},
	{"page", func(row int) anonymize.Value { return anonymize.IntegerValue(int64(80 + row%20)) }, ""},
	{"phone", text("617-555-01%02d"), "D"},
	{"reach", text("+1 617 555 01%02d"), "D"},
	{"fax_number", text("617-555-01%02d"), "E"},
	{"contact", text("a%d@example.org"), "F"},
	{"ssn", number(100_000_000), "G"},
	{"number", text("123-45-67%02d"), "G"},
	{"medical_record_number", number(1000), "H"},
	{"MRN", number(1000), "H"},
	{"member_id", number(1000), "I"},
	{"account_no", number(1000), "J"},
	{"drivers_license", text("S%d"), "K"},
	{"license plate", text("8ABC%d"), "L"},
	{"car", few("1M8GDM9AXKP042788", "11111111111111111"), "L"},
	{"implant serial number", number(1000), "M"},
	{"adapter", text("00:1B:44:11:3A:%02d"), "M"},
	{"page_seen", text("https://example.org/%d"), "N"},
	{"remote", text("10.0.0.%d"), "O"},
	{"fingerprint", text("x%d"), "P"},
	{"photo", text("p%d.jpg"), "Q"},
	{"row", text("%08d-0000-4000-8000-000000000000"), "R"},
	{"id", number(1), "R"},
	{"ward_id", func(row int) anonymize.Value { return anonymize.IntegerValue(int64(row % 5)) }, ""},
	{"token", text("q%c"), "R"},
	{"disease", few("flu", "cold"), ""},
	{"charge", func(row int) anonymize.Value { return anonymize.RealValue(float64(row) + .25) }, ""},
}

func text(format string) func(int) anonymize.Value {
	return func(row int) anonymize.Value {
		if strings.Contains(format, "%c") {
			return anonymize.TextValue(fmt.Sprintf(format, 'A'+row))
		}
		return anonymize.TextValue(fmt.Sprintf(format, 1+row%28))
	}
}

func few(values ...string) func(int) anonymize.Value {
	return func(row int) anonymize.Value { return anonymize.TextValue(values[row%len(values)]) }
}

func number(from int64) func(int) anonymize.Value {
	return func(row int) anonymize.Value { return anonymize.IntegerValue(from + int64(row)) }
}

func moment(row int) anonymize.Value { return anonymize.InstantValue(int64(row) * 86_400_000_000) }

func TestSafeHarbor(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range harborColumns {
		var values []anonymize.Value
		for row := range 60 {
			values = append(values, c.value(row))
		}
		table, err := anonymize.NewMicrodata(anonymize.NewColumn(c.name, "", values))
		if err != nil {
			t.Fatal(err)
		}
		got := Suggest(table)[0].SafeHarbor
		want := "(" + c.want + ") "
		switch c.want {
		case "":
			want = ""
		case "ages":
			want = "(C) ages over 89: make them one value, 90 or older"
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s (%s, ...): %q, want %q", c.name, values[0], got, want)
		}
		seen[c.want] = true
	}
	for _, p := range paragraphs {
		if !seen[p.Letter] {
			t.Errorf("paragraph (%s) is not tried", p.Letter)
		}
	}
	if len(paragraphs) != 18 {
		t.Errorf("%d paragraphs", len(paragraphs))
	}
}

// Without rows the name alone speaks.
func TestSafeHarborOfAnEmptyTable(t *testing.T) {
	table, _ := anonymize.NewMicrodata(anonymize.NewColumn("patient name", "", nil), anonymize.NewColumn("age", "", nil), anonymize.NewColumn("birth_date", "", nil))
	for i, want := range []string{"(A)", "", "(C)"} {
		if got := Suggest(table)[i].SafeHarbor; !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestVIN(t *testing.T) {
	for text, want := range map[string]bool{"1M8GDM9AXKP042788": true, "11111111111111111": true, "1m8gdm9axkp042788": true,
		"1M8GDM9A1KP042788": false, "1M8GDM9AXKP04278": false, "1I8GDM9AXKP042788": false, "": false} {
		if isVIN(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
