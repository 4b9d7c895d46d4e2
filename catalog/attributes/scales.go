package attributes

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// scaleOf returns the declared scale, or infers it: semantic with a taxonomy, ordinal with an
// order, numeric for numbers and points in time, else nominal.
func scaleOf(declared anonymize.Scale, taxonomy string, c coding.Codec) anonymize.Scale {
	switch {
	case declared != "":
		return declared
	case taxonomy == KindOrder:
		return anonymize.Ordinal
	case taxonomy != "":
		return anonymize.Semantic
	case c.Numeric():
		return anonymize.Numeric
	}
	return anonymize.Nominal
}

// setScales replaces the declared scales of a table.
func setScales(tx *dbsql.Conn, t *raw.TableVersion, scales map[string]anonymize.Scale) error {
	if _, err := sqlite.Execute(tx, "DELETE FROM scales WHERE table_id = ?", t.ID()); err != nil {
		return fault.Cannot("write scales", err)
	}
	for name, scale := range scales {
		c, ok := t.Column(name)
		switch {
		case !ok:
			return sql.ErrTableColumnNotFound.New(t.Name(), name)
		case !slices.Contains(anonymize.Scales(), scale):
			return fmt.Errorf("scale of column %q is '%s', must be one of numeric, ordinal, semantic, nominal", name, scale)
		case scale == anonymize.Numeric && !c.Codec.Numeric():
			return &anonymize.ParameterError{Parameter: "numeric", Value: "'" + name + "'",
				Rule: fmt.Sprintf("must be a column of numbers or points in time; it is %s", c.Type)}
		}
		_, err := sqlite.Execute(tx, "INSERT INTO scales (table_id, column_id, scale) VALUES (?, ?, ?)", t.ID(), c.ID, string(scale))
		if err != nil {
			return fault.Cannot("write scales", err)
		}
	}
	return nil
}

// Domains returns what the owner declared about columns that Microdata read from the table, by
// name: scales, taxonomies and orders as the session sees them. It leaves out columns without
// any knowledge. An ordinal enum has the order of its members. O(nodes of the taxonomies), and
// a sort by collation of the texts.
func (b Book) Domains(ctx context.Context, t source.Table, columns []*anonymize.Column) (map[string]*anonymize.Domain, error) {
	domains := make(map[string]*anonymize.Domain)
	err := b.store.Read(ctx, func(w *raw.Work) error {
		m := w.TableByID(t.ID())
		if m == nil {
			return sql.ErrTableNotFound.New(t.Name())
		}
		for _, c := range columns {
			now, ok := m.Column(c.Name)
			if !ok {
				return sql.ErrTableColumnNotFound.New(m.Name(), c.Name)
			}
			d, err := DomainOf(w.Conn(), m, now, c)
			if err != nil {
				return err
			}
			if d != nil {
				domains[c.Name] = d
			}
		}
		return nil
	})
	return domains, err
}

// DomainOf returns what the owner declared about a column, over the values of c; nil for nothing.
func DomainOf(tx *dbsql.Conn, t *raw.TableVersion, column raw.Column, c *anonymize.Column) (*anonymize.Domain, error) {
	var declared anonymize.Scale
	err := sqlite.ScanRows(tx, func(rows *dbsql.Rows) error { return rows.Scan(&declared) },
		"SELECT scale FROM scales WHERE table_id = ? AND column_id = ?", t.ID(), column.ID)
	if err != nil {
		return nil, fault.Cannot("read scales", err)
	}
	if declared == anonymize.Numeric && !column.Codec.Numeric() { // the column's type has changed since
		return nil, &anonymize.DataError{Reason: fmt.Sprintf(
			"column %s is declared numeric, but it is %s now. CALL set_attributes again, with its scale", c.Name, column.Type)}
	}
	kind, labels, parents, err := readTaxonomy(tx, t.ID(), column.ID)
	if err != nil {
		return nil, err
	}
	d := &anonymize.Domain{Scale: scaleOf(declared, kind, column.Codec)}
	switch read := coding.NewLeafReader(column.Codec, c, labels); kind {
	case "":
		if declared == "" {
			return nil, nil
		}
	case KindOrder:
		d.Order, err = orderOf(labels, read)
	default:
		if d.Taxonomy, err = anonymize.NewTaxonomy(labels, parents, read); err == nil && kind == KindSpanning {
			d.Taxonomy = d.Taxonomy.Spanning()
		}
	}
	if err != nil {
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("the taxonomy of column %s does not fit it any more: %v. CALL set_taxonomy again", c.Name, err)}
	}
	if members, ok := column.Codec.Type.(sql.EnumType); ok && d.Scale == anonymize.Ordinal && d.Order == nil {
		d.Order = orderOfMembers(members.Values())
	}
	return d, nil
}

func orderOfMembers(members []string) []anonymize.Value {
	order := make([]anonymize.Value, len(members), len(members)+1)
	for i, member := range members {
		order[i] = anonymize.TextValue(member)
	}
	if !slices.Contains(members, "") {
		order = slices.Insert(order, 0, anonymize.TextValue("")) // an enum stores it for an invalid value
	}
	return order
}

// orderOf parses the values of an order; a duplicate is an error.
func orderOf(labels []string, read func(string) (anonymize.Value, error)) ([]anonymize.Value, error) {
	order := make([]anonymize.Value, len(labels))
	seen := make(map[anonymize.Value]bool, len(labels))
	for i, label := range labels {
		v, err := read(label)
		if err != nil {
			return nil, &anonymize.DataError{Reason: fmt.Sprintf("'%s' is no value of the column: %v", label, err)}
		}
		if seen[v] {
			return nil, &anonymize.DataError{Reason: fmt.Sprintf("the order names '%s' twice", label)}
		}
		order[i], seen[v] = v, true
	}
	return order, nil
}
