package routines

import (
	"errors"
	"regexp"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/quoting"
	"github.com/anonsql/anonsql/server/sqlerror"
)

const word = "(?:`[^`]+`|[\\w$]+)"

var named = regexp.MustCompile(`(?i)\bprocedure\s+(?:if\s+not\s+exists\s+)?(` + word + `(?:\s*\.\s*` + word + `)?)`)

// headLength limits the search for the routine's name to the first bytes of its text.
const headLength = 64 << 10

// Unreadable returns a tree for the text of a routine that cannot be parsed because of err, and nil for any other
// text. The engine ignores parse errors of stored routines and would panic without a tree. It rejects this tree with
// a message that quotes the direction of a parameter. That direction is our message, and sqlerror extracts it.
func Unreadable(text string, err error) sqlparser.Statement {
	name := named.FindStringSubmatch(text[:min(len(text), headLength)])
	if name == nil {
		return nil
	}
	why := sqlerror.New(sqlerror.RoutineUnreadable, "Failed to load routine "+name[1]+": "+message(err)+
		"; DROP PROCEDURE "+name[1]+" removes it, SHOW CREATE PROCEDURE shows its text")
	return &sqlparser.DDL{Action: sqlparser.CreateStr, ProcedureSpec: &sqlparser.ProcedureSpec{
		Params: []sqlparser.ProcedureParam{{Direction: sqlparser.ProcedureParamDirection(why.Message)}},
		Body:   &sqlparser.BeginEndBlock{},
	}}
}

func message(err error) string {
	if known, ok := errors.AsType[*mysql.SQLError](sqlerror.ToClient(err)); ok {
		return known.Message
	}
	return err.Error()
}

// engineTable is a table of information_schema that lists routines.
type engineTable interface {
	analyzer.RoutineTable
	sql.CatalogTable
	sql.Databaseable
	sql.StatisticsTable
}

// List wraps a table of information_schema that lists routines, so that it also lists the routines that cannot be
// parsed: without a definition, and with the reason as comment, as MySQL lists invalid views. It returns other tables
// unchanged.
func List(table sql.Table) sql.Table {
	if routines, ok := table.(engineTable); ok {
		return list{routines}
	}
	return table
}

type list struct{ engineTable }

// AssignCatalog implements sql.CatalogTable.
func (l list) AssignCatalog(c sql.Catalog) sql.Table {
	return List(l.engineTable.AssignCatalog(c))
}

// AssignProcedures implements analyzer.RoutineTable.
func (l list) AssignProcedures(databases map[string][]*plan.Procedure) sql.Table {
	for _, procedures := range databases {
		for i, p := range procedures {
			if p.ValidationError == nil {
				continue
			}
			unread := *p
			// The engine parses this text for the definition, and omits routines that it cannot parse.
			unread.CreateProcedureString = "CREATE PROCEDURE " + quoting.Name(p.Name) + "() BEGIN END"
			unread.Comment = message(p.ValidationError)
			procedures[i] = &unread
		}
	}
	return List(l.engineTable.AssignProcedures(databases))
}
