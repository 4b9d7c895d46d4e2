package slicing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// facts are for the owner. worst is the greatest p(t, s) of the global check.
func facts(tables []bucketization.Table, groups *bucketization.Partition, p *parameters, worst float64) []anonymize.Fact {
	var all []anonymize.Fact
	add := func(name, format string, values ...any) {
		all = append(all, anonymize.Fact{Name: name, Value: fmt.Sprintf(format, values...)})
	}
	for _, t := range tables {
		add("column group "+t.Name, "%s", names(t.Projection.Columns))
	}
	sizes := make([]uint32, groups.Groups())
	for g := range sizes {
		sizes[g] = groups.Start[g+1] - groups.Start[g]
	}
	slices.Sort(sizes)
	add("buckets", "%d", len(sizes))
	add("bucket sizes", "%d to %d records, median %d", sizes[0], sizes[len(sizes)-1], sizes[len(sizes)/2])
	for _, t := range tables {
		if t.Role == anonymize.Sensitive {
			continue
		}
		once, distinct := t.Projection.Uniques()
		add("unique sub-tuples "+t.Name,
			"%d of %d sub-tuples (%.1f %%) occur once in the whole table and reveal their owners' bucket",
			once, distinct, 100*float64(once)/float64(distinct))
	}
	if p.grouped && tables[len(tables)-1].Role == anonymize.Sensitive {
		add("sa_column", "the sensitive attribute is alone: no quasi-identifier is nearer to it than to another medoid")
	}
	if p.global {
		add("global check", "the greatest p(t, s) of a record in the buckets of the medians is %.4f, at most 1/%d", worst, p.l)
	}
	if len(tables) == 2 {
		add("warning", "with one column group every quasi-identifier tuple is published whole")
	}
	return all
}

// names lists the columns.
func names(columns []*anonymize.Column) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.Name
	}
	return strings.Join(list, ", ")
}
