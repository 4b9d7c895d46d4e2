package dynamic

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
)

// delete is Algorithm 4.
func (p *printer) delete(r int) error {
	gid, value := p.records[r].group, p.records[r].value
	if !p.records[r].published() {
		p.records[r].group = removed
		return nil
	}
	p.leave(r) // line 2
	p.records[r].group = removed
	if p.isTooSmall(gid) {
		return p.dissolve(gid)
	}
	p.protect(gid, value) // lines 3-5
	return nil
}

// isTooSmall reports whether a group has too few records or no person.
func (p *printer) isTooSmall(gid uint32) bool {
	g := p.gid[gid]
	return len(g.members) < p.metric.k || len(g.persons(p)) == 0
}

// dissolve is lines 7-18: the persons of a group move, in random order, each to the group that
// gains most by them and then changes by Algorithm 3. The group's counterfeits no longer
// protect anybody and are dropped.
func (p *printer) dissolve(gid uint32) error {
	persons := p.gid[gid].persons(p)
	for _, m := range p.gid[gid].members {
		p.records[m].group = removed
	}
	p.gid[gid] = nil
	p.random.Shuffle(len(persons), func(i, j int) { persons[i], persons[j] = persons[j], persons[i] })
	for _, r := range persons {
		to, _ := p.bestGroup(p.gid, r, false)
		if to < 0 {
			return p.errShortOfGroups(len(persons))
		}
		p.join(uint32(to), r)
		p.protect(uint32(to), p.records[r].value)
	}
	return nil
}

// errShortOfGroups reports that there is no group for some persons.
func (p *printer) errShortOfGroups(persons int) error {
	return &anonymize.DataError{Reason: fmt.Sprintf("no group of %d records is left for %d persons", p.metric.k, persons)}
}
