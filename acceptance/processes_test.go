package acceptance

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/server/servertest/census"
)

// A long procedure shows its phase and progress to accounts that may see the process: in SHOW PROCESSLIST, in
// information_schema.processlist and in anonsql.jobs.
func TestPhasesAreShown(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	census.Import(t, s.Addr, census.Write(t, 20000))
	root := s.Open(t, servertest.Root)
	run(t, root, "CALL anonymize('census.people', 'slppa', 'qi=age,sex,region', 'sa=disease', 'beta=0.25', 'tables=2', 'calibrate=false', 'fit=false', 'attacks=false')")
	phase := regexp.MustCompile(`^[a-z][^:%]*: \d+% \(\d+ of \d+\)$`)
	for _, call := range []string{
		"CALL evaluate('people', 'queries=1000000')",
		"CALL anonymize('census.people', 'slppa', 'qi=age,sex,education,region', 'sa=disease', 'beta=0.25', 'tables=2', 'calibrate=true', 'attacks=true', 'dry_run=true')",
	} {
		conn := s.Connect(t, servertest.Root)
		id := one[int](t, conn, "SELECT CONNECTION_ID()")
		ended := make(chan error, 1)
		go func() {
			_, err := answerText(t.Context(), conn, call)
			ended <- err
		}()
		seen, last := map[string]bool{}, "" // where, and the state seen last
		for deadline := time.Now().Add(30 * time.Second); len(seen) < 2 && time.Now().Before(deadline); {
			for _, row := range fetchRows(t, root, "SHOW PROCESSLIST") {
				if row[0] == float64(id) && phase.MatchString(fmt.Sprint(row[6])) {
					seen["SHOW"] = true
				}
			}
			state := fetchRows(t, root, fmt.Sprintf("SELECT state FROM information_schema.processlist WHERE id = %d", id))
			if len(state) == 1 {
				last = fmt.Sprint(state[0][0])
			}
			if len(state) == 1 && phase.MatchString(fmt.Sprint(state[0][0])) {
				seen["information_schema"] = true
			}
			select {
			case err := <-ended:
				t.Fatalf("%s\nended before its phases were seen (%v): %v", call, seen, err)
			default:
			}
		}
		if len(seen) < 2 {
			t.Errorf("%s: a phase is shown by %v only; the last state was %q", call, seen, last)
		}
		if jobs := fetchRows(t, root, "SELECT phase, done, total FROM anonsql.jobs WHERE status = 'running'"); len(jobs) != 1 || jobs[0][0] == nil || jobs[0][0] == "" {
			t.Errorf("%s: anonsql.jobs has %v", call, jobs)
		}
		run(t, root, fmt.Sprintf("KILL QUERY %d", id))
		if err := <-ended; servertest.Number(err) != 1317 {
			t.Errorf("%s: %v", call, err)
		}
		if state := fetchRows(t, root, fmt.Sprintf("SELECT command, state FROM information_schema.processlist WHERE id = %d", id)); len(state) != 1 || state[0][0] != "Sleep" || state[0][1] != "" {
			t.Errorf("%s: afterwards the process list has %v", call, state)
		}
	}
}
