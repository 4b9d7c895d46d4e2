package homes

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/raw"
)

// Named is a column with a name. Refused says why its values cannot be read, "" if they can.
type Named interface {
	Name() string
	Refused() string
}

func find[C Named](columns []C, name string) (c C, ok bool) {
	at := slices.IndexFunc(columns, func(c C) bool { return strings.EqualFold(c.Name(), name) })
	if at < 0 {
		return c, false
	}
	return columns[at], true
}

// Pick returns named columns of a table, or all readable ones for nil. A column that cannot be read is a DataError; messages name the table.
func Pick[C Named](table interface {
	Name() string
	fmt.Stringer
}, columns []C, names []string) ([]C, error) {
	var picked []C
	if names == nil {
		for _, c := range columns {
			if c.Refused() == "" {
				picked = append(picked, c)
			}
		}
	}
	for _, name := range names {
		c, ok := find(columns, name)
		if !ok {
			return nil, sql.ErrTableColumnNotFound.New(table.Name(), name)
		}
		if c.Refused() != "" {
			return nil, &anonymize.DataError{Reason: fmt.Sprintf("column %s of %s cannot be read: %s", c.Name(), table, c.Refused())}
		}
		picked = append(picked, c)
	}
	return picked, nil
}

// Reads reports whether a column can be read.
func Reads[C Named](columns []C, name string) bool {
	c, ok := find(columns, name)
	return ok && c.Refused() == ""
}

// Convert converts a value to what a column of a type keeps. A value outside the type's range is an error.
func Convert(ctx context.Context, typ sql.Type, v any) (anonymize.Value, error) {
	converted, inRange, err := typ.Convert(ctx, v)
	if err == nil && inRange == sql.OutOfRange {
		err = fmt.Errorf("out of range")
	}
	if err != nil {
		return anonymize.NullValue, err
	}
	return coding.ValueOf(typ, converted)
}

// MirrorDatabase returns the name of the database that mirrors a schema. home begins with its scheme.
func MirrorDatabase(home, schema string) string { return home + "/" + schema }

// MirroredSchema returns the schema that a database mirrors, if it is a mirror of home.
func MirroredSchema(database, home string) (schema string, ok bool) {
	return strings.CutPrefix(database, MirrorDatabase(home, ""))
}

// A Mirror is a home's table in the store.
type Mirror struct {
	*raw.Table
	// Known is the session's name of the database.
	Known string
}

// Schema implements source.Table.
func (m *Mirror) Schema() sql.Schema {
	schema := slices.Clone(m.Table.Schema())
	for i, c := range schema {
		known := *c
		known.DatabaseSource = m.Known
		schema[i] = &known
	}
	return schema
}

// Elsewhere implements source.Counted: changes of rows are not counted.
func (m *Mirror) Elsewhere() {}

// MirrorByID finds a home's table by its permanent number. home is the home's name as in the names of mirrors, here its name for messages.
func MirrorByID(ctx *sql.Context, store *raw.Store, home, here string, id int64) (*raw.Table, error) {
	mirror, err := store.TableByID(ctx, id)
	if err != nil {
		return nil, err
	}
	if _, ok := MirroredSchema(mirror.Database(), home); !ok {
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("the raw table %s.%s is not %s", mirror.Database(), mirror.Name(), here)}
	}
	return mirror, nil
}
