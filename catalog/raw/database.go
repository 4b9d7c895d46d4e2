package raw

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// noCancel is for statements that must not be interrupted: an interrupted write rolls back
// SQLite's whole transaction.
var noCancel = context.Background()

// A database is an owner's database.
type database struct {
	store   *Store
	session *Session
	meta    *databaseMeta
	WithoutTriggers
}

var (
	_ sql.Database                = (*database)(nil)
	_ sql.TableCreator            = (*database)(nil)
	_ sql.TableDropper            = (*database)(nil)
	_ sql.TableRenamer            = (*database)(nil)
	_ sql.CollatedDatabase        = (*database)(nil)
	_ sql.ViewDatabase            = (*database)(nil)
	_ sql.StoredProcedureDatabase = (*database)(nil)
	_ sql.TriggerDatabase         = (*database)(nil)
	_ sql.EventDatabase           = (*database)(nil)
)

func (c *Store) newDatabase(ctx *sql.Context, meta *databaseMeta) *database {
	return &database{c, sessionOf(ctx), meta, WithoutTriggers{meta.name}}
}

// currentMeta returns the database as the context sees it.
func (d *database) currentMeta(ctx context.Context) *databaseMeta {
	if db := d.store.metadataOf(ctx).database(d.meta.name); db != nil {
		return db
	}
	return d.meta
}

// Name implements sql.Database.
func (d *database) Name() string { return d.meta.name }

// GetTableInsensitive implements sql.Database. It opens the session's snapshot, so that
// planning and reading use the same one.
func (d *database) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	t, err := d.store.Table(ctx, d.meta.name, name)
	if sql.ErrTableNotFound.Is(err) || sql.ErrDatabaseNotFound.Is(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return t, true, nil
}

// GetTableNames implements sql.Database. It sorts by lower-case name.
func (d *database) GetTableNames(ctx *sql.Context) ([]string, error) {
	_ = d.store.listedOf(ctx) // this read opens the snapshot
	return sortedNames(d.currentMeta(ctx).tables, func(t *TableVersion) string { return t.name }), nil
}

// GetCollation implements sql.CollatedDatabase.
func (d *database) GetCollation(ctx *sql.Context) sql.CollationID {
	return d.currentMeta(ctx).collation
}

// SetCollation implements sql.CollatedDatabase.
func (d *database) SetCollation(ctx *sql.Context, collation sql.CollationID) error {
	return d.change(ctx, func(w *Work, db *databaseMeta) error {
		db.collation = collation
		_, err := sqlite.Execute(w.conn, "UPDATE databases SET collation = ? WHERE id = ?", collation.Name(), db.id)
		return fault.Cannot("change database "+db.name, err)
	})
}

// change applies f to a copy of the database's metadata.
func (d *database) change(ctx *sql.Context, f func(w *Work, db *databaseMeta) error) error {
	return d.store.define(ctx, func(w *Work) error {
		db := w.meta.database(d.meta.name)
		if db == nil {
			return sql.ErrDatabaseNotFound.New(d.meta.name)
		}
		var err error
		meta := w.meta.withDatabase(db, func(copied *databaseMeta) { err = f(w, copied) })
		if err == nil {
			w.meta = meta
		}
		return err
	})
}

// CreateTable implements sql.TableCreator.
func (d *database) CreateTable(ctx *sql.Context, name string, schema sql.PrimaryKeySchema, collation sql.CollationID, comment string) error {
	if err := checkName("table", name); err != nil {
		return err
	}
	if collation == sql.Collation_Unspecified {
		collation = d.GetCollation(ctx)
	}
	def := &definition{Collation: collation.Name(), Comment: comment, NextColumn: 1, NextIndex: 1}
	if err := def.setSchema(schema, func(string) string { return "" }); err != nil {
		return err
	}
	return d.store.define(ctx, func(w *Work) error {
		db := w.meta.database(d.meta.name)
		if db == nil {
			return sql.ErrDatabaseNotFound.New(d.meta.name)
		}
		if db.taken(name) {
			return sql.ErrTableAlreadyExists.New(name)
		}
		return createTable(w, db, name, def)
	})
}

func (db *databaseMeta) taken(name string) bool {
	key := strings.ToLower(name)
	_, view := db.views[key]
	return db.tables[key] != nil || view
}

func createTable(w *Work, db *databaseMeta, name string, def *definition) error {
	storage, err := newStorage(w, def)
	if err != nil {
		return err
	}
	text, err := def.encode()
	if err != nil {
		return err
	}
	id, err := insertID(w, `INSERT INTO tables (database_id, name, storage, definition, version, row_count, auto_increment)
		VALUES (?, ?, ?, ?, 0, 0, '1')`, db.id, name, storage, text)
	if err != nil {
		return fault.Cannot("create table "+name, err)
	}
	t, err := newTableMeta(TableVersion{id: id, storage: storage, database: db.name, name: name, definition: def, auto: 1})
	if err != nil {
		return err
	}
	if _, err := w.change(t); err != nil {
		return err
	}
	w.meta = w.meta.withTable(t)
	return nil
}

