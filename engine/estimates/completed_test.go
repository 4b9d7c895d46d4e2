package estimates

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/engine/dialect"
	"github.com/anonsql/anonsql/enginetest"
	"github.com/anonsql/anonsql/testsize"
)

// completionOf draws completed tables with all matchings equally likely.
func completionOf(random *rand.Rand, r *anonymize.Release, tables int) *anonymize.Completion {
	places := make([][][]uint16, tables)
	for d := range places {
		for range r.Fragments[1:] {
			var list []uint16
			for _, size := range r.GroupSizes {
				for _, place := range random.Perm(int(size)) {
					list = append(list, uint16(place))
				}
			}
			places[d] = append(places[d], list)
		}
	}
	return anonymize.NewCompletion(r, places)
}

// wideOf is completed tables as one fragment: a tuple a record, in the columns that an engine has.
func wideOf(r *anonymize.Release, c *anonymize.Completion) *anonymize.Fragment {
	wide := &anonymize.Fragment{Name: "imputed", GroupStart: []uint32{0}}
	column := func(fragment, i, draw int) {
		f := r.Fragments[fragment]
		of := &anonymize.FragmentColumn{Name: CompletedColumn(fragment, i, draw), Type: f.Columns[i].Type, Dictionary: f.Columns[i].Dictionary}
		first := 0
		for g, size := range r.GroupSizes {
			for row := range int(size) {
				place := row
				if fragment > 0 {
					place = int(c.Narrow[draw-1][fragment-1][first+row])
				}
				t := f.GroupStart[g]
				for ; place >= int(f.Count[t]); t++ {
					place -= int(f.Count[t])
				}
				of.Codes = append(of.Codes, f.Columns[i].Codes[t])
			}
			first += int(size)
		}
		wide.Columns = append(wide.Columns, of)
	}
	for fragment, f := range r.Fragments {
		for i := range f.Columns {
			for draw := 1; draw <= c.Tables; draw++ {
				if fragment > 0 || draw == 1 {
					column(fragment, i, draw)
				}
			}
		}
	}
	for _, size := range r.GroupSizes {
		for range size {
			wide.Count = append(wide.Count, 1)
		}
		wide.GroupStart = append(wide.GroupStart, uint32(len(wide.Count)))
	}
	return wide
}

// TestTrinoCountsCompletedTables: Trino's counts over completed tables give the same answers and spreads as these tables here.
func TestTrinoCountsCompletedTables(t *testing.T) {
	c := enginetest.Need(t)
	schema := fmt.Sprintf("completed%d", rand.Int32())
	exec := func(text string) {
		t.Helper()
		if _, err := c.Client.Exec(t.Context(), text); err != nil {
			t.Fatalf("%.300s: %v", text, err)
		}
	}
	exec("CREATE SCHEMA iceberg." + schema)
	random, counted := rand.New(rand.NewPCG(97, 98)), 0
	for trial := range testsize.Of(1, 3) {
		r := randomRelease(random, 60, 2+trial%2, allKinds)
		tables := completionOf(random, r, 3)
		here, err := estimate.Prepare(r).WithTables(t.Context(), tables)
		if err != nil {
			t.Fatal(err)
		}
		of := *r
		of.Fragments = append([]*anonymize.Fragment{wideOf(r, tables)}, r.Fragments...)
		relations := relationsOf(&of, "iceberg", schema, fmt.Sprintf("r%d", trial))
		for _, text := range inserts(random, dialect.Trino, &of, relations, true) {
			exec(text)
		}
		shape, sizes := shapeOf(r)
		store := &Store{Query: c.Client.Query, Dialect: dialect.Trino, Relations: relations[1:], Sizes: sizes, Completed: relations[0].Path}
		prepared, err := estimate.PrepareElsewhere(shape, sizes, store)
		if err != nil {
			t.Fatal(err)
		}
		there, err := prepared.WithTablesElsewhere(3)
		if err != nil {
			t.Fatal(err)
		}
		for range 8 {
			q := randomQuestion(random, r)
			want, err := here.AskWithSpread(t.Context(), q)
			if err != nil {
				continue // an expression that fails, which the other may find by another value
			}
			got, err := there.AskWithSpread(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Fragments) > 1 {
				counted++
			}
			sameAnswers(t, got, want)
		}
	}
	exec("DROP SCHEMA iceberg." + schema + " CASCADE")
	if counted < 3 {
		t.Errorf("%d questions were counted in completed tables", counted)
	}
}

// sameAnswers compares figures and spreads to nine digits.
func sameAnswers(t *testing.T, got, want *estimate.Answer) {
	t.Helper()
	if len(got.Rows) != len(want.Rows) {
		t.Fatalf("%d keys, want %d", len(got.Rows), len(want.Rows))
	}
	for i, row := range want.Rows {
		if fmt.Sprint(row.Keys) != fmt.Sprint(got.Rows[i].Keys) {
			t.Errorf("key %v, want %v", got.Rows[i].Keys, row.Keys)
		}
		for a, figure := range row.Figures {
			if !same(got.Rows[i].Figures[a], figure, false) {
				t.Errorf("key %v: %v, want %v", row.Keys, got.Rows[i].Figures[a], figure)
			}
			if want.Deviations != nil && !same(got.Deviations[i][a], want.Deviations[i][a], false) {
				t.Errorf("key %v: standard error %v, want %v", row.Keys, got.Deviations[i][a], want.Deviations[i][a])
			}
		}
	}
}
