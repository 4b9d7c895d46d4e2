package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/planner/answer"
	"github.com/anonsql/anonsql/planner/pertable"
	"github.com/anonsql/anonsql/tree"
)

// NoteRows adds notes about the rows that a finished plan reads: rows of a view are one
// of many possible tables, so a tool that fetches and counts them counts a guess; joined
// fragments of a release have a row for every pair of tuples of a group.
func NoteRows(ctx *sql.Context, finished sql.Node) {
	for _, view := range pertable.Views(finished) {
		record := view.Record()
		what := rowsAre(record, view.Comment())
		if dates := record.MovedDates(func(string) bool { return true }); dates != "" {
			what += ", " + dates
		}
		answer.Note(ctx, fmt.Sprintf("preview: the rows of %s are %s. Count and sum in SQL: that is estimated, with ANON_INTERVAL_LOW and ANON_INTERVAL_HIGH",
			record.Name, what))
	}
	for _, joined := range joinedFragments(finished) {
		answer.Note(ctx, fmt.Sprintf("pairs: the rows of %s are pairs that may belong together, more than there are records. A record has weight "+
			"count * count / size of its group; published.%s estimates by that", strings.Join(joined.relations, " and "), joined.release))
	}
}

// rowsAre describes the rows of a release's view, which has the comment.
func rowsAre(record *catalog.ReleaseRecord, comment string) string {
	if _, sample, ok := strings.Cut(comment, ", of a sample of "); ok {
		return "drawn from the release, of a sample of " + sample
	}
	if record.Completion != nil {
		return fmt.Sprintf("completed table 1 of %d", record.Completion.Tables)
	}
	return "drawn from the release, one of many tables that agree with it"
}

// fragments are relations of one release, by name.
type fragments struct {
	release   string
	relations []string
}

// joinedFragments finds joins of several fragments of one release, except those that
// also join the sizes of the groups, with which they can compute weights.
func joinedFragments(finished sql.Node) []fragments {
	var all []fragments
	tree.Inspect(finished, func(n sql.Node) bool {
		if join, ok := n.(*plan.JoinNode); ok {
			all = append(all, fragmentsBelow(join)...)
			return false
		}
		return true
	})
	return all
}

func fragmentsBelow(join sql.Node) []fragments {
	relations := make(map[string][]string)
	weighed := false
	tree.Inspect(join, func(n sql.Node) bool {
		table, ok := n.(*plan.ResolvedTable)
		if !ok || table.SqlDatabase == nil || !strings.EqualFold(table.SqlDatabase.Name(), catalog.PublishedDatabaseName) {
			return true
		}
		relation, ok := sql.GetUnderlyingTable(table.Table).(*catalog.Relation)
		switch {
		case !ok:
		case relation.FragmentOf() == "":
			weighed = true
		case !slices.Contains(relations[relation.FragmentOf()], relation.Name()):
			relations[relation.FragmentOf()] = append(relations[relation.FragmentOf()], relation.Name())
		}
		return true
	})
	var all []fragments
	for release, names := range relations {
		if len(names) > 1 && !weighed {
			slices.Sort(names)
			all = append(all, fragments{release, names})
		}
	}
	slices.SortFunc(all, func(a, b fragments) int { return strings.Compare(a.release, b.release) })
	return all
}
