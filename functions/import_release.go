package functions

import (
	"archive/zip"
	"context"
	"encoding/base64"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/interval"
	"github.com/anonsql/anonsql/anonymize/weights"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/datapackage"
	"github.com/anonsql/anonsql/functions/options"
	"github.com/anonsql/anonsql/functions/texts"
)

var importReleaseSchema = sql.Schema{
	{Name: "release", Type: types.LongText},
	{Name: "version", Type: types.Int32},
	{Name: "method", Type: types.LongText},
	{Name: "status", Type: types.LongText},
	{Name: "rows", Type: types.Int64},
	{Name: "groups", Type: types.Int64},
	{Name: "guarantees", Type: types.LongText},
	{Name: "seconds", Type: types.Float64},
}

// ZipPrefix begins a package that is sent as an argument: a ZIP in base64.
const ZipPrefix = "data:application/zip;base64,"

// CALL import_release('2026/adult') reads the package that export_release has written in that folder below --export-dir, here or on another
// server, verifies it, and publishes the release, under its own name or that of publish=name; replace=true replaces an imported release of that
// name. Instead of the folder, the argument may be the package itself, a ZIP in base64 after "data:application/zip;base64,", up to
// max_allowed_packet: `anonsql import-release` sends that. It needs the privilege FILE. It works while the one result row is read.
func (e *Environment) importRelease(ctx *sql.Context, source string, arguments ...string) (sql.RowIter, error) {
	if !e.mayUseFiles(ctx) {
		client := ctx.Session.Client()
		return nil, mysql.NewSQLError(accessDenied, "42000",
			"Access denied for user '%s'@'%s'; you need the FILE privilege for this operation", client.User, client.Address)
	}
	given, err := options.ImportRelease.Read(arguments)
	if err != nil {
		return nil, err
	}
	i := &importing{environment: e, source: source, name: options.Publish.Read(given), replace: options.Replace.Read(given), given: given}
	if !strings.HasPrefix(source, ZipPrefix) {
		if err := e.checkExportDir(); err != nil {
			return nil, err
		}
		if !filepath.IsLocal(filepath.FromSlash(source)) || strings.ContainsAny(source, "\\\x00") {
			return nil, &anonymize.ParameterError{
				Parameter: "dir",
				Value:     fmt.Sprintf("'%.80s'", source),
				Rule:      "must be the name of a folder below the export directory, such as adult or 2026/adult",
			}
		}
	}
	return rowOf(i.perform), nil
}

// accessDenied is MySQL's ER_SPECIFIC_ACCESS_DENIED_ERROR.
const accessDenied = 1227

// An importing is a CALL import_release.
type importing struct {
	environment  *Environment
	source, name string
	replace      bool
	given        anonymize.Settings
}

func (i *importing) perform(ctx *sql.Context) (sql.Row, error) {
	if err := raw.CommitOpen(ctx); err != nil {
		return nil, err
	}
	started := time.Now()
	var record *catalog.ReleaseRecord
	err := i.environment.asJob(ctx, ctx.Session.Client().User, "import", importSubject, i.subject(), func(progress func(string, int, int)) (err error) {
		record, err = i.run(ctx, progress)
		return err
	})
	if err != nil {
		return nil, err
	}
	row := sql.Row{record.Name, int32(record.Version), record.Method, record.Status(), int64(record.Rows), int64(record.Groups),
		nil, texts.Thousandths(time.Since(started).Seconds())}
	return texts.WithPromises(importReleaseSchema, row, 6, record.Guarantees), nil
}

// importSubject is the database of an import's job, which has no raw table. Analysts have no privilege on it, so they see neither imports nor why one failed.
const importSubject = "data package"

// subject is the release's name before the package is read: that of publish=, otherwise the folder's.
func (i *importing) subject() string {
	switch {
	case i.name != "":
		return i.name
	case strings.HasPrefix(i.source, ZipPrefix):
		return "package"
	}
	return path.Base(i.source)
}

func (i *importing) run(ctx *sql.Context, progress func(phase string, done, total int)) (*catalog.ReleaseRecord, error) {
	files, closing, err := i.open()
	if err != nil {
		return nil, err
	}
	defer closing()
	p, err := readPackage(ctx, files, progress)
	if err != nil {
		return nil, err
	}
	record := packagedRecord(p)
	completion, described, err := i.complete(ctx, p, &record, progress)
	if err != nil {
		return nil, err
	}
	record.Completion = described
	progress("publish", 0, 1)
	return publishPackage(ctx, i.environment.Releases, p.Release, record, completion, i.name, i.replace)
}

