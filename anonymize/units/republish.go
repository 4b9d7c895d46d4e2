package units

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// Republish publishes groups of units as like does, in fragments of the same columns: values where like has values, else cells as tight as the
// group allows. in has [anonymize.Input.Units], groupOf the groups of its records: 0 to groups-1, each with units of equally many records and all
// records of these. Gids are numbered at random; in.Assigned is told. Promises are the caller's.
//
// With like the release that [Run] made of these groups, the new one tells of each what like tells.
func Republish(ctx context.Context, like *anonymize.Release, in *anonymize.Input, groupOf []uint32, groups int) (*anonymize.Release, error) {
	t := &table{columns: make(map[string]*anonymize.Column), unit: in.Units}
	for record := range in.Rows {
		t.rows = append(t.rows, uint32(record))
	}
	for _, c := range slices.Concat(in.QuasiIdentifiers, in.Sensitive) {
		t.columns[c.Name] = c
	}
	order := make([]uint32, groups)
	for g := range order {
		order[g] = uint32(g)
	}
	bucketization.Shuffle(order, rand.New(in.Random))
	t.groups = bucketization.NewPartition(t.rows, groupOf, groups).InOrder(order)
	release := &anonymize.Release{Method: like.Method, Rows: in.Rows}
	for g := range groups {
		records := t.groups.Records(g)
		release.GroupSizes = append(release.GroupSizes, uint32(len(records)))
		units := bucketization.Gather(in.Units, records)
		slices.Sort(units)
		release.Units = append(release.Units, uint32(len(slices.Compact(units))))
	}
	for _, f := range like.Fragments {
		published, facts, err := t.republished(ctx, f, in)
		if err != nil {
			return nil, err
		}
		release.Fragments, release.Facts = append(release.Fragments, published), append(release.Facts, facts...)
	}
	if in.Assigned != nil {
		in.Assigned(t.groups.GroupOf())
	}
	return release, nil
}

// republished is a fragment of the columns of f.
func (t *table) republished(ctx context.Context, f *anonymize.Fragment, in *anonymize.Input) (*anonymize.Fragment, []anonymize.Fact, error) {
	columns := make([]*anonymize.Column, len(f.Columns))
	for i, c := range f.Columns {
		columns[i] = t.columns[c.Name]
	}
	publish := t.points
	if isGeneralized(f) {
		publish = func(ctx context.Context, f *anonymize.Fragment, columns []*anonymize.Column) (*anonymize.Fragment, []anonymize.Fact, error) {
			return t.generalized(ctx, f, columns, in)
		}
	}
	published, facts, err := publish(ctx, f, columns)
	if err == nil {
		t.markConstant(published)
	}
	return published, facts, err
}
