package locality

import (
	"context"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// Order returns every record's place in the locality order of columns, a permutation of 0 ..
// n-1: similar records have near places. It depends only on the columns; records that are equal
// in all of them are in the table's order, which [Arrange] replaces by a random one. An
// attacker who knows the quasi-identifiers of all records knows their places up to that, which
// is where a rank attack starts.
func Order(ctx context.Context, columns []*anonymize.Column) (position []uint32, err error) {
	return placesOf(ctx, columns, anonymize.Indices(columns[0].Rows()))
}

// Arrange returns the places for a grouping: those of [Order], but equal records in random
// order, and every record moved by up to jitter places in either direction at random (then
// ranked again, so that places stay a permutation). A jitter as large as the table makes the
// order nearly meaningless.
func Arrange(ctx context.Context, columns []*anonymize.Column, jitter int, random *rand.Rand) (position []uint32, err error) {
	records := anonymize.Indices(columns[0].Rows())
	bucketization.Shuffle(records, random)
	position, err = placesOf(ctx, columns, records)
	if err != nil || jitter == 0 {
		return position, err
	}
	return perturb(position, min(jitter, len(position)), random), nil
}

// placesOf sorts the records stably.
func placesOf(ctx context.Context, columns []*anonymize.Column, records []uint32) ([]uint32, error) {
	t := newTree(columns, records)
	if err := t.arrange(ctx); err != nil {
		return nil, err
	}
	position := make([]uint32, len(records))
	for place := range records {
		position[t.record(place)] = uint32(place)
	}
	return position, nil
}

// perturb adds a uniform number of -jitter .. jitter to every place and ranks the sums, ties at
// random. O(n).
func perturb(position []uint32, jitter int, random *rand.Rand) []uint32 {
	span := 2*jitter + 1
	key := make([]uint32, len(position))
	records := make([]uint32, len(position))
	for record, place := range position {
		key[record] = place + random.Uint32N(uint32(span))
		records[record] = uint32(record)
	}
	bucketization.Shuffle(records, random)
	for place, record := range bucketization.CountingSort(records, key, len(position)+span) {
		position[record] = uint32(place)
	}
	return position
}
