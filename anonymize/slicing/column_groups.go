package slicing

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/association"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// groupColumns is Section 4.1: it clusters attributes by their association, phi^2. The
// sensitive attribute's column group is the last one, and the sensitive attribute is the last
// of its group.
//
// With sa_column=alone it clusters only the quasi-identifiers. With sa_column=grouped the
// sensitive attribute is clustered too, with one cluster more, and may still end up alone.
//
// It keeps given groups, with the sensitive attribute in the last one, or alone.
func groupColumns(ctx context.Context, in *anonymize.Input, p *parameters) ([][]*anonymize.Column, error) {
	if in.Layout != nil {
		groups, last := in.InLayout(), in.Sensitive[:1:1]
		if n := len(groups) - 1; slices.Contains(in.Layout[n], in.Sensitive[0].Name) {
			groups, last = groups[:n], append(groups[n], in.Sensitive[0])
		}
		return append(groups, last), nil
	}
	columns, k := in.QuasiIdentifiers, p.tables
	if p.grouped {
		columns, k = append(slices.Clone(columns), in.Sensitive[0]), k+1
	}
	clusters, err := clusterColumns(ctx, columns, k, p.phi)
	if err != nil {
		return nil, err
	}
	var groups [][]*anonymize.Column
	last := in.Sensitive[:1:1]
	for _, members := range clusters {
		group := anonymize.Gather(columns, members)
		if p.grouped && slices.Contains(group, in.Sensitive[0]) {
			last = group
			continue
		}
		groups = append(groups, group)
	}
	return append(groups, last), nil
}

func clusterColumns(ctx context.Context, columns []*anonymize.Column, k int, o association.Options) ([][]int, error) {
	// A trivial clustering needs no comparisons.
	if k == 1 || k == len(columns) {
		return trivialClusters(len(columns), k), nil
	}
	phi, err := association.Matrix(ctx, columns, o)
	if err != nil {
		return nil, err
	}
	return cluster(ctx, newDistances(phi), k)
}

// Cluster is Section 4.1 for callers that have phi^2 of m attributes from counts; it returns
// the attributes of every column group. k is 1 to m; phi, m x m, is not read for k = 1 or m.
func Cluster(ctx context.Context, m int, phi [][]float64, k int) ([][]int, error) {
	if k == 1 || k == m {
		return trivialClusters(m, k), nil
	}
	return cluster(ctx, newDistances(phi), k)
}

// trivialClusters returns one cluster of all attributes, or k = m single ones.
func trivialClusters(m, k int) [][]int {
	clusters := make([][]int, k)
	for i := range m {
		clusters[i%k] = append(clusters[i%k], i)
	}
	return clusters
}

// project numbers the sub-tuples of every column group, groups in parallel.
func project(ctx context.Context, columns [][]*anonymize.Column) ([]bucketization.Table, error) {
	tables := make([]bucketization.Table, len(columns))
	err := parallel.Run(ctx, len(columns), func(i int) error {
		p, err := bucketization.NewProjection(ctx, columns[i])
		tables[i] = bucketization.QuasiIdentifierTable(i, p)
		return err
	})
	last := &tables[len(tables)-1]
	last.Name, last.Role = "sa", anonymize.Sensitive
	if len(columns[len(columns)-1]) > 1 {
		last.Role = anonymize.Mixed
	}
	return tables, err
}
