package dynamic

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/clustering"
)

// insert is Algorithm 2 for a waiting record r, then Algorithm 3.
func (p *printer) insert(ctx context.Context, r int) error {
	p.cache = append(p.cache, r) // line 4
	recent, err := p.regroup(ctx)
	if err != nil {
		return err
	}
	old, most := p.bestGroup(p.gid, r, true)
	young, more := p.bestGroup(p.recentWithout(recent, r), r, true)
	if old >= 0 && (young < 0 || most > more) { // lines 8-11
		p.join(uint32(old), r)
		p.protect(uint32(old), p.records[r].value)
		return nil
	}
	if young < 0 {
		return p.errShortOfGroups(1)
	}
	return p.exchange(recent[young], r)
}

// regroup is line 5, GID_H: Algorithm 1 over the cache, once it has K persons.
func (p *printer) regroup(ctx context.Context) ([][]int, error) {
	if len(p.cache) < p.metric.k {
		return nil, nil
	}
	records := make([]uint32, len(p.cache))
	for i, r := range p.cache {
		records[i] = uint32(r)
	}
	task, err := p.task(p.input(records))
	if err != nil {
		return nil, err
	}
	task.Report = nil
	groups, err := clustering.Grow(ctx, task, p.weights)
	if err != nil {
		return nil, err
	}
	recent := make([][]int, groups.Groups())
	for g := range recent {
		recent[g] = anonymize.Gather(p.cache, groups.Records(g))
	}
	return recent, nil
}

// recentWithout returns the groups of GID_H for the metric, without r, which is in one of them.
func (p *printer) recentWithout(recent [][]int, r int) []*group {
	groups := make([]*group, len(recent))
	for i, members := range recent {
		groups[i] = p.newGroup()
		for _, m := range members {
			if m != r {
				groups[i].add(p, m)
			}
		}
	}
	return groups
}

// exchange is lines 13-16: the persons of a group of GID_H, and r, leave their groups and form
// a new one. It dissolves groups with fewer than K remaining records.
func (p *printer) exchange(members []int, r int) error {
	var left []uint32
	if !slices.Contains(members, r) {
		members = append(slices.Clone(members), r)
	}
	g := p.open()
	for _, m := range members {
		if p.records[m].published() {
			left = append(left, p.records[m].group)
			p.leave(m)
		}
		p.join(g, m)
	}
	p.protect(g, p.records[r].value)
	for _, h := range left {
		if p.gid[h] != nil && p.isTooSmall(h) {
			if err := p.dissolve(h); err != nil {
				return err
			}
		}
	}
	return nil
}
