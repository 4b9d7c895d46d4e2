package slicing

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/association"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/demand"
)

// Method returns slicing as a method of the list.
func Method() anonymize.Method {
	return anonymize.Method{
		Name:   "slicing",
		Title:  "Slicing: column groups by k-medoids, l-diverse buckets by Mondrian",
		Source: "Li et al., Slicing: A New Approach for Privacy Preserving Data Publishing, IEEE TKDE 24(3), 2012",
		Parameters: anonymize.Declare(paramL, paramTables, paramSAColumn, paramSplit, paramCheck,
			anonymize.Threshold, anonymize.Sets, association.Bins, association.Phi),
		Share:     bucketization.OneIn(paramL),
		Algorithm: run,
	}
}

// run is Section 4: attribute partitioning, tuple partitioning, publication.
func run(ctx context.Context, in *anonymize.Input, settings anonymize.Settings) (*anonymize.Release, error) {
	p, err := readParameters(in, settings)
	if err != nil {
		return nil, err
	}
	if p.grouped && in.ClosenessOf(in.Sensitive[0]) != nil {
		return nil, &anonymize.ParameterError{Parameter: "sa_column", Value: grouped,
			Rule: "must be " + alone + " with threshold or sa_sets, which are about all records of a bucket"}
	}
	buckets, err := countValues(in)
	if err != nil {
		return nil, err
	}
	in.Report("column groups", 0, 1)
	columns, err := groupColumns(ctx, in, &p)
	if err != nil {
		return nil, err
	}
	tables, err := project(ctx, columns)
	if err != nil {
		return nil, err
	}
	group := columns[len(columns)-1]
	if len(group) == 1 { // otherwise newSensitive checks more
		if err := buckets.CheckDiversity(p.l); err != nil {
			return nil, err
		}
	}
	s, err := newSensitive(ctx, buckets, group, p.l)
	if err != nil {
		return nil, err
	}
	random := rand.New(in.Random)
	groups, worst, err := partition(ctx, in, tables, s, &p)
	if err != nil {
		return nil, err
	}
	groups, kept, err := keep(ctx, in, groups, tables, random)
	if err != nil {
		return nil, err
	}
	in.Report("fragments", 0, 1)
	release, err := bucketization.Publish(ctx, "slicing", in, groups, tables, random)
	if err != nil {
		return nil, err
	}
	release.Promises = bucketization.Promises(p.l)
	release.Facts = slices.Concat(facts(tables, groups, &p, worst), kept)
	return release, nil
}

// keep merges buckets until they meet further requirements; unions preserve l. With
// sa_column=grouped these concern the records that agree in the columns beside the sensitive
// one, and are left to the verification.
func keep(ctx context.Context, in *anonymize.Input, groups *bucketization.Partition, tables []bucketization.Table,
	random *rand.Rand) (*bucketization.Partition, []anonymize.Fact, error) {
	if tables[len(tables)-1].Role != anonymize.Sensitive {
		return groups, nil, nil
	}
	return demand.KeepNear(ctx, in, groups, random)
}

// partition divides the records into buckets. With the global check, worst is
// the greatest p(t, s) of any record; it is 0 with the local one.
func partition(
	ctx context.Context,
	in *anonymize.Input,
	tables []bucketization.Table,
	s *sensitive,
	p *parameters,
) (groups *bucketization.Partition, worst float64, err error) {
	in.Report("buckets", 0, in.Rows)
	rows := newRows(in, s)
	axes := newAxes(in.QuasiIdentifiers)
	if !p.global {
		groups, err = mondrian(ctx, in, rows, axes, s, p)
		return groups, 0, err
	}
	check, err := newGlobalCheck(ctx, tables, s, p.l)
	if err != nil {
		return nil, 0, err
	}
	return check.mondrian(ctx, in, rows, axes, p)
}