// newStorage creates an empty storage for rows, with its indexes.
func newStorage(w *Work, def *definition) (int64, error) {
	storage, err := insertID(w, "INSERT INTO storages DEFAULT VALUES")
	if err != nil {
		return 0, fault.Cannot("create a table", err)
	}
	statements := []string{createStorage(storage, def)}
	for _, index := range def.keys() {
		statements = append(statements, createIndex(storage, def, index))
	}
	for _, s := range statements {
		if _, err := sqlite.Execute(w.conn, s); err != nil {
			return 0, fault.Cannot("create a table", err)
		}
	}
	return storage, nil
}

// losesName notifies the room above that a table is about to lose its name.
func (w *Work) losesName(t *TableVersion) error {
	if w.store.above.LosesName == nil {
		return nil
	}
	return w.store.above.LosesName(w.conn, t.id, t.database, t.name)
}

// DropTable implements sql.TableDropper. Releases made of the table stay: they refer to it by
// an id that is never reused.
func (d *database) DropTable(ctx *sql.Context, name string) error {
	return d.store.define(ctx, func(w *Work) error {
		t, err := w.meta.find(d.meta.name, name)
		if err != nil {
			return err
		}
		if err := w.losesName(t); err != nil {
			return err
		}
		if err := w.dropFollowers(t); err != nil {
			return err
		}
		if _, err := sqlite.Execute(w.conn, fmt.Sprintf("DROP TABLE t%d", t.storage)); err != nil {
			return fault.Cannot("drop table "+name, err)
		}
		if _, err := sqlite.Execute(w.conn, "DELETE FROM tables WHERE id = ?", t.id); err != nil {
			return fault.Cannot("drop table "+name, err)
		}
		delete(w.changes, t.id)
		w.meta = w.meta.withoutTable(t.id)
		return nil
	})
}

// RenameTable implements sql.TableRenamer.
func (d *database) RenameTable(ctx *sql.Context, from, to string) error {
	if err := checkName("table", to); err != nil {
		return err
	}
	return d.store.define(ctx, func(w *Work) error {
		t, err := w.meta.find(d.meta.name, from)
		if err != nil {
			return err
		}
		db := w.meta.database(d.meta.name)
		if db.taken(to) && !strings.EqualFold(from, to) {
			return sql.ErrTableAlreadyExists.New(to)
		}
		if err := w.losesName(t); err != nil {
			return err
		}
		renamed := *t
		renamed.name = to
		renamed.definition = t.definition.clone()
		return w.redefine(&renamed)
	})
}

// GetStoredProcedure implements sql.StoredProcedureDatabase.
func (d *database) GetStoredProcedure(ctx *sql.Context, name string) (sql.StoredProcedureDetails, bool, error) {
	p, ok := d.currentMeta(ctx).procedures[strings.ToLower(name)]
	return p, ok, nil
}

// GetStoredProcedures implements sql.StoredProcedureDatabase.
func (d *database) GetStoredProcedures(ctx *sql.Context) ([]sql.StoredProcedureDetails, error) {
	return sortedValues(d.currentMeta(ctx).procedures), nil
}

// SaveStoredProcedure implements sql.StoredProcedureDatabase.
func (d *database) SaveStoredProcedure(ctx *sql.Context, p sql.StoredProcedureDetails) error {
	return d.change(ctx, func(w *Work, db *databaseMeta) error {
		key := strings.ToLower(p.Name)
		if _, ok := db.procedures[key]; ok {
			return sql.ErrStoredProcedureAlreadyExists.New(p.Name)
		}
		db.procedures = withEntry(db.procedures, key, p)
		_, err := sqlite.Execute(w.conn, "INSERT INTO procedures (database_id, name, statement, created_at, modified_at, sql_mode) VALUES (?, ?, ?, ?, ?, ?)",
			db.id, p.Name, p.CreateStatement, p.CreatedAt.UnixMicro(), p.ModifiedAt.UnixMicro(), p.SqlMode)
		return fault.Cannot("create procedure "+p.Name, err)
	})
}

// DropStoredProcedure implements sql.StoredProcedureDatabase.
func (d *database) DropStoredProcedure(ctx *sql.Context, name string) error {
	return d.change(ctx, func(w *Work, db *databaseMeta) error {
		key := strings.ToLower(name)
		if _, ok := db.procedures[key]; !ok {
			return sql.ErrStoredProcedureDoesNotExist.New(name)
		}
		db.procedures = withoutEntry(db.procedures, key)
		_, err := sqlite.Execute(w.conn, "DELETE FROM procedures WHERE database_id = ? AND name = ?", db.id, name)
		return fault.Cannot("drop procedure "+name, err)
	})
}

// sortedValues returns the values in the order of their keys.
func sortedValues[V any](m map[string]V) []V {
	values := make([]V, 0, len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		values = append(values, m[key])
	}
	return values
}
