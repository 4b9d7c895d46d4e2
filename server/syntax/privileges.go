package syntax

import (
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/answers"
	"github.com/anonsql/anonsql/server/answers/trees"
	"github.com/anonsql/anonsql/server/loaddata"
)

// adaptPrivileges changes the privileges that the engine will check for a top-level statement; in the body of a routine the engine checks
// more, never less. A statement that changes rows also needs SELECT on the columns that it reads, in a routine too.
func adaptPrivileges(statement sqlparser.Statement, lower string) {
	ignore := sqlparser.AuthInformation{
		AuthType:   sqlparser.AuthType_IGNORE,
		TargetType: sqlparser.AuthTargetType_Ignore,
	}
	switch s := statement.(type) {
	case *sqlparser.Kill:
		s.Auth = ignore
	case *sqlparser.Show:
		switch {
		case s.Auth.AuthType == sqlparser.AuthType_PROCESS:
			s.Auth = ignore
		case strings.EqualFold(s.Type, "create view"):
			s.Auth = reading(s.Table)
		}
	case *sqlparser.ShowGrants:
		if s.For == nil || s.CurrentUser {
			s.Auth = ignore
		}
	case *sqlparser.DBDDL:
		if s.DBName != "" && s.Auth.TargetType == sqlparser.AuthTargetType_Global {
			s.Auth.TargetType = sqlparser.AuthTargetType_DatabaseIdentifiers
			s.Auth.TargetNames = []string{s.DBName}
		}
	case *sqlparser.DDL:
		if s.OptSelect != nil {
			s.Auth.AuthType += accounts.And + sqlparser.AuthType_INSERT
		}
	case *sqlparser.Load:
		loaddata.RequireInsert(s)
	}
	if strings.Contains(lower, "like") {
		trees.Walk(statement, requireCopied)
	}
	if strings.Contains(lower, "with") {
		trees.Walk(statement, requireNamed)
	}
	if answers.ContainsAny(lower, "update", "delete") {
		trees.Walk(statement, requireReading)
	}
}

// reading is SELECT on a table.
func reading(table sqlparser.TableName) sqlparser.AuthInformation {
	return sqlparser.AuthInformation{
		AuthType: sqlparser.AuthType_SELECT, TargetType: sqlparser.AuthTargetType_SingleTableIdentifier,
		TargetNames: []string{table.DbQualifier.String(), table.Name.String()},
	}
}

// requireCopied makes CREATE TABLE ... LIKE require SELECT on its source, as MySQL does.
func requireCopied(node any) {
	if ddl, ok := node.(*sqlparser.DDL); ok && ddl.OptLike != nil {
		var besides accounts.Besides
		for _, source := range ddl.OptLike.LikeTables {
			besides = append(besides, reading(source))
		}
		ddl.Auth.Extra = besides
	}
}

// readView resolves the privileges of a stored view in its own database, whatever the current one is: for the tables that it reads, and for
// CREATE VIEW, since refusals of a statement over the view may quote it. To show its text needs more (accounts.GuardText).
func readView(view *sqlparser.DDL, database string) {
	if names := view.Auth.TargetNames; len(names) > 0 && names[0] == "" {
		view.Auth.TargetNames = append([]string{database}, names[1:]...)
	}
	view.Auth.Extra = accounts.View{Database: database, Name: view.ViewSpec.ViewName.Name.String()}
	trees.Walk(view.ViewSpec.ViewExpr, func(node any) {
		if table, ok := node.(*sqlparser.AliasedTableExpr); ok && len(table.Auth.TargetNames) == 2 && table.Auth.TargetNames[0] == "" {
			table.Auth.TargetNames = []string{database, table.Auth.TargetNames[1]}
		}
	})
}

// requireNamed restores the privileges of statements with WITH for tables that are none of its queries: those with a database's name, and the target
// of an INSERT. The grammar requires no privilege on a table whose own name, or whose database's name, equals that of a query. Within the queries
// themselves it requires privileges on other queries, which requireNamed takes back.
func requireNamed(node any) {
	ask := func(tables sqlparser.TableExprs, verb string) {
		trees.WalkOutside(tables, func(node any) {
			if table, ok := node.(*sqlparser.AliasedTableExpr); ok && table.Auth.AuthType == sqlparser.AuthType_IGNORE {
				if name, ok := table.Expr.(sqlparser.TableName); ok && !name.DbQualifier.IsEmpty() {
					table.Auth.AuthType = verb
				}
			}
		})
	}
	switch s := node.(type) {
	case *sqlparser.With:
		freeQueries(s)
	case *sqlparser.Select:
		ask(s.From, sqlparser.AuthType_SELECT)
	case *sqlparser.Update:
		ask(s.TableExprs, sqlparser.AuthType_UPDATE)
	case *sqlparser.Delete:
		ask(s.TableExprs, sqlparser.AuthType_DELETE)
	case *sqlparser.Insert:
		if s.Auth.AuthType != sqlparser.AuthType_IGNORE {
			return
		}
		if s.Auth.AuthType = sqlparser.AuthType_INSERT; s.Action == sqlparser.ReplaceStr {
			s.Auth.AuthType = sqlparser.AuthType_REPLACE
		}
	}
}

