package columnar

import (
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// Cells come back as they were, wide ones in a few bytes and as parts of one
// list, and so do those that were written member by member.
func TestCellCodec(t *testing.T) {
	all := anonymize.Indices(100_000)
	cells := []anonymize.Cell{
		{Label: "*", Members: all}, {Label: "[5-90000]", Members: all[5:90_001]}, {Label: "7", Members: all[7:8]},
		{Label: "{1,3}", Members: []uint32{1, 3}}, {Label: "{0,1}", Members: []uint32{0, 1}, Weights: []float64{0.25, 0.75}},
	}
	data := EncodeCells(cells)
	if len(data) > 100 {
		t.Errorf("%d bytes", len(data))
	}
	got, err := DecodeCells(data, len(all))
	if err != nil {
		t.Fatal(err)
	}
	for i, cell := range cells {
		if got[i].Label != cell.Label || !slices.Equal(got[i].Members, cell.Members) || !slices.Equal(got[i].Weights, cell.Weights) {
			t.Errorf("cell %s comes back as %s, %d members", cell.Label, got[i].Label, len(got[i].Members))
		}
	}
	if &got[0].Members[5] != &got[1].Members[0] {
		t.Error("stretches have memory of their own")
	}
	old := []byte{1, 1, 'x', 3, 4, 5, 6, 0} // one cell "x" of the codes 4, 5, 6
	if got, err := DecodeCells(old, 7); err != nil || !slices.Equal(got[0].Members, []uint32{4, 5, 6}) {
		t.Errorf("got %v, %v", got, err)
	}
	for _, damaged := range [][]byte{{1, 1, 'x', 3, 4, 5, 7, 0}, {1, 1, 'x', 0, 5, 3, 0}, {1, 1, 'x', 0, 5, 0, 0}, {1, 1, 'x', 0, 9, 1, 0}, {1, 1, 'x', 0}, {9}} {
		if got, err := DecodeCells(damaged, 7); err == nil {
			t.Errorf("%v is %v", damaged, got)
		}
	}
}
