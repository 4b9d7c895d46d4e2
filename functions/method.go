package functions

import (
	"io"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/shown"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/functions/argument"
	"github.com/anonsql/anonsql/functions/options"
	"github.com/anonsql/anonsql/functions/texts"
)

// bindMethod makes the table function of a method: SLPPA(adult, 0.5, 0.2,
// 0.05, 0.2, 3) over a raw table. It returns gid and the anonymized rows (the
// fragments of a group matched at random), ordered by gid; nothing is stored.
// The roles are those of set_attributes, or qi = 'a,b' and sa = c.
func (e *Environment) bindMethod(m anonymize.Method) binder {
	return func(ctx *sql.Context, arguments []sql.Expression) (*relation, error) {
		name, err := tableArgument(ctx, m.Name, arguments)
		if err != nil {
			return nil, err
		}
		table, err := e.table(ctx, name)
		if err != nil {
			return nil, err
		}
		schema, err := e.methodSchema(ctx, table, arguments[1:])
		if err != nil {
			return nil, err
		}
		return &relation{schema: schema, reads: name, rows: func(ctx *sql.Context, arguments []sql.Expression) (sql.RowIter, error) {
			r, err := e.methodRun(ctx, name, m, arguments[1:])
			if err != nil {
				return nil, err
			}
			return &methodRows{run: r, schema: schema}, nil
		}}, nil
	}
}

// methodRun checks the arguments of one call.
func (e *Environment) methodRun(ctx *sql.Context, name tableName, m anonymize.Method, arguments []sql.Expression) (*run, error) {
	table, err := e.table(ctx, name)
	if err != nil {
		return nil, err
	}
	var positional []string
	for _, p := range m.Parameters {
		if p.Positional {
			positional = append(positional, p.Name)
		}
	}
	given, err := namedArguments(ctx, m.Name, arguments, positional)
	if err != nil {
		return nil, err
	}
	settings, parameters, err := options.Method.ResolveMethod(m, given)
	if err != nil {
		return nil, err
	}
	return e.newRun(table, m, settings, parameters)
}

// methodSchema is gid and the columns with a role, in the table's order. It depends
// only on the roles, so other arguments may be parameters of a prepared statement.
func (e *Environment) methodSchema(ctx *sql.Context, table source.Table, arguments []sql.Expression) (sql.Schema, error) {
	roles, err := e.roles(table)
	if err != nil {
		return nil, err
	}
	for _, a := range arguments {
		named, ok := a.(*argument.Named)
		if !ok || named.Name != "qi" && named.Name != "sa" && named.Name != "weight" {
			continue
		}
		given, err := namedArguments(ctx, "", []sql.Expression{named}, nil)
		if err != nil {
			return nil, err
		}
		columns := texts.SplitNames(given[named.Name])
		for i, column := range columns {
			if columns[i], err = columnName(table, column, named.Name); err != nil {
				return nil, err
			}
		}
		switch named.Name {
		case "qi":
			roles.QuasiIdentifiers = columns
		case "sa":
			roles.Sensitive = columns
		default:
			roles.weight = strings.Join(columns, ",")
		}
	}
	if len(roles.QuasiIdentifiers) == 0 {
		_, err := anonymize.NewInput(&anonymize.Microdata{}, roles.Roles, nil) // names what is missing
		return nil, err
	}
	released := append(slices.Clone(roles.QuasiIdentifiers), roles.Sensitive...)
	schema := sql.Schema{{Name: "gid", Type: types.Int64}}
	for _, c := range table.Schema() {
		switch {
		case c.Name == roles.weight:
			schema = append(schema, &sql.Column{Name: c.Name, Type: types.Float64, Nullable: true})
		case slices.Contains(released, c.Name):
			schema = append(schema, &sql.Column{Name: c.Name, Type: c.Type, Nullable: true})
		}
	}
	return schema, nil
}

// methodRows runs the method when the first row is read.
type methodRows struct {
	*run
	schema  sql.Schema
	drawn   *anonymize.Microdata
	columns []*anonymize.Column
	boxed   [][]any
	row     int
	group   int
	end     int // first row of the next group
}

func (it *methodRows) Next(ctx *sql.Context) (sql.Row, error) {
	if it.drawn == nil {
		if err := it.start(ctx); err != nil {
			return nil, err
		}
	}
	if it.row == it.drawn.Rows {
		return nil, io.EOF
	}
	for it.row == it.end {
		it.group++
		it.end += int(it.release.GroupSizes[it.group])
	}
	row := make(sql.Row, len(it.schema))
	row[0] = shown.GID(it.group)
	for i, c := range it.columns {
		row[i+1] = it.boxed[i][c.Codes[it.row]]
	}
	it.row++
	return row, nil
}

func (it *methodRows) start(ctx *sql.Context) error {
	err := it.environment.asJob(
		ctx,
		ctx.Session.Client().User,
		it.method.Name,
		it.table.Database(),
		it.table.Name(),
		func(progress func(string, int, int)) error {
			it.progress = progress
			return it.execute(ctx)
		},
	)
	if err != nil {
		return err
	}
	source, err := it.source()
	if err != nil {
		return err
	}
	clock, err := coding.ClockOf(ctx)
	if err != nil {
		return err
	}
	drawn := estimate.Draw(it.release, source)
	for _, c := range it.schema[1:] {
		column := drawn.Column(c.Name)
		boxed := make([]any, len(column.Dictionary))
		for code, v := range column.Dictionary {
			if boxed[code], err = clock.SQLValue(c.Type, v); err != nil {
				return err
			}
		}
		it.columns, it.boxed = append(it.columns, column), append(it.boxed, boxed)
	}
	it.drawn, it.group = drawn, -1
	return nil
}

func (it *methodRows) Close(*sql.Context) error { return nil }
