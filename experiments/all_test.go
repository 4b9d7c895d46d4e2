package experiments

import (
	"os"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/experiments/evaluation"
)

// RESULTS.md is what the parts in results generate, without manual edits.
func TestPublishedReport(t *testing.T) {
	parts, err := evaluation.ReadParts(".", Names())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range parts {
		names = append(names, p.Name)
	}
	if !slices.Equal(names, Names()) {
		t.Errorf("the parts are those of %v", names)
	}
	text, err := os.ReadFile("RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != string(evaluation.ReportText(parts)) {
		t.Error("RESULTS.md is not what go run ./run writes from results")
	}
}

// Names are in the order of the papers in the report, and each finds its experiment.
func TestByName(t *testing.T) {
	if want := []string{"slppa", "arp", "crossbucket", "drasl", "cdt", "imputation", "peers"}; !slices.Equal(Names(), want) {
		t.Errorf("the names are %v, not %v", Names(), want)
	}
	for _, name := range Names() {
		if e, err := ByName(name); err != nil || e.Name != name || e.Figures == nil {
			t.Errorf("%s is %+v, %v", name, e, err)
		}
	}
	if _, err := ByName("dr"); err == nil || err.Error() != `there is no experiment "dr"` {
		t.Errorf("an unknown name: %v", err)
	}
}
