package catalog

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/source"
)

// For random tables and private sides, the difference equals a comparison of every key.
func TestDifference(t *testing.T) {
	random := rand.New(rand.NewPCG(22, 4))
	for range 200 {
		l := &anonymize.Live{}
		before, now := make(map[int64]anonymize.Value), make(map[int64]anonymize.Value)
		var values, rows []anonymize.Value
		var keys []int64
		for key := range int64(random.IntN(40)) {
			v := anonymize.IntegerValue(int64(random.IntN(3)))
			if random.IntN(4) > 0 {
				before[key+1] = v
				l.Key, l.Kind, values = append(l.Key, key+1), append(l.Kind, anonymize.Person), append(values, v)
			}
			if random.IntN(5) == 0 {
				l.Key, l.Kind, values = append(l.Key, 0), append(l.Kind, anonymize.ForgedByDeletion), append(values, v)
			}
			if random.IntN(4) > 0 {
				if random.IntN(3) == 0 {
					v = anonymize.IntegerValue(int64(random.IntN(5)))
				}
				now[key+1] = v
				keys, rows = append(keys, key+1), append(rows, v)
			}
		}
		l.Columns = []*anonymize.Column{anonymize.NewColumn("q", "int", values)}
		changed, left, err := difference(l, keys, []*anonymize.Column{anonymize.NewColumn("q", "int", rows)})
		if err != nil {
			t.Fatal(err)
		}
		wantLeft := 0
		for key := range int64(41) {
			was, here := before[key]
			is, there := now[key]
			if here && there {
				wantLeft++
			}
			at := slices.Index(changed.Key, key)
			if differs := here != there || was != is; differs != (at >= 0) {
				t.Fatalf("key %d was %v, is %v, and is found changed: %v", key, was, is, at >= 0)
			}
			if at >= 0 && there != (changed.Row[at] >= 0) || at >= 0 && there && changed.Columns[0].Value(changed.Row[at]) != is {
				t.Fatalf("key %d is %v, and row %d of the changes", key, is, changed.Row[at])
			}
		}
		if left != wantLeft {
			t.Fatalf("%d keys are left, want %d", left, wantLeft)
		}
	}
	if _, _, err := difference(&anonymize.Live{}, []int64{5, 5}, nil); err == nil {
		t.Error("two rows of one number are compared")
	}
}

// A table is another one when its keys are others, and not because it was loaded again.
func TestReplacedTable(t *testing.T) {
	l := &anonymize.Live{Kind: slices.Repeat([]anonymize.RecordKind{anonymize.Person}, 10)}
	for _, c := range []struct {
		left, rows int
		created    bool
		reason     string
	}{
		{10, 10, false, ""}, {10, 10, true, ""}, {5, 9, true, ""}, {4, 9, true, "has 4 of 10 keys"}, {4, 9, false, ""}, {0, 9, false, "none is left"}, {0, 0, false, ""}, {0, 0, true, ""},
	} {
		if got := replaced(l, c.left, c.rows, c.created); (got == "") != (c.reason == "") || !strings.Contains(got, c.reason) {
			t.Errorf("%+v: %q", c, got)
		}
	}
	key := source.Key{Primary: []source.KeyColumn{{Name: "id", Type: "int"}}, Released: []source.KeyColumn{{Name: "s", Collation: "a_ci"}}}
	other := source.Key{Primary: key.Primary, Released: []source.KeyColumn{{Name: "s", Collation: "b_ci"}}}
	if got := key.Differs(&other); !strings.Contains(got, "a_ci and are by b_ci") {
		t.Errorf("another collation: %q", got)
	}
	if got := key.Differs(&key); got != "" {
		t.Errorf("the same key: %q", got)
	}
}
