package source

import "github.com/dolthub/go-mysql-server/sql"

// A Keeper is a home that stores the relations of releases as tables beside the owner's tables.
type Keeper interface {
	Source
	// Admit returns an error if it is already clear that the home would refuse tables with these names.
	Admit(ctx *sql.Context, k Kept, names []string) error
	// Keep creates tables for the relations of a release of a table, under temporary names. On an error it leaves none, or says which.
	Keep(ctx *sql.Context, k Kept, of Table, relations []Relation) error
	// Rename gives the tables their names in one statement, which also frees those names from
	// tables of replaced. undo reverts it; before the RENAME, note receives the way back.
	Rename(ctx *sql.Context, k Kept, relations []Relation, replaced []Kept, note func(back []Move) error) (undo func(ctx *sql.Context) error, err error)
	// Discard drops the tables that have the mark and either one of names or a temporary name. The error says which are left.
	Discard(ctx *sql.Context, k Kept, names []string) error
	// Recover undoes a noted RENAME as far as it happened, and discards the tables. It returns their names.
	Recover(ctx *sql.Context, k Kept, names []string, back []Move) (dropped []string, err error)
	// Upstream returns the server's name, as in the permanent names of tables.
	Upstream() string
}

// A Move is one rename of a RENAME TABLE, with names in SQL's notation.
type Move struct{ From, To string }

// Kept says where the relations of a release are: in a database, as tables with the mark in their comments.
type Kept struct{ Database, Mark string }

// A Relation is a published relation of a release. Its rows are sorted by group and values, which reveals nothing of their origin.
type Relation struct {
	Name   string
	Schema sql.Schema
	Rows   func(ctx *sql.Context) (sql.RowIter, error)
}
