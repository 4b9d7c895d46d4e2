package planner

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/planner/answer"
	"github.com/anonsql/anonsql/planner/pertable"
)

// NotePreview leaves a note for each release whose preview rows a finished plan reads:
// a tool that fetches rows and counts them itself counts one of many possible tables.
func NotePreview(ctx *sql.Context, finished sql.Node) {
	for _, view := range pertable.Views(finished) {
		record := view.Record()
		what := "drawn from the release, one of many tables that agree with it"
		if record.Completion != nil {
			what = fmt.Sprintf("completed table 1 of %d", record.Completion.Tables)
		}
		answer.Note(ctx, fmt.Sprintf("preview: the rows of %s are %s. Count and sum in SQL: that is estimated, with ANON_INTERVAL_LOW and ANON_INTERVAL_HIGH",
			record.Name, what))
	}
}
