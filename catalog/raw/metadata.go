package raw

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/coding"
)

// Metadata is all that is known about databases and tables at one time. It is immutable: a
// change makes a new one that shares what stays the same, and committing publishes it. A
// transaction keeps that of its snapshot.
type metadata struct {
	databases map[string]*databaseMeta // by lower-case name
	tables    map[int64]*TableVersion  // all tables by id
}

type databaseMeta struct {
	id         int64
	name       string
	collation  sql.CollationID
	tables     map[string]*TableVersion // by lower-case name, as are the others
	views      map[string]sql.ViewDefinition
	procedures map[string]sql.StoredProcedureDetails
}

// A TableVersion is one version of one raw table.
type TableVersion struct {
	id, storage    int64
	database, name string
	definition     *definition
	schema         sql.PrimaryKeySchema
	collation      sql.CollationID
	codecs         []coding.Codec // of the columns
	statements     statements
	automatic      int // position of the AUTO_INCREMENT column, -1 for none

	version int64 // grows with every committed change
	rows    int64
	auto    uint64 // next AUTO_INCREMENT value as persisted
	// chunks has the version of the last change of every chunk of rows; missing chunks have
	// version base.
	chunks map[int64]int64
	base   int64
}

// newTableMeta derives what follows from the definition.
func newTableMeta(t TableVersion) (*TableVersion, error) {
	var err error
	if t.schema, err = t.definition.schema(t.database, t.name); err != nil {
		return nil, fmt.Errorf("table %s.%s: %w", t.database, t.name, err)
	}
	if t.collation, err = sql.ParseCollation("", t.definition.Collation, false); err != nil {
		return nil, fmt.Errorf("table %s.%s: %w", t.database, t.name, err)
	}
	t.automatic = slices.IndexFunc(t.definition.Columns, func(c columnDefinition) bool { return c.AutoIncrement })
	t.codecs = make([]coding.Codec, len(t.schema.Schema))
	for i, c := range t.schema.Schema {
		t.codecs[i] = coding.New(c.Type)
	}
	t.statements = newStatements(t.storage, t.definition)
	return &t, nil
}

// ID returns the table's permanent number (see [Table.ID]).
func (t *TableVersion) ID() int64 { return t.id }

// Version returns a number that grows with every committed change.
func (t *TableVersion) Version() int64 { return t.version }

// Database is the name of the table's database.
func (t *TableVersion) Database() string { return t.database }

// Name is the table's name in its database.
func (t *TableVersion) Name() string { return t.name }

// A Column is a column of one version of a table.
type Column struct {
	// ID stays with the column through renames and changes of its type, and is never reused in
	// the table.
	ID      int64
	Ordinal int
	Name    string
	Type    string // as SQL
	Codec   coding.Codec
}

// Column finds a column by its name.
func (t *TableVersion) Column(name string) (Column, bool) {
	return t.columnAt(t.definition.column(name))
}

// ColumnByID finds a column by its permanent number.
func (t *TableVersion) ColumnByID(id int64) (Column, bool) {
	return t.columnAt(t.definition.ordinal(id))
}

func (t *TableVersion) columnAt(ordinal int) (Column, bool) {
	if ordinal < 0 {
		return Column{}, false
	}
	c := t.definition.Columns[ordinal]
	return Column{ID: c.ID, Ordinal: ordinal, Name: c.Name, Type: c.Type, Codec: t.codecs[ordinal]}, true
}

// chunkVersion returns the version of the last change of a chunk of rows.
func (t *TableVersion) chunkVersion(chunk int64) int64 {
	if v, ok := t.chunks[chunk]; ok {
		return v
	}
	return t.base
}

// committed returns the next version of t after a transaction's changes.
func (t *TableVersion) committed(ch *change, auto uint64) *TableVersion {
	next := *t
	next.version = ch.base + 1
	next.rows += ch.rows
	next.auto = auto
	if ch.all {
		next.chunks, next.base = nil, next.version
		return &next
	}
	next.chunks = maps.Clone(t.chunks)
	if next.chunks == nil {
		next.chunks = make(map[int64]int64, len(ch.chunks))
	}
	for chunk := range ch.chunks {
		next.chunks[chunk] = next.version
	}
	return &next
}

func (m *metadata) database(name string) *databaseMeta { return m.databases[strings.ToLower(name)] }

func (m *metadata) table(database, name string) *TableVersion {
	if db := m.database(database); db != nil {
		return db.tables[strings.ToLower(name)]
	}
	return nil
}

// withDatabase returns metadata in which db is changed by f.
func (m *metadata) withDatabase(db *databaseMeta, f func(*databaseMeta)) *metadata {
	next := &metadata{databases: maps.Clone(m.databases), tables: m.tables}
	changed := *db
	f(&changed)
	next.databases[strings.ToLower(db.name)] = &changed
	return next
}

// withTable returns metadata in which t replaces the table with its id, whatever that was
// called.
func (m *metadata) withTable(t *TableVersion) *metadata {
	next := m.withoutTable(t.id)
	next = next.withDatabase(next.database(t.database), func(db *databaseMeta) {
		db.tables = maps.Clone(db.tables)
		db.tables[strings.ToLower(t.name)] = t
	})
	next.tables = maps.Clone(next.tables)
	next.tables[t.id] = t
	return next
}

func (m *metadata) withoutTable(id int64) *metadata {
	old := m.tables[id]
	if old == nil {
		return m
	}
	next := m.withDatabase(m.database(old.database), func(db *databaseMeta) {
		db.tables = maps.Clone(db.tables)
		delete(db.tables, strings.ToLower(old.name))
	})
	next.tables = maps.Clone(m.tables)
	delete(next.tables, id)
	return next
}

func (m *metadata) withoutDatabase(name string) *metadata {
	db := m.database(name)
	next := &metadata{databases: maps.Clone(m.databases), tables: maps.Clone(m.tables)}
	delete(next.databases, strings.ToLower(name))
	for _, t := range db.tables {
		delete(next.tables, t.id)
	}
	return next
}

// sortedNames returns the values' names in the order of their keys.
func sortedNames[V any](m map[string]V, name func(V) string) []string {
	names := make([]string, 0, len(m))
	for _, v := range sortedValues(m) {
		names = append(names, name(v))
	}
	return names
}

// storagesNotIn returns the storages of tables that another state lacks.
func (m *metadata) storagesNotIn(next *metadata) map[int64]bool {
	gone := make(map[int64]bool)
	for id, t := range m.tables {
		if now := next.tables[id]; now == nil || now.storage != t.storage {
			gone[t.storage] = true
		}
	}
	return gone
}

// find returns a table. The error for a missing database or table is the engine's.
func (m *metadata) find(database, table string) (*TableVersion, error) {
	if m.database(database) == nil {
		return nil, sql.ErrDatabaseNotFound.New(database)
	}
	t := m.table(database, table)
	if t == nil {
		return nil, sql.ErrTableNotFound.New(table)
	}
	return t, nil
}
