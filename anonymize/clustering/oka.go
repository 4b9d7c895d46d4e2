package clustering

import (
	"cmp"
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// OnePass is the one-pass k-means algorithm, OKA: Lin and Wei, An Efficient
// Clustering Method for k-Anonymization, 2008. Records in the order of their
// quasi-identifiers join the nearest of n/K clusters, which begin with a random
// record each and whose centroids move with every record; then clusters of more
// than K give up the farthest ones, which fill the nearest cluster of fewer, and
// when there is none of these, join the nearest.
func OnePass(ctx context.Context, t *Task) (*bucketization.Partition, error) {
	o := t.seeds()
	for i, r := range t.sorted() {
		if err := t.pace(ctx, i, i); err != nil {
			return nil, err
		}
		if o.group[r] == unassigned {
			o.join(o.search, r, o.nearestGroup(o.search, r))
		}
	}
	if err := o.adjust(ctx); err != nil {
		return nil, err
	}
	return t.partition(o.group, len(o.centres)), ctx.Err()
}

// onePass holds clusters under construction.
type onePass struct {
	*Task
	group   []uint32  // by record
	centres []*Centre // by cluster
	at      []float64 // their centroids
	search  searcher
	joined  int // since the search was last rebuilt
}

func (t *Task) seeds() *onePass {
	o := &onePass{Task: t, group: make([]uint32, t.records()), centres: make([]*Centre, t.records()/t.K)}
	for i := range o.group {
		o.group[i] = unassigned
	}
	q := len(t.Space.axes)
	o.at = make([]float64, len(o.centres)*q)
	for c, seed := range t.shuffled()[:len(o.centres)] {
		o.centres[c] = t.Space.NewCentre()
		o.centres[c].Add(seed)
		o.group[seed] = uint32(c)
		copy(o.at[c*q:], o.centres[c].Centroid())
	}
	o.search = o.newSearch(nil)
	return o
}

// newSearch returns a search among the clusters for which out is false.
func (o *onePass) newSearch(out func(cluster int) bool) searcher {
	clusters := make([]uint32, 0, len(o.centres))
	for c := range o.centres {
		if out == nil || !out(c) {
			clusters = append(clusters, uint32(c))
		}
	}
	return newSearcher(o.Space, o.at, nil, clusters, o.Exact)
}

func (o *onePass) nearestGroup(search searcher, record uint32) uint32 {
	cluster, _ := search.bestPoint(&query{at: o.Space.Coordinates(record), beta: 1})
	return cluster
}

// join adds a record to a cluster and moves its centroid.
func (o *onePass) join(search searcher, record, cluster uint32) {
	o.group[record] = cluster
	o.centres[cluster].Add(record)
	q := len(o.Space.axes)
	copy(o.at[int(cluster)*q:], o.centres[cluster].Centroid())
	search.moved(cluster)
	if o.joined++; search == o.search && o.joined > len(o.centres) {
		o.search, o.joined = o.newSearch(nil), 0
	}
}

// sorted returns the records in the order of their coordinates.
func (t *Task) sorted() []uint32 {
	order := t.shuffled()
	slices.SortStableFunc(order, func(x, y uint32) int { return slices.Compare(t.Space.Coordinates(x), t.Space.Coordinates(y)) })
	return order
}

// adjust is the second stage.
func (o *onePass) adjust(ctx context.Context) error {
	left := o.strip()
	bucketization.Shuffle(left, o.Random)
	size, short := make([]int, len(o.centres)), 0
	for _, g := range o.group {
		if g != unassigned {
			size[g]++
		}
	}
	for _, n := range size {
		if n < o.K {
			short++
		}
	}
	lacking := o.newSearch(func(c int) bool { return size[c] >= o.K })
	o.search, o.joined = o.newSearch(nil), 0
	for i, r := range left {
		if i%stretch == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if short == 0 {
			o.join(o.search, r, o.nearestGroup(o.search, r))
			continue
		}
		c := o.nearestGroup(lacking, r)
		o.join(lacking, r, c)
		o.search.moved(c)
		if size[c]++; size[c] == o.K {
			lacking.remove(c)
			short--
		}
	}
	return nil
}

// strip removes the records farthest from the centroid from clusters of more than K, and
// returns them.
func (o *onePass) strip() (out []uint32) {
	clusters := o.partition(o.group, len(o.centres))
	for c := range o.centres {
		members := slices.Clone(clusters.Records(c))
		if len(members) <= o.K {
			continue
		}
		centroid := o.centres[c].Centroid()
		slices.SortStableFunc(members, func(x, y uint32) int {
			return cmp.Compare(o.Space.Distance(centroid, o.Space.Coordinates(x)), o.Space.Distance(centroid, o.Space.Coordinates(y)))
		})
		for _, r := range members[o.K:] {
			o.centres[c].Remove(r)
			o.group[r] = unassigned
			out = append(out, r)
		}
		q := len(o.Space.axes)
		copy(o.at[c*q:], o.centres[c].Centroid())
	}
	return out
}
