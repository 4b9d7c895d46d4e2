package pertable

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/planner/answer"
)

// addNote adds a note for SHOW WARNINGS about the answer, once per statement.
func (q *Query) addNote(ctx *sql.Context, m *merger) {
	if q.note.Swap(ctx.Pid()) != ctx.Pid() {
		answer.Note(ctx, q.noteText(m))
	}
}

func (q *Query) noteText(m *merger) string {
	var from []string
	for _, v := range q.views {
		from = append(from, fmt.Sprintf("%s version %d", v.Record().Name, v.Record().Version))
		for _, more := range []string{v.Record().MovedDates(func(string) bool { return true }), v.Record().KeptBack()} {
			if more != "" {
				from[len(from)-1] += " (" + more + ")"
			}
		}
	}
	source := "release"
	if len(from) > 1 {
		source = "releases"
	}
	source += " " + strings.Join(from, ", ")
	if !m.matched {
		return fmt.Sprintf("estimated (imputed: answered from completed table 1 of %d: the tables have different rows, which cannot be matched): from %s",
			q.Tables, source)
	}
	text := fmt.Sprintf("estimated (imputed: ran on each of %d completed tables): from %s", q.Tables, source)
	var firsts, medians []string
	rest, rounds := "", false
	for i, c := range q.Columns {
		rounds = rounds || c.Rounded && !c.Hidden
		switch {
		case !m.differ[i]:
		case c.Kind == Place:
			rest = "; positions differ between the tables: their means are shown"
		case c.Kind == Extreme:
			medians = append(medians, c.label())
		default:
			firsts = append(firsts, c.label())
		}
	}
	if len(firsts) > 0 {
		text += fmt.Sprintf("; values of %s differ between the tables: those of the first table that has the row are shown", strings.Join(firsts, ", "))
	}
	if len(medians) > 0 {
		text += fmt.Sprintf("; values of %s differ between the tables: those of the median table are shown", strings.Join(medians, ", "))
	}
	if len(q.named(Count, Sum)) > 0 && slices.ContainsFunc(m.list, func(r *mergedRow) bool { return r.tables < q.Tables }) {
		rest += "; some tables lack a row: it counts 0 there in COUNT and SUM"
	}
	if rounds {
		rest += "; counts and sums rounded to whole numbers (anon_counts)"
	}
	return text + rest
}
