package catalog

import (
	"strings"
	"testing"
)

// TestNoSealedAdviceInAnEngine: refusals advise updates=sealed only where changes of the table can be known.
func TestNoSealedAdviceInAnEngine(t *testing.T) {
	for database, advised := range map[string]bool{"clinic": true, "trino.clinic": false} {
		other := &Published{record: &ReleaseRecord{Name: "p", Database: database, Table: "people"}}
		p := &Publication{Record: ReleaseRecord{Name: "p", Database: database, Table: "people"}}
		if err := p.alreadyReleased(other); strings.Contains(err.Error(), "updates=sealed") != advised {
			t.Errorf("%s: %v", database, err)
		}
	}
}
