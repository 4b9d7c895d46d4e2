package slppa

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// publish is Section 4.1, step 4: one fragment per projection, the last of which
// is the sensitive attribute's. Gids are a random renumbering of the groups, and
// a group's sub-tuples are stored once each, by their codes, with their counts.
func publish(ctx context.Context, groups *partition, projections []*projection, random *rand.Rand) (*anonymize.Release, error) {
	groups = renumbered(groups, random)
	r := &anonymize.Release{
		Method:     "slppa",
		Rows:       len(groups.member),
		GroupSizes: make([]uint32, groups.groups()),
		Fragments:  make([]*anonymize.Fragment, len(projections)),
	}
	for g := range r.GroupSizes {
		r.GroupSizes[g] = groups.start[g+1] - groups.start[g]
	}
	err := share(len(projections), func(i int) (err error) {
		name, role := tableName(i), anonymize.QuasiIdentifying
		if i == len(projections)-1 {
			name, role = "sa", anonymize.Sensitive
		}
		r.Fragments[i], err = newFragment(ctx, name, role, groups, projections[i])
		return err
	})
	return r, err
}

// renumbered puts the groups into random order.
func renumbered(p *partition, random *rand.Rand) *partition {
	order := make([]uint32, p.groups())
	for g := range order {
		order[g] = uint32(g)
	}
	shuffle(order, random)
	q := &partition{start: make([]uint32, 1, len(p.start)), member: make([]uint32, 0, len(p.member))}
	for _, g := range order {
		q.member = append(q.member, p.member[p.start[g]:p.start[g+1]]...)
		q.start = append(q.start, uint32(len(q.member)))
	}
	return q
}

// newFragment writes the (gid, sub-tuple, count) relation of one projection.
func newFragment(ctx context.Context, name string, role anonymize.FragmentRole, groups *partition, p *projection) (*anonymize.Fragment, error) {
	f := &anonymize.Fragment{Name: name, Role: role, GroupStart: make([]uint32, 1, len(groups.start))}
	id := gather(p.id, groups.member)
	f.Count = make([]uint32, 0, len(id))
	scratch := make([]uint32, len(p.frequency))
	tuples := id[:0] // each sub-tuple once; never ahead of what is still to be read
	for g := range groups.groups() {
		if g%stretch == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		members := id[groups.start[g]:groups.start[g+1]]
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
	for _, c := range p.columns {
		f.Columns = append(f.Columns, newFragmentColumn(c, p, tuples))
	}
	return f, ctx.Err()
}

// newFragmentColumn looks up the code of every tuple. The dictionary is the raw
// column's, shared.
func newFragmentColumn(c *anonymize.Column, p *projection, tuples []uint32) *anonymize.FragmentColumn {
	codeOf := make([]uint32, len(p.frequency))
	for id, record := range p.sample {
		if p.frequency[id] > 0 {
			codeOf[id] = c.Codes[record]
		}
	}
	return &anonymize.FragmentColumn{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary, Codes: gather(codeOf, tuples)}
}

// sortIDs sorts the sub-tuples of one group: small groups, or such of many
// different sub-tuples, by comparison (a factor of log of the group, not of the
// table), others by counting. scratch is zero before and after.
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
