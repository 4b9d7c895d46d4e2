package experiments

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// attribute finds the column of an experiment: the first of the names that the
// table has and that suits, if suits is not nil.
func (r *Run) attribute(experiment string, suits func(*anonymize.Column) error, names ...string) (*anonymize.Column, error) {
	why := "the table has none"
	for _, name := range names {
		c := r.Table.Column(name)
		if c == nil {
			continue
		}
		if suits == nil {
			return c, nil
		}
		err := suits(c)
		if err == nil {
			return c, nil
		}
		why = err.Error()
	}
	return nil, fmt.Errorf("experiment %s needs a column %s: %s", experiment, strings.Join(names, " or "), why)
}

// numeric asks for numbers.
func numeric(c *anonymize.Column) error {
	if !c.IsNumeric() {
		return fmt.Errorf("%s is not of numbers", c.Name)
	}
	return nil
}

// attributes finds several, each a list of names, "race or region".
func (r *Run) attributes(experiment string, lists ...string) ([]*anonymize.Column, error) {
	columns := make([]*anonymize.Column, len(lists))
	for i, list := range lists {
		c, err := r.attribute(experiment, nil, strings.Split(list, " or ")...)
		if err != nil {
			return nil, err
		}
		columns[i] = c
	}
	return columns, nil
}

// drawn is a random sample of n records, without replacement; all if there are
// no more. Its columns have the values that occur in it and no others.
func drawn(columns []*anonymize.Column, n int, random *rand.Rand) *anonymize.Microdata {
	rows := random.Perm(columns[0].Rows())
	return these(columns, rows[:min(n, len(rows))])
}

// these is the table of some rows.
func these(columns []*anonymize.Column, rows []int) *anonymize.Microdata {
	table := &anonymize.Microdata{Rows: len(rows)}
	for _, c := range columns {
		values := make([]anonymize.Value, len(rows))
		for i, row := range rows {
			values[i] = c.Value(row)
		}
		table.Columns = append(table.Columns, anonymize.NewColumn(c.Name, c.Type, values))
	}
	return table
}

// names lists the names of columns.
func names(columns []*anonymize.Column) []string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.Name
	}
	return list
}
