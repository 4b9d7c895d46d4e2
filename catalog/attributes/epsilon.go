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
// its sensitive attributes. The limit follows the table through renames, and stays when the table is dropped.
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

// EpsilonLimit returns the committed limit of a table by its permanent number. If none is set, it is [DefaultEpsilonLimit], or the least one that was set
// for the tables that it was before it was loaded again.
func (b Book) EpsilonLimit(table int64, former []int64) (limit anonymize.Ratio, err error) {
	set := make(map[int64]string)
	err = b.store.Read(context.Background(), func(w *raw.Work) error {
		return sqlite.ScanRows(w.Conn(), func(rows *dbsql.Rows) error {
			var id int64
			var text string
			err := rows.Scan(&id, &text)
			set[id] = text
			return err
		}, "SELECT table_id, epsilon FROM epsilon_limits")
	})
	if err != nil {
		return limit, fault.Cannot("read the limit of epsilon", err)
	}
	limit = DefaultEpsilonLimit
	_, own := set[table]
	found := false
	for _, id := range append([]int64{table}, former...) {
		text, ok := set[id]
		if !ok || own && id != table {
			continue
		}
		of, err := anonymize.ParseRatio(text)
		if err != nil {
			return limit, fault.Damaged("the limit of epsilon", err)
		}
		if !found || of.Rat().Cmp(limit.Rat()) < 0 {
			limit, found = of, true
		}
	}
	return limit, nil
}
