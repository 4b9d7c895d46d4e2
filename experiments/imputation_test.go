package experiments

import (
	"strings"
	"testing"

	"github.com/anonsql/anonsql/experiments/imputation"
)

func TestImputationQuick(t *testing.T) {
	f := quickly(t, imputation.Experiment())
	for _, name := range strings.Fields("1-to-3 1-to-3-ranges 4-to-6 4-to-6-ranges 7-to-9 attack " +
		"l-anatomy-mean l-anatomy-median l-anatomy-alike-mean l-slppa-3-tables-median l-slppa-3-tables-alike-mean l-asn-mean") {
		if f["imputation-"+name] == nil {
			t.Errorf("there is no figure %s", name)
		}
	}
	if n := len(f); n != 16 {
		t.Errorf("there are %d figures", n)
	}
	// Both estimators answered, and their errors differ.
	for _, name := range []string{"1-to-3", "7-to-9"} {
		for _, s := range f["imputation-"+name].Series {
			if len(s.Points) != 5 {
				t.Errorf("%s: %s has %d methods", name, s.Label, len(s.Points))
			}
		}
		for x := range 5 {
			r := f["imputation-"+name].Read("method")
			independent, _ := r.Value("Eq. 11, mean", float64(x))
			imputed, _ := r.Value("imputed, mean", float64(x))
			if independent == imputed || independent <= 0 || imputed <= 0 {
				t.Errorf("%s, method %d: errors %v and %v", name, x, independent, imputed)
			}
		}
	}
	// The target figures are not those of the sample.
	if aim := f["imputation-1-to-3"].Aim; strings.Contains(aim, "0.075") {
		t.Errorf("the aim is %s", aim)
	}
	for _, s := range f["imputation-attack"].Series {
		if len(s.Points) != 2 || s.Points[0].X < 0.1 || s.Points[1].X > 1 {
			t.Errorf("%s has the points %+v", s.Label, s.Points)
		}
	}
}

func TestImputationNeedsColumns(t *testing.T) {
	refuses(t, imputation.Experiment(), "experiment imputation needs a column age: the table has none")
}
