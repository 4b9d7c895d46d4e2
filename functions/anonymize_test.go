package functions

import (
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/anonymize/anontest"
)

// The seconds of a release include the work since the table was read.
func TestSecondsOfAPublication(t *testing.T) {
	p := &publication{run: &run{started: time.Now().Add(-time.Hour)}}
	if err := p.clock(nil); err != nil || p.Record.Seconds < 3600 {
		t.Errorf("%v seconds after an hour, %v", p.Record.Seconds, err)
	}
}

// An attribute cannot be published as units together with the numbers of units; without these it can.
func TestUnitsIsAColumnOfUnits(t *testing.T) {
	r := anontest.Visits(t)
	if err := checkNames(r); err != nil {
		t.Fatal(err)
	}
	r.Fragments[1].Columns[0].Name = "Units"
	if err := checkNames(r); err == nil || !strings.Contains(err.Error(), `column "Units" cannot be released under its name: every published relation of a release with units`) {
		t.Errorf("it is refused with %v", err)
	}
	r.Units = nil
	for _, f := range r.Fragments {
		f.Units = nil
	}
	if err := checkNames(r); err != nil {
		t.Errorf("without units: %v", err)
	}
}
