package slppa

import (
	"fmt"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// facts are for the owner. Those about the repair must not be published: they reveal the groups
// before it.
func facts(tables []qiTable, projections []*bucketization.Projection, before, after int, r repairs) []anonymize.Fact {
	var all []anonymize.Fact
	add := func(name, format string, values ...any) {
		all = append(all, anonymize.Fact{Name: name, Value: fmt.Sprintf(format, values...)})
	}
	for t, table := range tables {
		add("table "+tableName(t), "%s", table.describe())
	}
	add("groups", "%d", after)
	add("repair: groups before", "%d", before)
	add("repair: swaps", "%d", r.swaps)
	add("repair: merges", "%d", r.merges)
	for t, p := range projections {
		once, distinct := p.Uniques()
		add("unique sub-tuples "+tableName(t),
			"%d of %d sub-tuples (%.1f %%) occur once in the whole table and reveal their owners' group",
			once, distinct, 100*float64(once)/float64(distinct))
	}
	if len(tables) == 1 {
		add("warning", "with one QI table every quasi-identifier tuple is published whole: alpha bounds its frequency in a group and hides nothing")
	}
	return all
}

// describe lists the columns with their weights.
func (t *qiTable) describe() string {
	parts := make([]string, len(t.columns))
	for i, c := range t.columns {
		parts[i] = fmt.Sprintf("%s (%.2f bits)", c.Name, t.weights[i])
	}
	return strings.Join(parts, ", ")
}
