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

// headLength is within how many bytes of a text its name is looked for.
const headLength = 64 << 10

// Unreadable is a tree for a text of a routine that cannot be read for err, nil for
// another text. The engine asks for no error when it reads a routine that is stored, and
// would panic without a tree; of this one it fails, with the message that is given for the
// direction of a parameter (sqlerror takes it out).
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

// List is a table of information_schema which, if it lists routines, has those that
// cannot be read too: without their definition, and with the reason as their comment, as
// MySQL has views that are no longer valid.
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
			// The engine reads it for the definition, and leaves out what it cannot read.
			unread.CreateProcedureString = "CREATE PROCEDURE " + quoting.Name(p.Name) + "() BEGIN END"
			unread.Comment = message(p.ValidationError)
			procedures[i] = &unread
		}
	}
	return List(l.engineTable.AssignProcedures(databases))
}
