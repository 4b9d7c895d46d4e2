package crossbucket

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/generalization"
)

// The cost of adding a record to a cluster equals the increase of the cells' penalties: for intervals, sets and
// taxonomy nodes, with NULLs.
func TestCosts(t *testing.T) {
	tree, err := anonymize.TaxonomyOfPaths([][]string{{"a", "ab", "abc", "*"}, {"b", "ab", "abc", "*"}, {"c", "c", "abc", "*"}, {"d", "de", "de", "*"}, {"e", "de", "de", "*"}},
		func(text string) (anonymize.Value, error) { return anonymize.TextValue(text), nil })
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 6))
		in := anontest.RandomTable(20, seed)
		jobs := make([]anonymize.Value, in.Rows)
		for i := range jobs {
			if jobs[i] = anonymize.TextValue(string(rune('a' + random.IntN(5)))); random.IntN(6) == 0 {
				jobs[i] = anonymize.NullValue
			}
		}
		attributes, err := generalization.NewAttributes(in)
		if err != nil {
			t.Fatal(err)
		}
		job, err := generalization.NewAttribute(anonymize.NewColumn("job", "TEXT", jobs), &anonymize.Domain{Scale: anonymize.Semantic, Taxonomy: tree})
		if err != nil {
			t.Fatal(err)
		}
		attributes = append(attributes, job)
		w := newTable(attributes, bucketization.NewBuckets(in.Sensitive[0], nil), parameters{k: 1, l: 1, m: 1, g: 1}).newWorker()
		all := anonymize.Indices(in.Rows)
		w.census(all)
		w.gather(all)
		members := []uint32{random.Uint32N(uint32(in.Rows))}
		w.cluster.open(w.x, members[0])
		cost := make([]int32, in.Rows)
		for range 4 {
			w.cluster.costs(w.x, all, cost)
			for _, record := range all {
				want := penaltyWith(attributes, append(slices.Clone(members), record)) - penaltyWith(attributes, members)
				if math.Abs(float64(cost[record])/unit-want) > 1e-4 {
					t.Fatalf("seed %d: record %d costs %v, want %v", seed, record, float64(cost[record])/unit, want)
				}
			}
			members = append(members, random.Uint32N(uint32(in.Rows)))
			w.cluster.join(w.x, members[len(members)-1])
		}
		w.cluster.forget(w.x, members)
	}
}

// penaltyWith is the sum of the penalties of the cells of these records.
func penaltyWith(attributes []*generalization.Attribute, records []uint32) (sum float64) {
	for _, a := range attributes {
		var places []uint32
		for _, record := range records {
			places = append(places, a.Place[record])
		}
		slices.Sort(places)
		places = slices.Compact(places)
		if a.Scale == anonymize.Nominal && len(places) > 1 {
			sum += float64(len(places)) / float64(a.Places)
			continue
		}
		sum += a.Penalty(places[0], places[len(places)-1])
	}
	return sum
}

// Several blocks on one core and on all give the same release.
func TestCoresDoNotMatter(t *testing.T) {
	in := anontest.People(40_000, 1)
	var releases []*anonymize.Release
	for _, cores := range []int{1, 3} {
		before := runtime.GOMAXPROCS(cores)
		in.Random = rand.NewPCG(1, 1)
		releases = append(releases, anontest.MustRun(t, Method(), in, anonymize.Arguments{"k": "3", "l": "5"}))
		runtime.GOMAXPROCS(before)
	}
	for i, c := range releases[0].Fragments[0].Columns {
		if !slices.Equal(c.Codes, releases[1].Fragments[0].Columns[i].Codes) {
			t.Fatalf("column %s differs", c.Name)
		}
	}
}
