package console

import (
	"bytes"
	"net/http/httptest"
	"testing"
	"time"
)

// A renewed is an answer that counts its deadlines.
type renewed struct {
	httptest.ResponseRecorder
	deadlines int
}

func (r *renewed) SetWriteDeadline(time.Time) error {
	r.deadlines++
	return nil
}

// A slow client has its time for each MiB of a file, not for all of it.
func TestExportsHaveTimeForEachPart(t *testing.T) {
	answer := &renewed{ResponseRecorder: *httptest.NewRecorder()}
	(&console{}).sendRows(answer, bytes.NewBuffer(make([]byte, 5<<19)))
	if answer.deadlines != 3 || answer.Body.Len() != 5<<19 {
		t.Errorf("%d deadlines for %d bytes", answer.deadlines, answer.Body.Len())
	}
}
