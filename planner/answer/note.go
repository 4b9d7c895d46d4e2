package answer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// noteNumber is ER_YES, MySQL's number for notes about rewritten statements.
const noteNumber = 1003

// addNote adds a note for SHOW WARNINGS about the source of the figures: once per statement, however often a correlated subquery runs.
func (e *Estimate) addNote(ctx *sql.Context, by choice, a *answered) {
	if e.note.Swap(ctx.Pid()) != ctx.Pid() {
		text := e.noteText(by)
		if a.rounded {
			text += ", figures of more than 15 digits are rounded"
		}
		if a.between {
			text += ", a column is published by points of intervals, and this asks between them: no interval and no hard bounds are known (GROUP BY the column lists them)"
		}
		Note(ctx, text)
	}
}

// Note adds a note for SHOW WARNINGS, each text once, unless the session has switched notes off (sql_notes, as in MySQL).
func Note(ctx *sql.Context, text string) {
	if wanted, err := ctx.GetSessionVariable(ctx, "sql_notes"); err == nil {
		if on, err := sql.ConvertToBool(ctx, wanted); err == nil && !on {
			return
		}
	}
	note := &sql.Warning{Level: "Note", Code: noteNumber, Message: text}
	for _, given := range ctx.Session.Warnings() {
		if *given == *note {
			return // another part of the statement has added it
		}
	}
	ctx.Session.Warn(note)
}

// exactText says to which data an exact answer refers.
func (e *Estimate) exactText() string {
	switch {
	case e.View.Record().MovedDates(e.Reads) != "":
		return "exact of moved dates"
	case e.ofClasses() != "":
		return "exact of classes of weights"
	}
	return "exact"
}

// extremes is the part of the note about MIN and MAX from completed tables, "" if none is estimated.
func (e *Estimate) extremes(by choice) string {
	if by.tables == nil || !slices.ContainsFunc(e.Aggregates, func(a Aggregate) bool { return a.IsExtreme() && !a.exact }) {
		return ""
	}
	return "MIN and MAX are those of the median table and have no interval"
}

func (e *Estimate) noteText(by choice) string {
	record := e.View.Record()
	touched, exact := e.Touched()
	how, fragments := "estimated"+by.String(), "no fragment"
	if exact {
		how = e.exactText()
	}
	if len(touched) > 0 {
		fragments = strings.Join(touched, ", ")
	}
	text := fmt.Sprintf("%s: from release %s version %d (method %s, %d groups), fragments read: %s",
		how, record.Name, record.Version, record.Method, record.Groups, fragments)
	for _, more := range []string{record.MovedDates(e.Reads), record.KeptBack(), e.correction(), e.synthetic(), e.independence(), e.ofClasses(),
		e.extremes(by)} {
		if more != "" {
			text += ", " + more
		}
	}
	if e.makesWhole() {
		text += ", counts and sums rounded to whole numbers (" + countsVariable + ")"
	}
	return text
}
