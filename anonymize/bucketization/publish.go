package bucketization

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// A Table is one relation to publish.
type Table struct {
	Name       string // "qi1", "qi2", ..., "sa"
	Role       anonymize.FragmentRole
	Projection *Projection
}

// QuasiIdentifierTable returns the t-th table of quasi-identifiers, t from 0.
func QuasiIdentifierTable(t int, p *Projection) Table {
	return Table{Name: fmt.Sprintf("qi%d", t+1), Role: anonymize.QuasiIdentifying, Projection: p}
}

// SensitiveTable returns the table of the sensitive attribute alone.
func SensitiveTable(sensitive *anonymize.Column) Table {
	return Table{Name: "sa", Role: anonymize.Sensitive, Projection: ProjectionOn(sensitive)}
}

// SensitiveTuples returns the table of the tuples of all sensitive attributes.
func SensitiveTuples(ctx context.Context, sensitive []*anonymize.Column) (Table, error) {
	p, err := NewProjection(ctx, sensitive)
	return Table{Name: "sa", Role: anonymize.Sensitive, Projection: p}, err
}

// Publish makes the release of a partition of all records of in, with one fragment per table.
// Gids are a random renumbering of the groups. A group's sub-tuples are stored once each,
// ordered by their codes, with their counts. Promises and facts are the caller's. O(rows) per
// table, tables in parallel.
func Publish(ctx context.Context, method string, in *anonymize.Input, groups *Partition, tables []Table, random *rand.Rand) (*anonymize.Release, error) {
	groups = groups.Renumbered(random)
	r := &anonymize.Release{
		Method:     method,
		Rows:       len(groups.Member),
		GroupSizes: make([]uint32, groups.Groups()),
		Fragments:  make([]*anonymize.Fragment, len(tables)),
	}
	for g := range r.GroupSizes {
		r.GroupSizes[g] = groups.Start[g+1] - groups.Start[g]
	}
	err := parallel.Run(ctx, len(tables), func(i int) (err error) {
		r.Fragments[i], err = NewFragment(ctx, tables[i], groups)
		return err
	})
	if err == nil && in.Assigned != nil {
		in.Assigned(groups.GroupOf())
	}
	return r, err
}

// stretch is the number of groups between two checks of the context.
const stretch = 1 << 12

// NewFragment makes the (gid, sub-tuple, count) relation of one table, with the groups of the
// partition as gids.
func NewFragment(ctx context.Context, table Table, groups *Partition) (*anonymize.Fragment, error) {
	p := table.Projection
	f := &anonymize.Fragment{Name: table.Name, Role: table.Role, GroupStart: make([]uint32, 1, len(groups.Start))}
	id := anonymize.Gather(p.ID, groups.Member)
	f.Count = make([]uint32, 0, len(id))
	scratch := make([]uint32, len(p.Frequency))
	tuples := id[:0] // each sub-tuple once; never ahead of the reading position
	for g := range groups.Groups() {
		if g%stretch == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		members := id[groups.Start[g]:groups.Start[g+1]]
		sortIDs(members, scratch)
		for i, m := range members {
			if i > 0 && m == tuples[len(tuples)-1] {
				f.Count[len(f.Count)-1]++
				continue
			}
			tuples = append(tuples, m)
			f.Count = append(f.Count, 1)
		}
		f.GroupStart = append(f.GroupStart, uint32(len(tuples)))
	}
	f.Count = slices.Clip(f.Count)
	for _, c := range p.Columns {
		f.Columns = append(f.Columns, newFragmentColumn(c, p, tuples))
	}
	return f, ctx.Err()
}

// newFragmentColumn returns the code of every tuple. It shares the raw column's dictionary.
func newFragmentColumn(c *anonymize.Column, p *Projection, tuples []uint32) *anonymize.FragmentColumn {
	codeOf := make([]uint32, len(p.Frequency))
	for id, record := range p.Sample {
		if p.Frequency[id] > 0 {
			codeOf[id] = c.Codes[record]
		}
	}
	return &anonymize.FragmentColumn{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary, Codes: anonymize.Gather(codeOf, tuples)}
}

// sortIDs sorts the sub-tuples of one group: small groups, and those with many different
// sub-tuples, by comparison (a factor of the group's logarithm, not the table's), others by
// counting. scratch is zero before and after.
func sortIDs(ids, scratch []uint32) {
	if len(ids) < 64 || len(scratch) > 8*len(ids) {
		slices.Sort(ids)
		return
	}
	for _, id := range ids {
		scratch[id]++
	}
	at := 0
	for id, n := range scratch {
		for range n {
			ids[at] = uint32(id)
			at++
		}
	}
	clear(scratch)
}
