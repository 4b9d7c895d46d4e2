package attributes

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// A Role says how anonymization treats an attribute (a column) of a raw table.
type Role string

const (
	ExplicitIdentifier Role = "ei"
	// Unit is the role of the columns that together identify the person or household of a row. Their values are never published.
	Unit               Role = "unit"
	QuasiIdentifier    Role = "qi"
	SensitiveAttribute Role = "sa"
	// Weight is the role of the column with the number of persons of the population that a row of a survey represents.
	Weight         Role = "weight"
	OtherAttribute Role = "other"
)

// EachRow stands for a column of role [Unit] in tables whose owner says that every row is a different person.
const EachRow = "(rows)"

// An Attribute is a column with a declared role.
type Attribute struct {
	Database, Table, Column string // EachRow comes before the columns
	Role                    Role
	Scale                   anonymize.Scale // as declared, or inferred; "" of EachRow
}

// A Book has the owners' declarations about the columns of a store's tables.
type Book struct{ store *raw.Store }

// BookIn returns a store's book.
func BookIn(store *raw.Store) Book { return Book{store} }

// SetAttributes replaces the roles and scales of a table's columns in one transaction; a nil
// map leaves the declared ones. Both follow their column through renames of column and table,
// and are deleted with it.
func (b Book) SetAttributes(ctx *sql.Context, database, table string, roles map[string]Role, scales map[string]anonymize.Scale) error {
	return b.store.Write(ctx, func(w *raw.Work) error {
		t, err := w.Table(database, table)
		if err != nil {
			return err
		}
		if scales != nil {
			if err := setScales(w.Conn(), t, scales); err != nil {
				return err
			}
		}
		if roles == nil {
			return nil
		}
		if _, err := sqlite.Execute(w.Conn(), "DELETE FROM attributes WHERE table_id = ?", t.ID()); err != nil {
			return fault.Cannot("write attributes", err)
		}
		for name, role := range roles {
			column, ok := t.Column(name)
			if !ok && (name != EachRow || role != Unit) {
				return sql.ErrTableColumnNotFound.New(t.Name(), name)
			}
			if !slices.Contains([]Role{ExplicitIdentifier, Unit, QuasiIdentifier, SensitiveAttribute, Weight, OtherAttribute}, role) {
				return fmt.Errorf("role of column %q is '%s', must be one of ei, unit, qi, sa, weight, other", name, role)
			}
			_, err := sqlite.Execute(w.Conn(), "INSERT INTO attributes (table_id, column_id, role) VALUES (?, ?, ?)",
				t.ID(), column.ID, string(role)) // the ID of EachRow is 0
			if sqlite.IsUniqueViolation(err) {
				return fmt.Errorf("column %q is given two roles", name)
			}
			if err != nil {
				return fault.Cannot("write attributes", err)
			}
		}
		return nil
	})
}

// Attributes returns the committed roles of a table, in column order.
func (b Book) Attributes(database, table string) ([]Attribute, error) {
	return b.AttributesSeen(context.Background(), database, table)
}

// AttributesSeen is Attributes as ctx's session sees them.
func (b Book) AttributesSeen(ctx context.Context, database, table string) ([]Attribute, error) {
	var found []Attribute
	err := b.store.Read(ctx, func(w *raw.Work) error {
		t, err := w.Table(database, table)
		if err != nil {
			return err
		}
		found, err = attributesOf(w, selectAttributes+" WHERE table_id = ?", t.ID())
		return err
	})
	return found, err
}

// AllAttributes returns the committed roles of all tables, sorted by database, table and
// column.
func (b Book) AllAttributes() ([]Attribute, error) {
	var found []Attribute
	err := b.store.Read(context.Background(), func(w *raw.Work) error {
		var err error
		found, err = attributesOf(w, selectAttributes)
		return err
	})
	return found, err
}

const selectAttributes = `SELECT table_id, column_id, role, scale, kind
	FROM attributes LEFT JOIN scales USING (table_id, column_id) LEFT JOIN taxonomies USING (table_id, column_id)`

func attributesOf(w *raw.Work, statement string, args ...any) ([]Attribute, error) {
	type placed struct {
		Attribute
		ordinal int
	}
	var all []placed
	err := sqlite.ScanRows(w.Conn(), func(rows *dbsql.Rows) error {
		var table, column int64
		var role Role
		var scale, kind dbsql.NullString
		if err := rows.Scan(&table, &column, &role, &scale, &kind); err != nil {
			return err
		}
		t := w.TableByID(table)
		if t == nil {
			return nil
		}
		if c, ok := t.ColumnByID(column); ok {
			all = append(all, placed{Attribute{t.Database(), t.Name(), c.Name, role,
				scaleOf(anonymize.Scale(scale.String), kind.String, c.Codec)}, c.Ordinal})
		} else if column == 0 {
			all = append(all, placed{Attribute{t.Database(), t.Name(), EachRow, role, ""}, -1})
		}
		return nil
	}, statement, args...)
	slices.SortFunc(all, func(a, b placed) int {
		if c := strings.Compare(a.Database, b.Database); c != 0 {
			return c
		}
		if c := strings.Compare(a.Table, b.Table); c != 0 {
			return c
		}
		return a.ordinal - b.ordinal
	})
	found := make([]Attribute, len(all))
	for i, a := range all {
		found[i] = a.Attribute
	}
	return found, fault.Cannot("read attributes", err)
}
