package catalog

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/interval"
	"github.com/anonsql/anonsql/anonymize/weights"
)

// publicFields are the fields of a record that readers of the release may know.
var publicFields = []string{"Name", "Version", "Method", "QuasiIdentifiers", "Sensitive", "Unit", "Weight", "Parameters", "Rows", "Groups", "Forged", "MovedDays", "Partial",
	"Imported", "Recomputed", "Private", "Composed", "Guarantees", "Columns", "Fragments", "Published", "Calibration", "Completion", "Model"}

// A field of a record is private unless it is listed, also a future field. A guarantee is private unless it can be
// recomputed from the relations.
func TestPublicRecord(t *testing.T) {
	record := &ReleaseRecord{}
	value := reflect.ValueOf(record).Elem()
	for i := range value.NumField() {
		fillRecord(t, value.Field(i), value.Type().Field(i).Name)
	}
	record.Guarantees = nil
	for _, name := range []string{"k", "definetti", "learned", "l(race)", "rank", "matching", "intersection_one", "m_invariance", "disclosed_updated", "of a later version"} {
		record.Guarantees = append(record.Guarantees, anonymize.Guarantee{Name: name})
	}
	public := reflect.ValueOf(record.Public()).Elem()
	for i := range public.NumField() {
		name := public.Type().Field(i).Name
		if said := !public.Field(i).IsZero(); said != slices.Contains(publicFields, name) {
			t.Errorf("%s is public: %v", name, said)
		}
	}
	var names []string
	for _, g := range record.Public().Guarantees {
		names = append(names, g.Name)
	}
	if !slices.Equal(names, []string{"k", "l(race)"}) || len(record.Guarantees) != 10 {
		t.Errorf("public guarantees are %q", names)
	}
}

// Readers know the column of weights and what intervals permit: no class bounds, which are somebody's weights, and no error.
func TestPublicWeight(t *testing.T) {
	record := &ReleaseRecord{Weight: &weights.Classes{Column: "w", Upper: []float64{3}, Mean: []float64{2, 5}, Least: 10, Greatest: 12, Error: 0.03, Deviation: 0.035, Shared: 0.01}}
	if got, want := record.Public().Weight, (&weights.Classes{Column: "w", Deviation: 0.035, Shared: 0.01}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if got := (&ReleaseRecord{}).Public().Weight; got != nil {
		t.Errorf("without weights: %+v", got)
	}
}

// fillRecord gives a field some value that is not zero.
func fillRecord(t *testing.T, field reflect.Value, name string) {
	t.Helper()
	switch field.Interface().(type) {
	case json.RawMessage:
		field.SetBytes([]byte("1"))
		return
	case time.Time:
		field.Set(reflect.ValueOf(time.Unix(1, 0)))
		return
	}
	switch field.Kind() {
	case reflect.String:
		field.SetString("x")
	case reflect.Int, reflect.Int64:
		field.SetInt(1)
	case reflect.Float64:
		field.SetFloat(1)
	case reflect.Bool:
		field.SetBool(true)
	case reflect.Slice:
		field.Set(reflect.MakeSlice(field.Type(), 1, 1))
	case reflect.Map:
		field.Set(reflect.MakeMap(field.Type()))
	case reflect.Pointer:
		field.Set(reflect.New(field.Type().Elem()))
	default:
		t.Fatalf("field %s is of a kind that this test does not know: %s", name, field.Kind())
	}
}

// Every exception is small, and has a reason.
func TestExceptions(t *testing.T) {
	for _, e := range Exceptions() {
		if e.Name == "" || e.Bits < 1 || e.Bits > 3 || e.Reason == "" {
			t.Errorf("%+v", e)
		}
	}
}

// SECURITY.md has the exceptions as they are, and no others.
func TestExceptionsAreInSecurity(t *testing.T) {
	text, err := os.ReadFile("../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## Exceptions\n")
	section, _, _ = strings.Cut(section, "\n## ")
	if n := strings.Count(section, "\n| "); n != len(Exceptions())+1 {
		t.Errorf("%d rows", n)
	}
	for _, e := range Exceptions() {
		if line := fmt.Sprintf("| %s | %d | %s |", e.Name, e.Bits, e.Reason); !strings.Contains(section, line) {
			t.Errorf("missing: %s", line)
		}
	}
}

// Readers know the widths of a calibration, or that it is unreadable.
func TestPublicWidths(t *testing.T) {
	record := &ReleaseRecord{Calibration: json.RawMessage(`{"Factors":{"Count":3,"Sum":8,"Average":1},"Queries":500,"Coverage":[{"Aggregate":"COUNT","Before":0.7}],
		"Cells":[{"Aggregate":"COUNT","Estimates":400,"RMS":1.4,"Quantiles":[0.7,1.3,1.7,2.1,3]}]}`)}
	public := record.Public().Calibration
	widths, err := interval.Decode(public)
	if err != nil || widths == nil {
		t.Fatalf("%s: %v", public, err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(public, &fields); err != nil || len(fields) != 1 || fields["Factors"] == nil {
		t.Errorf("readers get %s", public)
	}
	record.Calibration = json.RawMessage(`{"Factors":"x", "RMS": 1.4}`)
	if public = record.Public().Calibration; strings.Contains(string(public), "1.4") {
		t.Errorf("readers get %s", public)
	}
	if _, err := interval.Decode(public); err == nil {
		t.Error("a damaged calibration can be read")
	}
}

// Parameters of a release are all options that it shows, and none that only its owner knows.
func TestChosenParameters(t *testing.T) {
	four, three, two := anonymize.NewRatio(4, 1), anonymize.NewRatio(3, 1), anonymize.NewRatio(2, 1)
	record := &ReleaseRecord{Parameters: map[string]string{"l": "2"}, Unit: []string{"hospital", "patient"}, Weight: &weights.Classes{Column: "w"}, MovedDays: 90,
		Guarantees: []anonymize.Guarantee{{Name: "l", Required: &two, NotSensitive: []string{"negative", "", "no, never"}}, {Name: "size", Required: &four},
			{Name: "recursive", Required: &three, Threshold: &two}, {Name: "k_map", Required: &four}},
		Model: &anonymize.Model{Least: 10}}
	for _, c := range []struct {
		record *ReleaseRecord
		want   string
	}{
		{record.Public(), `{"l":"2","model":"counts","model_least":"10","not_sensitive":"` + "negative,``,`no, never`" + `","recursive":"3,2","shift":"90","size":"4","unit":"hospital,patient","weight":"w"}`},
		{&ReleaseRecord{Model: &anonymize.Model{Epsilon: three, Records: 5, Alone: true}}, `{"max_records":"5","model_epsilon":"3"}`},
	} {
		if got, err := json.Marshal(c.record.chosen()); err != nil || string(got) != c.want {
			t.Errorf("parameters are %s, %v, want %s", got, err, c.want)
		}
	}
}

// Readers see of an imported release whether an earlier build imported it, which believed the guarantees that the package states.
func TestStatusOfImports(t *testing.T) {
	for stored, want := range map[string]string{`{"Imported":true}`: "public, imported unverified", `{"Imported":true,"Recomputed":true}`: "public, imported"} {
		var record ReleaseRecord
		if err := json.Unmarshal([]byte(stored), &record); err != nil {
			t.Fatal(err)
		}
		if got := record.Public().Status(); got != want {
			t.Errorf("%s is %q, want %q", stored, got, want)
		}
	}
}
