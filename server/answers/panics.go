package answers

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// refuseNamelessColumns refuses empty names, on which the engine would panic: a column
// in backquotes or as ||.||, which it takes for the untyped column of a SELECT without
// FROM; a system variable, @@; and a user variable whose name is one quotation mark.
func refuseNamelessColumns(t parsed) (err error) {
	trees.Walk(t.Statement, func(node any) {
		if column, ok := node.(*sqlparser.ColName); ok && err == nil {
			err = refuseNameless(column)
		}
	})
	return err
}

// avoidPanics rewrites TRIM(x FROM y), where x may be NULL, and LIKE with an ESCAPE that
// may be empty.
func avoidPanics(t parsed) error {
	trees.Replace(t.Statement, func(e sqlparser.Expr) sqlparser.Expr {
		switch e := e.(type) {
		case *sqlparser.TrimExpr:
			return trimmed(e)
		case *sqlparser.ComparisonExpr:
			if e.Escape != nil {
				e.Escape = escaped(e.Escape)
			}
		}
		return e
	})
	return nil
}

// explainAsTree makes EXPLAIN without a format EXPLAIN FORMAT=TREE.
func explainAsTree(t parsed) error {
	if explain, ok := t.Statement.(*sqlparser.Explain); ok && explain.ExplainFormat == "" {
		explain.ExplainFormat = sqlparser.TreeStr
	}
	return nil
}

func refuseNameless(column *sqlparser.ColName) (err error) {
	if column.Name.IsEmpty() {
		return sql.ErrUnknownColumn.New("", "field list")
	}
	defer func() {
		switch {
		case recover() == nil:
		case strings.HasPrefix(column.Name.String(), "@@"):
			err = sql.ErrUnknownSystemVariable.New("")
		default:
			err = mysql.NewSQLError(mysql.ERParseError, "42000", "You have an error in your SQL syntax near '%s'", column.Name.String())
		}
	}()
	_, _, _, _ = sqlparser.VarScopeForColName(column) // the engine reports its errors
	return nil
}

// trimmed is IF(pattern IS NULL, NULL, trim).
func trimmed(trim *sqlparser.TrimExpr) sqlparser.Expr {
	if _, literal := trim.Pattern.(*sqlparser.SQLVal); literal && !isBound(trim.Pattern) {
		return trim
	}
	return trees.Call("if", &sqlparser.IsExpr{Operator: sqlparser.IsNullStr, Expr: trim.Pattern}, &sqlparser.NullVal{}, trim)
}

// noEscape is an escape that occurs in no pattern.
const noEscape = "\x00"

// escaped is IF(escape = "", noEscape, escape).
func escaped(escape sqlparser.Expr) sqlparser.Expr {
	if value, literal := escape.(*sqlparser.SQLVal); literal && !isBound(escape) {
		if len(value.Val) == 0 {
			return trees.Text(noEscape)
		}
		return escape
	}
	empty := &sqlparser.ComparisonExpr{Operator: sqlparser.EqualStr, Left: escape, Right: trees.Text("")}
	return trees.Call("if", empty, trees.Text(noEscape), escape)
}

// isBound reports whether a value is a parameter of a prepared statement, known later.
func isBound(e sqlparser.Expr) bool {
	value, ok := e.(*sqlparser.SQLVal)
	return ok && value.Type == sqlparser.ValArg
}

// refuseCharacterSets refuses SET of a character set whose name the engine knows but which it cannot convert: every later statement
// would fail.
func refuseCharacterSets(t parsed) (err error) {
	trees.Walk(t.Statement, func(node any) {
		set, ok := node.(*sqlparser.SetVarExpr)
		if !ok || err != nil {
			return
		}
		var name string
		switch value := set.Expr.(type) {
		case *sqlparser.SQLVal:
			name = string(value.Val)
		case *sqlparser.ColName:
			name = value.Name.String()
		}
		switch set.Name.Name.Lowered() {
		case "names", "charset", "character_set_client", "character_set_connection", "character_set_results":
			if known, unknown := sql.ParseCharacterSet(name); unknown == nil && known.Encoder() == nil {
				err = sql.ErrCharSetNotYetImplementedTemp.New(strings.ToLower(name))
			}
		}
	})
	return err
}

var converts = regexp.MustCompile(`\bconvert\s+to\s+char`)

