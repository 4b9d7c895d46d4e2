package clustering

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// FarthestFirst is the improved k-anonymity algorithm based on clustering, IKA,
// as Yan et al. 2021 describe it: the first centre is the record nearest to the
// centroid of the table, a centre takes the K-1 records nearest to it, the next
// centre is the record that is farthest from the nearest centre; records left
// join the cluster of the nearest centroid. It draws nothing at random.
func FarthestFirst(ctx context.Context, t *Task) (*bucketization.Partition, error) {
	order := t.shuffled()
	search := newSearcher(t.Space, t.Space.at, nil, order, t.Exact)
	group := make([]uint32, t.records())
	var centroids []float64
	take := func(record uint32, cluster int, centre *Centre) {
		search.remove(record)
		group[record] = uint32(cluster)
		centre.Add(record)
	}
	left, clusters := t.records(), 0
	next, _ := search.bestPoint(&query{at: t.Space.Centroid(order), beta: 1})
	for ; left >= t.K; left -= t.K {
		if err := t.pace(ctx, clusters, t.records()-left); err != nil {
			return nil, err
		}
		if clusters > 0 {
			next = search.farthest()
		}
		seed, centre := t.Space.Coordinates(next), t.Space.NewCentre()
		take(next, clusters, centre)
		for range t.K - 1 {
			near, _ := search.bestPoint(&query{at: seed, beta: 1})
			take(near, clusters, centre)
		}
		centroids = append(centroids, centre.Centroid()...)
		search.narrow(seed)
		clusters++
	}
	t.nearestCentroid(search, left, group, centroids)
	return t.partition(group, clusters), ctx.Err()
}

// nearestCentroid adds the remaining records, fewer than K, to clusters. It does not update
// their centroids, which nothing uses any more.
func (t *Task) nearestCentroid(search searcher, left int, group []uint32, centroids []float64) {
	if left == 0 {
		return
	}
	clusters := anonymize.Indices(len(centroids) / len(t.Space.axes))
	near := newSearcher(t.Space, centroids, nil, clusters, t.Exact)
	for ; left > 0; left-- {
		r := search.farthest()
		search.remove(r)
		group[r], _ = near.bestPoint(&query{at: t.Space.Coordinates(r), beta: 1})
	}
}