// freeQueries requires no privilege where a query of a WITH reads an earlier one or, after RECURSIVE, itself. It finds itself only in the last
// branches of its UNION, up to one that does not name it: anywhere else the engine reads a table of that name.
func freeQueries(with *sqlparser.With) {
	free := func(name sqlparser.TableIdent, freed *bool) func(any) {
		return func(node any) {
			table, ok := node.(*sqlparser.AliasedTableExpr)
			if !ok {
				return
			}
			if named, ok := table.Expr.(sqlparser.TableName); ok && named.DbQualifier.IsEmpty() && strings.EqualFold(named.Name.String(), name.String()) {
				table.Auth.AuthType, *freed = sqlparser.AuthType_IGNORE, true
			}
		}
	}
	for i, query := range with.Ctes {
		body, ok := query.Expr.(*sqlparser.Subquery)
		if !ok {
			continue
		}
		for _, earlier := range with.Ctes[:i] {
			trees.Walk(body, free(earlier.As, new(bool)))
		}
		union, ok := body.Select.(*sqlparser.SetOp)
		for recurs := with.Recursive; ok && recurs; union, ok = union.Left.(*sqlparser.SetOp) {
			recurs = false
			if last, single := union.Right.(*sqlparser.Select); single {
				trees.WalkOutside(last.From, free(query.As, &recurs))
			}
		}
	}
}

// requireReading makes a statement that changes rows require SELECT on the tables whose columns it reads, and INSERT ... ON DUPLICATE KEY UPDATE
// require UPDATE, as MySQL does. The engine checks only the privilege of the first word, which would let an account read rows (SET @x := a).
func requireReading(node any) {
	switch s := node.(type) {
	case *sqlparser.Insert:
		if len(s.OnDup) == 0 {
			return
		}
		s.Auth.AuthType += accounts.And + sqlparser.AuthType_UPDATE
		var given sqlparser.Columns
		if values, ok := s.Rows.(*sqlparser.AliasedValues); ok {
			given = values.Columns
		}
		var read columnsRead
		for _, e := range s.OnDup {
			trees.Walk(e.Expr, func(node any) { ofNewRow(node, s.Table.Name) })
			read.note(e.Expr, given...)
		}
		if read.names(s.Table.Name.String()) {
			s.Auth.AuthType += accounts.And + sqlparser.AuthType_SELECT
		}
	case *sqlparser.Update:
		var read columnsRead
		for _, e := range s.Exprs {
			read.note(e.Expr)
		}
		read.note(s.Where)
		read.note(s.OrderBy)
		read.required(s.TableExprs, sqlparser.AuthType_UPDATE)
	case *sqlparser.Delete:
		var read columnsRead
		read.note(s.Where)
		read.note(s.OrderBy)
		read.required(s.TableExprs, sqlparser.AuthType_DELETE)
	}
}

// ofNewRow turns VALUES(t.v), where t is the table of the INSERT, into VALUES(v), as in MySQL. The engine takes t.v for the existing row.
func ofNewRow(node any, table sqlparser.TableIdent) {
	if call, ok := node.(*sqlparser.ValuesFuncExpr); ok && strings.EqualFold(call.Name.Qualifier.Name.String(), table.String()) {
		call.Name.Qualifier = sqlparser.TableName{}
	}
}

// columnsRead are the qualifiers of columns read, "" for unqualified ones.
type columnsRead map[string]bool

// note adds the columns in a part of a statement, except those of the new row: VALUES(x), and the names in given. A derived table in a subquery reads
// columns of the statement. A derived table in the statement's own FROM does not.
func (r *columnsRead) note(part any, given ...sqlparser.ColIdent) {
	if *r == nil {
		*r = columnsRead{}
	}
	_, tables := part.(sqlparser.TableExprs)
	trees.WalkWhile(part, func(node any) (below bool) {
		switch e := node.(type) {
		case *sqlparser.ValuesFuncExpr:
			return false
		case *sqlparser.AliasedTableExpr:
			_, derived := e.Expr.(*sqlparser.Subquery)
			return !tables || !derived || e.Lateral
		case *sqlparser.Subquery:
			if tables {
				r.note(e)
				return false
			}
		case *sqlparser.ColName:
			named := slices.ContainsFunc(given, func(c sqlparser.ColIdent) bool { return e.Qualifier.IsEmpty() && c.Equal(e.Name) })
			if !named && !strings.HasPrefix(e.Name.String(), "@") {
				(*r)[strings.ToLower(e.Qualifier.Name.String())] = true
			}
		case *sqlparser.JoinTableExpr:
			if len(e.Condition.Using) > 0 || strings.HasPrefix(e.Join, "natural") {
				(*r)[""] = true
			}
		}
		return true
	})
}

func (r columnsRead) names(table string) bool { return r[""] || r[strings.ToLower(table)] }

// required makes the tables whose columns are read require SELECT besides verb.
func (r columnsRead) required(tables sqlparser.TableExprs, verb string) {
	r.note(tables) // conditions of joins
	trees.WalkOutside(tables, func(node any) {
		table, ok := node.(*sqlparser.AliasedTableExpr)
		if !ok || table.Auth.AuthType != verb {
			return
		}
		name := table.As.String()
		if named, ok := table.Expr.(sqlparser.TableName); ok && name == "" {
			name = named.Name.String()
		}
		if r.names(name) {
			table.Auth.AuthType += accounts.And + sqlparser.AuthType_SELECT
		}
	})
}
