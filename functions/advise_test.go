package functions

import (
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// TestSuggestedBy: the sensitive attribute with the fewest values comes first. Nearly constant and named columns are left out.
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
	by, notes := suggestedBy(table, nil, []string{"Sex"}, nil)
	if got := strings.Join(by["sa"], ",") + ";" + strings.Join(by["qi"], ","); got != "disease,income;town" {
		t.Errorf("suggested are %s", got)
	}
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "salary may be sensitive, but more than half") {
		t.Errorf("the notes are %q", notes)
	}
	if by, notes := suggestedBy(table, nil, []string{"disease", "income"}, nil); strings.Join(by["sa"], ",") != "salary" || notes != nil {
		t.Errorf("without another, suggested are %v, %q", by["sa"], notes)
	}
}
