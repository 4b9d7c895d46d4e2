package tuning

import (
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// Sample returns n records of a table in order, drawn without replacement, or the table itself
// if it has no more. With units, whose numbers unitOf has by record, it draws whole units until
// they have at least n records. Dictionaries keep only the remaining values. One pass over the
// table.
func Sample(table *anonymize.Microdata, n int, unitOf []uint32, random rand.Source) (_ *anonymize.Microdata, units []uint32) {
	if table.Rows <= n {
		return table, unitOf
	}
	r := rand.New(random)
	var rows []int
	if unitOf != nil {
		rows = sampleUnits(unitOf, n, r)
	} else {
		rows = make([]int, 0, n)
		for row := 0; len(rows) < n; row++ {
			if r.IntN(table.Rows-row) < n-len(rows) { // selection sampling, Knuth 3.4.2 S
				rows = append(rows, row)
			}
		}
	}
	sampled := &anonymize.Microdata{Rows: len(rows)}
	for _, c := range table.Columns {
		values := make([]anonymize.Value, len(rows))
		for i, row := range rows {
			values[i] = c.Value(row)
		}
		sampled.Columns = append(sampled.Columns, anonymize.NewColumn(c.Name, c.Type, values))
	}
	if unitOf != nil {
		units = anonymize.Gather(unitOf, rows)
	}
	return sampled, units
}

// sampleUnits draws units until they have n records, and returns the records, ascending.
func sampleUnits(unitOf []uint32, n int, random *rand.Rand) (rows []int) {
	records := make([]int, 1+slices.Max(unitOf))
	for _, u := range unitOf {
		records[u]++
	}
	drawn, total := make([]bool, len(records)), 0
	for _, u := range random.Perm(len(records)) {
		if total >= n {
			break
		}
		drawn[u], total = true, total+records[u]
	}
	for row, u := range unitOf {
		if drawn[u] {
			rows = append(rows, row)
		}
	}
	return rows
}
