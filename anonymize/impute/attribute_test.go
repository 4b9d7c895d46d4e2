package impute

import (
	"fmt"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// A release of very many attributes gets coarser categories, not a larger model.
func TestManyAttributes(t *testing.T) {
	r := &anonymize.Release{Rows: 200, GroupSizes: []uint32{200}}
	for j := range 2 {
		f := &anonymize.Fragment{Name: fmt.Sprint("f", j), GroupStart: []uint32{0, 200}}
		for range 200 {
			f.Count = append(f.Count, 1)
		}
		for c := range 20 {
			column := &anonymize.FragmentColumn{Name: fmt.Sprint("c", j, c)}
			for v := range uint32(200) {
				column.Dictionary = append(column.Dictionary, anonymize.TextValue(fmt.Sprintf("%03d", v)))
				column.Codes = append(column.Codes, v)
			}
			f.Columns = append(f.Columns, column)
		}
		r.Fragments = append(r.Fragments, f)
	}
	if s := mustSchema(t, r); s.categories > maxCategories || s.categories < maxCategories/4 {
		t.Errorf("%d categories of 40 attributes", s.categories)
	}
}
