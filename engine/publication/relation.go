package publication

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/engine/dialect"
)

// A Relation is a fragment of a release, a table of the engine. It has the columns gid, those of
// Columns, and count: how many records of the group the row stands for.
type Relation struct {
	Name    string
	Role    anonymize.FragmentRole
	Columns []Column
	// Domains are, in a relation of ranges, the names of tables beside it, one a column: their
	// column value has the values of the raw table's, what a cell is a distribution over. There a
	// column c is three: c_low and c_high, the least and the greatest value of the group, NULL
	// where it has none, and c_null, whether some record has NULL; and a group is one row. Nil
	// otherwise.
	Domains []string
}

// The endings of a column's names in a relation of ranges.
const low, high, null = "_low", "_high", "_null"

// SpanColumns are the names of the columns of a relation of ranges that have a column's ranges, as [Span] has them.
func SpanColumns(name string) []string { return []string{name + low, name + high, name + null} }

// IsRanges says whether the relation has ranges of values.
func (r Relation) IsRanges() bool { return r.Domains != nil }

// stored are the names of the relation's columns, without gid and count.
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

// planned are the relations of an attempt.
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

// DomainName is what the table of the values of a column of a relation of ranges is called among the fragments of an attempt; columns are numbered from 0.
func DomainName(fragment string, column int) string { return fmt.Sprintf("%sv%d", fragment, column+1) }

// ValueColumn is the column of such a table.
const ValueColumn = "value"

// Assigned is the table that has the group of every record, until Close, and what a released column is called there.
func (a *Attempt) Assigned(c Column) (table, name string) {
	return a.table(a.source), attribute(slices.Index(a.plan.released(), c))
}

// Column is a column of the table.
func (p *Plan) Column(name string) (Column, error) { return p.Table.column(name) }

// domain is the relation that has the values of a column of ranges.
func (r Relation) domain(column int) Relation {
	return Relation{Name: r.Domains[column], Role: r.Role, Columns: []Column{{ValueColumn, r.Columns[column].Type}}}
}

// writeDomains writes the values that the columns of a relation of ranges have.
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

// write makes a relation of the assignment, sorted, so that the order of its rows tells nothing of how it came about.
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
