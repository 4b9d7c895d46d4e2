package catalog

import (
	"context"
	dbsql "database/sql"
	"errors"
	"sync/atomic"

	"github.com/anonsql/anonsql/catalog/attributes"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/raw"
)

// A Catalog is an open data directory: its raw tables, the owners' declarations about them,
// settings, and what [OpenReleases] reads. It is safe for concurrent use.
type Catalog struct {
	*raw.Store
	attributes.Book
	watcher watcher
	// releases are the most recently opened ones; nil before.
	releases atomic.Pointer[Releases]
	// numbered is the last number of a [Published].
	numbered atomic.Int64
}

// Open opens the data directory and creates it if it is missing (see [raw.Open]). It stays
// locked until Close: a second opener gets [directory.ErrLocked].
func Open(dir string) (*Catalog, error) {
	return newCatalog(func(above raw.Above) (*raw.Store, error) { return raw.Open(dir, above) })
}

// InMemory returns a catalog without a data directory, for releases that another process hands over ([ReceivedReleases]).
func InMemory() (*Catalog, error) { return newCatalog(raw.InMemory) }

// newCatalog returns a catalog over the store that open returns.
func newCatalog(open func(raw.Above) (*raw.Store, error)) (*Catalog, error) {
	c := &Catalog{}
	store, err := open(raw.Above{
		Reserved:  []string{PublishedDatabaseName, SystemDatabaseName},
		Tidy:      func(tx *dbsql.Conn) error { return endOrphans(tx, func(int64) bool { return true }) },
		LosesName: keepName,
		Committed: c.watcher.changed,
	})
	if err != nil {
		return nil, err
	}
	c.Store, c.Book = store, attributes.BookIn(store)
	return c, nil
}

// Close closes the catalog like [raw.Store.Close], and waits for the goroutine that counts
// changes of followed tables.
func (c *Catalog) Close() error {
	c.watcher.end()
	return c.Store.Close()
}

// Setting returns the value of a setting, nil if it was never set.
func (c *Catalog) Setting(name string) ([]byte, error) {
	var value []byte
	err := c.View(context.Background(), func(tx *dbsql.Conn) error {
		err := tx.QueryRowContext(context.Background(), "SELECT value FROM settings WHERE name = ?", name).Scan(&value)
		if errors.Is(err, dbsql.ErrNoRows) {
			return nil
		}
		return err
	})
	return value, fault.Cannot("read setting "+name, err)
}

// SetSetting stores a setting in a separate transaction. It waits for the write lock until ctx
// ends or the lock wait times out.
func (c *Catalog) SetSetting(ctx context.Context, name string, value []byte) error {
	return c.ChangeSetting(ctx, name, func() ([]byte, error) { return append([]byte{}, value...), nil })
}

// ChangeSetting stores the result of change, unless nil, while no other session writes. It returns an error of change.
func (c *Catalog) ChangeSetting(ctx context.Context, name string, change func() ([]byte, error)) error {
	return c.Update(ctx, func(tx *dbsql.Conn) error {
		value, err := change()
		if err != nil || value == nil {
			return err
		}
		_, err = tx.ExecContext(context.Background(),
			"INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
		return fault.Cannot("write setting "+name, err)
	})
}
