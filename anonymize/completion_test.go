package anonymize

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// twoGroups has groups of 2 and 3 records and two fragments without columns.
func twoGroups(sizes ...uint32) *Release {
	r := &Release{GroupSizes: sizes, Fragments: []*Fragment{{Name: "qi"}, {Name: "sa"}}}
	for _, size := range sizes {
		r.Rows += int(size)
	}
	return r
}

func TestCompletionCheck(t *testing.T) {
	r := twoGroups(2, 3)
	for _, c := range []struct {
		name   string
		places [][][]uint16
		want   string // "": it is a completion
	}{
		{"as published", [][][]uint16{{{0, 1, 0, 1, 2}}}, ""},
		{"two tables", [][][]uint16{{{1, 0, 2, 0, 1}}, {{0, 1, 1, 0, 2}}}, ""},
		{"none", nil, "there are 0 completed tables"},
		{"a place twice", [][][]uint16{{{0, 1, 0, 1, 2}}, {{0, 0, 0, 1, 2}}}, "completed table 2: the places of fragment sa in group 1 are no permutation of its 2 records"},
		{"a place of the next group", [][][]uint16{{{0, 1, 0, 1, 3}}}, "in group 2 are no permutation of its 3 records"},
		{"a record too few", [][][]uint16{{{0, 1, 0, 1}}}, "it has 4 places of fragment sa, the release has 5 records"},
		{"a fragment too many", [][][]uint16{{{0, 1, 0, 1, 2}, {0, 1, 0, 1, 2}}}, "it has places of 2 fragments, the release has 1 beyond the first"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := NewCompletion(r, c.places).Check(t.Context(), r)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// A group of 256 records has places of a byte, one of 257 of two.
func TestCompletionWidth(t *testing.T) {
	for _, c := range []struct {
		size  uint32
		bytes int64
	}{{256, 256}, {257, 514}} {
		r := twoGroups(c.size)
		places := make([]uint16, c.size)
		for i := range places {
			places[i] = uint16(int(c.size) - 1 - i)
		}
		completion := NewCompletion(r, [][][]uint16{{places}})
		if err := completion.Check(t.Context(), r); err != nil {
			t.Errorf("%d records: %v", c.size, err)
		}
		if got := completion.Bytes(); got != c.bytes {
			t.Errorf("%d records have places of %d bytes, want %d", c.size, got, c.bytes)
		}
		if err := (&Completion{Tables: 1, Wide: [][][]uint16{{places}}, Narrow: [][][]uint8{{nil}}}).Check(t.Context(), r); err == nil {
			t.Error("places of both widths pass")
		}
	}
}

// Places put piece by piece equal places given as a whole, in both widths.
func TestPut(t *testing.T) {
	for _, sizes := range [][]uint32{{2, 3}, {300, 3}} {
		r := twoGroups(sizes...)
		var places [][][]uint16
		blank := BlankCompletion(r, 2)
		for d := range 2 {
			var table []uint16
			for _, size := range sizes {
				first := len(table)
				for i := range uint16(size) {
					table = append(table, (i+uint16(d))%uint16(size))
				}
				blank.Put(d, 1, first, table[first:])
			}
			places = append(places, [][]uint16{table})
		}
		whole := NewCompletion(r, places)
		if !reflect.DeepEqual(blank, whole) || blank.Check(t.Context(), r) != nil || (whole.Wide != nil) != (sizes[0] > widestNarrow) {
			t.Errorf("%v records: %+v, want %+v", sizes, blank, whole)
		}
	}
}

// The end of the context ends a check: it finds nothing wrong then.
func TestCompletionCheckEnds(t *testing.T) {
	r := twoGroups(2, 3)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := NewCompletion(r, [][][]uint16{{{0, 1, 0, 1, 2}}}).Check(ended, r); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
