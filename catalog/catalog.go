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

// A Catalog is an open data directory: its raw tables, what owners say of them,
// settings, and what [OpenReleases] reads. It is safe for concurrent use.
type Catalog struct {
	*raw.Store
	attributes.Book
	watcher watcher
	// releases are those that were opened last, nil before.
	releases atomic.Pointer[Releases]
}

// Open opens the data directory, creating it when it is missing (see [raw.Open]).
// It is held until Close: a second opener gets [directory.ErrLocked].
func Open(dir string) (*Catalog, error) {
	return newCatalog(func(above raw.Above) (*raw.Store, error) { return raw.Open(dir, above) })
}

// InMemory is a catalog without a data directory, for releases that another process hands over ([ReceivedReleases]).
func InMemory() (*Catalog, error) { return newCatalog(raw.InMemory) }

// newCatalog is a catalog over a store that is opened for it.
func newCatalog(open func(raw.Above) (*raw.Store, error)) (*Catalog, error) {
	c := &Catalog{}
	store, err := open(raw.Above{
		Reserved:  []string{PublishedDatabaseName, SystemDatabaseName},
		Tidy:      dropOrphanLineages,
		LosesName: keepName,
		Committed: c.watcher.changed,
	})
	if err != nil {
		return nil, err
	}
	c.Store, c.Book = store, attributes.BookIn(store)
	return c, nil
}

// Close ends the catalog as [raw.Store.Close] does the store, and waits for what
// counts changes of followed tables.
func (c *Catalog) Close() error {
	c.watcher.end()
	return c.Store.Close()
}

// Setting returns a named blob, nil when it was never set.
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

// SetSetting stores a named blob in a transaction of its own. It waits for the
// writer's turn until the context ends or the lock wait is over.
func (c *Catalog) SetSetting(ctx context.Context, name string, value []byte) error {
	if value == nil {
		value = []byte{}
	}
	return c.Update(ctx, func(tx *dbsql.Conn) error {
		_, err := tx.ExecContext(context.Background(),
			"INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
		return fault.Cannot("write setting "+name, err)
	})
}
