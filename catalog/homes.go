package catalog

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/source"
)

// RawTable opens a raw table where the session's tables live. The error is the engine's for a table that is not there.
func (c *Catalog) RawTable(ctx *sql.Context, database, table string) (source.Table, error) {
	if home := source.Of(ctx); home != nil {
		return home.Table(ctx, database, table)
	}
	t, err := c.Table(ctx, database, table)
	if err != nil {
		return nil, err
	}
	return kept(t)
}

// RawTableByID opens the raw table with a lasting number, where the session's tables live.
func (c *Catalog) RawTableByID(ctx *sql.Context, id int64) (source.Table, error) {
	if home := source.Of(ctx); home != nil {
		return home.TableByID(ctx, id)
	}
	t, err := c.TableByID(ctx, id)
	if err != nil {
		return nil, err
	}
	return kept(t)
}

// kept refuses the mirror of a table that another server keeps.
func kept(t *raw.Table) (source.Table, error) {
	if t.Mirrored() {
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("the rows of %s.%s are not kept here: its owner asks through the port for owners, --owners-listen", t.Database(), t.Name())}
	}
	return t, nil
}
