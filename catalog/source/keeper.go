package source

import "github.com/dolthub/go-mysql-server/sql"

// A Keeper is a home that keeps relations of releases as tables beside the owner's own.
type Keeper interface {
	Source
	// Admit says what refuses tables of these names, as far as it is known before they are made.
	Admit(ctx *sql.Context, k Kept, names []string) error
	// Keep makes tables of the relations of a release of a table, under temporary names. One that fails leaves none, or says which are left.
	Keep(ctx *sql.Context, k Kept, of Table, relations []Relation) error
	// Rename gives the tables their names in one statement, which takes the names from tables of replaced. The way back is undo, and
	// note hears of it before.
	Rename(ctx *sql.Context, k Kept, relations []Relation, replaced []Kept, note func(back []Move) error) (undo func(ctx *sql.Context) error, err error)
	// Discard drops the tables that have the mark and a name of theirs: one of names, or a temporary one. The error says which are left.
	Discard(ctx *sql.Context, k Kept, names []string) error
	// Recover undoes a RENAME that was noted, as far as it was done, and discards the tables. It says which there were.
	Recover(ctx *sql.Context, k Kept, names []string, back []Move) (dropped []string, err error)
	// Upstream is the server's name, as in the lasting names of tables.
	Upstream() string
}

// A Move is one of a RENAME TABLE: names as SQL has them.
type Move struct{ From, To string }

// Kept says where the relations of a release are kept: in a database, as tables that have the mark in their comments.
type Kept struct{ Database, Mark string }

// A Relation is what a release publishes, as rows in the order of their groups and values, which tells nothing of how they came about.
type Relation struct {
	Name   string
	Schema sql.Schema
	Rows   func(ctx *sql.Context) (sql.RowIter, error)
}
