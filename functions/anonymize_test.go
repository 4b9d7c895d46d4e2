package functions

import (
	"testing"
	"time"
)

// What has been done since the table was read is in the seconds that a release tells.
func TestSecondsOfAPublication(t *testing.T) {
	p := &publication{run: &run{started: time.Now().Add(-time.Hour)}}
	if err := p.clock(nil); err != nil || p.Record.Seconds < 3600 {
		t.Errorf("%v seconds after an hour, %v", p.Record.Seconds, err)
	}
}
