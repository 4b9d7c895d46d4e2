package tables

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/homes"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/engine"
	"github.com/anonsql/anonsql/engine/dialect"
)

// An Asker sends queries to the engine (engine.Conn).
type Asker interface {
	Query(ctx context.Context, text string, row func(values []any) error) error
}

// DefaultLimit is the greatest number of rows of a table to read: six columns arrive at some
// 200,000 rows a second on a small machine, and cost 3 microseconds of processor time per row.
const DefaultLimit = 2_000_000

// A Home is a catalog of an engine. Sessions share it.
type Home struct {
	Asker Asker
	// Address is the engine's host:port, Catalog the catalog: parts of the permanent names of tables.
	Address, Catalog string
	Store            *raw.Store
	// Privileges reports whether the session's account has all privileges on a table of a database trino.schema.
	Privileges func(ctx *sql.Context, database, table string, privileges ...sql.PrivilegeType) bool
	// Limit is the greatest number of rows of a table to read. Defaults to DefaultLimit.
	Limit int
}

var _ source.Beside = (*Home)(nil)

// of is the engine's SQL dialect.
var of = dialect.Trino

// mirrored returns the home's name in the names of mirrors.
func (h *Home) mirrored() string { return raw.EngineScheme + h.Address + "/" + h.Catalog }

// Schema returns the engine's schema, in its spelling, for the name of a database: trino.schema or its mirror.
func (h *Home) Schema(database string) (string, bool) {
	schema, ok := homes.MirroredSchema(database, h.mirrored())
	if !ok {
		if len(database) <= len(source.EnginePrefix) || !strings.EqualFold(database[:len(source.EnginePrefix)], source.EnginePrefix) {
			return "", false
		}
		schema = database[len(source.EnginePrefix):]
	}
	return strings.ToLower(schema), true
}

// Names implements source.Beside.
func (h *Home) Names(database string) bool {
	_, ok := h.Schema(database)
	return ok
}

// Databases implements source.Beside.
func (h *Home) Databases(ctx *sql.Context) ([]string, error) {
	schemas, err := h.listed(ctx, "schema_name", "schemata", "schema_name <> 'information_schema'")
	for i := range schemas {
		schemas[i] = source.EnginePrefix + schemas[i]
	}
	return schemas, err
}

// TableNames implements source.Beside.
func (h *Home) TableNames(ctx *sql.Context, database string) ([]string, error) {
	schema, ok := h.Schema(database)
	if !ok {
		return nil, nil
	}
	return h.listed(ctx, "table_name", "tables", "table_schema = "+of.Text(schema))
}

// listed reads names, sorted, from a table of the catalog's information_schema.
func (h *Home) listed(ctx context.Context, column, table, where string) (names []string, err error) {
	query := fmt.Sprintf("SELECT %s FROM %s WHERE %s ORDER BY 1", column, of.Name(h.Catalog, "information_schema", table), where)
	err = h.Asker.Query(ctx, query, func(v []any) error {
		texts, err := textsOf(v, 1)
		names = append(names, texts...)
		return err
	})
	return names, err
}

// path returns a table's qualified name in the engine.
func (h *Home) path(schema, table string) string { return of.Name(h.Catalog, schema, table) }

// Table implements source.Source.
func (h *Home) Table(ctx *sql.Context, database, name string) (source.Table, error) {
	return h.Open(ctx, database, name)
}

// Open is Table with this package's type.
func (h *Home) Open(ctx *sql.Context, database, name string) (*Table, error) {
	schema, ok := h.Schema(database)
	if !ok {
		return nil, sql.ErrTableNotFound.New(name)
	}
	name = strings.ToLower(name) // the engine has lower-case names
	columns, err := h.describe(ctx, schema, name)
	if err != nil {
		return nil, err
	}
	fields := make(sql.Schema, len(columns))
	for i, c := range columns {
		fields[i] = &sql.Column{Name: c.name, Type: c.typ, Nullable: c.nullable}
	}
	mirror, err := h.Store.Mirror(ctx, homes.MirrorDatabase(h.mirrored(), schema), name, fields, anySpelling)
	if err != nil {
		return nil, err
	}
	return &Table{Mirror: homes.Mirror{Table: mirror, Known: source.EnginePrefix + schema}, home: h, schema: schema, columns: columns}, nil
}

// anySpelling takes a mirror as it is known: the engine does not tell names apart by case.
func anySpelling(string, string) error { return nil }

// TableByID implements source.Source.
func (h *Home) TableByID(ctx *sql.Context, id int64) (source.Table, error) {
	mirror, err := homes.MirrorByID(ctx, h.Store, h.mirrored(), "in this engine", id)
	if err != nil {
		return nil, err
	}
	return h.Open(ctx, mirror.Database(), mirror.Name())
}

// Holds implements source.Source. It checks the privileges of the session's account in this server.
func (h *Home) Holds(ctx *sql.Context, database, table string, privileges ...sql.PrivilegeType) bool {
	schema, ok := h.Schema(database)
	return ok && h.Privileges(ctx, source.EnginePrefix+schema, table, privileges...)
}

// A Table is a table of the engine as one statement sees it.
type Table struct {
	homes.Mirror
	home    *Home
	schema  string
	columns []*column
}

var _ source.Table = (*Table)(nil)

// Path returns the table's quoted name in the engine.
func (t *Table) Path() string { return t.home.path(t.schema, t.Name()) }

// String returns the table's name for the session.
func (t *Table) String() string { return t.Known + "." + t.Name() }

// EngineSchema returns the table's schema in the engine.
func (t *Table) EngineSchema() string { return t.schema }

// Declared returns the engine's spelling of a column and the column's type there. It fails for a column that cannot be released.
func (t *Table) Declared(name string) (column, declared string, err error) {
	picked, err := t.pick([]string{name})
	if err != nil {
		return "", "", err
	}
	return picked[0].name, picked[0].declared, nil
}

// MaxRows returns the greatest number of rows of a table to read.
func (h *Home) MaxRows() int { return h.limit() }

// isEngineError reports whether err is the engine's answer with one of these names, or with any for none, and not a failure to answer.
func isEngineError(err error, names ...string) bool {
	e := (*engine.Error)(nil)
	return errors.As(err, &e) && e.Name != "" && (len(names) == 0 || slices.Contains(names, e.Name))
}
