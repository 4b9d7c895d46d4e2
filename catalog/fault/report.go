package fault

import "fmt"

// A Progress receives the state of a long operation: done of total, in bytes or in steps; total
// is 0 if unknown. May be nil.
type Progress func(phase string, done, total int64)

// Report calls p unless it is nil.
func (p Progress) Report(phase string, done, total int64) {
	if p != nil {
		p(phase, done, total)
	}
}

// A Finding is a defect of a catalog and its remedy.
type Finding struct{ What, Do string }

// A Report is the result of a check of a catalog, which is intact if there are no findings.
// Notes require no action.
type Report struct {
	Tables, Rows, Releases int64
	Findings               []Finding
	Notes                  []string
}

// Err returns an error with the first finding, nil for none.
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

// Counted is a number with its noun: 1 table, 2 tables.
func Counted(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Find adds a finding and its remedy do.
func (r *Report) Find(do, format string, arguments ...any) {
	r.Findings = append(r.Findings, Finding{What: fmt.Sprintf(format, arguments...), Do: do})
}

// Remedies of findings.
const (
	DoRestore    = "restore a backup: anonsql restore FILE --data-dir DIR --force"
	DoAnother    = "give another backup: a file that anonsql backup has written"
	DoReload     = "restore a backup, or drop the table and import it again"
	DoTidy       = "start the server once, which removes it"
	DoBeginAudit = "move the file away: the server begins a new audit, and needs nothing of the old one"
	DoReport     = "restore a backup, and report it: this should not be"
)

// DoRepublish returns the remedy for a damaged release.
func DoRepublish(name string) string {
	return fmt.Sprintf("restore a backup, or CALL drop_release('%s') and publish it again", name)
}
