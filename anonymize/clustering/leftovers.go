package clustering

import (
	"context"
	"math"
	"slices"
)

// leftovers is Algorithm 1, lines 24-32: fewer than K records are left, and each
// goes to the group to which it is worth most. O(n (log K + q)) in all: there are
// n/K groups.
func (g *grower) leftovers(ctx context.Context, order []uint32) error {
	var left []uint32
	for _, r := range order {
		if g.group[r] == unassigned {
			left = append(left, r)
		}
	}
	if len(left) == 0 {
		return nil
	}
	groups := g.summaries()
	for _, r := range left {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		best, most := 0, math.Inf(-1)
		for i := range groups {
			if worth := groups[i].gainOf(g, r); worth > most {
				best, most = i, worth
			}
		}
		g.group[r] = uint32(best)
		groups[best].add(g, r)
	}
	return nil
}

// A summary is a group's data for the metric.
type summary struct {
	centre *Centre
	value  []uint32 // ascending
	class  []uint32 // ascending
	sum    float64  // of c log c
	links  int
}

func (g *grower) summaries() []summary {
	groups := make([]summary, g.groups)
	for i := range groups {
		groups[i].centre = g.Space.NewCentre()
	}
	for r, group := range g.group {
		if group != unassigned {
			groups[group].add(g, uint32(r))
		}
	}
	return groups
}

// occurrences returns the number of x in ascending values, and its position.
func occurrences(values []uint32, x uint32) (n, at int) {
	at, _ = slices.BinarySearch(values, x)
	end, _ := slices.BinarySearch(values[at:], x+1)
	return end, at
}

func (s *summary) add(g *grower, record uint32) {
	v := g.Value[record]
	class := g.Catalogue.Class[v]
	n, at := occurrences(s.value, v)
	m, classAt := occurrences(s.class, class)
	s.sum += XLogX(n+1) - XLogX(n)
	s.links += n + m
	s.value = slices.Insert(s.value, at, v)
	s.class = slices.Insert(s.class, classAt, class)
	s.centre.Add(record)
}

// gainOf computes Definition 11.
func (s *summary) gainOf(g *grower, record uint32) float64 {
	v := g.Value[record]
	n, _ := occurrences(s.value, v)
	m, _ := occurrences(s.class, g.Catalogue.Class[v])
	size, w := len(s.value), &g.bonus.Weights
	gain := entropy(s.sum+XLogX(n+1)-XLogX(n), size+1) - entropy(s.sum, size)
	return w.Alpha*gain - w.Beta*g.Space.Distance(s.centre.Centroid(), g.Space.Coordinates(record)) - w.Gamma*probability(s.links+n+m, size+1)
}
