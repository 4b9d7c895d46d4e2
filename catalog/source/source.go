// Package source says where raw tables live: in the product's own store, or on the owner's own server.
//
// A [Table] is what procedures, releases and the planner need of a raw table, wherever its rows are: its lasting
// number, its names, its columns, and columns of its rows for anonymization. Tables of the store are *raw.Table. A
// session whose tables live elsewhere says so itself ([HomeOf]): it has a [Source], and reaches no table of the store. A
// session without one, an analyst's among them, holds nothing that leads to another server. A session may have an engine
// beside the store ([Beside]): then the name of a database says where it is ([In]).
//
// A source promises that its tables keep their numbers, by server, schema and name, so that roles, taxonomies and
// releases find them again; that one call of Microdata is one consistent read; and that it asks with the privileges of
// the session's own account. One that does not tell which rows change ([Counted]) lets records be known again by their
// primary key ([Keyed]).
//
// The package imports anonymize, what the estimator asks of an engine (estimate), and the engine's types.
package source

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
)

// A Table is a raw table, as one statement of one session sees it.
type Table interface {
	// ID identifies the table for good.
	ID() int64
	// Version grows when the table's definition changes, and with every change of rows where the home knows of them ([Counted]).
	Version() int64
	// Database and Name are what messages, roles and releases call it.
	Database() string
	Name() string
	Schema() sql.Schema
	// Microdata reads columns, all for nil, in one consistent read. progress may be nil; a total of 0 is unknown.
	Microdata(ctx *sql.Context, columns []string, progress func(done, total int)) (*anonymize.Microdata, error)
}

// A Source is the home of a session's raw tables.
type Source interface {
	// Table opens a table. The error is the engine's for one that is not there.
	Table(ctx *sql.Context, database, table string) (Table, error)
	// TableByID opens the table with a lasting number, if it is of this home.
	TableByID(ctx *sql.Context, id int64) (Table, error)
	// Holds says whether the session's account has all the privileges on a table. The database is the home's, or what
	// Table.Database says.
	Holds(ctx *sql.Context, database, table string, privileges ...sql.PrivilegeType) bool
}

// EnginePrefix begins the names of databases that an engine keeps: trino.schema.
const EnginePrefix = "trino."

// A Beside source is the home of some databases, which it tells by their names; the session's others are of the product's own store.
type Beside interface {
	Source
	// Names tells its databases, and what Table.Database says of its tables.
	Names(database string) bool
	// Databases are those that there are, and TableNames the names of tables and views of one.
	Databases(ctx *sql.Context) ([]string, error)
	TableNames(ctx *sql.Context, database string) ([]string, error)
}

// HomeOf is the home of all the session's raw tables, nil for the product's own store.
func HomeOf(ctx *sql.Context) Source {
	if s, ok := ctx.Session.(interface{ Source() Source }); ok {
		return s.Source()
	}
	return nil
}

// HomeForDatabase is the home of the tables of a database, nil for the product's own store.
func HomeForDatabase(ctx *sql.Context, database string) Source {
	if home := HomeOf(ctx); home != nil {
		return home
	}
	if home := BesideOf(ctx); home != nil && home.Names(database) {
		return home
	}
	return nil
}

// BesideOf is the home of some databases of the session's, nil for none.
func BesideOf(ctx *sql.Context) Beside {
	if s, ok := ctx.Session.(interface{ Engine() Beside }); ok {
		return s.Engine()
	}
	return nil
}

// Digest is the same for columns with the same values in the same numbers, in whatever order of rows. It is for comparing, and tells nothing
// that the column does not.
func Digest(c *anonymize.Column) string {
	return DigestOf(c, c.Histogram())
}

// DigestOf is the digest of a column whose values have these counts, by code.
func DigestOf(c *anonymize.Column, counts []int) string {
	h := sha256.New()
	for code, v := range c.Dictionary {
		fmt.Fprintf(h, "%d %q %v %d;", v.Kind, v.Text, v, counts[code])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Counted says whether the versions of a table tell every change of its rows.
func Counted(t Table) bool {
	_, elsewhere := t.(interface{ Elsewhere() })
	return !elsewhere
}

// Readable reports whether a column of a table can be read: a home may not know what to make of a type.
func Readable(t Table, column string) bool {
	home, ok := t.(interface{ Reads(column string) bool })
	return !ok || home.Reads(column)
}
