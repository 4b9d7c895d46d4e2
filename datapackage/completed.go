package datapackage

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/completed"
)

// completedFolder has a package's completed tables by number: completed/1.csv.
const completedFolder = "completed"

// checkCompleted refuses more completed tables than there are.
func (p *Package) checkCompleted(tables int) error {
	switch {
	case tables == 0:
		return nil
	case p.Completion == nil:
		return &anonymize.DataError{Reason: fmt.Sprintf("release %s has no completed tables: CALL fit_release('%[1]s') makes them", p.Name)}
	case tables < 0 || tables > p.Completion.Tables:
		return &anonymize.ParameterError{
			Parameter: "completed",
			Value:     strconv.Itoa(tables),
			Rule:      fmt.Sprintf("must be 0 to %d, the number of completed tables", p.Completion.Tables),
		}
	}
	return nil
}

// completedTables returns the first completed tables without their rows, each a file with the
// raw table's attributes in order. Their resources have unique names.
func (p *Package) completedTables(tables int, others []*table) ([]*table, error) {
	if tables == 0 {
		return nil, nil
	}
	taken := make(map[string]bool)
	for _, t := range others {
		taken[t.name] = true
	}
	var columns []tableColumn
	for _, name := range p.Columns {
		fragment, column, ok := p.Release.Locate(name)
		if !ok {
			return nil, errBadPackage("column %q is in no fragment", name)
		}
		c, _, _, err := attribute(p.Release.Fragments[fragment].Columns[column], "", taken)
		if err != nil {
			return nil, err
		}
		c.codes = nil
		columns = append(columns, c)
	}
	list := make([]*table, tables)
	for d := range list {
		number := strconv.Itoa(d + 1)
		list[d] = &table{name: completedFolder + "/" + number, resourceName: unique(completedFolder, "_"+number, taken), title: "Completed table " + number,
			description: "One of the tables that agree with the release, drawn from a model that was fitted to it: a row a record, in the order of the groups.",
			columns:     slices.Clone(columns), rows: p.Release.Rows}
	}
	return list, nil
}

// fill adds the rows of completed table d.
func (p *Package) fill(ctx context.Context, t *table, d int) error {
	rows, err := completed.NewRows(p.Release, p.Completion, p.Columns, d, d+1)
	if err != nil {
		return err
	}
	renumbered := make([][]uint32, len(t.columns))
	for i := range t.columns {
		_, renumbered[i] = usedValues(rows.Column(i))
		t.columns[i].codes = make([]uint32, 0, t.rows)
	}
	for _, codes, n := rows.Next(); n > 0; _, codes, n = rows.Next() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for i := range t.columns {
			for _, code := range codes[i] {
				t.columns[i].codes = append(t.columns[i].codes, renumbered[i][code])
			}
		}
	}
	return nil
}
