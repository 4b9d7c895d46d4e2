// Package source abstracts where raw tables live: in anonsql's own store, or on the owner's own server.
//
// A [Table] is what procedures, releases and the planner need of a raw table, wherever its rows are: its permanent
// number, its names, its columns, and their values for anonymization. Tables of the store are *raw.Table. A session
// whose tables live elsewhere has a [Source] ([HomeOf]) and reaches no table of the store. A session without one, such
// as every analyst's, holds nothing that leads to another server. A session may also have an engine beside the store
// ([Beside]); then the name of a database says where it is ([HomeForDatabase]).
//
// A source promises that its tables keep their numbers, by server, schema and name, so that
// roles, taxonomies and releases find them again; that one call of Microdata is one consistent
// read; and that it reads with the privileges of the session's account. If it does not record
// changed rows ([Counted]), it identifies records by their primary key ([Keyed]).
//
// The package imports anonymize, what the estimator needs of an engine (estimate), and the engine's types.
package source

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
)

// A Table is a raw table, as one statement of one session sees it.
type Table interface {
	// ID returns the table's permanent number.
	ID() int64
	// Version grows when the table's definition changes, and with every change of rows that the home knows of ([Counted]).
	Version() int64
	// Database and Name are the names in messages, roles and releases.
	Database() string
	Name() string
	Schema() sql.Schema
	// Microdata reads columns, all for nil, in one consistent read. progress may be nil; its total is 0 if unknown.
	Microdata(ctx *sql.Context, columns []string, progress func(done, total int)) (*anonymize.Microdata, error)
}

// A Source is the home of a session's raw tables.
type Source interface {
	// Table opens a table. The error for a missing one is the engine's.
	Table(ctx *sql.Context, database, table string) (Table, error)
	// TableByID opens this home's table with a permanent number.
	TableByID(ctx *sql.Context, id int64) (Table, error)
	// Holds reports whether the session's account has all privileges on a table. database is
	// the home's name or that of Table.Database.
	Holds(ctx *sql.Context, database, table string, privileges ...sql.PrivilegeType) bool
}

// EnginePrefix begins the names of an engine's databases: trino.schema.
const EnginePrefix = "trino."

// A Beside source has some databases, which it recognises by name; the session's other databases are in the product's store.
type Beside interface {
	Source
	// Names reports whether a name is one of its databases, also as Table.Database returns it.
	Names(database string) bool
	// Databases lists its databases; TableNames lists a database's tables and views.
	Databases(ctx *sql.Context) ([]string, error)
	TableNames(ctx *sql.Context, database string) ([]string, error)
}

// HomeOf returns the home of all raw tables of the session, nil for the product's store.
func HomeOf(ctx *sql.Context) Source {
	if s, ok := ctx.Session.(interface{ Source() Source }); ok {
		return s.Source()
	}
	return nil
}

// HomeForDatabase returns the home of a database's tables, nil for the product's store.
func HomeForDatabase(ctx *sql.Context, database string) Source {
	if home := HomeOf(ctx); home != nil {
		return home
	}
	if home := BesideOf(ctx); home != nil && home.Names(database) {
		return home
	}
	return nil
}

// BesideOf returns the home of some of the session's databases, nil for none.
func BesideOf(ctx *sql.Context) Beside {
	if s, ok := ctx.Session.(interface{ Engine() Beside }); ok {
		return s.Engine()
	}
	return nil
}

// Digest is equal for columns with the same values in the same numbers, in any row order. It
// reveals nothing that the column does not.
func Digest(c *anonymize.Column) string {
	return DigestOf(c, c.Histogram())
}

// DigestOf returns the digest of a column whose values have these counts, by code.
func DigestOf(c *anonymize.Column, counts []int) string {
	h := sha256.New()
	for code, v := range c.Dictionary {
		fmt.Fprintf(h, "%d %q %v %d;", v.Kind, v.Text, v, counts[code])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// ThenSealed is about a release that somebody publishes with updates=sealed.
const ThenSealed = ". With updates=sealed it follows its table from then on: CALL refresh_release adds groups of new records to it"

// OfSealed returns a text about updates=sealed, "" for a table of an engine, whose changes nobody knows.
func OfSealed(database, text string) string {
	if strings.HasPrefix(database, EnginePrefix) {
		return ""
	}
	return text
}

// Counted reports whether a table's version changes with every change of its rows.
func Counted(t Table) bool {
	_, elsewhere := t.(interface{ Elsewhere() })
	return !elsewhere
}

// Readable reports whether a table's column can be read: a home may not support its type.
func Readable(t Table, column string) bool {
	home, ok := t.(interface{ Reads(column string) bool })
	return !ok || home.Reads(column)
}
