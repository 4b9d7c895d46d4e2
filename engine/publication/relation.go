package publication

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/engine/dialect"
)

// A Relation is a fragment of a release, a table of the engine. It has the columns gid, those
// of Columns, and count: the number of the group's records with the row's values.
type Relation struct {
	Name    string
	Role    anonymize.FragmentRole
	Columns []Column
	// Domains is nil except for a relation of ranges. It names one table per column beside the
	// relation, whose column value has the raw table's values: the support of a cell's
	// distribution. A column c is then three: c_low and c_high, the group's least and greatest
	// value, NULL if it has none, and c_null, whether some record has NULL; a group is one row.
	Domains []string
}

// Suffixes of a column's names in a relation of ranges.
const low, high, null = "_low", "_high", "_null"

// SpanColumns returns the names of the three columns of a column's ranges, in the order of [Span].
func SpanColumns(name string) []string { return []string{name + low, name + high, name + null} }

// IsRanges reports whether the relation has ranges of values.
func (r Relation) IsRanges() bool { return r.Domains != nil }

// stored returns the names of the relation's columns without gid and count.
func (r Relation) stored() (names []string) {
	for _, c := range r.Columns {
		if r.IsRanges() {
			names = append(names, SpanColumns(c.Name)...)
			continue
		}
		names = append(names, c.Name)
	}
	return names
}

// planned returns the relations of an attempt.
func (a *Attempt) planned() (relations []Relation) {
	p := a.plan
	for i, columns := range p.fragments {
		name := fmt.Sprintf("qi%d", i+1)
		r := Relation{Name: RelationName(a.name, name), Role: anonymize.QuasiIdentifying, Columns: columns}
		for c := range columns {
			if p.Method == Mondrian {
				r.Domains = append(r.Domains, RelationName(a.name, DomainName(name, c)))
			}
		}
		relations = append(relations, r)
	}
	return append(relations, Relation{Name: RelationName(a.name, "sa"), Role: anonymize.Sensitive, Columns: []Column{p.sensitive}})
}

// DomainName names the table of the values of a column, from 0, of a relation of ranges, among the fragments of an attempt.
func DomainName(fragment string, column int) string { return fmt.Sprintf("%sv%d", fragment, column+1) }

// ValueColumn is the column of such a table.
const ValueColumn = "value"

// Assigned returns the table with the group of every record, which exists until Close, and the name of a released column in it.
func (a *Attempt) Assigned(c Column) (table, name string) {
	return a.table(a.source), attribute(slices.Index(a.plan.released(), c))
}

// Column returns a column of the table.
func (p *Plan) Column(name string) (Column, error) { return p.Table.column(name) }

// domain returns the relation with the values of a column of ranges.
func (r Relation) domain(column int) Relation {
	return Relation{Name: r.Domains[column], Role: r.Role, Columns: []Column{{ValueColumn, r.Columns[column].Type}}}
}

// writeDomains writes the values of the columns of a relation of ranges.
func (a *Attempt) writeDomains(ctx context.Context, r Relation) error {
	d, released := a.engine.Dialect, a.plan.released()
	for i, c := range r.Columns {
		query := fmt.Sprintf("SELECT DISTINCT %s AS %s FROM %s", attribute(slices.Index(released, c)), d.Name(ValueColumn), a.table(a.source))
		if err := a.create(ctx, a.relation(r.domain(i)), []dialect.Property{{Name: "sorted_by", Values: []string{ValueColumn}}}, query); err != nil {
			return err
		}
	}
	return nil
}

// readDomain reads them, ascending.
func (a *Attempt) readDomain(ctx context.Context, r Relation, column int) (values []anonymize.Value, err error) {
	of := r.domain(column)
	err = a.engine.Conn.Query(ctx, fmt.Sprintf("SELECT %s FROM %s", a.engine.Dialect.Name(ValueColumn), a.relation(of)), func(row []any) error {
		v, err := of.Columns[0].value(row[0])
		values = append(values, v)
		return err
	})
	slices.SortFunc(values, anonymize.Compare)
	return values, err
}

// write writes a relation from the assignment. It sorts the rows, so that their order reveals nothing of their origin.
func (a *Attempt) write(ctx context.Context, r Relation) error {
	d := a.engine.Dialect
	released := a.plan.released()
	columns, grouped := []string{"gid"}, []string{"gid"}
	for _, c := range r.Columns {
		of := attribute(slices.Index(released, c))
		if r.IsRanges() {
			columns = append(
				columns,
				fmt.Sprintf("min(%s) AS %s", of, d.Name(c.Name+low)),
				fmt.Sprintf("max(%s) AS %s", of, d.Name(c.Name+high)),
				fmt.Sprintf("count(%s) < count(*) AS %s", of, d.Name(c.Name+null)),
			)
			continue
		}
		columns = append(columns, of+" AS "+d.Name(c.Name))
		grouped = append(grouped, of)
	}
	sorted := []string{"gid"}
	for _, name := range r.stored() {
		sorted = append(sorted, d.Name(name))
	}
	if r.IsRanges() {
		if err := a.writeDomains(ctx, r); err != nil {
			return err
		}
	}
	columns = append(columns, "count(*) AS "+d.Name("count"))
	return a.create(ctx, a.relation(r), []dialect.Property{{Name: "sorted_by", Values: sorted}},
		fmt.Sprintf("SELECT %s FROM %s GROUP BY %s", strings.Join(columns, ", "), a.table(a.source), strings.Join(grouped, ", ")))
}
