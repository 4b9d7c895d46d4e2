package acceptance

import (
	"fmt"
	"testing"

	"github.com/anonsql/anonsql/server/servertest"
)

// An import is a job. Superusers see it with its last phase, an analyst does not.
func TestImportIsAJob(t *testing.T) {
	t.Parallel()
	here, there, _ := exportPair(t)
	root := here.Open(t, servertest.Root)
	createPatients(t, root)
	servertest.Exec(t, root, "CALL set_attributes('hospital.patients', 'qi=age,sex,zip', 'sa=disease', 'ei=id')",
		"CALL anonymize('hospital.patients', 'slppa', 'beta=0.5', 'publish=p')", "CALL export_release('p', 'dir=p')")
	far := there.Open(t, servertest.Root)
	servertest.Exec(t, far, "CALL import_release('p', 'publish=q')")
	_, err := far.Exec("CALL import_release('p', 'publish=q')") // the name is taken
	if err == nil {
		t.Error("imported twice")
	}
	got := fmt.Sprint(fetchRows(t, far, "SELECT user, kind, subject, phase, status, error IS NULL, ended_at IS NULL FROM anonsql.jobs ORDER BY id"))
	if want := "[[root import data package.q publish done 1 0] [root import data package.q publish failed 0 0]]"; got != want {
		t.Errorf("anonsql.jobs has\n%s, want\n%s", got, want)
	}
	if rows, number := try(analystOf(t, there), "SELECT COUNT(*) FROM anonsql.jobs"); number != 0 || rows != "COUNT(*)\n[{0 true}]\n" {
		t.Errorf("an analyst sees %q jobs (%d)", rows, number)
	}
}
