package answer

import (
	"fmt"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// Different keys have different texts, also where their values have NUL, the number
// of a kind or the length of a value in them: all pairs of short texts of these.
func TestKeyTextsAreDifferent(t *testing.T) {
	var values []anonymize.Value
	letters := []string{"a", "\x00", "\x01", "\x02", "\x05"}
	for _, a := range append(letters, "") {
		for _, b := range letters {
			for _, c := range append(letters, "") {
				values = append(values, anonymize.TextValue(a+b+c))
			}
		}
	}
	values = append(values, anonymize.NullValue, anonymize.IntegerValue(0), anonymize.RealValue(0), anonymize.TextValue("0"), anonymize.TextValue("NULL"))
	seen := map[string]string{}
	for _, x := range values {
		for _, y := range values {
			key := fmt.Sprintf("%v %q %v %q", x.Kind, x.String(), y.Kind, y.String())
			text := keyText([]anonymize.Value{x, y})
			if other, ok := seen[text]; ok && other != key {
				t.Fatalf("%s and %s have one text", key, other)
			}
			seen[text] = key
		}
	}
	x := []anonymize.Value{anonymize.TextValue("a\x00\x05b"), anonymize.TextValue("c")}
	y := []anonymize.Value{anonymize.TextValue("a"), anonymize.TextValue("b\x00\x05c")}
	if keyText(x) == keyText(y) {
		t.Error("the keys of the finding have one text")
	}
}

// TestExtremesAreOfTheMedianTable: a note says so of estimated ones, and of no exact ones or of another estimator.
func TestExtremesAreOfTheMedianTable(t *testing.T) {
	imputed := choice{tables: &estimate.Completed{}}
	for _, c := range []struct {
		aggregate Aggregate
		by        choice
		told      bool
	}{{Aggregate{Kind: estimate.Least}, imputed, true}, {Aggregate{Kind: estimate.Greatest, exact: true}, imputed, false}, {Aggregate{Kind: estimate.Greatest}, choice{}, false},
		{Aggregate{Kind: estimate.Sum}, imputed, false}} {
		if text := (&Estimate{Aggregates: []Aggregate{c.aggregate}}).extremes(c.by); (text != "") != c.told {
			t.Errorf("%+v by %+v: %q", c.aggregate, c.by, text)
		}
	}
}
