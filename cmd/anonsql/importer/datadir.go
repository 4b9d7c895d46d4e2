package importer

import (
	"context"
	"errors"
	"fmt"
	"io"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/delimited"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/server/loaddata"
)

// ToDataDir imports into o.DataDir, which no server may have open, in one transaction. It
// creates a missing directory.
func ToDataDir(ctx context.Context, o Options) (_ *Result, err error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.DataDir == "" {
		return nil, errors.New("no data directory to import into is given")
	}
	c, err := catalog.Open(o.DataDir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closeErr := c.Close(); err == nil {
			err = closeErr
		}
	}()
	result, err := ToCatalog(ctx, c, o)
	if result != nil {
		result.Notes = append(result.Notes, c.Narrowed()...)
	}
	return result, err
}

// ToCatalog imports into an open catalog, in one transaction.
func ToCatalog(ctx context.Context, c *catalog.Catalog, o Options) (*Result, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	d := &directory{catalog: c, session: c.NewSession(sql.NewBaseSession())}
	a := analyzer.NewBuilder(c.Provider()).Build()
	a.ExecBuilder = rowexec.NewOverrideBuilder(d)
	d.engine = sqle.New(a, nil)
	defer d.engine.Close()
	defer d.session.SessionEnd()
	if err := d.exec(ctx, "START TRANSACTION"); err != nil {
		return nil, err
	}
	return run(ctx, d, o)
}

// directory is the connection to a data directory: an engine with one session. It changes
// definitions through the catalog, because the engine would commit them at once.
type directory struct {
	catalog *catalog.Catalog
	engine  *sqle.Engine
	session *raw.Session
	text    io.Reader // of the running LOAD DATA
}

func (d *directory) context(ctx context.Context) *sql.Context {
	return sql.NewContext(ctx, sql.WithSession(d.session))
}

// Build implements sql.NodeExecBuilder. It is the only change to the engine that an import
// needs.
func (d *directory) Build(_ *sql.Context, n sql.Node, _ sql.Row) (sql.RowIter, error) {
	if insert, load, ok := loaddata.Match(n); ok {
		return loaddata.ExecText(insert, load, d.text)
	}
	return nil, nil
}

// query runs a statement and returns the number of affected rows.
func (d *directory) query(ctx context.Context, statement string) (int64, error) {
	c := d.context(ctx)
	_, iter, _, err := d.engine.Query(c, statement)
	if err != nil {
		return 0, err
	}
	rows, err := sql.RowIterToRows(c, iter)
	if err != nil {
		return 0, err
	}
	if len(rows) == 1 && types.IsOkResult(rows[0]) {
		return int64(types.GetOkResult(rows[0]).RowsAffected), nil
	}
	return 0, nil
}

func (d *directory) exec(ctx context.Context, statement string) error {
	_, err := d.query(ctx, statement)
	return err
}

func (d *directory) columns(ctx context.Context, database, table string) ([]column, error) {
	t, err := d.catalog.Table(d.context(ctx), database, table)
	if sql.ErrTableNotFound.Is(err) || sql.ErrDatabaseNotFound.Is(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	columns := []column{}
	for _, c := range t.Schema() {
		columns = append(columns, column{c.Name, kindOf(c.Type.Type().String())})
	}
	return columns, nil
}

func (d *directory) create(ctx context.Context, o Options, table string, inf *delimited.Inference) error {
	c := d.context(ctx)
	if !d.catalog.Provider().HasDatabase(c, o.Database) {
		if err := d.catalog.Provider().CreateDatabase(c, o.Database); err != nil {
			return err
		}
	}
	db, err := d.catalog.Provider().Database(c, o.Database)
	if err != nil {
		return err
	}
	creator, ok := db.(interface {
		sql.TableCreator
		sql.CollatedDatabase
	})
	if !ok {
		return sql.ErrCreateTableNotSupported.New(o.Database)
	}
	schema, err := schemaOf(inf, table, creator.GetCollation(c))
	if err != nil {
		return err
	}
	return creator.CreateTable(c, table, sql.NewPrimaryKeySchema(schema), sql.Collation_Unspecified, "")
}

// schemaOf gives texts the database's collation, like CREATE TABLE.
func schemaOf(inf *delimited.Inference, table string, collation sql.CollationID) (sql.Schema, error) {
	schema := make(sql.Schema, len(inf.Columns))
	for i, column := range inf.Columns {
		typ, err := coding.ParseType(column.Type)
		if err != nil {
			return nil, err
		}
		if text, ok := typ.(sql.TypeWithCollation); ok {
			if typ, err = text.WithNewCollation(collation); err != nil {
				return nil, err
			}
		}
		schema[i] = &sql.Column{Name: column.Name, Type: typ, Nullable: true, Source: table}
	}
	return schema, nil
}

// lost reads the directory's releases, which an import does not open otherwise.
func (d *directory) lost(ctx context.Context, o Options) (lines []string, err error) {
	c := d.context(ctx)
	if provider := d.catalog.Provider(); !provider.HasDatabase(c, catalog.SystemDatabaseName) {
		everybody := func(*sql.Context, string, string) bool { return true }
		releases, err := catalog.OpenReleases(d.catalog, everybody)
		if err != nil {
			return nil, err
		}
		provider.AddSystemDatabase(releases.SystemDatabase(nil)) // without jobs, which only a server has
	}
	_, iter, _, err := d.engine.Query(c, o.lost())
	if err != nil {
		return nil, err
	}
	rows, err := sql.RowIterToRows(c, iter)
	for _, row := range rows {
		lines = append(lines, fmt.Sprint(row[0]))
	}
	return lines, err
}

// empty asks the table itself, because the engine needs a current database for DELETE without WHERE.
func (d *directory) empty(ctx context.Context, o Options) error {
	c := d.context(ctx)
	t, err := d.catalog.Table(c, o.Database, o.Table)
	if err != nil {
		return err
	}
	_, err = t.Truncate(c)
	return err
}

func (d *directory) load(ctx context.Context, statement, name string, text io.Reader) (int64, error) {
	d.text = text
	return d.query(ctx, fmt.Sprintf(statement, name))
}

func (d *directory) commit(ctx context.Context) error { return d.exec(ctx, "COMMIT") }

func (d *directory) finish(ctx context.Context, o Options, from string, replaces bool) error {
	c := d.context(ctx)
	db, err := d.catalog.Provider().Database(c, o.Database)
	if err != nil {
		return err
	}
	owner, ok := db.(interface {
		sql.TableDropper
		sql.TableRenamer
	})
	if !ok {
		return sql.ErrDropTableNotSupported.New(o.Database)
	}
	if replaces {
		if err := owner.DropTable(c, o.Table); err != nil {
			return err
		}
	}
	if err := owner.RenameTable(c, from, o.Table); err != nil {
		return err
	}
	return d.commit(ctx)
}

// undo only rolls back: the table is part of the transaction.
func (d *directory) undo(ctx context.Context, _ Options, _ string) error {
	return d.exec(ctx, "ROLLBACK")
}
