package catalog

import (
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/columnar"
)

// Stretches of codes are parts of one list, which is counted once.
func TestReleaseBytesOfWideCells(t *testing.T) {
	const values = 100_000
	all := anonymize.Indices(values)
	cells, err := columnar.DecodeCells(columnar.EncodeCells([]anonymize.Cell{{Label: "*", Members: all}, {Label: "[5-90000]", Members: all[5:90_001]}}), values)
	if err != nil {
		t.Fatal(err)
	}
	shared := &anonymize.Release{Fragments: []*anonymize.Fragment{{Columns: []*anonymize.FragmentColumn{{Dictionary: make([]anonymize.Value, values), Cells: cells}}}}}
	if bytes := codeBytes(shared) + dictionaryBytes(shared); bytes < 52*values || bytes > 53*values {
		t.Errorf("the release is said to take %d bytes", bytes)
	}
}
