package scope

import (
	"cmp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// MayLock reports whether a text may be a locking query, judged only by its words.
func MayLock(firstWord, text string) bool {
	switch strings.ToLower(firstWord) {
	case "select", "with", "set", "":
		text = strings.ToLower(text)
		return strings.Contains(text, "update") || strings.Contains(text, "share")
	}
	return false
}

// RefusesToWait recognises NOWAIT at the end of a query in the first statement of a text, where it cannot be a name, or
// the comment that replaces it.
func RefusesToWait(text, comment string) bool {
	tokens := sqlparser.NewStringTokenizer(text)
	for before, last := 0, 0; ; {
		token, own := tokens.Scan()
		if token == sqlparser.COMMENT {
			if string(own) == comment {
				return true
			}
			continue
		}
		ends := token == 0 || token == ';' || token == sqlparser.LEX_ERROR
		if last == sqlparser.NOWAIT && before != '(' && before != ',' && before != '.' && (ends || token == ')') {
			return true
		}
		if ends {
			return false
		}
		before, last = last, token
	}
}

// Locks reports whether a statement locks rows until its transaction ends: a query FOR UPDATE or FOR SHARE, or SET with one, in a transaction,
// on tables or views for which stores is true and which the account may change. denied is a table that it reads FOR UPDATE without the
// privilege to change it. An empty text means a routine, for which Locks checks no privilege. Writing statements lock what they read anyway.
func Locks(
	ctx *sql.Context, statement sqlparser.Statement, text string, held func() sql.PrivilegeSet, stores func(database, table string) bool,
) (locks bool, denied string) {
	switch statement.(type) {
	case sqlparser.SelectStatement, *sqlparser.Set:
	default:
		return false, ""
	}
	readOnly := ctx.GetTransaction() != nil && ctx.GetTransaction().IsReadOnly()
	look := func(from sqlparser.TableExprs, lock string) {
		for _, t := range named(from) {
			database, table := cmp.Or(t.DbQualifier.String(), ctx.GetCurrentDatabase()), t.Name.String()
			if !stores(database, table) {
				continue
			}
			reads, changes := true, true
			if text != "" {
				reads, changes = privileges(held(), database, table)
			}
			if reads && !changes && lock != sqlparser.ShareModeStr {
				denied = table
			}
			locks = locks || changes && !(readOnly && lock == sqlparser.ShareModeStr)
		}
	}
	trees.Walk(statement, func(node any) {
		switch query := node.(type) {
		case *sqlparser.Select:
			if query.Lock != "" {
				look(query.From, query.Lock)
			}
		case *sqlparser.SetOp:
			if query.Lock != "" {
				trees.Values(query, func(branch *sqlparser.Select) { look(branch.From, query.Lock) })
			}
		}
	})
	automatic, err := plan.IsSessionAutocommit(ctx)
	return locks && (err != nil || !automatic || ctx.GetIgnoreAutoCommit()), denied
}

// privileges reports whether an account may read a table, and whether it may lock its rows: MySQL requires UPDATE, DELETE or LOCK TABLES.
func privileges(held sql.PrivilegeSet, database, table string) (reads, changes bool) {
	has := func(p sql.PrivilegeType) bool {
		return held.Has(p) || held.Database(database).Has(p) || held.Database(database).Table(table).Has(p)
	}
	return has(sql.PrivilegeType_Select), has(sql.PrivilegeType_Update) || has(sql.PrivilegeType_Delete) || has(sql.PrivilegeType_LockTables)
}

// named returns the tables and views that a FROM names, without those inside derived tables.
func named(from sqlparser.TableExprs) (names []sqlparser.TableName) {
	for _, e := range from {
		switch e := e.(type) {
		case *sqlparser.AliasedTableExpr:
			if name, ok := e.Expr.(sqlparser.TableName); ok {
				names = append(names, name)
			}
		case *sqlparser.JoinTableExpr:
			names = append(names, named(sqlparser.TableExprs{e.LeftExpr, e.RightExpr})...)
		case *sqlparser.ParenTableExpr:
			names = append(names, named(e.Exprs)...)
		}
	}
	return names
}
