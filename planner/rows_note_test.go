package planner

import (
	"testing"

	"github.com/anonsql/anonsql/catalog"
)

// TestRowsOfASample: the note calls rows a sample where the comment of the view does.
func TestRowsOfASample(t *testing.T) {
	record := &catalog.ReleaseRecord{Completion: &catalog.CompletionRecord{Tables: 12}}
	for comment, want := range map[string]string{
		"its rows are completed table 1": "completed table 1 of 12",
		"its rows are one table drawn from the release, of a sample of whole groups with 9 of 90 records": "drawn from the release, of a sample of whole groups with 9 of 90 records",
	} {
		if got := rowsAre(record, comment); got != want {
			t.Errorf("%q: %q, want %q", comment, got, want)
		}
	}
}
