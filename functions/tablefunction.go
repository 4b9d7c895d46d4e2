package functions

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/functions/argument"
	"github.com/anonsql/anonsql/functions/options"
	"github.com/anonsql/anonsql/tree"
)

// A binder makes a relation from a table function's arguments. It also runs at PREPARE and whenever a view is described, so it determines only the schema.
type binder func(ctx *sql.Context, arguments []sql.Expression) (*relation, error)

// A relation is a bound table function.
type relation struct {
	schema sql.Schema
	// reads is the raw table whose SELECT privilege it needs; the zero name if it reads none.
	reads tableName
	// rows does the work. arguments are the call's, bound.
	rows func(ctx *sql.Context, arguments []sql.Expression) (sql.RowIter, error)
}

// A tableFunction is the prototype of a table function when relation is nil, and a call of it otherwise.
type tableFunction struct {
	tree.Leaf
	name      string
	bind      binder
	database  sql.Database
	arguments []sql.Expression
	relation  *relation
}

var (
	_ sql.TableFunction            = (*tableFunction)(nil)
	_ sql.ExecSourceRel            = (*tableFunction)(nil)
	_ sql.AuthorizationCheckerNode = (*tableFunction)(nil)
	_ sql.CollationCoercible       = (*tableFunction)(nil)
)

func newTableFunction(name string, bind binder) *tableFunction {
	return &tableFunction{name: name, bind: bind}
}

// NewInstance implements sql.TableFunction.
func (f *tableFunction) NewInstance(ctx *sql.Context, db sql.Database, arguments []sql.Expression) (sql.Node, error) {
	bound, err := f.bind(ctx, arguments)
	if err != nil {
		return nil, err
	}
	for _, c := range bound.schema {
		c.Source = f.name
	}
	return &tableFunction{name: f.name, bind: f.bind, database: db, arguments: arguments, relation: bound}, nil
}

// CheckAuth asks for SELECT on the raw table.
func (f *tableFunction) CheckAuth(ctx *sql.Context, checker sql.PrivilegedOperationChecker) bool {
	if f.relation == nil || f.relation.reads.table == "" {
		return true
	}
	if home := source.HomeForDatabase(ctx, f.relation.reads.database); home != nil {
		return home.Holds(ctx, f.relation.reads.database, f.relation.reads.table, sql.PrivilegeType_Select)
	}
	subject := sql.PrivilegeCheckSubject{Database: f.relation.reads.database, Table: f.relation.reads.table}
	return checker.UserHasPrivileges(ctx, sql.NewPrivilegedOperation(subject, sql.PrivilegeType_Select))
}

// RowIter does the work.
func (f *tableFunction) RowIter(ctx *sql.Context, _ sql.Row) (sql.RowIter, error) {
	return f.relation.rows(ctx, f.arguments)
}

// Name is the function's SQL name.
func (f *tableFunction) Name() string { return f.name }

// Schema describes the relation.
func (f *tableFunction) Schema() sql.Schema {
	if f.relation == nil {
		return nil
	}
	return f.relation.schema
}

// Resolved reports whether all arguments are bound.
func (f *tableFunction) Resolved() bool {
	for _, e := range f.arguments {
		if !e.Resolved() {
			return false
		}
	}
	return true
}

// Database is the current one.
func (f *tableFunction) Database() sql.Database { return f.database }

// WithDatabase implements sql.Databaser.
func (f *tableFunction) WithDatabase(db sql.Database) (sql.Node, error) {
	c := *f
	c.database = db
	return &c, nil
}

// Expressions are the arguments.
func (f *tableFunction) Expressions() []sql.Expression { return f.arguments }

// WithExpressions replaces the arguments; the schema stays.
func (f *tableFunction) WithExpressions(arguments ...sql.Expression) (sql.Node, error) {
	if len(arguments) != len(f.arguments) {
		return nil, sql.ErrInvalidChildrenNumber.New(f, len(arguments), len(f.arguments))
	}
	c := *f
	c.arguments = arguments
	return &c, nil
}

// WithChildren accepts no children.
func (f *tableFunction) WithChildren(children ...sql.Node) (sql.Node, error) {
	return tree.WithoutChildren(f, children)
}

// CollationCoercibility returns a table's coercibility.
func (f *tableFunction) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_Default, 2
}

// String returns what EXPLAIN shows.
func (f *tableFunction) String() string {
	texts := make([]string, len(f.arguments))
	for i, e := range f.arguments {
		texts[i] = e.String()
	}
	return fmt.Sprintf("%s(%s)", strings.ToUpper(f.name), strings.Join(texts, ", "))
}

// tableArgument reads the first argument as the name of a table: bare, qualified, backquoted, or a text.
func tableArgument(ctx *sql.Context, function string, arguments []sql.Expression) (tableName, error) {
	if len(arguments) == 0 {
		return tableName{}, &anonymize.ParameterError{Parameter: function, Value: "called without arguments", Rule: "the first one must be a table"}
	}
	switch e := arguments[0].(type) {
	case *argument.Ref:
		if e.Qualifier != "" {
			return tableName{e.Qualifier, e.Name}, nil
		}
		return inCurrentDatabase(ctx, e.Name)
	case *argument.Named:
		return tableName{}, &anonymize.ParameterError{Parameter: function, Value: e.String(), Rule: "the first argument must be a table, without a name"}
	}
	if !arguments[0].Resolved() || len(arguments[0].Children()) > 0 {
		return tableName{}, &anonymize.ParameterError{Parameter: function, Value: arguments[0].String(),
			Rule: "the first argument must be the name of a table: it decides the columns before the statement runs"}
	}
	v, err := arguments[0].Eval(ctx, nil)
	if err != nil || v == nil {
		return tableName{}, &anonymize.ParameterError{Parameter: function, Value: arguments[0].String(),
			Rule: "the first argument must be the name of a table, written out"}
	}
	return parseTableName(ctx, text(v))
}

// namedArguments reads the arguments after the table: positional values with the given names, then name = value.
func namedArguments(ctx *sql.Context, function string, arguments []sql.Expression, positional []string) (options.Given, error) {
	given := options.Given{}
	for i, e := range arguments {
		name, value := "", e
		if named, ok := e.(*argument.Named); ok {
			name, value = named.Name, named.Child
		} else if i < len(positional) {
			name = positional[i]
		} else {
			return nil, &anonymize.ParameterError{Parameter: function, Value: "given " + e.String(), Rule: fmt.Sprintf(
				"takes at most %d arguments without a name: %s", len(positional)+1, strings.Join(append([]string{"table"}, positional...), ", "))}
		}
		v, err := value.Eval(ctx, nil)
		if err != nil {
			return nil, err
		}
		if v == nil {
			return nil, &anonymize.ParameterError{Parameter: name, Value: "NULL", Rule: "must have a value"}
		}
		if err := given.Add(name, text(v)); err != nil {
			return nil, err
		}
	}
	return given, nil
}
