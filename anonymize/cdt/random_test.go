package cdt

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

// Random classes have the requested sizes, contain each record once, and depend on the source.
func TestRandomClasses(t *testing.T) {
	table := anontest.Parse(t, "age city job school\n21 Bonn cook none\n22 Bonn clerk some\n23 Rome nurse all\n24 Rome cook none\n25 Oslo clerk some\n26 Oslo nurse all\n27 Bonn cook all")
	in, err := anonymize.NewInput(table, anonymize.Roles{QuasiIdentifiers: []string{"age", "city"}, Sensitive: []string{"job", "school"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	members := map[string]bool{}
	for seed := range uint64(20) {
		in.Random = rand.NewPCG(seed, 1)
		in.Assigned = func(gid []uint32) {
			text := make([]byte, len(gid))
			for i, g := range gid {
				text[i] = byte('a' + g)
			}
			members[string(text)] = true
		}
		r, err := RandomClasses(context.Background(), in, []uint32{4, 1, 2})
		if err != nil {
			t.Fatal(err)
		}
		sizes := slices.Clone(r.GroupSizes)
		if slices.Sort(sizes); !slices.Equal(sizes, []uint32{1, 2, 4}) {
			t.Errorf("the classes have %v records", r.GroupSizes)
		}
		if err := anontest.Publishable(r, in); err != nil {
			t.Error(err)
		}
	}
	if len(members) < 15 {
		t.Errorf("20 sources made %d divisions", len(members))
	}
	if _, err := RandomClasses(context.Background(), in, []uint32{4, 1}); err == nil {
		t.Error("5 of 7 records were published")
	}
}
