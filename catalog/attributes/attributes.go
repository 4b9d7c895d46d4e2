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

// A Role says what an attribute (a column) of a raw table is for
// anonymization.
type Role string

const (
	ExplicitIdentifier Role = "ei"
	// Unit is the role of columns that together name the person, or the household, of a row. Their values are never published.
	Unit               Role = "unit"
	QuasiIdentifier    Role = "qi"
	SensitiveAttribute Role = "sa"
	// Weight is the role of the column that says how many persons of the population a row of a survey stands for.
	Weight         Role = "weight"
	OtherAttribute Role = "other"
)

// EachRow stands in the place of a column whose role is [Unit] where the owner says that every row is a person of its own.
const EachRow = "(rows)"

// An Attribute is a column with a declared role.
type Attribute struct {
	Database, Table, Column string // EachRow comes before the columns
	Role                    Role
	Scale                   anonymize.Scale // as declared, or inferred; "" of EachRow
}

// A Book is what owners say of the columns of a store's tables.
type Book struct{ store *raw.Store }

// BookIn is the book that a store keeps.
func BookIn(store *raw.Store) Book { return Book{store} }

// SetAttributes replaces the roles and the scales of a table's columns, in one
// transaction; nil leaves what is declared. Both follow their column through
// renames of column and table, and go with it when it is dropped.
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

// AttributesSeen is Attributes as the context's session sees them.
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

// AllAttributes returns the committed roles of all tables, by database, table
// and column order.
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
