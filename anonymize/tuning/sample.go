package tuning

import (
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
)

// Sample returns n records of a table, drawn without replacement, in their
// order; the table itself when it has no more. Dictionaries have only the values
// that are left. One pass over the table.
func Sample(table *anonymize.Microdata, n int, random rand.Source) *anonymize.Microdata {
	if table.Rows <= n {
		return table
	}
	r := rand.New(random)
	rows := make([]int, 0, n)
	for row := 0; len(rows) < n; row++ {
		if r.IntN(table.Rows-row) < n-len(rows) { // selection sampling, Knuth 3.4.2 S
			rows = append(rows, row)
		}
	}
	sampled := &anonymize.Microdata{Rows: n}
	for _, c := range table.Columns {
		values := make([]anonymize.Value, n)
		for i, row := range rows {
			values[i] = c.Value(row)
		}
		sampled.Columns = append(sampled.Columns, anonymize.NewColumn(c.Name, c.Type, values))
	}
	return sampled
}
