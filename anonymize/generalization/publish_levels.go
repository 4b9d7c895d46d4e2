package generalization

import (
	"context"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// PublishCells is Publish for cells that are made already: generalized has a cell
// of every attribute for every class of the partition, which are the groups, too.
// O(rows x attributes).
func PublishCells(ctx context.Context, method string, in *anonymize.Input, generalized []*Generalized,
	classes *bucketization.Partition, random *rand.Rand) (*anonymize.Release, error) {
	classOf := classes.GroupOf()
	columns := make([]*anonymize.Column, len(generalized))
	for i, g := range generalized {
		columns[i] = &anonymize.Column{Name: g.Column.Name, Type: g.Column.Type,
			Dictionary: make([]anonymize.Value, len(g.Cells)), Codes: bucketization.Gather(g.Of, classOf)}
	}
	cells, err := bucketization.NewProjection(ctx, columns)
	if err != nil {
		return nil, err
	}
	r, err := bucketization.Publish(ctx, method, in, classes, []bucketization.Table{
		bucketization.QuasiIdentifierTable(0, cells), bucketization.SensitiveTable(in.Sensitive[0])}, random)
	if err != nil {
		return nil, err
	}
	for i, c := range r.Fragments[0].Columns {
		c.Dictionary, c.Cells = generalized[i].Dictionary, generalized[i].Cells
	}
	return r, nil
}