// complete draws the completed tables of a package's release, identical to those of the original.
func (i *importing) complete(
	ctx *sql.Context,
	p *datapackage.Package,
	record *catalog.ReleaseRecord,
	progress func(phase string, done, total int),
) (*anonymize.Completion, *catalog.CompletionRecord, error) {
	f := fitOf(i.given).asAnswered(p.Answers, p.Release.Rows, i.given)
	now, err := f.fitsAtOnce(p.Release)
	if err != nil || !now {
		return nil, nil, err
	}
	return i.environment.complete(ctx, f, p.Release, record, progress)
}

// open returns the files of the package.
func (i *importing) open() (files fs.FS, closing func() error, err error) {
	if text, ok := strings.CutPrefix(i.source, ZipPrefix); ok {
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, nil, &anonymize.DataError{Reason: "the package is no base64: " + err.Error()}
		}
		archive, err := zip.NewReader(strings.NewReader(string(data)), int64(len(data)))
		if err != nil {
			return nil, nil, &anonymize.DataError{Reason: "the package is no ZIP: " + err.Error()}
		}
		return archive, func() error { return nil }, nil
	}
	root, err := i.environment.openExportDir()
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	folder, err := root.OpenRoot(filepath.FromSlash(i.source))
	if err != nil {
		return nil, nil, &anonymize.DataError{Reason: fmt.Sprintf("there is no folder %.80s in the export directory", i.source)}
	}
	return folder.FS(), folder.Close, nil
}

// ImportRelease reads, verifies and publishes the package in files, under its own name if name is empty. The next server that opens the catalog
// draws the completed tables of a release that gets some.
func ImportRelease(
	ctx *sql.Context,
	releases *catalog.Releases,
	files fs.FS,
	name string,
	replace bool,
	progress func(phase string, done, total int),
) (*catalog.ReleaseRecord, error) {
	p, err := readPackage(ctx, files, progress)
	if err != nil {
		return nil, err
	}
	record, usual := packagedRecord(p), fit{estimator: catalog.Imputed}.asAnswered(p.Answers, p.Release.Rows, anonymize.Settings{})
	awaits, err := usual.fitsAtOnce(p.Release)
	if err != nil {
		return nil, err
	}
	if awaits {
		record.AwaitsTables, record.AwaitsUnmeasured = usual.estimator, usual.unmeasured
	}
	progress("publish", 0, 1)
	return publishPackage(ctx, releases, p.Release, record, nil, name, replace)
}

func publishPackage(
	ctx *sql.Context,
	releases *catalog.Releases,
	r *anonymize.Release,
	record catalog.ReleaseRecord,
	completion *anonymize.Completion,
	name string,
	replace bool,
) (*catalog.ReleaseRecord, error) {
	if name != "" {
		record.Name = name
	}
	return releases.Import(ctx, record, r, completion, replace)
}

// packagedRecord describes the release of a package.
func packagedRecord(p *datapackage.Package) catalog.ReleaseRecord {
	var weight *weights.Classes
	if p.Weight != "" {
		weight = &weights.Classes{Column: p.Weight, Deviation: p.WeightDeviation, Shared: p.WeightShared}
	}
	return catalog.ReleaseRecord{Name: p.Name, Version: p.Version, Method: p.Release.Method,
		QuasiIdentifiers: p.QuasiIdentifiers, Sensitive: p.Sensitive, Unit: p.Unit, Weight: weight,
		Parameters: p.Parameters, MovedDays: p.MovedDays, Partial: p.Partial, Composed: p.Composed, Guarantees: p.Guarantees, Columns: p.Columns,
		Published: p.Published, Calibration: p.Calibration}
}

// readPackage checks what only this package can check: names of columns, and measured figures.
func readPackage(ctx context.Context, files fs.FS, progress func(phase string, done, total int)) (*datapackage.Package, error) {
	read := func(done, total int) { progress("read the package", done, total) }
	read(0, 1)
	p, err := datapackage.Read(ctx, watchFiles(files, read), datapackage.Limits{})
	if err != nil {
		return nil, err
	}
	if err := checkNames(p.Release); err != nil {
		return nil, err
	}
	// Only the widths are kept.
	if p.Calibration, err = interval.Public(p.Calibration); err != nil {
		return nil, &anonymize.DataError{Reason: "the package is refused: " + err.Error()}
	}
	return p, nil
}
