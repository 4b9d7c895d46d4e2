package catalog

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
)

// TableByID opens a raw table by its lasting number, whatever it is called
// now. A dropped table's number is never given again.
func (c *Catalog) TableByID(ctx *sql.Context, id int64) (*Table, error) {
	t, ok := c.metadataOf(ctx).tables[id]
	if !ok {
		return nil, &anonymize.DataError{Reason: "the raw table does not exist any more"}
	}
	return c.Table(ctx, t.database, t.name)
}
