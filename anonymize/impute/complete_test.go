package impute_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/impute"
	"github.com/anonsql/anonsql/testsize"
)

func complete(t testing.TB, r *anonymize.Release, o impute.Options) *anonymize.Completion {
	t.Helper()
	c, err := impute.Complete(context.Background(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Check(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	return c
}

// The same release gives the same tables: on one core and on several, and when a reader
// made it again from what is published, with other codes for the same values.
func TestTablesAreAFunctionOfTheRelease(t *testing.T) {
	rows, cores := 800, []int{1, 3, 8}
	if !testsize.All() {
		rows, cores = 200, cores[1:2]
	}
	r := impute.Made(rows, 1).Released(t, "slppa", "beta", "0.25", "tables", "3")
	want := complete(t, r, impute.Options{Workers: 1})
	for name, again := range map[string]*anonymize.Release{"the same": r, "read again": readAgain(r)} {
		for _, workers := range cores {
			if got := complete(t, again, impute.Options{Workers: workers}); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %d cores: other tables", name, workers)
			}
		}
	}
	other := impute.Made(rows, 2).Released(t, "slppa", "beta", "0.25", "tables", "3")
	if impute.Digest(other) == impute.Digest(r) {
		t.Error("two releases have one digest")
	}
}

// readAgain has the same relations, but what is not published is gone, and dictionaries
// have values that nobody has.
func readAgain(r *anonymize.Release) *anonymize.Release {
	again := &anonymize.Release{Rows: r.Rows, GroupSizes: r.GroupSizes}
	for _, f := range r.Fragments {
		g := *f
		g.Columns = nil
		for _, c := range f.Columns {
			d := *c
			d.Dictionary = append([]anonymize.Value{anonymize.NullValue}, c.Dictionary...)
			d.Codes = nil
			for _, code := range c.Codes {
				d.Codes = append(d.Codes, code+1)
			}
			g.Columns = append(g.Columns, &d)
		}
		again.Fragments = append(again.Fragments, &g)
	}
	return again
}

// A digest tells apart releases that differ in any of what is published.
func TestDigest(t *testing.T) {
	text := func(values ...string) *anonymize.FragmentColumn {
		c := &anonymize.FragmentColumn{Name: "c"}
		for i, v := range values {
			c.Dictionary, c.Codes = append(c.Dictionary, anonymize.TextValue(v)), append(c.Codes, uint32(i))
		}
		return c
	}
	release := func(name string, counts []uint32, columns ...*anonymize.FragmentColumn) *anonymize.Release {
		return &anonymize.Release{Rows: 3, GroupSizes: []uint32{3}, Fragments: []*anonymize.Fragment{
			{Name: name, GroupStart: []uint32{0, 2}, Count: counts, Columns: columns}}}
	}
	digests := make(map[[32]byte]string)
	for name, r := range map[string]*anonymize.Release{
		"one":                         release("f", []uint32{1, 2}, text("a", "b")),
		"another name":                release("g", []uint32{1, 2}, text("a", "b")),
		"other counts":                release("f", []uint32{2, 1}, text("a", "b")),
		"another value":               release("f", []uint32{1, 2}, text("a", "c")),
		"the border of values moved":  release("f", []uint32{1, 2}, text("ab", "")),
		"a column twice":              release("f", []uint32{1, 2}, text("a", "b"), text("a", "b")),
		"the values in another order": release("f", []uint32{1, 2}, text("b", "a")),
		"groups of other sizes":       {Rows: 3, GroupSizes: []uint32{2, 1}, Fragments: release("f", []uint32{1, 2}, text("a", "b")).Fragments},
	} {
		d := impute.Digest(r)
		if other, known := digests[d]; known {
			t.Errorf("%s and %s have one digest", name, other)
		}
		digests[d] = name
	}
}

func TestRefuse(t *testing.T) {
	column := &anonymize.FragmentColumn{Name: "age", Dictionary: []anonymize.Value{anonymize.NullValue}, Codes: []uint32{0}}
	cells := &anonymize.FragmentColumn{Name: "zip", Dictionary: column.Dictionary, Cells: make([]anonymize.Cell, 1), Codes: column.Codes}
	fragments := func(columns ...*anonymize.FragmentColumn) (all []*anonymize.Fragment) {
		for _, c := range columns {
			all = append(all, &anonymize.Fragment{Columns: []*anonymize.FragmentColumn{c}, GroupStart: []uint32{0, 1}, Count: []uint32{1 << 17}})
		}
		return all
	}
	for _, c := range []struct {
		name, want string
		release    anonymize.Release
	}{
		{"one fragment", "it has one fragment", anonymize.Release{Fragments: fragments(column)}},
		{"cells", "column zip has cells that stand for several values", anonymize.Release{Fragments: fragments(column, cells)}},
		{"counterfeits", "3 of its records are counterfeits", anonymize.Release{Forged: 3, Fragments: fragments(column, column)}},
		{"a very large group", "group 1 has 65537 records", anonymize.Release{GroupSizes: []uint32{2, 65537}, Fragments: fragments(column, column)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := impute.Complete(context.Background(), &c.release, impute.Options{})
			if !errors.As(err, new(*impute.RefusedError)) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// Groups of every size are completed: of one record, drawn in one step, in parts, and of
// places that need two bytes.
func TestGroupsOfEverySize(t *testing.T) {
	for _, sizes := range [][]uint32{{1}, {1, 1, 1}, {2, 1, 7, 8, 13}, {300, 2}, {40}} {
		r := impute.Grouped(sizes...)
		if c := complete(t, r, impute.Options{Tables: 3}); c.Tables != 3 {
			t.Errorf("%v: %d tables", sizes, c.Tables)
		}
	}
}

func TestNoRecords(t *testing.T) {
	r := impute.Made(40, 1).Released(t, "anatomy", "l", "2")
	none := &anonymize.Release{}
	for _, f := range r.Fragments {
		g := &anonymize.Fragment{Name: f.Name, GroupStart: []uint32{0}}
		for _, c := range f.Columns {
			g.Columns = append(g.Columns, &anonymize.FragmentColumn{Name: c.Name})
		}
		none.Fragments = append(none.Fragments, g)
	}
	complete(t, none, impute.Options{})
}

func TestTablesOf(t *testing.T) {
	for records, want := range map[int]int{0: 12, 1000: 12, 166_666: 12, 200_000: 10, 250_000: 8, 10_000_000: 8} {
		if got := impute.TablesOf(records); got != want {
			t.Errorf("%d tables of %d records, want %d", got, records, want)
		}
	}
}

// Progress goes from 1 to the total of every phase; the context's end stops the work,
// whenever it comes.
func TestProgressAndEnd(t *testing.T) {
	rows := testsize.Of(300, 1000)
	r := impute.Made(rows, 3).Released(t, "anatomy", "l", "3")
	done, totals := make(map[string]int), make(map[string]int)
	complete(t, r, impute.Options{Workers: 4, Progress: func(phase string, n, total int) {
		if n != done[phase]+1 {
			t.Errorf("%s: %d after %d", phase, n, done[phase])
		}
		done[phase], totals[phase] = n, total
	}})
	if len(done) != 2 || !reflect.DeepEqual(done, totals) {
		t.Errorf("done %v of %v", done, totals)
	}
	gone := errors.New("the client left")
	for phase, total := range totals {
		for _, at := range []int{1, total / 2, total - 1} {
			ctx, cancel := context.WithCancelCause(context.Background())
			said := 0
			c, err := impute.Complete(ctx, r, impute.Options{Workers: 2, Progress: func(p string, n, _ int) {
				said++
				if p == phase && n == at {
					cancel(gone)
				}
			}})
			if c != nil || !errors.Is(err, gone) {
				t.Errorf("%s %d: %v", phase, at, err)
			}
		}
	}
}
