package server

import (
	"context"
	"errors"
	"io/fs"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/functions"
)

// ImportRelease publishes the release of a data package in a data directory that
// no server has open, as CALL import_release does: under its own name when name
// is empty. Who can write the directory may do so.
func ImportRelease(
	ctx context.Context, dataDir string, files fs.FS, name string, replace bool, progress func(phase string, done, total int),
) (record *catalog.ReleaseRecord, err error) {
	store, err := catalog.Open(dataDir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	everybody := func(*sql.Context, string, string) bool { return true }
	releases, err := catalog.OpenReleases(store, everybody)
	if err != nil {
		return nil, err
	}
	session := store.NewSession(sql.NewBaseSession())
	defer session.SessionEnd()
	return functions.ImportRelease(sql.NewContext(ctx, sql.WithSession(session)), releases, files, name, replace, progress)
}
