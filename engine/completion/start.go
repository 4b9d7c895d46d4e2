package completion

import (
	"fmt"
	"strings"

	"github.com/anonsql/anonsql/engine/dialect"
)

// start is a query of the records of all groups, in an arbitrary matching: gid, place, and the columns of all fragments, undrawn.
func (r *Request) start() string {
	list, from := []string{"r0.gid", "r0.place"}, ""
	for fragment := range r.Relations {
		for i := range r.Relations[fragment].Columns {
			list = append(list, fmt.Sprintf("r%d.%s", fragment, undrawn(fragment, i)))
		}
		from += fmt.Sprintf("(%s) AS r%d", r.placed(fragment), fragment)
		if fragment > 0 {
			from += fmt.Sprintf(" ON r%d.gid = r0.gid AND r%d.place = r0.place", fragment, fragment)
		}
		if fragment < len(r.Relations)-1 {
			from += " JOIN "
		}
	}
	return fmt.Sprintf("SELECT %s FROM %s", strings.Join(list, ", "), from)
}

// placed is a query of the tuples of a fragment, repeated by their counts, with their places in their groups, from 0, in the order of digests.
func (r *Request) placed(fragment int) string {
	d, relation := r.Dialect, r.Relations[fragment]
	columns, digested := []string{"gid"}, []string{d.Text(r.Seed), fmt.Sprint(fragment), "gid", "n"}
	for i, c := range relation.Columns {
		columns, digested = append(columns, d.Name(c.Name)+" AS "+undrawn(fragment, i)), append(digested, d.Name(c.Name))
	}
	return fmt.Sprintf(
		"SELECT %[1]s, row_number() OVER (PARTITION BY gid ORDER BY %[2]s) - 1 AS place FROM %[3]s CROSS JOIN UNNEST(sequence(0, (%[4]s - 1) / %[5]d)) AS parts(part) "+
			"CROSS JOIN UNNEST(sequence(part * %[5]d + 1, least(%[4]s, (part + 1) * %[5]d))) AS repeated(n)",
		strings.Join(columns, ", "),
		r.random(d.Row(digested...)),
		d.Name(relation.Path...),
		d.Name("count"),
		maxSequence,
	)
}

// maxSequence is how many numbers a sequence of Trino's has at most.
const maxSequence = 10_000

// random is a whole number of 56 bits, by a text.
func (r *Request) random(text string) string { return r.Dialect.HashInteger(r.Dialect.Digest(text)) }

// chunked is a query of a state with the chunk of every record: 0, or one of as few as hold the group.
func (s *state) chunked(round int) string {
	if s.request.Largest <= chunkRecords {
		return fmt.Sprintf("SELECT *, 0 AS chunk FROM %s", s.from)
	}
	d := s.request.Dialect
	order := s.request.random(d.Joined(d.Text(s.request.Seed), d.Text("chunk"), fmt.Sprint(round), "gid", "place"))
	return fmt.Sprintf("SELECT *, mod(row_number() OVER (PARTITION BY gid ORDER BY %s) - 1, %s) AS chunk FROM %s",
		order, d.Cast(fmt.Sprintf("ceil(count(*) OVER (PARTITION BY gid) / %de0)", chunkRecords), dialect.BigInt), s.from)
}
