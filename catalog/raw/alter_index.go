package raw

import (
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

var (
	_ sql.IndexAlterableTable      = (*Table)(nil)
	_ sql.IndexBuildingTable       = (*Table)(nil)
	_ sql.PrimaryKeyAlterableTable = (*Table)(nil)
)

// CreateIndex implements sql.IndexAlterableTable. SQLite builds the index.
func (t *Table) CreateIndex(ctx *sql.Context, asked sql.IndexDef) error {
	if asked.Constraint != sql.IndexConstraint_None && asked.Constraint != sql.IndexConstraint_Unique {
		return fmt.Errorf("index %q: only plain and UNIQUE indexes are supported", asked.Name)
	}
	return t.alter(ctx, func(w *Work, next *TableVersion) error {
		d := next.definition
		if d.index(asked.Name) >= 0 || strings.EqualFold(asked.Name, "PRIMARY") {
			return sql.ErrDuplicateKey.New(asked.Name)
		}
		columns, err := next.indexColumns(asked.Columns)
		if err != nil {
			return err
		}
		index := indexDefinition{ID: d.NextIndex, Name: asked.Name, Columns: columns, Unique: asked.IsUnique(), Comment: asked.Comment}
		d.NextIndex++
		d.Indexes = append(d.Indexes, index)
		return w.buildIndex(next, index)
	})
}

func (t *TableVersion) indexColumns(asked []sql.IndexColumn) ([]indexColumn, error) {
	columns := make([]indexColumn, len(asked))
	for i, c := range asked {
		at := t.definition.column(c.Name)
		if at < 0 {
			return nil, sql.ErrKeyColumnDoesNotExist.New(c.Name)
		}
		kind := t.codecs[at].Kind
		if kind == coding.KindJSON {
			return nil, fmt.Errorf("column %q is of type json and cannot be indexed", c.Name)
		}
		columns[i] = indexColumn{Column: t.definition.Columns[at].ID}
		if kind == coding.KindText || kind == coding.KindBinary {
			columns[i].Length = c.Length
		}
	}
	return columns, nil
}

func (w *Work) buildIndex(t *TableVersion, index indexDefinition) error {
	_, err := sqlite.Execute(w.conn, createIndex(t.storage, t.definition, index))
	if sqlite.IsUniqueViolation(err) {
		return w.firstDuplicate(t, index)
	}
	return fault.Cannot("create index "+index.Name, err)
}

// firstDuplicate returns an error that names a key of two rows.
func (w *Work) firstDuplicate(t *TableVersion, index indexDefinition) error {
	terms := make([]string, len(index.Columns))
	names := make([]string, len(index.Columns))
	present := make([]string, len(index.Columns))
	for i, c := range index.Columns {
		terms[i] = t.definition.indexTerm(c)
		names[i] = fmt.Sprintf("c%d", c.Column)
		present[i] = names[i] + " IS NOT NULL"
	}
	key := ""
	err := sqlite.Query(w.conn, func(row []driver.Value) error {
		key = keyText(t, index, row)
		return nil
	}, fmt.Sprintf("SELECT %s FROM t%d WHERE %s GROUP BY %s HAVING count(*) > 1 LIMIT 1",
		strings.Join(names, ", "), t.storage, strings.Join(present, " AND "), strings.Join(terms, ", ")))
	if err != nil {
		return fault.Cannot("create index "+index.Name, err)
	}
	return sql.NewUniqueKeyErr(key, index.ID == primaryIndex, nil)
}

// DropIndex implements sql.IndexAlterableTable.
func (t *Table) DropIndex(ctx *sql.Context, name string) error {
	if strings.EqualFold(name, "PRIMARY") {
		return t.DropPrimaryKey(ctx)
	}
	return t.alter(ctx, func(w *Work, next *TableVersion) error {
		at := next.definition.index(name)
		if at < 0 {
			return sql.ErrIndexNotFound.New(name, next.name, next.database)
		}
		_, err := sqlite.Execute(w.conn, "DROP INDEX "+indexName(next.storage, next.definition.Indexes[at]))
		next.definition.Indexes = slices.Delete(next.definition.Indexes, at, at+1)
		return fault.Cannot("drop index "+name, err)
	})
}

// RenameIndex implements sql.IndexAlterableTable.
func (t *Table) RenameIndex(ctx *sql.Context, from, to string) error {
	return t.alter(ctx, func(_ *Work, next *TableVersion) error {
		at := next.definition.index(from)
		if at < 0 {
			return sql.ErrIndexNotFound.New(from, next.name, next.database)
		}
		if next.definition.index(to) >= 0 || strings.EqualFold(to, "PRIMARY") {
			return sql.ErrDuplicateKey.New(to)
		}
		next.definition.Indexes[at].Name = to
		return nil
	})
}

// ShouldBuildIndex implements sql.IndexBuildingTable. CreateIndex has built the index.
func (t *Table) ShouldBuildIndex(*sql.Context, sql.IndexDef) (bool, error) { return false, nil }

// BuildIndex implements sql.IndexBuildingTable. Without it, the engine would rewrite the table
// for a unique index.
func (t *Table) BuildIndex(*sql.Context, sql.IndexDef) (sql.RowInserter, error) {
	return builtIndex{}, nil
}

type builtIndex struct{}

func (builtIndex) StatementBegin(*sql.Context)              {}
func (builtIndex) DiscardChanges(*sql.Context, error) error { return nil }
func (builtIndex) StatementComplete(*sql.Context) error     { return nil }
func (builtIndex) Insert(*sql.Context, sql.Row) error       { return nil }
func (builtIndex) Close(*sql.Context) error                 { return nil }

// CreatePrimaryKey implements sql.PrimaryKeyAlterableTable.
func (t *Table) CreatePrimaryKey(ctx *sql.Context, columns []sql.IndexColumn) error {
	return t.alter(ctx, func(w *Work, next *TableVersion) error {
		d := next.definition
		if len(d.Primary) > 0 {
			return sql.ErrMultiplePrimaryKeysDefined.New()
		}
		key, err := next.indexColumns(columns)
		if err != nil {
			return err
		}
		for i, c := range key {
			if c.Length > 0 {
				return sql.ErrUnsupportedIndexPrefix.New(columns[i].Name)
			}
			if err := w.refuseNull(next, c.Column); err != nil {
				return err
			}
			d.Primary = append(d.Primary, c.Column)
			d.Columns[d.ordinal(c.Column)].Nullable = false
		}
		return w.buildIndex(next, d.keys()[0])
	})
}

func (w *Work) refuseNull(t *TableVersion, column int64) error {
	null := false
	err := sqlite.Query(w.conn, func([]driver.Value) error { null = true; return nil },
		fmt.Sprintf("SELECT 1 FROM t%d WHERE c%d IS NULL LIMIT 1", t.storage, column))
	if err == nil && null {
		return sql.ErrInsertIntoNonNullableProvidedNull.New(t.definition.Columns[t.definition.ordinal(column)].Name)
	}
	return fault.Cannot("read table "+t.name, err)
}

// DropPrimaryKey implements sql.PrimaryKeyAlterableTable.
func (t *Table) DropPrimaryKey(ctx *sql.Context) error {
	if err := sql.ValidatePrimaryKeyDrop(ctx, t, t.PrimaryKeySchema()); err != nil {
		return err
	}
	return t.alter(ctx, func(w *Work, next *TableVersion) error {
		d := next.definition
		if len(d.Primary) == 0 {
			return sql.ErrIndexNotFound.New("PRIMARY", next.name, next.database)
		}
		_, err := sqlite.Execute(w.conn, "DROP INDEX "+indexName(next.storage, d.keys()[0]))
		d.Primary = nil
		return fault.Cannot("drop the primary key", err)
	})
}
