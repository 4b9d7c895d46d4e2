package dynamic

import "github.com/anonsql/anonsql/anonymize"

// protect is Algorithm 3 for a group in which a record with that sensitive value arrived, left
// or changed: the group's counterfeit gets another value, or if there is none, the group gets a
// counterfeit with the quasi-identifiers of a member.
func (p *printer) protect(gid uint32, value uint32) {
	g := p.gid[gid]
	for _, m := range g.members {
		if p.records[m].kind != anonymize.Person {
			g.remove(p, m)
			p.records[m].value = p.forge(value, p.records[m].value)
			g.add(p, m)
			return
		}
	}
	like := p.records[g.members[p.random.IntN(len(g.members))]]
	p.records = append(p.records, record{row: like.row, value: p.forge(value, value), kind: p.kind})
	p.join(gid, len(p.records)-1)
}

// forge draws a counterfeit's value, other than its current one, from those that are not linked
// to value; for DPP, from those not equal to it. If there are none, it relaxes the condition:
// not equal, then any.
func (p *printer) forge(value, now uint32) uint32 {
	unlinked := func(v uint32) bool { return v != now && p.catalogue.Link(v, value) == 0 }
	different := func(v uint32) bool { return v != now && v != value }
	unequal := func(v uint32) bool { return v != value }
	rules := []func(uint32) bool{unlinked, different, unequal}
	if p.Method.Name == "dpp" {
		rules = rules[1:]
	}
	for _, allowed := range rules {
		var values []uint32
		for _, v := range p.domain {
			if allowed(v) {
				values = append(values, v)
			}
		}
		if len(values) > 0 {
			return values[p.random.IntN(len(values))]
		}
	}
	return value
}
