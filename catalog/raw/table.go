package raw

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/coding"
)

// Table is a raw table of an owner's database as one session sees it. Use it for one statement
// only.
type Table struct {
	store   *Store
	session *Session
	meta    *TableVersion
	// projection are the columns that scans deliver if projected is set.
	projected  bool
	projection []string
}

var (
	_ sql.Table           = (*Table)(nil)
	_ sql.ProjectedTable  = (*Table)(nil)
	_ sql.PrimaryKeyTable = (*Table)(nil)
	_ sql.CommentedTable  = (*Table)(nil)
	_ sql.StatisticsTable = (*Table)(nil)
	_ sql.Databaseable    = (*Table)(nil)
)

// Table returns a raw table. The error for a missing database or table is the engine's.
func (c *Store) Table(ctx *sql.Context, database, table string) (*Table, error) {
	return c.openTable(ctx, func(m *metadata) (*TableVersion, error) { return m.find(database, table) })
}

func (c *Store) openTable(ctx *sql.Context, find func(*metadata) (*TableVersion, error)) (*Table, error) {
	s := sessionOf(ctx)
	meta := c.meta.Load()
	if s != nil && s.store == c {
		w, err := s.reader(ctx)
		if err != nil {
			return nil, err
		}
		meta = w.meta
	}
	t, err := find(meta)
	if err != nil {
		return nil, err
	}
	return &Table{store: c, session: s, meta: t}, nil
}

// TableChanged is MySQL's error 1412.
const TableChanged = 1412

// newestVersion returns the newest version in the session's transaction: an ALTER of several
// clauses sees what its first clause did.
func (t *Table) newestVersion() *TableVersion {
	if t.session != nil {
		t.session.mu.Lock()
		defer t.session.mu.Unlock()
		if w := t.session.work; w != nil && w.defined {
			if m := w.meta.tables[t.meta.id]; m != nil {
				return m
			}
		}
	}
	return t.meta
}

// versionIn returns the table's version in w. It fails if another session changed the
// definition since this statement was planned.
func (t *Table) versionIn(w *Work) (*TableVersion, error) {
	m := w.meta.tables[t.meta.id]
	if m == nil {
		return nil, sql.ErrTableNotFound.New(t.meta.name)
	}
	if m.definition != t.meta.definition && !w.defined {
		return nil, mysql.NewSQLError(TableChanged, "HY000", "Table definition of %s has changed, please retry transaction", t.meta.name)
	}
	return m, nil
}

// reading returns the session's work and the table in it. The caller must call done, which ends
// the snapshot of a context without a session.
func (t *Table) reading(ctx *sql.Context) (w *Work, m *TableVersion, done func(), err error) {
	done = func() {}
	if t.session != nil {
		w, err = t.session.reader(ctx)
	} else if w, err = t.store.snapshot(ctx); err == nil {
		done = w.end
	}
	if err != nil {
		return nil, nil, nil, err
	}
	if m, err = t.versionIn(w); err != nil {
		done()
		return nil, nil, nil, err
	}
	return w, m, done, nil
}

// writing returns the session's work for writing and the table in it.
func (t *Table) writing(ctx *sql.Context) (*Work, *TableVersion, error) {
	if t.session == nil {
		return nil, nil, fmt.Errorf("table %s can be changed by a session of the catalog only", t.meta.name)
	}
	w, err := t.session.writer(ctx)
	if err != nil {
		return nil, nil, err
	}
	m, err := t.versionIn(w)
	return w, m, err
}

// seenBy returns the version for a session: its codecs read and write values in the session's time zone.
func (t *TableVersion) seenBy(clock coding.Clock) *TableVersion {
	codecs := clock.Codecs(t.codecs)
	if len(codecs) == 0 || &codecs[0] == &t.codecs[0] {
		return t
	}
	seen := *t
	seen.codecs = codecs
	return &seen
}

// ID returns the table's permanent number. It survives renames, ALTER and restarts, and is
// never reused.
func (t *Table) ID() int64 { return t.meta.id }

// Version returns the committed version of rows and schema in the session's snapshot. It grows
// with every committed change and survives restarts.
func (t *Table) Version() int64 { return t.newestVersion().version }

// Database returns the name of the table's database.
func (t *Table) Database() string { return t.newestVersion().database }

// Name implements sql.Table.
func (t *Table) Name() string { return t.newestVersion().name }

// String implements sql.Table.
func (t *Table) String() string { return t.Name() }

// Comment implements sql.CommentedTable.
func (t *Table) Comment() string { return t.newestVersion().definition.Comment }

// Collation implements sql.Table.
func (t *Table) Collation() sql.CollationID { return t.newestVersion().collation }

// PrimaryKeySchema implements sql.PrimaryKeyTable.
func (t *Table) PrimaryKeySchema() sql.PrimaryKeySchema { return t.newestVersion().schema }

// Schema implements sql.Table. It returns the projected columns.
func (t *Table) Schema() sql.Schema {
	m := t.newestVersion()
	if !t.projected {
		return m.schema.Schema
	}
	schema := make(sql.Schema, 0, len(t.projection))
	for _, i := range t.ordinals(m) {
		schema = append(schema, m.schema.Schema[i])
	}
	return schema
}

// ordinals returns the positions of the projected columns; of all without a projection.
func (t *Table) ordinals(m *TableVersion) []int {
	if !t.projected {
		all := make([]int, len(m.codecs))
		for i := range all {
			all[i] = i
		}
		return all
	}
	ordinals := make([]int, 0, len(t.projection))
	for _, name := range t.projection {
		if i := m.definition.column(name); i >= 0 {
			ordinals = append(ordinals, i)
		}
	}
	return ordinals
}

// WithProjections implements sql.ProjectedTable.
func (t *Table) WithProjections(columns []string) sql.Table {
	projected := *t
	projected.projected = true
	projected.projection = make([]string, 0, len(columns))
	for _, name := range columns {
		projected.projection = append(projected.projection, strings.ToLower(name))
	}
	return &projected
}

// Projections implements sql.ProjectedTable.
func (t *Table) Projections() []string {
	if !t.projected {
		return nil
	}
	return t.projection
}

// RowCount implements sql.StatisticsTable. The number is exact, at no cost.
func (t *Table) RowCount(ctx *sql.Context) (uint64, bool, error) {
	w, m, done, err := t.reading(ctx)
	if err != nil {
		return 0, false, err
	}
	defer done()
	return uint64(w.rows(m)), true, nil
}

// DataLength implements sql.StatisticsTable. It estimates 8 bytes per value.
func (t *Table) DataLength(ctx *sql.Context) (uint64, error) {
	rows, _, err := t.RowCount(ctx)
	return rows * uint64(8*len(t.newestVersion().codecs)), err
}

// rows returns the number of rows that the transaction sees.
func (w *Work) rows(t *TableVersion) int64 {
	if ch := w.changes[t.id]; ch != nil {
		return t.rows + ch.rows
	}
	return t.rows
}

// TableByID opens a raw table by its permanent number. Numbers of dropped tables are never
// reused.
func (c *Store) TableByID(ctx *sql.Context, id int64) (*Table, error) {
	return c.openTable(ctx, func(m *metadata) (*TableVersion, error) {
		if t, ok := m.tables[id]; ok {
			return t, nil
		}
		return nil, &anonymize.DataError{Reason: "the raw table does not exist any more"}
	})
}
