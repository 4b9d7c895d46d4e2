package attributes

import (
	"context"
	dbsql "database/sql"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// DefaultEpsilonLimit is the limit of tables for which the owner has set none.
var DefaultEpsilonLimit = anonymize.NewRatio(10, 1)

// SetEpsilonLimit limits the privacy budget that all releases of a table may spend together on each of
// its sensitive attributes. The limit follows the table through renames and is deleted with it.
func (b Book) SetEpsilonLimit(ctx *sql.Context, database, table string, limit anonymize.Ratio) error {
	return b.store.Write(ctx, func(w *raw.Work) error {
		t, err := w.Table(database, table)
		if err != nil {
			return err
		}
		_, err = sqlite.Execute(w.Conn(), "INSERT OR REPLACE INTO epsilon_limits (table_id, epsilon) VALUES (?, ?)", t.ID(), limit.Text())
		return fault.Cannot("write the limit of epsilon", err)
	})
}

// EpsilonLimit returns the committed limit of a table by its permanent number; [DefaultEpsilonLimit] if none is set or the table is gone.
func (b Book) EpsilonLimit(table int64) (limit anonymize.Ratio, err error) {
	limit = DefaultEpsilonLimit
	err = b.store.Read(context.Background(), func(w *raw.Work) error {
		return sqlite.ScanRows(w.Conn(), func(rows *dbsql.Rows) error {
			var text string
			if err := rows.Scan(&text); err != nil {
				return err
			}
			var unread error
			limit, unread = anonymize.ParseRatio(text)
			return fault.Damaged("the limit of epsilon", unread)
		}, "SELECT epsilon FROM epsilon_limits WHERE table_id = ?", table)
	})
	return limit, fault.Cannot("read the limit of epsilon", err)
}
