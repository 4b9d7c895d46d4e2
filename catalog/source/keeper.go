package source

import "github.com/dolthub/go-mysql-server/sql"

// A Keeper is a home that keeps relations of releases as tables beside the owner's own.
type Keeper interface {
	Source
	// Keep makes tables of the relations of a release of a table, under temporary names. One that fails leaves none, or says which are left.
	Keep(ctx *sql.Context, k Kept, of Table, relations []Relation) error
	// Rename gives the tables their names in one statement, which takes the names from tables of replaced. The way back is undo.
	Rename(ctx *sql.Context, k Kept, relations []Relation, replaced []Kept) (undo func(ctx *sql.Context) error, err error)
	// Discard drops the tables, whatever they are called. The error says which are left.
	Discard(ctx *sql.Context, k Kept) error
}

// Kept says where the relations of a release are kept: in a database, as tables that have the mark in their comments.
type Kept struct{ Database, Mark string }

// A Relation is what a release publishes, as rows in the order of their groups and values, which tells nothing of how they came about.
type Relation struct {
	Name   string
	Schema sql.Schema
	Rows   func(ctx *sql.Context) (sql.RowIter, error)
}
