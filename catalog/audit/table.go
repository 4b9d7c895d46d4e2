package audit

import (
	"fmt"
	"io"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// pageEntries is the number of entries that one query reads.
const pageEntries = 4096

// A table shows the audit, oldest entry first. The server checks access before it opens a
// table.
type table struct {
	audit  *Log
	schema sql.Schema
}

var _ sql.Table = (*table)(nil)

// AddTable adds the table audit to those of a database.
func (a *Log) AddTable(database string, tables map[string]sql.Table) {
	if a == nil {
		return
	}
	t := &table{audit: a}
	tables[TableName] = t
	for _, c := range []struct {
		name     string
		kind     sql.Type
		nullable bool
	}{
		{"id", types.Int64, false}, {"at", types.DatetimeMaxPrecision, false}, {"account", types.LongText, false}, {"host", types.LongText, false},
		{"kind", types.LongText, false}, {"release", types.LongText, true}, {"source", types.LongText, true},
		{"statement", types.LongText, false}, {"duration_ms", types.Float64, false}, {"outcome", types.LongText, false}, {"rows", types.Int64, false},
	} {
		t.schema = append(t.schema, &sql.Column{Name: c.name, Type: c.kind, Nullable: c.nullable, Source: TableName, DatabaseSource: database})
	}
}

func (t *table) Name() string               { return TableName }
func (t *table) String() string             { return TableName }
func (t *table) Schema() sql.Schema         { return t.schema }
func (t *table) Collation() sql.CollationID { return sql.Collation_Default }

func (t *table) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return sql.PartitionsToPartitionIter(partition{}), nil
}

// A partition is the whole table.
type partition struct{}

// Key implements sql.Partition.
func (partition) Key() []byte { return []byte("all") }

// PartitionRows returns every entry of a statement that ended before this call.
func (t *table) PartitionRows(ctx *sql.Context, _ sql.Partition) (sql.RowIter, error) {
	if err := t.audit.Flushed(ctx, 0); err != nil {
		return nil, err
	}
	return &tableRows{audit: t.audit}, nil
}

// tableRows reads page by page, because the audit may exceed memory.
type tableRows struct {
	audit *Log
	page  []sql.Row
	last  int64 // id
	ended bool
}

func (r *tableRows) Next(ctx *sql.Context) (sql.Row, error) {
	if len(r.page) == 0 && !r.ended {
		if err := r.read(ctx); err != nil {
			return nil, fmt.Errorf("cannot read the audit: %w", err)
		}
	}
	if len(r.page) == 0 {
		return nil, io.EOF
	}
	row := r.page[0]
	r.page = r.page[1:]
	return row, nil
}

func (r *tableRows) read(ctx *sql.Context) error {
	rows, err := r.audit.db.QueryContext(ctx, `SELECT id, at, account, host, kind, release, source, statement, duration, error, rows
		FROM audit WHERE id > ? ORDER BY id LIMIT ?`, r.last, pageEntries)
	if err != nil {
		return err
	}
	defer rows.Close()
	r.page = make([]sql.Row, 0, pageEntries)
	for rows.Next() {
		var (
			at, duration, failure, count   int64
			account, host, kind, statement string
			release, source                *string
		)
		if err := rows.Scan(&r.last, &at, &account, &host, &kind, &release, &source, &statement, &duration, &failure, &count); err != nil {
			return err
		}
		outcome := "ok"
		if failure != 0 {
			outcome = fmt.Sprintf("error %d", failure)
		}
		r.page = append(r.page, sql.Row{r.last, time.UnixMicro(at).UTC(), account, host, kind, textOrNull(release), textOrNull(source),
			statement, float64(duration) / 1000, outcome, count})
	}
	r.ended = len(r.page) < pageEntries
	return rows.Err()
}

func textOrNull(text *string) any {
	if text == nil {
		return nil
	}
	return *text
}

func (r *tableRows) Close(*sql.Context) error { return nil }
