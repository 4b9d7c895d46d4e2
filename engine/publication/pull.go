package publication

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// A tuple is a tuple of a relation as read. Codes number values in order of appearance.
type tuple struct {
	gid   int64
	codes []uint32
	count uint32
}

// newTuple converts a row of gid, columns values and count, without its codes.
func newTuple(row []any, columns int) (t tuple, err error) {
	t.codes = make([]uint32, columns)
	if t.gid, err = readCount(row[0]); err != nil {
		return t, err
	}
	n, err := readCount(row[len(row)-1])
	t.count = uint32(n)
	return t, err
}

// pull reads the groups of a relation whose number is divisible by every. gids are their numbers, ascending.
func (a *Attempt) pull(ctx context.Context, r Relation, every int64) (f *anonymize.Fragment, gids []int64, err error) {
	if r.IsRanges() {
		return a.pullRanges(ctx, r, every)
	}
	names := []string{"gid"}
	for _, c := range r.Columns {
		names = append(names, a.engine.Dialect.Name(c.Name))
	}
	names = append(names, a.count())
	var tuples []tuple
	known := make([]map[anonymize.Value]uint32, len(r.Columns))
	for i := range known {
		known[i] = make(map[anonymize.Value]uint32)
	}
	err = a.engine.Conn.Query(
		ctx,
		fmt.Sprintf("SELECT %s FROM %s WHERE mod(gid, %d) = 0", strings.Join(names, ", "), a.relation(r), every),
		func(row []any) error {
			t, err := newTuple(row, len(r.Columns))
			if err != nil {
				return err
			}
			for i, c := range r.Columns {
				v, err := c.value(row[i+1])
				if err != nil {
					return err
				}
				code, ok := known[i][v]
				if !ok {
					code = uint32(len(known[i]))
					known[i][v] = code
				}
				t.codes[i] = code
			}
			tuples = append(tuples, t)
			return nil
		},
	)
	if err != nil {
		return nil, nil, err
	}
	f, gids = fragmentOf(r, tuples, known)
	return f, gids, nil
}

// Fragment returns the relation's name in a release: qi1, qi2, ..., sa.
func (r Relation) Fragment() string { return r.Name[strings.LastIndexByte(r.Name, '_')+1:] }

// fragmentOf sorts dictionaries, and tuples by group and code.
func fragmentOf(r Relation, tuples []tuple, known []map[anonymize.Value]uint32) (f *anonymize.Fragment, gids []int64) {
	f = &anonymize.Fragment{Name: r.Fragment(), Role: r.Role}
	for i, c := range r.Columns {
		dictionary := make([]anonymize.Value, 0, len(known[i]))
		for v := range known[i] {
			dictionary = append(dictionary, v)
		}
		slices.SortFunc(dictionary, anonymize.Compare)
		place := make([]uint32, len(dictionary))
		for at, v := range dictionary {
			place[known[i][v]] = uint32(at)
		}
		for t := range tuples {
			tuples[t].codes[i] = place[tuples[t].codes[i]]
		}
		f.Columns = append(f.Columns, &anonymize.FragmentColumn{Name: c.Name, Type: c.Type, Dictionary: dictionary})
	}
	return f, lay(f, tuples)
}

// lay puts tuples into a fragment, sorted by group and code. gids are the groups' numbers, ascending.
func lay(f *anonymize.Fragment, tuples []tuple) (gids []int64) {
	slices.SortFunc(tuples, func(a, b tuple) int {
		if a.gid != b.gid {
			return int(min(max(a.gid-b.gid, -1), 1))
		}
		return slices.Compare(a.codes, b.codes)
	})
	for i, t := range tuples {
		if i == 0 || t.gid != tuples[i-1].gid {
			gids = append(gids, t.gid)
			f.GroupStart = append(f.GroupStart, uint32(i))
		}
		f.Count = append(f.Count, t.count)
		for c, code := range t.codes {
			f.Columns[c].Codes = append(f.Columns[c].Codes, code)
		}
	}
	f.GroupStart = append(f.GroupStart, uint32(len(tuples)))
	return gids
}

// Linked returns a query, valid until Close, of the records whose group's number is divisible by every: gid, the released
// columns, and 1 if no other record of the table has the same quasi-identifiers, else 2. columns are the released columns' names, in
// order. It compares digests, which collide with a probability of 2^-256 and take memory only for the sample.
func (a *Attempt) Linked(every int64) (text string, columns []string) {
	d, from := a.engine.Dialect, a.table(a.source)
	var list, quasi []string
	for i, c := range a.plan.released() {
		columns, list = append(columns, c.Name), append(list, "sampled."+attribute(i))
		if i < len(a.plan.quasiIdentifiers) {
			quasi = append(quasi, attribute(i))
		}
	}
	digest, sampled := d.Digest(d.Row(quasi...)), fmt.Sprintf("mod(gid, %d) = 0", every)
	alike := fmt.Sprintf("SELECT digest, count(*) AS records FROM (SELECT %s AS digest FROM %s) AS digested WHERE digest IN (SELECT %[1]s FROM %[2]s WHERE %[3]s) GROUP BY digest",
		digest, from, sampled)
	return fmt.Sprintf("SELECT sampled.gid, %s, least(alike.records, 2) FROM (SELECT *, %s AS digest FROM %s WHERE %s) AS sampled JOIN (%s) AS alike ON alike.digest = sampled.digest",
		strings.Join(list, ", "), digest, from, sampled, alike), columns
}
