package experiments

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/cmd/anonsql/sample"
	"github.com/anonsql/anonsql/experiments/evaluation"
)

// sampled is the bundled sample.
var sampled = sync.OnceValues(func() (*evaluation.Source, error) {
	var text bytes.Buffer
	if err := sample.WriteCSV(&text, 20_000, 1); err != nil {
		return nil, err
	}
	return evaluation.ReadTable(context.Background(), &text)
})

// quickly runs an experiment on the sample twice and returns its figures by name. Both runs must agree except for
// times.
func quickly(t *testing.T, e evaluation.Experiment) map[string]*evaluation.Figure {
	t.Helper()
	if testing.Short() {
		t.Skip("runs an experiment: seconds")
	}
	source, err := sampled()
	if err != nil {
		t.Fatal(err)
	}
	done, total := 0, 0
	run := &evaluation.Run{Table: source.Table, Source: "the sample", Quick: true, Seed: 1, Progress: func(_ string, d, all int) {
		if d < done || d > all {
			t.Errorf("%d of %d after %d", d, all, done)
		}
		done, total = d, all
	}}
	first := figuresOf(t, e, run)
	if done != total || total == 0 {
		t.Errorf("the progress ended at %d of %d", done, total)
	}
	done = 0
	second := figuresOf(t, e, run)
	for name, f := range first {
		if !ofSeconds(f) && written(f) != written(second[name]) {
			t.Errorf("%s is another one, with the same seed:\n%s\n%s", name, written(f), written(second[name]))
		}
	}
	return first
}

func figuresOf(t *testing.T, e evaluation.Experiment, run *evaluation.Run) map[string]*evaluation.Figure {
	t.Helper()
	part, err := evaluation.Execute(t.Context(), e, run, "test")
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]*evaluation.Figure{}
	for i := range part.Figures {
		f := &part.Figures[i]
		of[f.Name] = f
		if f.Title == "" || f.X == "" || f.Y == "" || f.PaperShows+f.Aim == "" || f.RunShows == "" || len(f.Notes) == 0 {
			t.Errorf("%s lacks something: %s", f.Name, written(f))
		}
	}
	return of
}

// ofSeconds reports whether a figure is of times.
func ofSeconds(f *evaluation.Figure) bool {
	return strings.HasPrefix(f.Y, "seconds") || f.Y == timeAxis
}

func written(f *evaluation.Figure) string { return fmt.Sprintf("%+v", f) }

// refuses runs an experiment on a table without its columns, and one that is cancelled.
func refuses(t *testing.T, e evaluation.Experiment, want string) {
	t.Helper()
	table := &anonymize.Microdata{Rows: 1, Columns: []*anonymize.Column{anonymize.NewColumn("name", "", []anonymize.Value{anonymize.TextValue("x")})}}
	if _, err := e.Figures(t.Context(), &evaluation.Run{Table: table, Quick: true}); err == nil || err.Error() != want {
		t.Errorf("%v, not %s", err, want)
	}
	if testing.Short() {
		return
	}
	source, err := sampled()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = e.Figures(ctx, &evaluation.Run{Table: source.Table, Quick: true, Progress: func(_ string, done, _ int) {
		if done == 3 {
			cancel()
		}
		if done > 5 {
			t.Errorf("step %d after the end", done)
		}
	}})
	if cancel(); !errors.Is(err, context.Canceled) {
		t.Errorf("a run that was cancelled ended with %v", err)
	}
}
