package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// open opens a journal and wants no trouble with it.
func open(t *testing.T, path string) *Jobs {
	t.Helper()
	j, err := Open(path, time.Now(), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// A server that continues a killed server's journal shows ended jobs unchanged and running ones as interrupted, and continues the numbers.
func TestJobsOutliveTheProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), File)
	first := open(t, path)
	first.Start("ana", "anonymize", "shop", "visits").End(nil)
	first.Start("ana", "tune", "shop", "visits").End(context.Canceled)
	first.Start("bob", "refresh", "shop", "orders").End(errors.New(strings.Repeat("ü", longestKept)))
	running := first.Start("ana", "anonymize", "shop", "orders")
	running.Progress("read the table", 3, 10)
	running.Progress("read the table", 4, 10)
	begun := running.Started
	// A line that the killed process has not written whole.
	torn, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := torn.WriteString("\n{\"ID\":4,\"Status\":\"do"); err != nil {
		t.Fatal(err)
	}
	torn.Close()
	now := time.Now()
	second, err := Open(path, now, nil)
	if err != nil {
		t.Fatal(err)
	}
	states := second.All()
	if len(states) != 4 {
		t.Fatalf("%d jobs, want 4: %+v", len(states), states)
	}
	for i, want := range []string{"done", "failed", "failed", "interrupted"} {
		if states[i].Status != want || states[i].ID != int64(i+1) || states[i].Ended.IsZero() {
			t.Errorf("job %d is %+v, want it %s", i+1, states[i], want)
		}
	}
	got := states[3]
	if !got.Started.Equal(begun) || !got.Ended.Equal(now) || got.Phase != "read the table" || got.User != "ana" || got.Subject != "shop.orders" ||
		!strings.HasPrefix(got.Error, "the server ended while this ran") {
		t.Errorf("what ran is %+v", got)
	}
	if states[1].Error != "Query execution was interrupted" || len(states[2].Error) > longestKept+4 {
		t.Errorf("errors are %q and %d bytes", states[1].Error, len(states[2].Error))
	}
	if next := second.Start("ana", "fit", "shop", "visits"); next.ID != 5 {
		t.Errorf("the next job is %d", next.ID)
	}
	if third := open(t, path).All(); len(third) != 5 || third[3].Ended.Sub(got.Ended).Abs() > 0 || third[4].Status != "interrupted" {
		t.Errorf("after another start: %+v", third)
	}
}

// The journal has the last jobs, however many there were.
func TestJournalStaysShort(t *testing.T) {
	path := filepath.Join(t.TempDir(), File)
	j := open(t, path)
	for i := range 3 * maxLines {
		j.Start("ana", fmt.Sprint("kind ", i), "shop", "visits").End(nil)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "{"); lines > maxLines {
		t.Errorf("the journal has %d lines", lines)
	}
	again := open(t, path).All()
	if len(again) != keptJobs || again[keptJobs-1].Kind != fmt.Sprint("kind ", 3*maxLines-1) || again[keptJobs-1].Status != "done" {
		t.Errorf("%d jobs, the last is %+v", len(again), again[len(again)-1])
	}
}

// A journal that cannot be written is reported once, and the list continues.
func TestJournalThatCannotBeWritten(t *testing.T) {
	if _, err := Open(t.TempDir(), time.Now(), nil); err == nil {
		t.Error("a folder is a journal")
	}
	var heard []error
	j, err := Open(filepath.Join(t.TempDir(), File), time.Now(), func(err error) { heard = append(heard, err) })
	if err != nil {
		t.Fatal(err)
	}
	j.journal.file.Close()
	j.Start("ana", "anonymize", "shop", "visits").End(nil)
	if got := j.All(); len(got) != 1 || got[0].Status != "done" || len(heard) != 1 {
		t.Errorf("the list is %+v, heard was %v", got, heard)
	}
}

// The time of a phase is the sum of its turns. The phases of an ended job cover its whole time from the first one on.
func TestPhasesTakeTime(t *testing.T) {
	j := &Jobs{}
	job := j.Start("ana", "anonymize", "shop", "visits")
	for _, phase := range []string{"read", "form groups", "read"} {
		job.Progress(phase, 0, 2)
		before := j.All()[0].Phases
		time.Sleep(2 * time.Millisecond)
		job.Progress(phase, 1, 2)
		if after := j.All()[0].Phases; len(after) != len(before) {
			t.Errorf("%s has not ended, and there are %v after %v", phase, after, before)
		}
	}
	job.End(nil)
	state := j.All()[0]
	if len(state.Phases) != 2 || state.Phases[0].Phase != "read" || state.Phases[1].Phase != "form groups" {
		t.Fatalf("the phases are %v", state.Phases)
	}
	read, form := state.Phases[0].Took, state.Phases[1].Took
	if read < 4*time.Millisecond || form < 2*time.Millisecond || read+form > state.Ended.Sub(state.Started) {
		t.Errorf("read took %v and form groups %v, all %v", read, form, state.Ended.Sub(state.Started))
	}
}
