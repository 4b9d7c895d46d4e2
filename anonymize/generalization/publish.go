package generalization

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// Publish makes a release in which the records of an equivalence class have the same cells and
// the sensitive attribute is published by group: fragment qi1 with the cells, fragment sa with
// the values. classes divides the records into equivalence classes, groups into the groups
// within which cells and sensitive values are not linked (Mondrian: the same partition;
// cross-bucket: the buckets). The caller adds promises and facts. O(rows x attributes).
func Publish(ctx context.Context, method string, in *anonymize.Input, attributes []*Attribute,
	classes, groups *bucketization.Partition, random *rand.Rand) (*anonymize.Release, []*Generalized, error) {
	generalized := make([]*Generalized, len(attributes))
	err := parallel.Run(ctx, len(attributes), func(i int) (err error) {
		generalized[i], err = attributes[i].Generalize(ctx, classes)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	r, err := PublishCells(ctx, method, in, generalized, classes, groups, random)
	return r, generalized, err
}

// PublishCells is Publish for existing cells: generalized has a cell of every attribute for
// every class.
func PublishCells(ctx context.Context, method string, in *anonymize.Input, generalized []*Generalized,
	classes, groups *bucketization.Partition, random *rand.Rand) (*anonymize.Release, error) {
	columns := make([]*anonymize.Column, len(generalized))
	classOf := classes.GroupOf()
	for i, g := range generalized {
		columns[i] = &anonymize.Column{Name: g.Column.Name, Type: g.Column.Type,
			// Only its length matters: the projection numbers cells.
			Dictionary: make([]anonymize.Value, len(g.Cells)), Codes: anonymize.Gather(g.Of, classOf)}
	}
	cells, err := bucketization.NewProjection(ctx, columns)
	if err != nil {
		return nil, err
	}
	r, err := bucketization.Publish(ctx, method, in, groups, []bucketization.Table{
		bucketization.QuasiIdentifierTable(0, cells), bucketization.SensitiveTable(in.Sensitive[0])}, random)
	if err != nil {
		return nil, err
	}
	for i, c := range r.Fragments[0].Columns {
		c.Dictionary, c.Cells, c.Spans = generalized[i].Dictionary, generalized[i].Cells, generalized[i].Spans()
	}
	return r, nil
}

// MeanPenalty returns the normalized certainty penalty averaged over records and attributes
// (GCP): 0 if nothing is generalized, 1 if everything is.
func MeanPenalty(generalized []*Generalized, classes *bucketization.Partition) float64 {
	sum, rows := 0.0, 0
	for class := range classes.Groups() {
		size := len(classes.Records(class))
		rows += size
		for _, g := range generalized {
			sum += float64(size) * g.Penalty[g.Of[class]]
		}
	}
	return sum / float64(rows*len(generalized))
}

// Facts describe generalized quasi-identifiers to the owner: the classes, C_DM, the penalty,
// and the columns whose values estimates reveal.
func Facts(generalized []*Generalized, classes *bucketization.Partition) []anonymize.Fact {
	least, most, squares, rows := math.MaxInt, 0, 0, 0
	for class := range classes.Groups() {
		size := len(classes.Records(class))
		least, most, squares, rows = min(least, size), max(most, size), squares+size*size, rows+size
	}
	facts := []anonymize.Fact{
		{
			Name:  "equivalence classes",
			Value: fmt.Sprintf("%d of %d to %d records, %.2f on average", classes.Groups(), least, most, float64(rows)/float64(classes.Groups())),
		},
		{Name: "discernibility (C_DM)", Value: fmt.Sprint(squares)},
		{Name: "normalized certainty penalty", Value: fmt.Sprintf("%.4f", MeanPenalty(generalized, classes))},
	}
	var told []string
	for _, g := range generalized {
		if g.Column.IsNumeric() && !g.Listed() {
			told = append(told, g.Column.Name)
		}
	}
	if len(told) > 0 {
		facts = append(facts, anonymize.Fact{Name: "warning", Value: fmt.Sprintf("estimates tell readers which numbers of %s occur in the table, "+
			"and so whether somebody has a certain one: they have fractions, or span too much to be listed (at most %d values). "+
			"CALL set_taxonomy with intervals, or round them", strings.Join(told, ", "), anonymize.MaxListed)})
	}
	return facts
}
