package listing

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/information_schema"

	"github.com/anonsql/anonsql/server/answers"
	"github.com/anonsql/anonsql/server/routines"
	"github.com/anonsql/anonsql/server/running"
)

// InformationSchema builds the engine's information_schema anew for every look-up. The engine keeps one set of tables
// and writes into them while it binds, analyses and reads a statement (AssignCatalog, the defaults of columns), so
// concurrent statements race. A lock around the writes is not enough, since the engine's own code reads. A lock
// around whole statements would let one slow client block all others. Each statement gets its own tables instead,
// which needs no lock and costs 10 microseconds a look-up.
type InformationSchema struct{}

// Name implements sql.Database.
func (InformationSchema) Name() string { return sql.InformationSchemaDatabaseName }

// GetTableInsensitive implements sql.Database.
func (InformationSchema) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	table, ok, err := information_schema.NewInformationSchemaDatabase().GetTableInsensitive(ctx, name)
	if own, engine := table.(*information_schema.InformationSchemaTable); engine && strings.EqualFold(name, information_schema.ProcessListTableName) {
		own.Reader = readProcesses
	}
	switch own := table.(type) {
	case *information_schema.InformationSchemaTable:
		read := own.Reader
		own.Reader = func(ctx *sql.Context, c sql.Catalog) (sql.RowIter, error) {
			rows, err := read(ctx, c)
			if err = cmp.Or(err, running.Ended(ctx)); err != nil { // the engine skips views that it can no longer read
				return nil, err
			}
			switch {
			case strings.EqualFold(name, information_schema.TablesTableName):
				rows = Tables(rows, c)
			case strings.EqualFold(name, information_schema.ViewsTableName):
				rows, err = Views(ctx, rows, c)
			}
			return withMembers(rows, own.TableSchema), err
		}
	case *information_schema.ColumnsTable:
		read := own.RowIter
		own.RowIter = func(ctx *sql.Context, c sql.Catalog, s sql.Schema) (sql.RowIter, error) {
			rows, err := read(ctx, c, s)
			if err = cmp.Or(err, running.Ended(ctx)); err != nil {
				return nil, err
			}
			return withMembers(measured{rows, c}, own.TableSchema), nil
		}
	}
	return routines.List(table), ok, err
}

// GetTableNames implements sql.Database.
func (InformationSchema) GetTableNames(ctx *sql.Context) ([]string, error) {
	return information_schema.NewInformationSchemaDatabase().GetTableNames(ctx)
}

// Columns of COLUMNS that measured reads or corrects.
const (
	columnName        = 3
	dataType          = 7
	characterLength   = 8
	octetLength       = 9
	datetimePrecision = 12
	wholeType         = 15
)

// measured corrects rows of COLUMNS to MySQL's lengths and types. A TEXT is limited in bytes; the engine divides its
// length by the bytes of the longest character. A DATE has no precision. Members of ENUM and SET are literals.
type measured struct {
	sql.RowIter
	catalog sql.Catalog
}

func (r measured) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := r.RowIter.Next(ctx)
	if err != nil || len(row) <= wholeType {
		return row, err
	}
	switch row[dataType] {
	case "tinytext", "text", "mediumtext", "longtext":
		row = row.Copy()
		row[characterLength] = row[octetLength]
	case "date":
		row = row.Copy()
		row[datetimePrecision] = nil
	case "enum", "set":
		if strings.ContainsAny(strings.Trim(strings.ReplaceAll(fmt.Sprint(row[wholeType]), "','", ""), "enumst(')"), `'\\`) {
			row = r.withLiterals(ctx, row.Copy())
		}
	}
	return row, nil
}

// withLiterals returns the row of an ENUM or a SET with the table's type.
func (r measured) withLiterals(ctx *sql.Context, row sql.Row) sql.Row {
	table, _, err := r.catalog.Table(ctx, fmt.Sprint(row[tableSchema]), fmt.Sprint(row[tableName]))
	if err != nil {
		return row
	}
	if at := table.Schema().IndexOfColName(fmt.Sprint(row[columnName])); at >= 0 {
		row[wholeType] = answers.PlainType(table.Schema()[at].Type)
	}
	return row
}

// withMembers converts values of ENUM columns to the form that the engine's expressions expect: tables of
// information_schema have texts, and a CASE over them panics.
func withMembers(rows sql.RowIter, schema sql.Schema) sql.RowIter {
	if rows == nil {
		return nil
	}
	return memberRows{rows, schema}
}

type memberRows struct {
	sql.RowIter
	schema sql.Schema
}

func (r memberRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := r.RowIter.Next(ctx)
	if err != nil {
		return row, err
	}
	copied := false
	for i, c := range r.schema {
		enum, ok := c.Type.(sql.EnumType)
		if !ok || i >= len(row) {
			continue
		}
		text, ok := row[i].(string)
		if !ok {
			continue
		}
		if !copied {
			row, copied = row.Copy(), true
		}
		if member, _, err := enum.Convert(ctx, text); err == nil {
			row[i] = member
		} else {
			row[i] = uint16(0) // the empty text
		}
	}
	return row, nil
}
