package functions

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
)

// bindRaw makes a table function over a raw table: its only argument is the table, rows turns its columns into the answer.
func (e *Environment) bindRaw(function string, schema sql.Schema, rows func(ctx *sql.Context, name tableName) ([]sql.Row, error)) binder {
	return func(ctx *sql.Context, arguments []sql.Expression) (*relation, error) {
		name, err := tableArgument(ctx, function, arguments)
		if err != nil {
			return nil, err
		}
		if len(arguments) > 1 {
			return nil, &anonymize.ParameterError{Parameter: function, Value: "given " + arguments[1].String(), Rule: "takes a table and nothing else"}
		}
		if _, err := e.table(ctx, name); err != nil {
			return nil, err
		}
		return &relation{schema: copied(schema), reads: name, rows: func(ctx *sql.Context, _ []sql.Expression) (sql.RowIter, error) {
			answer, err := rows(ctx, name)
			return sql.RowsToRowIter(answer...), err
		}}, nil
	}
}

// quasiIdentifiers reads the columns with the role qi.
func (e *Environment) quasiIdentifiers(ctx *sql.Context, name tableName) ([]*anonymize.Column, error) {
	raw, err := e.table(ctx, name)
	if err != nil {
		return nil, err
	}
	roles, err := e.roles(raw)
	if err != nil {
		return nil, err
	}
	if len(roles.QuasiIdentifiers) == 0 {
		return nil, &anonymize.DataError{
			Reason: "table " + name.String() + " has no quasi-identifiers: CALL set_attributes('" + name.String() + "', 'qi=column,column,...')",
		}
	}
	progress := stages(ctx)
	table, err := raw.Microdata(ctx, roles.QuasiIdentifiers, reading(progress))
	if err != nil {
		return nil, err
	}
	progress("compare the columns", 0, len(table.Columns))
	return table.Columns, nil
}
