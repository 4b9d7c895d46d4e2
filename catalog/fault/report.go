package fault

import "fmt"

// A Progress is told how far a long operation is: done of total, in bytes or in
// steps; total 0 when nobody knows. May be nil.
type Progress func(phase string, done, total int64)

// Report tells, if there is somebody to be told.
func (p Progress) Report(phase string, done, total int64) {
	if p != nil {
		p(phase, done, total)
	}
}

// A Finding is something that is wrong with a catalog, and what to do about it.
type Finding struct{ What, Do string }

// A Report is what a check of a catalog found out. The catalog is
// whole when there are no findings. Notes need nothing to be done.
type Report struct {
	Tables, Rows, Releases int64
	Findings               []Finding
	Notes                  []string
}

// Err returns an error that names the first finding, nil when there is none.
func (r *Report) Err() error {
	if len(r.Findings) == 0 {
		return nil
	}
	more := ""
	if n := len(r.Findings) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return fmt.Errorf("%w: %s%s", ErrDamaged, r.Findings[0].What, more)
}

// Find adds a finding: what to do, and what is wrong.
func (r *Report) Find(do, format string, arguments ...any) {
	r.Findings = append(r.Findings, Finding{What: fmt.Sprintf(format, arguments...), Do: do})
}

// What to do about findings.
const (
	DoRestore    = "restore a backup: anonsql restore FILE --data-dir DIR --force"
	DoReload     = "restore a backup, or drop the table and import it again"
	DoTidy       = "start the server once, which removes it"
	DoBeginAudit = "move the file away: the server begins a new audit, and needs nothing of the old one"
	DoReport     = "restore a backup, and report it: this should not be"
)

// DoRepublish is what to do about a damaged release.
func DoRepublish(name string) string {
	return fmt.Sprintf("restore a backup, or CALL drop_release('%s') and publish it again", name)
}
