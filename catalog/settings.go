package catalog

import (
	"context"
	dbsql "database/sql"
	"errors"
)

// Setting returns a named blob, nil when it was never set.
func (c *Catalog) Setting(name string) ([]byte, error) {
	var value []byte
	err := c.view(context.Background(), func(tx *dbsql.Conn) error {
		err := tx.QueryRowContext(context.Background(), "SELECT value FROM settings WHERE name = ?", name).Scan(&value)
		if errors.Is(err, dbsql.ErrNoRows) {
			return nil
		}
		return err
	})
	return value, storageError("read setting "+name, err)
}

// SetSetting stores a named blob in a transaction of its own. It waits for the
// writer's turn until the context ends or the lock wait is over.
func (c *Catalog) SetSetting(ctx context.Context, name string, value []byte) error {
	if value == nil {
		value = []byte{}
	}
	return c.update(ctx, func(tx *dbsql.Conn) error {
		_, err := tx.ExecContext(context.Background(),
			"INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
		return storageError("write setting "+name, err)
	})
}
