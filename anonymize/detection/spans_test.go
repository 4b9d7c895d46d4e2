package detection

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// Of born, admitted and discharged, the second reveals an age and the third a length of stay; an unrelated day reveals neither.
func TestSpans(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	values := make([][]anonymize.Value, 4)
	for range 200 {
		born := int64(random.IntN(20_000))
		admitted := 25_000 + int64(random.IntN(365))
		for i, d := range []int64{born, admitted, admitted + int64(random.IntN(20)), int64(random.IntN(45_000))} {
			values[i] = append(values[i], anonymize.InstantValue(d*day64))
		}
	}
	values[2][7] = anonymize.NullValue // still there
	var columns []*anonymize.Column
	for i, name := range []string{"born", "admitted", "discharged", "printed"} {
		columns = append(columns, anonymize.NewColumn(name, "DATE", values[i]))
	}
	table, err := anonymize.NewMicrodata(columns...)
	if err != nil {
		t.Fatal(err)
	}
	want := []Span{{}, {"how old", "age_at_admitted", "TIMESTAMPDIFF(YEAR, born, admitted)"}, {"how long", "days_to_discharged", "DATEDIFF(discharged, admitted)"}, {}}
	if got := spans(table); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	suggested := Suggest(table)
	if reasons := strings.Join(suggested[2].Reasons, "; "); !strings.Contains(reasons, "how long: "+want[2].Expression) || suggested[2].Between != want[2] {
		t.Errorf("reasons of discharged: %s", reasons)
	}
}
