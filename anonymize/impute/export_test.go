package impute

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// Made and Released are for the tests outside.
func Made(rows int, seed uint64) source { return made(rows, seed) }

func (s source) Released(t testing.TB, method string, arguments ...string) *anonymize.Release {
	return s.released(t, method, arguments...)
}

// Grouped is a release of three fragments and groups of some sizes.
func Grouped(sizes ...uint32) *anonymize.Release {
	random := rand.New(rand.NewPCG(1, 1))
	r := &anonymize.Release{GroupSizes: sizes}
	for j := range 3 {
		column := &anonymize.FragmentColumn{Name: fmt.Sprint("c", j)}
		for v := range max(400, slices.Max(sizes)) {
			column.Dictionary = append(column.Dictionary, anonymize.IntegerValue(int64(v)))
		}
		r.Fragments = append(r.Fragments, &anonymize.Fragment{Name: fmt.Sprint("f", j), GroupStart: []uint32{0}, Columns: []*anonymize.FragmentColumn{column}})
	}
	for _, size := range sizes {
		r.Rows += int(size)
		for _, f := range r.Fragments {
			left, code := size, uint32(0)
			for left > 0 {
				n := 1 + random.Uint32N(min(left, 2))
				f.Count, f.Columns[0].Codes = append(f.Count, n), append(f.Columns[0].Codes, code)
				left, code = left-n, code+1
			}
			f.GroupStart = append(f.GroupStart, uint32(len(f.Count)))
		}
	}
	return r
}
