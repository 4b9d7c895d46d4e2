package elsewhere

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A release whose relations are elsewhere may have its completed tables there, too. The engine
// counts the same numbers as a scan here: records by combination of classes and table.

// A TableCounts has the records of completed tables by combination of classes, sorted.
type TableCounts struct {
	combinations []combinationRecords
}

// A combinationRecords has the number of records with a combination, by table.
type combinationRecords struct{ classes, records []uint32 }

// VisitCombinations visits the combinations that some table has in ascending order; the last side's class is the most significant.
func (c *TableCounts) VisitCombinations(ctx context.Context, visit func(classes, records []uint32) error) error {
	work := &question.Checkpoint{Ctx: ctx}
	for _, one := range c.combinations {
		if err := visit(one.classes, one.records); err != nil {
			return err
		}
		if err := work.Pass(question.WorkPerEvaluation * len(one.records)); err != nil {
			return err
		}
	}
	return nil
}

// Tables has the engine count the records of completed tables. It refuses numbers that no completed table can have.
func (s *Counter) Tables(ctx context.Context, tables int) (*TableCounts, error) {
	if err := s.Load(ctx); err != nil || slices.ContainsFunc(s.Sides, (*question.Side).IsEmpty) {
		return &TableCounts{}, err
	}
	list, err := s.store.Tables(ctx, s.classesOf(s.Sides), tables)
	if err != nil {
		return nil, err
	}
	met := make([]uint64, tables)
	for _, n := range list {
		if n.Table < 0 || n.Table >= tables || len(n.Classes) != len(s.Sides) || n.Records > math.MaxUint32 {
			return nil, fmt.Errorf("completed table %d has %d records of classes %v, which was not asked for", n.Table, n.Records, n.Classes)
		}
		for i, class := range n.Classes {
			if int(class) >= s.Sides[i].Classes {
				return nil, fmt.Errorf("class %d of fragment %s was not asked for", class, s.Sides[i].Fragment.Name)
			}
		}
		if met[n.Table] += n.Records; met[n.Table] > uint64(s.Shape.Rows) {
			return nil, fmt.Errorf("completed table %d has more records than the %d of the release", n.Table, s.Shape.Rows)
		}
	}
	slices.SortFunc(list, func(a, b figures.TableCount) int { return compareClasses(a.Classes, b.Classes) })
	counts := &TableCounts{}
	for i, n := range list {
		if i == 0 || compareClasses(n.Classes, list[i-1].Classes) != 0 {
			counts.combinations = append(counts.combinations, combinationRecords{n.Classes, make([]uint32, tables)})
		}
		counts.combinations[len(counts.combinations)-1].records[n.Table] += uint32(n.Records)
	}
	return counts, nil
}
