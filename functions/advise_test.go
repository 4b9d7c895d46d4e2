package functions

import (
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/tuning"
)

// TestAims: every aim's choice by hand.
func TestAims(t *testing.T) {
	trials := []tuning.Trial{{Groups: 0, Risk: .5, Loss: .1}, {Groups: 1, Risk: .2, Loss: .5}, {Groups: 2, Risk: .3, Loss: .2}, {Groups: 3, Risk: .2, Loss: .4}, {Groups: 4, Risk: .5, Loss: .1}}
	for i, want := range []int{3, 2, 0} {
		if got := aims[i].of(trials); got.Groups != want {
			t.Errorf("%s: choice %d, want %d", aims[i].name, got.Groups, want)
		}
		if got := aims[i].of(trials[2:3]); got.Groups != 2 {
			t.Errorf("%s: of one choice %d", aims[i].name, got.Groups)
		}
	}
}

// TestSuggestedBy: the sensitive attribute of the fewest values comes first, one that most records share is left out, and what is named is not suggested.
func TestSuggestedBy(t *testing.T) {
	columns := map[string]string{"income": "abcdefgh", "disease": "aabbccdd", "salary": "aaaaaaab", "sex": "fmfmfmfm", "town": "xxyyxxyy"}
	table := &anonymize.Microdata{Rows: 8}
	for _, name := range []string{"income", "disease", "salary", "sex", "town"} {
		var values []anonymize.Value
		for _, v := range columns[name] {
			values = append(values, anonymize.TextValue(string(v)))
		}
		table.Columns = append(table.Columns, anonymize.NewColumn(name, "", values))
	}
	by, notes := suggestedBy(table, options{"qi": "Sex"})
	if got := strings.Join(by["sa"], ",") + ";" + strings.Join(by["qi"], ","); got != "disease,income;town" {
		t.Errorf("suggested are %s", got)
	}
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "salary may be sensitive, but more than half") {
		t.Errorf("the notes are %q", notes)
	}
}
