package functions

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/interval"
	"github.com/anonsql/anonsql/anonymize/weights"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/datapackage"
	"github.com/anonsql/anonsql/functions/options"
	"github.com/anonsql/anonsql/functions/texts"
)

var exportReleaseSchema = sql.Schema{
	{Name: "release", Type: types.LongText},
	{Name: "version", Type: types.Int32},
	{Name: "dir", Type: types.LongText},
	{Name: "format", Type: types.LongText},
	{Name: "files", Type: types.Int32},
	{Name: "bytes", Type: types.Int64},
	{Name: "seconds", Type: types.Float64},
}

// optionPrevents is MySQL's ER_OPTION_PREVENTS_STATEMENT.
const optionPrevents = 1290

// CALL export_release('adult', 'format=parquet', 'dir=2026/adult') writes a public release as a Frictionless Data Package into a folder below the server's
// --export-dir; format defaults to csv, dir to the release's name, and an existing package stays unless overwrite=true. completed=5 adds five completed tables,
// for models that SQL lacks. The files have only what analysts may read, so it needs SELECT on the release and the privilege FILE, or SELECT and ALTER on the
// raw table. It works while the one result row is read, so it can be killed and ends when the client disconnects.
func (e *Environment) exportRelease(ctx *sql.Context, name string, arguments ...string) (sql.RowIter, error) {
	given, err := options.ExportRelease.Read(arguments)
	if err != nil {
		return nil, err
	}
	p, err := e.exportable(ctx, releaseName(name))
	if err != nil {
		return nil, err
	}
	if err := e.checkExportDir(); err != nil {
		return nil, err
	}
	x := &export{environment: e, published: p, dir: p.Record().Name, options: datapackage.WriteOptions{
		Format: options.Format.Read(given), Overwrite: options.Overwrite.Read(given), Completed: options.Completed.Read(given)}}
	if dir, ok := options.Dir.Given(given); ok {
		x.dir = dir
	}
	return rowOf(x.perform), nil
}

// exportable finds a release that the session may write as files.
func (e *Environment) exportable(ctx *sql.Context, name string) (*catalog.Published, error) {
	p, err := e.Releases.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	record := p.Record()
	if !e.holdsSource(ctx, "export_release", p) && !(e.mayUseFiles(ctx) && e.CanRead(ctx, catalog.PublishedDatabaseName, record.Name)) {
		return nil, e.deniedSource(ctx, "EXPORT", p, "SELECT and ALTER on its raw table, or SELECT on the release and the privilege FILE")
	}
	if record.Private {
		return nil, &anonymize.DataError{
			Reason: fmt.Sprintf("release %s is not public (%s): its files would publish it. Publish it first", record.Name, record.Status()),
		}
	}
	return p, nil
}

// mayUseFiles: the privilege FILE, as for files in MySQL.
func (e *Environment) mayUseFiles(ctx *sql.Context) bool {
	return e.Holds != nil && e.Holds(ctx, "", "", sql.PrivilegeType_File)
}

func (e *Environment) checkExportDir() error {
	if e.ExportDir == "" {
		return mysql.NewSQLError(
			optionPrevents,
			mysql.SSUnknownSQLState,
			"The MySQL server is running without the --export-dir option so it cannot execute this statement: start it with the directory that exports and imports may use",
		)
	}
	return nil
}

// openExportDir opens the directory; nothing outside it is reachable through the result.
func (e *Environment) openExportDir() (*os.Root, error) {
	root, err := os.OpenRoot(e.ExportDir)
	if err != nil {
		if known, ok := errors.AsType[*os.PathError](err); ok {
			err = known.Err // its path is not for clients
		}
		return nil, &anonymize.DataError{Reason: "the export directory cannot be opened: " + err.Error()}
	}
	return root, nil
}

// An export is a CALL export_release.
type export struct {
	environment *Environment
	published   *catalog.Published
	dir         string
	options     datapackage.WriteOptions
}

func (x *export) perform(ctx *sql.Context) (row sql.Row, err error) {
	err = x.environment.asJobOn(ctx, ctx.Session.Client().User, "export", x.published, func(progress func(string, int, int)) error {
		x.options.Progress = func(done, total int) { progress("write", done, total) }
		row, err = x.write(ctx)
		return err
	})
	return row, err
}

func (x *export) write(ctx *sql.Context) (sql.Row, error) {
	started := time.Now()
	release, err := x.published.Release(ctx)
	if err != nil {
		return nil, err
	}
	root, err := x.environment.openExportDir()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	record := x.published.Record()
	public, err := packageOf(record, release)
	if err != nil {
		return nil, err
	}
	public.Answers = x.environment.answersOf(record)
	if x.options.Completed > 0 {
		tables, err := x.published.Completed(ctx)
		if err != nil {
			return nil, err
		}
		if tables != nil {
			public.Completion = tables.Completion()
		}
	}
	bytes, files, err := datapackage.Write(ctx, root, x.dir, public, x.options)
	if err != nil {
		return nil, err
	}
	return sql.Row{
		record.Name,
		int32(record.Version),
		x.dir,
		string(x.options.Format),
		int32(files),
		bytes,
		texts.Thousandths(time.Since(started).Seconds()),
	}, nil
}

// packageOf has only what analysts may know of a release: of the calibration, the widths of intervals.
func packageOf(record *catalog.ReleaseRecord, release *anonymize.Release) (*datapackage.Package, error) {
	widths, err := interval.Public(record.Calibration)
	if err != nil {
		return nil, fmt.Errorf("release %s: %w", record.Name, err)
	}
	var weight weights.Classes
	if record.Weight != nil {
		weight = *record.Weight
	}
	return &datapackage.Package{Name: record.Name, Version: record.Version, Release: release,
		QuasiIdentifiers: record.QuasiIdentifiers, Sensitive: record.Sensitive, Unit: record.Unit,
		Weight: weight.Column, WeightDeviation: weight.Deviation, WeightShared: weight.Shared, Columns: record.Columns, Parameters: record.Parameters,
		MovedDays: record.MovedDays, Partial: record.Partial, Composed: record.Composed,
		Guarantees: record.Guarantees, Published: record.Published, Calibration: widths}, nil
}
