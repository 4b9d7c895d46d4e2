package report

import (
	"fmt"
	"testing"

	"github.com/anonsql/anonsql/anonymize/anontest"
)

// A relation of a release with units has their number behind the number of records.
func TestUnitsInRelations(t *testing.T) {
	sa := firstRows("visits", anontest.Visits(t).Fragments[1])
	got := fmt.Sprint(sa.Columns)
	for _, row := range sa.Rows {
		for _, c := range row {
			got += " " + c.Text
		}
	}
	if want := "[gid illness count units] 1 asthma 3 2 1 cold 2 2 1 flu 1 1 2 cold 1 1 2 flu 2 1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
