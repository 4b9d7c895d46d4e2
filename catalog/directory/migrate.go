package directory

import (
	"context"
	dbsql "database/sql"
	"embed"
	"fmt"
	"io/fs"
	"sync"

	"github.com/anonsql/anonsql/catalog/sqlite"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate brings the file to the newest schema: migration n of the directory (its name begins
// with n) sets user_version n, in one transaction. It refuses a version beyond the last
// migration, which a newer program wrote.
func Migrate(ctx context.Context, conn *dbsql.Conn, path string) error {
	version, newest, err := SchemaVersion(ctx, conn)
	if err != nil {
		return err
	}
	if version > newest {
		return fmt.Errorf("%s was written by a newer anonsql: its schema is version %d, this program knows %d", path, version, newest)
	}
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	for i := version; i < len(files); i++ {
		text, err := migrations.ReadFile(files[i])
		if err != nil {
			return err
		}
		script := fmt.Sprintf("BEGIN IMMEDIATE;\n%s\nPRAGMA user_version = %d;\nCOMMIT;", text, i+1)
		if _, err := conn.ExecContext(ctx, script); err != nil {
			_, _ = conn.ExecContext(ctx, "ROLLBACK")
			return fmt.Errorf("migration %s of %s: %w", files[i], path, err)
		}
	}
	return nil
}

// SchemaVersion returns the version of a file's schema and the newest that this program knows.
func SchemaVersion(ctx context.Context, conn *dbsql.Conn) (version, newest int, err error) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return 0, 0, err
	}
	err = conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	return version, len(files), err
}

var (
	freshObjects map[string]sqlite.Object
	freshMutex   sync.Mutex
)

// FreshObjects returns the schema of a new catalog, made in memory.
func FreshObjects(ctx context.Context) (map[string]sqlite.Object, error) {
	freshMutex.Lock()
	defer freshMutex.Unlock()
	if freshObjects != nil {
		return freshObjects, nil
	}
	db := dbsql.OpenDB(sqlite.NewConnector(":memory:"))
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if err := Migrate(ctx, conn, "memory"); err != nil {
		return nil, err
	}
	objects, _, err := sqlite.Objects(ctx, conn)
	if err == nil {
		freshObjects = objects
	}
	return objects, err
}
