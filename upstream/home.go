package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/catalog/homes"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/quoting"
)

// An Asker sends a query upstream on the owner's connection and calls row with its rows: values of the text protocol, nil for
// NULL, valid during the call. Upstream's own error is an *Error; ErrLost means that upstream left before its answer ended.
type Asker interface {
	Query(ctx context.Context, text string, row func(values [][]byte) error) error
}

// An Error is upstream's error.
type Error struct {
	Number  uint16
	State   string
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("%d (%s): %s", e.Number, e.State, e.Message) }

// ErrLost means that the upstream server has left.
var ErrLost = errors.New("the upstream server has left")

// lost is the client's message for ErrLost.
const lost = "Lost connection to the upstream server while anonsql asked it: what a statement publishes is there whole or not at all, " +
	"and anonsql.releases says which"

// clientError returns the error for the client: upstream's own, under its number.
func clientError(err error) error { return clientErrorWith(err, "") }

// clientErrorWith is clientError with an additional text.
func clientErrorWith(err error, more string) error {
	var upstreams *Error
	switch {
	case errors.Is(err, ErrLost):
		return mysql.NewSQLError(1430, "HY000", "%s%s", lost, more)
	case errors.As(err, &upstreams):
		return mysql.NewSQLError(int(upstreams.Number), upstreams.State, "the upstream server says: %s%s", upstreams.Message, more)
	case more == "":
		return err
	}
	return fmt.Errorf("%w%s", err, more)
}

// A Home is an upstream server as one owner's session sees it.
type Home struct {
	// Server is host:port or the path of a socket, part of the permanent names of tables.
	Server string
	Store  *raw.Store
	Asker  Asker
}

var _ source.Source = (*Home)(nil)

// mirrored returns the server's name in the names of mirrors.
func (h *Home) mirrored() string { return raw.ServerScheme + h.Server }

// schema returns the upstream schema of a database: the database itself, or a mirror's schema.
func (h *Home) schema(database string) (string, bool) {
	if schema, ok := raw.MirroredSchema(database, h.mirrored()); ok {
		return schema, true
	}
	return database, database != "" && !raw.IsMirror(database)
}

// Table implements source.Source.
func (h *Home) Table(ctx *sql.Context, database, name string) (source.Table, error) {
	schema, ok := h.schema(database)
	if !ok {
		return nil, sql.ErrTableNotFound.New(name)
	}
	exact, columns, err := h.describe(ctx, schema, name)
	if err == nil {
		// An account that may read only some columns sees only these: the mirror would lose the others with their declarations.
		err = h.Asker.Query(ctx, probe("*", schema, exact), ignore)
	}
	if err != nil {
		return nil, clientError(err)
	}
	fields := make(sql.Schema, len(columns))
	for i, c := range columns {
		fields[i] = &sql.Column{Name: c.name, Type: c.typ, Nullable: c.nullable, Comment: c.comment}
	}
	mirror, err := h.Store.Mirror(ctx, raw.MirrorDatabase(h.mirrored(), schema), exact, fields)
	if err != nil {
		return nil, err
	}
	return &table{Mirror: homes.Mirror{Table: mirror, Known: schema}, home: h, schema: schema, columns: columns}, nil
}

// TableByID implements source.Source.
func (h *Home) TableByID(ctx *sql.Context, id int64) (source.Table, error) {
	mirror, err := homes.MirrorByID(ctx, h.Store, h.mirrored(), "on this server", id)
	if err != nil {
		return nil, err
	}
	return h.Table(ctx, mirror.Database(), mirror.Name())
}

// probe fails if the account may not select what from the table, or if there is no such table.
func probe(what, schema, table string) string {
	return fmt.Sprintf("SELECT %s FROM %s.%s LIMIT 0", what, quoting.Name(schema), quoting.Name(table))
}

// Holds implements source.Source. It tries SELECT on all columns, since a grant on some columns is not enough. Other privileges it reads from SHOW GRANTS.
func (h *Home) Holds(ctx *sql.Context, database, table string, privileges ...sql.PrivilegeType) bool {
	schema, ok := h.schema(database)
	if !ok || len(privileges) == 0 {
		return false
	}
	var others []sql.PrivilegeType
	for _, p := range privileges {
		if p != sql.PrivilegeType_Select || table == "" {
			others = append(others, p)
			continue
		}
		if err := h.Asker.Query(ctx, probe("*", schema, table), ignore); err != nil || h.isTemporary(ctx, schema, table) {
			return false
		}
	}
	if len(others) == 0 {
		return true
	}
	held, err := h.grants(ctx)
	return err == nil && held.hold(schema, table, others)
}

// isTemporary reports whether a temporary table of the session hides the table.
func (h *Home) isTemporary(ctx *sql.Context, schema, table string) (is bool) {
	err := h.Asker.Query(ctx, "SHOW CREATE TABLE "+quoting.Name(schema)+"."+quoting.Name(table), func(row [][]byte) error {
		is = len(row) > 1 && bytes.HasPrefix(row[1], []byte("CREATE TEMPORARY"))
		return nil
	})
	return is && err == nil
}

func ignore([][]byte) error { return nil }

// bytesOf selects a text in UTF-8, whatever the session's character set for results.
func bytesOf(expression string) string {
	return "CAST(CONVERT(" + expression + " USING utf8mb4) AS BINARY)"
}

// A table is an upstream table as one statement sees it.
type table struct {
	homes.Mirror
	home    *Home
	schema  string
	columns []*column
}

var _ source.Table = (*table)(nil)

// String returns the table's name in messages.
func (t *table) String() string { return t.schema + "." + t.Name() }
