package dynamic

import (
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/clustering"
)

// A group is one of the paper's gids: its published records, counterfeits included.
type group struct {
	members []int // records, in order of arrival
	centre  *clustering.Centre
	sum     float64 // of c log c over the counts c of values
	links   int     // Tlink, Definition 9
}

func (p *printer) newGroup() *group { return &group{centre: p.space.NewCentre()} }

// open begins a group with a new number.
func (p *printer) open() uint32 {
	p.gid = append(p.gid, p.newGroup())
	p.groups++
	return uint32(p.groups - 1)
}

// join adds a record to a group.
func (p *printer) join(g uint32, r int) {
	p.records[r].group = g
	p.gid[g].add(p, r)
}

// leave removes a record from its group; the record then waits.
func (p *printer) leave(r int) {
	g := p.records[r].group
	p.records[r].group = anonymize.Waiting
	p.gid[g].remove(p, r)
}

func (g *group) add(p *printer, r int) {
	values, classes := g.occurrences(p, p.records[r].value)
	g.sum += clustering.XLogX(values+1) - clustering.XLogX(values)
	g.links += values + classes
	g.members = append(g.members, r)
	g.centre.Add(p.records[r].row)
}

func (g *group) remove(p *printer, r int) {
	g.members = slices.DeleteFunc(g.members, func(m int) bool { return m == r })
	g.centre.Remove(p.records[r].row)
	values, classes := g.occurrences(p, p.records[r].value)
	g.sum -= clustering.XLogX(values+1) - clustering.XLogX(values)
	g.links -= values + classes
}

// occurrences counts the members with a value, and those with a value of its class.
func (g *group) occurrences(p *printer, value uint32) (values, classes int) {
	for _, m := range g.members {
		if v := p.records[m].value; v == value {
			values++
			classes++
		} else if p.catalogue.Class[v] == p.catalogue.Class[value] {
			classes++
		}
	}
	return values, classes
}

// persons returns the members that are not counterfeits.
func (g *group) persons(p *printer) []int {
	var persons []int
	for _, m := range g.members {
		if p.records[m].kind == anonymize.Person {
			persons = append(persons, m)
		}
	}
	return persons
}

// bestGroup returns the group that gains most by a record, the first of several; -1 without
// groups. With union, the record is a group that the other one joins, as in Algorithm 2:
// f_link({r}, {r} + gid), where a group's gain is its whole entropy. Otherwise the record
// joins: f_link(gid, gid + {r}). O(records + groups).
func (p *printer) bestGroup(groups []*group, r int, union bool) (best int, most float64) {
	best, most = -1, math.Inf(-1)
	for i, g := range groups {
		if g == nil || len(g.members) == 0 {
			continue
		}
		if worth := g.gainOf(p, r, union); worth > most {
			best, most = i, worth
		}
	}
	return best, most
}

// gainOf is Definition 11 with the signs of package clustering.
func (g *group) gainOf(p *printer, r int, union bool) float64 {
	values, classes := g.occurrences(p, p.records[r].value)
	n := float64(len(g.members))
	gain := math.Log10(n+1) - (g.sum+clustering.XLogX(values+1)-clustering.XLogX(values))/(n+1)
	if !union {
		gain -= math.Log10(n) - g.sum/n
	}
	distance := p.space.Distance(g.centre.Centroid(), p.space.Coordinates(p.records[r].row))
	linkage := float64(g.links+values+classes) / ((n + 1) * n)
	return p.weights.Alpha*gain - p.weights.Beta*distance - p.weights.Gamma*linkage
}
