package upstream

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
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
	// Server is part of the permanent names of tables; see NameIn.
	Server string
	Store  *raw.Store
	Asker  Asker
}

var _ source.Source = (*Home)(nil)

// NameIn returns the name of a server in the permanent names of tables: the address under which a store first had its tables. known is what
// the owner says, that name or the address, "" for nothing. If the store has tables of other servers alone, the owner must say it: the
// server may have moved, and what was published of its tables must count.
func NameIn(store *raw.Store, address, known string) (string, error) {
	name, servers := cmp.Or(known, address), []string{}
	for _, database := range store.Mirrors() {
		server, ours := strings.CutPrefix(database, raw.ServerScheme)
		if n := len(name); ours && len(server) > n && server[n] == '/' && strings.EqualFold(server[:n], name) {
			return server[:n], nil
		}
		end := strings.Index(server, "/")
		if end == 0 { // a socket
			end = strings.LastIndex(server, "/")
		}
		if ours {
			servers = append(servers, server[:end])
		}
	}
	slices.Sort(servers)
	servers = slices.Compact(servers)
	switch {
	case known != "" && known != address:
		return "", fmt.Errorf("known_as=%s names no server of whose tables this data directory knows; it knows of %s. Say one of them, or %s for a server "+
			"that is new to it", known, cmp.Or(strings.Join(servers, ", "), "none"), address)
	case known == "" && len(servers) > 0:
		return "", fmt.Errorf("this data directory knows tables of %s, and the upstream server is %s: if it is the same server, what was published of its tables must count. "+
			"If so, add ?known_as=%s to --upstream. If it is another server, add ?known_as=%s", strings.Join(servers, ", "), address, servers[0], address)
	}
	return address, nil
}

// mirrored returns the server's name in the names of mirrors.
func (h *Home) mirrored() string { return raw.ServerScheme + h.Server }

// schema returns the upstream schema of a database: the database itself, or a mirror's schema.
func (h *Home) schema(database string) (string, bool) {
	if schema, ok := homes.MirroredSchema(database, h.mirrored()); ok {
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
		// An account with SELECT on some columns sees only these: the mirror would lose the others with their declarations.
		// So would it with a temporary table, which hides the table from SELECT alone.
		if err = h.Asker.Query(ctx, probe("*", schema, exact), ignore); err == nil {
			err = h.checkHidden(ctx, schema, exact)
		}
	}
	if err != nil {
		return nil, clientError(err)
	}
	fields := make(sql.Schema, len(columns))
	for i, c := range columns {
		fields[i] = &sql.Column{Name: c.name, Type: c.typ, Nullable: c.nullable, Comment: c.comment}
	}
	mirror, err := h.Store.Mirror(ctx, homes.MirrorDatabase(h.mirrored(), schema), exact, fields, func(database, name string) error {
		return h.checkSpelling(ctx, schema, exact, database, name)
	})
	if err != nil {
		return nil, err
	}
	return &table{Mirror: homes.Mirror{Table: mirror, Known: schema}, home: h, schema: schema, columns: columns}, nil
}

// checkSpelling refuses a table if the store knows another one whose names differ only in case. It accepts the table if upstream treats such
// names as equal, or says that the known table no longer exists.
func (h *Home) checkSpelling(ctx context.Context, schema, exact, database, known string) error {
	equal := false
	err := h.Asker.Query(ctx, "SELECT @@lower_case_table_names <> 0", func(v [][]byte) error {
		equal = len(v) == 1 && string(v[0]) == "1"
		return nil
	})
	if err != nil {
		return clientError(err)
	}
	if equal {
		return nil
	}
	if strings.HasSuffix(database, "/"+schema) {
		gone := (*Error)(nil)
		if err := h.Asker.Query(ctx, probe("1", schema, known), ignore); errors.As(err, &gone) && gone.Number == mysql.ERNoSuchTable {
			return nil
		}
	}
	return &anonymize.DataError{Reason: fmt.Sprintf("the name of table %s.%s, or of its database, differs in case alone from one that anonsql knows, and anonsql "+
		"does not tell such names apart: publish a view of it under another name, in a database that anonsql can tell apart", schema, exact)}
}

// TableByID implements source.Source.
func (h *Home) TableByID(ctx *sql.Context, id int64) (source.Table, error) {
	mirror, err := homes.MirrorByID(ctx, h.Store, h.mirrored(), "on this server", id)
	if err != nil {
		return nil, err
	}
	return h.Table(ctx, mirror.Database(), mirror.Name())
}

// probe returns a query that fails if the account may not select what from the table, or if there is no such table.
func probe(what, schema, table string) string {
	return fmt.Sprintf("SELECT %s FROM %s.%s LIMIT 0", what, quoting.Name(schema), quoting.Name(table))
}

// Holds implements source.Source. It tries SELECT, since a grant on some columns is not enough, and reads other privileges from SHOW GRANTS.
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
		if err := h.Asker.Query(ctx, probe("*", schema, table), ignore); err != nil || h.checkHidden(ctx, schema, table) != nil {
			return false
		}
	}
	if len(others) == 0 {
		return true
	}
	held, err := h.grants(ctx)
	return err == nil && held.hold(schema, table, others)
}

// checkHidden returns an error unless upstream says that no temporary table of the session hides the table. Upstream writes in the session's
// character set, in which ASCII may have zeros between. SHOW CREATE needs a privilege of its own for views alone.
func (h *Home) checkHidden(ctx *sql.Context, schema, table string) error {
	var text []byte
	err := h.Asker.Query(ctx, "SHOW CREATE TABLE "+quoting.Name(schema, table), func(row [][]byte) error {
		if len(row) > 1 {
			text = bytes.ReplaceAll(row[1], []byte{0}, nil)
		}
		return nil
	})
	refused, accessDenied := (*Error)(nil), uint16(1142)
	switch {
	case errors.As(err, &refused) && refused.Number == accessDenied && strings.Contains(refused.Message, "SHOW VIEW"):
		return nil
	case err != nil:
		return err
	case !bytes.HasPrefix(text, []byte("CREATE ")) || bytes.HasPrefix(text, []byte("CREATE TEMPORARY")):
		return &anonymize.DataError{Reason: fmt.Sprintf("a temporary table of your session may hide %s.%s, and anonsql reads none: DROP TEMPORARY TABLE it, "+
			"or connect anew", schema, table)}
	}
	return nil
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

// listed ends a query of information_schema for the table's row. information_schema may treat names that differ in case as equal.
func (t *table) listed() string {
	return fmt.Sprintf("FROM information_schema.TABLES WHERE TABLE_SCHEMA = %[1]s AND TABLE_NAME = %[2]s ORDER BY %[3]s = %[1]s DESC, %[4]s = %[2]s DESC LIMIT 1",
		quoting.Hex(t.schema), quoting.Hex(t.Name()), bytesOf("TABLE_SCHEMA"), bytesOf("TABLE_NAME"))
}

// String is the table's name in messages.
func (t *table) String() string { return t.schema + "." + t.Name() }
