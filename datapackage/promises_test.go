package datapackage

import (
	"context"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// Promises with more than a bound survive the round trip: an importer recomputes them.
func TestRoundTripOfPromises(t *testing.T) {
	p := sampled(t)
	bound := anonymize.NewRatio(9, 10)
	hierarchy := &anonymize.Hierarchy{Parent: []int{-1}, Height: []int{2}}
	for range 12 { // the diseases of sampled are all different
		hierarchy.Parent, hierarchy.Height = append(hierarchy.Parent, 0), append(hierarchy.Height, 0)
		hierarchy.Leaf = append(hierarchy.Leaf, len(hierarchy.Parent)-1)
	}
	p.Release.Promises = []anonymize.Promise{
		{Guarantee: "recursive", Bound: bound, Threshold: anonymize.NewRatio(3, 1)},
		{Guarantee: "t_hierarchical", Bound: bound, Hierarchy: hierarchy}}
	var err error
	if p.Guarantees, err = privacy.Verify(p.Release); err != nil {
		t.Fatal(err)
	}
	if err := privacy.FirstBroken(p.Guarantees); err != nil {
		t.Fatal(err)
	}
	got, err := Read(context.Background(), os.DirFS(writtenFolder(t, p, CSV)), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Guarantees, p.Guarantees) {
		t.Errorf("the guarantees are\n%+v\nwere\n%+v", got.Guarantees, p.Guarantees)
	}
	// A package that claims a better figure than its relations have is refused.
	for i := range p.Guarantees {
		if p.Guarantees[i].Name == "t_hierarchical" {
			p.Guarantees[i].Achieved /= 2
		}
	}
	if _, err := Read(context.Background(), os.DirFS(writtenFolder(t, p, CSV)), Limits{}); err == nil {
		t.Error("a package that says half of its distance was read")
	}
}

// What a package says of a guarantee beside its figure is recomputed, too: which group is the worst, and of what.
func TestStatedDetailsAreRecomputed(t *testing.T) {
	p := sampled(t)
	want := slices.Clone(p.Guarantees)
	for i := range p.Guarantees {
		p.Guarantees[i].Detail, p.Guarantees[i].WorstGroup, p.Guarantees[i].Holds = "of nothing", 2, false
	}
	got, err := Read(context.Background(), os.DirFS(writtenFolder(t, p, CSV)), Limits{})
	if err != nil || !reflect.DeepEqual(got.Guarantees, want) {
		t.Errorf("%v: the guarantees are\n%+v\nwant\n%+v", err, got.Guarantees, want)
	}
}
