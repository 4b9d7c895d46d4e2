package units

import (
	"context"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// Reduce returns a release with one row per unit, its table and the group of every unit, for measures
// of persons that count rows. in has the records that r publishes, groupOf their groups. The table has
// one value of a quasi-identifier that varies within a unit. If units are records, Reduce returns r.
//
// It returns a *anonymize.DataError if a sensitive attribute or generalized cells vary within a unit, which then has no single value.
func Reduce(ctx context.Context, r *anonymize.Release, in *anonymize.Input, groupOf []uint32) (*anonymize.Release, *anonymize.Input, []uint32, error) {
	if r.Units == nil {
		return r, in, groupOf, nil
	}
	all := &stratum{}
	for _, s := range strata(in) {
		all.units = append(all.units, s.units...)
	}
	for _, c := range in.Sensitive {
		if !all.isConstant(c) {
			return nil, nil, nil, &anonymize.DataError{Reason: c.Name + " varies in a unit"}
		}
	}
	table := all.input(in)
	reduced := r.PerUnit()
	reduced.Units = nil
	units, groups := make([]uint32, len(all.units)), make([]uint32, len(all.units))
	for i, u := range all.units {
		units[i], groups[i] = uint32(i), groupOf[u[0]]
	}
	partition := bucketization.NewPartition(units, groups, r.Groups())
	for i, f := range reduced.Fragments {
		var err error
		if reduced.Fragments[i], err = reduceFragment(ctx, f, table, partition); err != nil {
			return nil, nil, nil, err
		}
	}
	return reduced, table, groups, nil
}

// reduceFragment returns a fragment of the table's rows. It keeps generalized cells, whose tuples have a unit's count already.
func reduceFragment(ctx context.Context, f *anonymize.Fragment, table *anonymize.Input, groups *bucketization.Partition) (*anonymize.Fragment, error) {
	if slices.ContainsFunc(f.Columns, func(c *anonymize.FragmentColumn) bool { return !c.IsPoint() }) {
		reduced := *f
		reduced.Units = nil
		for g := range groups.Groups() {
			sum := uint32(0)
			for _, n := range f.Count[f.GroupStart[g]:f.GroupStart[g+1]] {
				sum += n
			}
			if int(sum) != len(groups.Records(g)) {
				return nil, &anonymize.DataError{Reason: fmt.Sprintf("cells of fragment %s vary in a unit", f.Name)}
			}
		}
		return &reduced, nil
	}
	var columns []*anonymize.Column
	all := slices.Concat(table.QuasiIdentifiers, table.Sensitive)
	for _, c := range f.Columns {
		columns = append(columns, all[slices.IndexFunc(all, func(of *anonymize.Column) bool { return of.Name == c.Name })])
	}
	p, err := bucketization.NewProjection(ctx, columns)
	if err != nil {
		return nil, err
	}
	return bucketization.NewFragment(ctx, bucketization.Table{Name: f.Name, Role: f.Role, Projection: p}, groups)
}
