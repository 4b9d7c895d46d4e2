package raw

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// A mirror is the definition of a table whose rows another server keeps. It gives the table and
// its columns permanent numbers for roles, taxonomies and releases. It has no rows, and no
// statement opens it. Its database, named after server and schema, appears in no list.

// Databases of mirrors begin with these schemes: ServerScheme with host:port of a server,
// EngineScheme with host:port/catalog of an engine. No owner's database may have such a name.
const (
	ServerScheme = "mysql://"
	EngineScheme = "trino://"
)

// IsMirror reports whether a database is a mirror's.
func IsMirror(database string) bool {
	database = strings.ToLower(database)
	return strings.HasPrefix(database, ServerScheme) || strings.HasPrefix(database, EngineScheme)
}

// Mirrors returns the databases of mirrors.
func (c *Store) Mirrors() (databases []string) {
	for _, db := range c.meta.Load().databases {
		if IsMirror(db.name) {
			databases = append(databases, db.name)
		}
	}
	return databases
}

// Mirror returns the mirror of a table with these columns in a database that MirrorDatabase names. It creates the mirror or adapts its
// columns, in a separate transaction unless the session already writes. A column keeps its number and its declarations as long as its name
// stays. Only names, types, nullability and comments of columns count. A mirror whose name differs in case alone is renamed, unless same
// returns an error. A type that the store cannot keep is an error.
func (c *Store) Mirror(ctx *sql.Context, database, name string, columns sql.Schema, same func(database, name string) error) (*Table, error) {
	plain := make(sql.Schema, len(columns))
	for i, column := range columns {
		plain[i] = &sql.Column{Name: column.Name, Type: column.Type, Nullable: column.Nullable, Comment: column.Comment}
	}
	known, err := c.Table(ctx, database, name)
	spelled := c.metadataOf(ctx).spelled(database, name)
	if spelled != [2]string{database, name} {
		if err := same(spelled[0], spelled[1]); err != nil {
			return nil, err
		}
	}
	if err == nil && spelled[1] == name && known.meta.mirrors(plain) {
		return known, nil
	}
	if err != nil && !sql.ErrTableNotFound.Is(err) && !sql.ErrDatabaseNotFound.Is(err) {
		return nil, err
	}
	build := func(w *Work) error {
		if w.meta.spelled(database, name) != spelled { // since a moment ago
			return sql.ErrTableNotFound.New(name)
		}
		return w.mirror(database, name, sql.NewPrimaryKeySchema(plain))
	}
	s := sessionOf(ctx)
	if s != nil && s.Writes() {
		err = c.define(ctx, build)
	} else if err = c.writeAlone(ctx, build); err == nil && s != nil {
		s.renew() // its snapshot is older
	}
	if err != nil {
		return nil, err
	}
	return c.Table(ctx, database, name)
}

// mirrors reports whether the definition has these columns.
func (t *TableVersion) mirrors(columns sql.Schema) bool {
	return slices.EqualFunc(t.definition.Columns, columns, func(c columnDefinition, of *sql.Column) bool {
		return c.Name == of.Name && c.Type == coding.TypeText(of.Type) && c.Nullable == of.Nullable && c.Comment == of.Comment
	})
}

// spelled are the names of a database and a table as they are known, and as they are given where they are not.
func (m *metadata) spelled(database, name string) [2]string {
	if db := m.database(database); db != nil {
		database = db.name
	}
	if t := m.table(database, name); t != nil {
		name = t.name
	}
	return [2]string{database, name}
}

func (w *Work) mirror(database, name string, columns sql.PrimaryKeySchema) error {
	w.defined = true
	db := w.meta.database(database)
	if db == nil {
		var err error
		if db, err = w.createDatabase(database, DefaultCollation); err != nil {
			return err
		}
	}
	before := w.meta.table(database, name)
	if before == nil {
		def := &definition{Collation: DefaultCollation.Name(), NextColumn: 1, NextIndex: 1}
		if err := def.setSchema(columns, func(string) string { return "" }); err != nil {
			return err
		}
		return createTable(w, db, name, def)
	}
	next := *before
	next.name = name
	next.definition = before.definition.clone()
	err := next.definition.setSchema(columns, func(name string) string { return name })
	if err != nil {
		return err
	}
	if next.storage, err = newStorage(w, next.definition); err != nil {
		return err
	}
	if _, err := sqlite.Execute(w.conn, fmt.Sprintf("DROP TABLE t%d", before.storage)); err != nil {
		return fault.Cannot("change table "+name, err)
	}
	if err := w.dropAttributes(&next); err != nil {
		return err
	}
	return w.redefine(&next)
}

// Mirrored reports whether another server keeps the table's rows.
func (t *Table) Mirrored() bool { return IsMirror(t.Database()) }
