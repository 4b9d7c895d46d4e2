package sqlerror

import (
	"errors"
	"testing"
)

// If a statement ends while a routine's text is parsed, the error reports the end of the statement, and nothing about
// the routine.
func TestEndWhileARoutineIsRead(t *testing.T) {
	for why, want := range map[string]struct {
		number  int
		message string
	}{
		"Query execution was interrupted":                                                             {1317, "Query execution was interrupted"},
		"Query execution was interrupted: the client is gone":                                         {1317, "Query execution was interrupted: the client is gone"},
		"Query execution was interrupted, maximum statement execution time exceeded: 60 s, a setting": {3024, "Query execution was interrupted, maximum statement execution time exceeded: 60 s, a setting"},
		"it nests too deep": {RoutineUnreadable, "Failed to load routine d.p: it nests too deep; DROP PROCEDURE d.p removes it, SHOW CREATE PROCEDURE shows its text"},
	} {
		err := ToClient(errors.New("unknown procedure parameter direction: `Failed to load routine d.p: " + why +
			"; DROP PROCEDURE d.p removes it, SHOW CREATE PROCEDURE shows its text`"))
		if got := New(want.number, want.message); err.Error() != got.Error() {
			t.Errorf("%s: %v, want %v", why, err, got)
		}
	}
}
