package completion

import (
	"fmt"
	"strings"
)

// grouped writes a query of a fragment's tuples by group, repeated by their counts, in the order of digests: gid, the
// combinations of their joints, tuple after tuple (k), and their values, as ROWs if there are several (v).
func (d *drawing) grouped(fragment int) (string, error) {
	relation := d.Relations[fragment]
	var listed, combinations, values []string
	for i, j := range d.joints[fragment] {
		text, err := d.combination(fragment, j)
		if err != nil {
			return "", err
		}
		listed = append(listed, fmt.Sprintf("%s AS k%d", text, i))
		combinations = append(combinations, fmt.Sprintf("x[%d]", i+1))
	}
	row, digested := make([]string, len(combinations)), []string{d.Dialect.Text(d.Seed), fmt.Sprint(fragment), "gid", "n"}
	for i := range row {
		row[i] = fmt.Sprintf("k%d", i)
	}
	for i, c := range relation.Columns {
		name := undrawn(fragment, i)
		listed = append(listed, d.Dialect.Name(c.Name)+" AS "+name)
		row, digested = append(row, name), append(digested, name)
		values = append(values, fmt.Sprintf("x[%d]", len(row)))
	}
	value := values[0]
	if len(values) > 1 {
		value = "ROW(" + strings.Join(values, ", ") + ")"
	}
	// UNNEST separates what the optimizer would merge into one expression too long to compile.
	repeated := fmt.Sprintf(
		"SELECT * FROM (SELECT gid, %s, %s AS times FROM %s) AS tuples CROSS JOIN UNNEST(sequence(0, (times - 1) / %[4]d)) AS parts(part) "+
			"CROSS JOIN UNNEST(sequence(part * %[4]d + 1, least(times, (part + 1) * %[4]d))) AS repeated(n)",
		strings.Join(listed, ", "), d.Dialect.Name("count"), d.Dialect.Name(relation.Path...), maxSequence)
	grouped := fmt.Sprintf("SELECT gid, array_agg(ROW(%s) ORDER BY %s) AS tuples FROM (%s) AS repeated GROUP BY gid",
		strings.Join(row, ", "), d.random(d.Dialect.Row(digested...)), repeated)
	return fmt.Sprintf("SELECT gid, cardinality(tuples) AS m, (cardinality(tuples) + %[5]d) / %[6]d AS n, flatten(transform(tuples, x -> ARRAY[%[1]s])) AS k%[2]d, transform(tuples, x -> %[3]s) AS v%[2]d FROM (%[4]s) AS grouped",
		strings.Join(combinations, ", "), fragment, value, grouped, chunkRecords-1, chunkRecords), nil
}

// start writes a query of all groups, one row each.
func (d *drawing) start() (string, error) {
	from := ""
	for fragment := range d.Relations {
		text, err := d.grouped(fragment)
		if err != nil {
			return "", err
		}
		if fragment == 0 {
			from = fmt.Sprintf("(%s) AS g0", text)
			continue
		}
		from += fmt.Sprintf(" JOIN (%s) AS g%d ON g%[2]d.gid = g0.gid", text, fragment)
	}
	list := []string{"g0.gid", "g0.m", "g0.n"}
	return fmt.Sprintf("SELECT %s FROM %s", strings.Join(append(list, d.kept()[2:]...), ", "), from), nil
}

// maxSequence is the greatest length of a sequence in Trino.
const maxSequence = 10_000

// numbers returns an expression of the numbers from 0 to n-1, where n is at most most.
func numbers(n string, most int) string {
	if most <= maxSequence {
		return fmt.Sprintf("sequence(0, %s - 1)", n)
	}
	return fmt.Sprintf("flatten(transform(sequence(0, (%[1]s - 1) / %[2]d), i -> sequence(i * %[2]d, least(%[1]s, (i + 1) * %[2]d) - 1)))", n, maxSequence)
}

// random returns an expression of a 56-bit integer, seeded by a text.
func (r *Request) random(text string) string { return r.Dialect.HashInteger(r.Dialect.Digest(text)) }
