package functions

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/functions/argument"
	"github.com/anonsql/anonsql/quoting"
)

// bindRelease makes a table function over a release: its only argument is the release,
// rows makes the answer. Every reader of the release may call it.
func (e *Environment) bindRelease(function string, schema sql.Schema, rows func(ctx *sql.Context, p *catalog.Published) ([]sql.Row, error)) binder {
	return func(ctx *sql.Context, arguments []sql.Expression) (*relation, error) {
		name, err := releaseArgument(ctx, function, arguments)
		if err != nil {
			return nil, err
		}
		if _, err := e.readableRelease(ctx, name); err != nil {
			return nil, err
		}
		return &relation{schema: copied(schema), rows: func(ctx *sql.Context, _ []sql.Expression) (sql.RowIter, error) {
			p, err := e.readableRelease(ctx, name)
			if err != nil {
				return nil, err
			}
			stages(ctx)("look at the release", 0, 1)
			answer, err := rows(ctx, p)
			return sql.RowsToRowIter(answer...), err
		}}, nil
	}
}

// copied is a copy of a schema, whose columns a relation may change.
func copied(schema sql.Schema) sql.Schema {
	own := make(sql.Schema, len(schema))
	for i, c := range schema {
		own[i] = c.Copy()
	}
	return own
}

// releaseArgument reads the only argument as a release: adult, published.adult, or either as a text.
func releaseArgument(ctx *sql.Context, function string, arguments []sql.Expression) (string, error) {
	if len(arguments) > 1 {
		return "", &anonymize.ParameterError{Parameter: function, Value: "given " + arguments[1].String(), Rule: "takes a release and nothing else"}
	}
	if len(arguments) == 1 {
		if ref, ok := arguments[0].(*argument.Ref); ok && ref.Qualifier == "" {
			return ref.Name, nil // there may be no current database
		}
	}
	name, err := tableArgument(ctx, function, arguments)
	if err != nil || strings.EqualFold(name.database, catalog.PublishedDatabaseName) {
		return name.table, err
	}
	if _, ok := arguments[0].(*argument.Ref); !ok {
		if v, err := arguments[0].Eval(ctx, nil); err != nil || releaseName(text(v)) == name.table {
			return name.table, err // the current database does not matter
		}
	}
	return "", &anonymize.ParameterError{Parameter: function, Value: "given " + arguments[0].String(),
		Rule: "takes a release, not a table: " + catalog.PublishedDatabaseName + "." + name.table}
}

// releaseName reads a procedure's release argument: adult, published.adult or either in backticks.
func releaseName(text string) string {
	text = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(text), catalog.PublishedDatabaseName+"."), quoting.Name(catalog.PublishedDatabaseName)+".")
	return quoting.Unquoted(text)
}

// readableRelease finds a release that the account may SELECT from.
func (e *Environment) readableRelease(ctx *sql.Context, name string) (*catalog.Published, error) {
	if !e.CanRead(ctx, catalog.PublishedDatabaseName, name) {
		client := ctx.Session.Client()
		return nil, mysql.NewSQLError(tableAccessDenied, "42000",
			"SELECT command denied to user '%s'@'%s' for table '%s'", client.User, client.Address, name)
	}
	return e.Releases.Find(ctx, name)
}
