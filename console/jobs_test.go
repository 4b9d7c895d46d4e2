package console

import (
	"fmt"
	"testing"
)

// A job appears once in the list, next to its release, even if several were published in the same second; a job without an end has no duration.
func TestEndedJobs(t *testing.T) {
	row := func(id, release string) []cell {
		c := cells("anonymize", "d.t", "root", "done", "2026-01-01 10:00", "0", "", release, id)
		c[6].Null, c[7].Null = true, release == ""
		return c
	}
	crashed := row("6", "")
	crashed[3], crashed[5].Null = cell{Value: "failed"}, true
	var view jobsView
	view.end(&table{Rows: [][]cell{row("9", "c"), row("9", "b"), row("8", "c"), row("8", "b"), row("7", ""), crashed}})
	want := "c in 0\u00a0s, b in 0\u00a0s,  in 0\u00a0s,  in , "
	said := ""
	for _, job := range view.Ended {
		said += fmt.Sprintf("%s in %s, ", job.Left, job.Took)
	}
	if said != want {
		t.Errorf("%q, want %q", said, want)
	}
}
