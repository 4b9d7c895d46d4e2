package evaluation

import (
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
)

// Drawn returns a random sample of n records, without replacement; all records if there are no more. The dictionaries
// of its columns have only the values in it.
func Drawn(columns []*anonymize.Column, n int, random *rand.Rand) *anonymize.Microdata {
	rows := random.Perm(columns[0].Rows())
	return These(columns, rows[:min(n, len(rows))])
}

// These returns the table of some rows.
func These(columns []*anonymize.Column, rows []int) *anonymize.Microdata {
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

// Names lists the names of columns.
func Names(columns []*anonymize.Column) []string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.Name
	}
	return list
}
