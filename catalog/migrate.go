package catalog

import (
	"context"
	dbsql "database/sql"
	"embed"
	"fmt"
	"io/fs"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the file to the newest schema: migration n of the directory
// listing (its name begins with n) makes user_version n, in one transaction. A
// file whose version is beyond the last migration was written by a newer
// program and is refused.
func migrate(ctx context.Context, conn *dbsql.Conn, path string) error {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	var version int
	if err := conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version > len(files) {
		return fmt.Errorf("%s was written by a newer anonsql: its schema is version %d, this program knows %d", path, version, len(files))
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
