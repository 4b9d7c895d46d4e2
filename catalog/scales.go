package catalog

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
)

// scaleOf is the declared scale, or the one that follows from what is known of
// the column: semantic with a taxonomy, ordinal with an order, numeric for
// numbers and points in time, else nominal.
func scaleOf(declared anonymize.Scale, taxonomy string, c codec) anonymize.Scale {
	switch {
	case declared != "":
		return declared
	case taxonomy == KindOrder:
		return anonymize.Ordinal
	case taxonomy != "":
		return anonymize.Semantic
	case c.numeric():
		return anonymize.Numeric
	}
	return anonymize.Nominal
}

// numeric reports whether the values of the type have a place on the number
// line.
func (c codec) numeric() bool {
	switch c.kind {
	case kindSigned, kindFloat32, kindFloat64, kindDecimal, kindInstant, kindTime:
		return true
	case kindUnsigned:
		_, isEnum := c.typ.(sql.EnumType)
		_, isSet := c.typ.(sql.SetType)
		return !isEnum && !isSet
	}
	return false
}

// setScales replaces the declared scales of a table.
func (w *work) setScales(t *tableMeta, scales map[string]anonymize.Scale) error {
	if _, err := execute(w.conn, "DELETE FROM scales WHERE table_id = ?", t.id); err != nil {
		return storageError("write scales", err)
	}
	for name, scale := range scales {
		at := t.definition.column(name)
		switch {
		case at < 0:
			return sql.ErrTableColumnNotFound.New(t.name, name)
		case !slices.Contains(anonymize.Scales(), scale):
			return fmt.Errorf("scale of column %q is '%s', must be one of numeric, ordinal, semantic, nominal", name, scale)
		case scale == anonymize.Numeric && !t.codecs[at].numeric():
			return &anonymize.ParameterError{Parameter: "numeric", Value: "'" + name + "'",
				Rule: fmt.Sprintf("must be a column of numbers or points in time; it is %s", t.definition.Columns[at].Type)}
		}
		_, err := execute(w.conn, "INSERT INTO scales (table_id, column_id, scale) VALUES (?, ?, ?)", t.id, t.definition.Columns[at].ID, string(scale))
		if err != nil {
			return storageError("write scales", err)
		}
	}
	return nil
}

// Domains returns what the owner said of columns that were read from the table
// with Microdata, by name: their scales, taxonomies and orders as the session sees
// them. Columns of which nothing is known are left out. An enum that is ordinal has the order of
// its members. O(nodes of the taxonomies), and a sort by the collation of what is
// text.
func (t *Table) Domains(ctx context.Context, columns []*anonymize.Column) (map[string]*anonymize.Domain, error) {
	domains := make(map[string]*anonymize.Domain)
	err := t.catalog.read(ctx, func(w *work) error {
		m := w.meta.tables[t.ID()]
		if m == nil {
			return sql.ErrTableNotFound.New(t.Name())
		}
		for _, c := range columns {
			at := m.definition.column(c.Name)
			if at < 0 {
				return sql.ErrTableColumnNotFound.New(m.name, c.Name)
			}
			d, err := w.domain(m, at, c)
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

func (w *work) domain(t *tableMeta, at int, c *anonymize.Column) (*anonymize.Domain, error) {
	column := t.definition.Columns[at].ID
	var declared anonymize.Scale
	err := each(w.conn, func(rows *dbsql.Rows) error { return rows.Scan(&declared) },
		"SELECT scale FROM scales WHERE table_id = ? AND column_id = ?", t.id, column)
	if err != nil {
		return nil, storageError("read scales", err)
	}
	if declared == anonymize.Numeric && !t.codecs[at].numeric() { // since the column's type was changed
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("column %s is declared numeric, but it is %s now. CALL set_attributes again, with its scale", c.Name, t.definition.Columns[at].Type)}
	}
	kind, labels, parents, err := w.taxonomy(t.id, column)
	if err != nil {
		return nil, err
	}
	d := &anonymize.Domain{Scale: scaleOf(declared, kind, t.codecs[at])}
	switch read := newLeafReader(t.codecs[at], c, labels); kind {
	case "":
		if declared == "" {
			return nil, nil
		}
	case KindOrder:
		d.Order, err = orderOf(labels, read)
	default:
		d.Taxonomy, err = anonymize.NewTaxonomy(labels, parents, read)
	}
	if err != nil {
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("the taxonomy of column %s does not fit it any more: %v. CALL set_taxonomy again", c.Name, err)}
	}
	if members, ok := t.codecs[at].typ.(sql.EnumType); ok && d.Scale == anonymize.Ordinal && d.Order == nil {
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
		order = slices.Insert(order, 0, anonymize.TextValue("")) // what an enum has in place of a wrong value
	}
	return order
}

// orderOf reads the values of an order; one that is named twice is an error.
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
