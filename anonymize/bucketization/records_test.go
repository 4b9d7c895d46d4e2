package bucketization

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

// A record is a group, with its own quasi-identifiers and its own cell.
func TestPublishRecords(t *testing.T) {
	in := anontest.RandomTable(50, 3)
	var gids []uint32
	in.Assigned = func(gidOf []uint32) { gids = gidOf }
	dictionary := in.Sensitive[0].Dictionary
	c := &Candidates{Of: make([]uint32, in.Rows)}
	for v := range dictionary {
		c.Cells = append(c.Cells, SetCell(dictionary, []uint32{uint32(min(v, len(dictionary)-2)), uint32(len(dictionary) - 1)}))
	}
	copy(c.Of, in.Sensitive[0].Codes)
	r, err := PublishRecords(context.Background(), "test", in, c, rand.New(in.Random))
	if err != nil {
		t.Fatal(err)
	}
	if err := anontest.Publishable(r, in); err != nil {
		t.Fatal(err)
	}
	if r.Groups() != in.Rows || len(gids) != in.Rows || slices.IsSorted(gids) {
		t.Fatalf("%d groups, gids %v", r.Groups(), gids)
	}
	for row, g := range gids {
		if got := r.Fragments[1].Columns[0].Codes[g]; got != c.Of[row] {
			t.Errorf("row %d has cell %d, want %d", row, got, c.Of[row])
		}
		for i, q := range in.QuasiIdentifiers {
			if got := r.Fragments[0].Columns[i].Codes[g]; got != q.Codes[row] {
				t.Errorf("row %d has %s %d, want %d", row, q.Name, got, q.Codes[row])
			}
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := PublishRecords(ended, "test", in, c, rand.New(in.Random)); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
}

func TestSetCell(t *testing.T) {
	dictionary := []anonymize.Value{anonymize.NullValue, anonymize.IntegerValue(7), anonymize.TextValue("x")}
	codes := []uint32{0, 2}
	cell := SetCell(dictionary, codes)
	codes[0] = 1
	if cell.Label != "{NULL,x}" || !slices.Equal(cell.Members, []uint32{0, 2}) || cell.Weights != nil {
		t.Errorf("%+v", cell)
	}
}
