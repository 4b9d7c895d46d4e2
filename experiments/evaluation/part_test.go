package evaluation

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/anonymize"
)

// aPart has figures that were made on a machine of the test's.
func aPart(name string, figures ...Figure) *Part {
	for i := range figures {
		figures[i].Name = name + figures[i].Name[len("later"):]
	}
	return &Part{
		Name: name, Paper: "A and B 2020", Title: "A, B: A title, 2020", Source: "UCI Adult", Records: 45222, Seed: 7, Version: "1.2.3",
		Machine: Machine{System: "linux", Processor: "amd64", Cores: 8, MemoryGB: 15.6, Go: "go1.26"},
		Started: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC), Seconds: 125.2, Figures: figures,
	}
}

func writePart(t *testing.T, p *Part, dir string) bool {
	t.Helper()
	written, err := p.Write(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return written
}

func files(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, folder))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func reportOf(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, Report))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const wholeReport = `## Verdicts

| paper | agrees | agrees in part | disagrees | cannot be run as printed |
|---|---:|---:|---:|---:|
| A and B 2020 | 1 | 0 | 0 | 1 |

| paper | figure | shows | verdict |
|---|---|---|---|
| A and B 2020 | [Fig. 1](#later-fig01) | Time by records | agrees |
| A and B 2020 | [Fig. 3](#later-fig03) | Nothing \| at all | cannot be run as printed |

## Runs

| paper | data | complete records | seed | size | repetitions | machine | versions | date | took |
|---|---|---:|---:|---|---|---|---|---|---:|
| A and B 2020 | UCI Adult | 45,222 | 7 | full | 3 | 8 cores, 16 GB, linux/amd64 | anonsql 1.2.3, go1.26 | 2026-02-03 | 2.1 min |

## later: A, B: A title, 2020

<a id="later-fig01"></a>

### Fig. 1: Time by records

![Time by records](results/later-fig01.png)

**The paper shows:** This takes longer.

**This run shows:** It does.

**Verdict:** agrees.

- A note.

Data: [CSV](results/later-fig01.csv), [SVG](results/later-fig01.svg); repetitions a point: 3.

<a id="later-fig03"></a>

### Fig. 3: Nothing | at all

**The paper shows:** Something.

**Verdict:** cannot be run as printed.

**Why:** There is nothing.
`

func TestReport(t *testing.T) {
	dir := t.TempDir()
	f := madeUp()
	f.Notes = []string{"A note."}
	none := Figure{Name: "later-fig03", Printed: "Fig. 3", Title: "Nothing | at all", PaperShows: "Something.", Verdict: Infeasible, Why: "There is nothing."}
	if !writePart(t, aPart("later", f, none), dir) {
		t.Fatal("nothing was written")
	}
	if got, want := reportOf(t, dir), opening+wholeReport; got != want {
		t.Errorf("the report is\n%s", got)
	}
	if got, want := files(t, dir), "later-fig01.csv later-fig01.png later-fig01.svg later.json"; got != want {
		t.Errorf("the files are %s", got)
	}
}

// Notes that several figures share are printed once.
func TestCommonNotes(t *testing.T) {
	p := aPart("later", madeUp(), madeUp(), madeUp())
	for i := range p.Figures {
		p.Figures[i].Notes = []string{"Of all.", "Of this."}
	}
	p.Figures[1].Notes[1] = "Of that."
	text := string(ReportText([]*Part{p}))
	for want, times := range map[string]int{"1. Of all.\n": 1, "Of all.": 1, "**Notes above:** 1\n": 3, "- Of this.\n": 2, "- Of that.\n": 1} {
		if n := strings.Count(text, want); n != times {
			t.Errorf("%q is there %d times:\n%s", want, n, text)
		}
	}
}

// A paper replaces its own figures only.
func TestReplacement(t *testing.T) {
	dir := t.TempDir()
	writePart(t, aPart("early", madeUp()), dir)
	writePart(t, aPart("later", madeUp(), madeUpBars()), dir)
	only := madeUpBars()
	only.Title = "Another time"
	writePart(t, aPart("later", only), dir)
	if got, want := files(t, dir), "early-fig01.csv early-fig01.png early-fig01.svg early.json later-fig02.csv later-fig02.png later-fig02.svg later.json"; got != want {
		t.Errorf("the files are %s", got)
	}
	text := reportOf(t, dir)
	for want, is := range map[string]bool{"(#early-fig01) | Time by records": true, "(#later-fig02) | Another time": true, "later-fig01": false} {
		if strings.Contains(text, want) != is {
			t.Errorf("%q is in the report: %v", want, !is)
		}
	}
	// An interrupted part does not replace a complete one. Without a complete one, it is kept and marked as interrupted.
	broken := aPart("later", madeUp())
	broken.Interrupted = true
	if writePart(t, broken, dir) || reportOf(t, dir) != text {
		t.Error("an interrupted part took the place of a whole one")
	}
	broken = aPart("other", madeUp())
	broken.Interrupted = true
	if !writePart(t, broken, dir) || !strings.Contains(reportOf(t, dir), "was interrupted") {
		t.Error("an interrupted part was not written")
	}
	if !writePart(t, broken, dir) {
		t.Error("an interrupted part did not take the place of another")
	}
}

