package attributes

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// KindOrder is the kind of a taxonomy that is only the order of an ordinal attribute.
const KindOrder = "order"

// KindSpanning is the kind of a taxonomy of intervals whose leaves are points (see
// anonymize.Taxonomy.Spanning).
const KindSpanning = "spanning intervals"

// A Taxonomy describes the stored taxonomy of a column.
type Taxonomy struct {
	Database, Table, Column string
	// Kind is the form in which the owner gave it: table, hierarchy, intervals,
	// equal_frequency, prefix, date, order. Source has the other arguments, shortened.
	Kind, Source string
	// SourceDatabase and SourceTable are the table that it was read from, "" for other kinds.
	// Show Source only to users who may read that table.
	SourceDatabase, SourceTable string

	Nodes, Leaves, Height int
	Root                  string // "" for an order
}

// SetTaxonomy replaces a column's taxonomy by a tree or an order of values in one transaction.
// It follows its column through renames and is deleted with it. Parents must precede their
// children.
func (b Book) SetTaxonomy(ctx *sql.Context, t *Taxonomy, labels []string, parents []int) error {
	return b.store.Write(ctx, func(w *raw.Work) error {
		table, column, err := findColumn(w, t.Database, t.Table, t.Column)
		if err != nil {
			return err
		}
		if _, err := sqlite.Execute(w.Conn(), "DELETE FROM taxonomies WHERE table_id = ? AND column_id = ?", table, column); err != nil {
			return fault.Cannot("write taxonomy", err)
		}
		_, err = sqlite.Execute(
			w.Conn(),
			`INSERT INTO taxonomies (table_id, column_id, kind, source, source_database, source_table, nodes, leaves, height, root)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			table,
			column,
			t.Kind,
			t.Source,
			t.SourceDatabase,
			t.SourceTable,
			int64(t.Nodes),
			int64(t.Leaves),
			int64(t.Height),
			t.Root,
		)
		if err != nil {
			return fault.Cannot("write taxonomy", err)
		}
		var id int64
		err = sqlite.ScanRows(w.Conn(), func(rows *dbsql.Rows) error { return rows.Scan(&id) },
			"SELECT id FROM taxonomies WHERE table_id = ? AND column_id = ?", table, column)
		if err != nil {
			return fault.Cannot("write taxonomy", err)
		}
		for node, label := range labels {
			if node%nodesPerLook == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			_, err := sqlite.Execute(w.Conn(), "INSERT INTO taxonomy_nodes (taxonomy_id, node, parent, label) VALUES (?, ?, ?, ?)",
				id, int64(node), int64(parents[node]), label)
			if err != nil {
				return fault.Cannot("write taxonomy", err)
			}
		}
		return nil
	})
}

// nodesPerLook is the number of nodes between two checks of the context.
const nodesPerLook = 1 << 10

// DropTaxonomies removes the taxonomies of columns. If one has none, it removes none of them.
func (b Book) DropTaxonomies(ctx *sql.Context, database, table string, columns []string) error {
	return b.store.Write(ctx, func(w *raw.Work) error {
		for _, name := range columns {
			id, column, err := findColumn(w, database, table, name)
			if err != nil {
				return err
			}
			n, err := sqlite.Execute(w.Conn(), "DELETE FROM taxonomies WHERE table_id = ? AND column_id = ?", id, column)
			if err != nil {
				return fault.Cannot("drop taxonomy", err)
			}
			if n == 0 {
				return &anonymize.DataError{Reason: fmt.Sprintf("column %s of %s.%s has no taxonomy", name, database, table)}
			}
		}
		return nil
	})
}

func findColumn(w *raw.Work, database, table, column string) (tableID, columnID int64, err error) {
	t, err := w.Table(database, table)
	if err != nil {
		return 0, 0, err
	}
	c, ok := t.Column(column)
	if !ok {
		return 0, 0, sql.ErrTableColumnNotFound.New(t.Name(), column)
	}
	return t.ID(), c.ID, nil
}

// AllTaxonomies describes the committed taxonomies of all tables, sorted by database, table and
// column.
func (b Book) AllTaxonomies() ([]*Taxonomy, error) {
	ordinals := make(map[*Taxonomy]int)
	var all []*Taxonomy
	err := b.store.Read(context.Background(), func(w *raw.Work) error {
		return sqlite.ScanRows(w.Conn(), func(rows *dbsql.Rows) error {
			var table, column int64
			t := &Taxonomy{}
			if err := rows.Scan(&table, &column, &t.Kind, &t.Source, &t.SourceDatabase, &t.SourceTable, &t.Nodes, &t.Leaves, &t.Height, &t.Root); err != nil {
				return err
			}
			if m := w.TableByID(table); m != nil {
				if c, ok := m.ColumnByID(column); ok {
					t.Database, t.Table, t.Column = m.Database(), m.Name(), c.Name
					all, ordinals[t] = append(all, t), c.Ordinal
				}
			}
			return nil
		}, "SELECT table_id, column_id, kind, source, source_database, source_table, nodes, leaves, height, root FROM taxonomies")
	})
	slices.SortFunc(all, func(a, b *Taxonomy) int {
		if c := strings.Compare(a.Database, b.Database); c != 0 {
			return c
		}
		if c := strings.Compare(a.Table, b.Table); c != 0 {
			return c
		}
		return ordinals[a] - ordinals[b]
	})
	return all, fault.Cannot("read taxonomies", err)
}

// readTaxonomy reads the nodes of a column's taxonomy; kind is "" for none.
func readTaxonomy(tx *dbsql.Conn, table, column int64) (kind string, labels []string, parents []int, err error) {
	err = sqlite.ScanRows(tx, func(rows *dbsql.Rows) error {
		var label string
		var parent int
		err := rows.Scan(&kind, &label, &parent)
		labels, parents = append(labels, label), append(parents, parent)
		return err
	}, `SELECT kind, label, parent FROM taxonomies JOIN taxonomy_nodes ON taxonomy_id = id
		WHERE table_id = ? AND column_id = ? ORDER BY node`, table, column)
	return kind, labels, parents, fault.Cannot("read taxonomy", err)
}

// NewTaxonomy builds the tree or order over the values of a column that Microdata read, and
// checks that every value has a place. Errors are *anonymize.DataError and name the node or
// value. build receives a function that parses a label as a value in the column's spelling
// (package coding); labels are all labels that build may pass to it.
func NewTaxonomy(c *anonymize.Column, labels []string,
	build func(read func(string) (anonymize.Value, error)) (*anonymize.Taxonomy, error)) (*anonymize.Taxonomy, error) {
	typ, err := coding.ParseType(c.Type)
	if err != nil {
		return nil, err
	}
	tree, err := build(coding.NewLeafReader(coding.New(typ), c, labels))
	if err != nil {
		return nil, err
	}
	return tree, tree.Check(c)
}

// CheckOrder is NewTaxonomy for the order of an ordinal attribute.
func CheckOrder(c *anonymize.Column, labels []string) error {
	typ, err := coding.ParseType(c.Type)
	if err != nil {
		return err
	}
	order, err := orderOf(labels, coding.NewLeafReader(coding.New(typ), c, labels))
	if err != nil {
		return err
	}
	d := anonymize.Domain{Scale: anonymize.Ordinal, Order: order}
	return d.Check(c)
}