// refuseConversions refuses ALTER TABLE ... CONVERT TO with a collation, which the grammar takes for the table's default.
func refuseConversions(t parsed) (err error) {
	if !converts.MatchString(t.text) {
		return nil
	}
	trees.Walk(t.Statement, func(node any) {
		if spec, ok := node.(*sqlparser.AlterCollationSpec); ok && spec.Collation != "" {
			err = sql.ErrUnsupportedFeature.New("CONVERT TO with COLLATE, which changes columns: ALTER TABLE ... MODIFY column type COLLATE " + spec.Collation)
		}
	})
	return err
}

// refuseNamesakes refuses a FROM with two tables of the same name from two databases: the engine confuses them.
func refuseNamesakes(t parsed) (err error) {
	trees.Walk(t.Statement, func(node any) {
		query, ok := node.(*sqlparser.Select)
		if !ok || len(query.From) == 0 || err != nil {
			return
		}
		seen := map[string]string{}
		for _, table := range query.From {
			err = cmp.Or(err, namesake(table, seen))
		}
	})
	return err
}

func namesake(from sqlparser.TableExpr, seen map[string]string) error {
	switch from := from.(type) {
	case *sqlparser.JoinTableExpr:
		return cmp.Or(namesake(from.LeftExpr, seen), namesake(from.RightExpr, seen))
	case *sqlparser.ParenTableExpr:
		for _, table := range from.Exprs {
			if err := namesake(table, seen); err != nil {
				return err
			}
		}
	case *sqlparser.AliasedTableExpr:
		name, ok := from.Expr.(sqlparser.TableName)
		if !ok || !from.As.IsEmpty() {
			return nil
		}
		written := sqlparser.String(name)
		other, known := seen[strings.ToLower(name.Name.String())]
		if known && !strings.EqualFold(other, written) {
			return sql.ErrUnsupportedFeature.New("tables of one name in two databases, " + other + " and " + written + ": give each a name of its own, " + written + " AS x")
		}
		seen[strings.ToLower(name.Name.String())] = written
	}
	return nil
}

// refuseViewNames refuses a view in another than the current database with an unqualified table: the engine would read a table of
// the view's database, MySQL reads one of the current database.
func refuseViewNames(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	create, ok := n.(*plan.CreateView)
	if !ok || create.Definition == nil || strings.EqualFold(create.Database().Name(), ctx.GetCurrentDatabase()) {
		return n, transform.SameTree, nil
	}
	query, err := sqlparser.Parse(create.Definition.TextDefinition)
	if err != nil {
		return n, transform.SameTree, nil // a text that only the grammar reads
	}
	named := map[string]bool{"dual": true} // and queries of WITH, unless the view's database has a table of that name
	trees.Walk(query, func(node any) {
		with, ok := node.(*sqlparser.CommonTableExpr)
		if !ok || err != nil {
			return
		}
		var isTable bool
		if _, isTable, err = create.Database().GetTableInsensitive(ctx, with.As.String()); err == nil && !isTable {
			named[strings.ToLower(with.As.String())] = true
		}
	})
	trees.Walk(query, func(node any) {
		if from, ok := node.(*sqlparser.AliasedTableExpr); ok && err == nil {
			if table, ok := from.Expr.(sqlparser.TableName); ok && table.DbQualifier.IsEmpty() && !named[strings.ToLower(table.Name.String())] {
				err = sql.ErrUnsupportedFeature.New(fmt.Sprintf("a view in %s with a table of %s: write %[2]s.%[3]s in place of %[3]s",
					create.Database().Name(), ctx.GetCurrentDatabase(), table.Name))
			}
		}
	})
	return n, transform.SameTree, err
}

// refusePipes refuses || if it is CONCAT by the session's SQL mode: the grammar has read OR.
func refusePipes(t parsed) (err error) {
	ctx, ok := t.ctx.(*sql.Context)
	if !ok {
		return nil
	}
	mode := sql.LoadSqlMode(ctx)
	if !mode.ModeEnabled("PIPES_AS_CONCAT") && !mode.ModeEnabled("ANSI") {
		return nil
	}
	trees.Walk(t.Statement, func(node any) {
		if _, or := node.(*sqlparser.OrExpr); or {
			err = mysql.NewSQLError(mysql.ERNotSupportedYet, "42000", "|| is OR here, whatever the SQL mode: write CONCAT(...), or OR")
		}
	})
	return err
}

func refuseIndexConditions(t parsed) error {
	if show, ok := t.Statement.(*sqlparser.Show); ok && show.ShowIndexFilterOpt != nil {
		return mysql.NewSQLError(mysql.ERNotSupportedYet, "42000", "WHERE of SHOW INDEX is not supported: ask information_schema.STATISTICS, or leave it out")
	}
	return nil
}