func TestUnwritable(t *testing.T) {
	bad := madeUp()
	bad.Verdict = "perhaps"
	twice := []Figure{madeUp(), madeUp()}
	for want, p := range map[string]*Part{`"perhaps" is no verdict`: aPart("later", bad), `two figures "later-fig01"`: aPart("later", twice...)} {
		dir := t.TempDir()
		if _, err := p.Write(dir, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
		if _, err := os.Stat(filepath.Join(dir, folder)); err == nil {
			t.Error("a directory was made for nothing")
		}
	}
	dir := t.TempDir()
	writePart(t, aPart("later", madeUp()), dir)
	if err := os.WriteFile(filepath.Join(dir, folder, "later.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := aPart("later", madeUp()).Write(dir, nil); err == nil || !strings.Contains(err.Error(), "no part of a report") {
		t.Errorf("a damaged part: %v", err)
	}
}

func TestExecute(t *testing.T) {
	run := &Run{Table: &anonymize.Microdata{Rows: 12}, Source: "x", Seed: 3}
	e := Experiment{Name: "later", Paper: "A 2020", Title: "T", Figures: func(context.Context, *Run) ([]Figure, error) { return []Figure{madeUp()}, nil }}
	part, err := Execute(t.Context(), e, run, "1.2.3")
	if err != nil || part.Records != 12 || part.Seed != 3 || part.Version != "1.2.3" || part.Interrupted || len(part.Figures) != 1 ||
		part.Machine.Cores < 1 || part.Started.IsZero() {
		t.Errorf("%+v, %v", part, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	e.Figures = func(ctx context.Context, _ *Run) ([]Figure, error) {
		cancel()
		return []Figure{madeUp()}, ctx.Err()
	}
	part, err = Execute(ctx, e, run, "1.2.3")
	if !errors.Is(err, context.Canceled) || part == nil || !part.Interrupted || len(part.Figures) != 1 {
		t.Errorf("%+v, %v", part, err)
	}
	e.Figures = func(context.Context, *Run) ([]Figure, error) { return nil, errors.New("no such column") }
	if part, err = Execute(t.Context(), e, run, ""); part != nil || err == nil || err.Error() != "experiment later: no such column" {
		t.Errorf("%+v, %v", part, err)
	}
}

// The report has the experiments in the requested order, then the others.
func TestOrder(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"early", "other", "later"} {
		if _, err := aPart(name, madeUp()).Write(dir, []string{"later", "missing", "early"}); err != nil {
			t.Fatal(err)
		}
	}
	text, before := reportOf(t, dir), 0
	for _, name := range []string{"later", "early", "other"} {
		at := strings.Index(text, "## "+name+": ")
		if at < before {
			t.Errorf("%s is at %d, the one before it at %d:\n%s", name, at, before, text)
		}
		before = at
	}
}

// Parts of former releases, in files with the papers' numbers, are left alone.
func TestNumberedParts(t *testing.T) {
	dir := t.TempDir()
	writePart(t, aPart("early", madeUp()), dir)
	before := reportOf(t, dir)
	old := filepath.Join(dir, folder, "009.json")
	if err := os.WriteFile(old, []byte(`{"Paper": "009", "Title": "T", "Figures": []}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if writePart(t, aPart("early", madeUp()), dir); reportOf(t, dir) != before {
		t.Errorf("the report is\n%s", reportOf(t, dir))
	}
}

// A figure that comes from no paper states its aim.
func TestAimIsTold(t *testing.T) {
	var b bytes.Buffer
	f := Figure{Name: "later-aim", Printed: "Own", Title: "A figure", Aim: "Little.", Verdict: Infeasible, Why: "There is nothing."}
	f.describe(&b, nil)
	if text := b.String(); !strings.Contains(text, "\n**The aim:** Little.\n") || strings.Contains(text, "The paper shows") {
		t.Error(text)
	}
}
