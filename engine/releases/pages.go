package releases

import (
	"context"
	"fmt"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/source"
)

// pageTuples is about the number of tuples of a page.
const pageTuples = 50_000

// Pages implements source.RelationStore. A page is a range of group numbers. They are a random
// permutation, so ranges of equal length have about equally many groups, and the relation's
// files are sorted by them.
func (r *Reader) Pages(ctx context.Context, p source.Place, f source.Fragment) (func() (*anonymize.Fragment, error), error) {
	relation, err := r.relation(p, f.Name)
	if err != nil {
		return nil, err
	}
	var numbers int64
	if err := r.asker.Query(ctx, "SELECT max(gid) FROM "+relation, func(row []any) error {
		greatest, ok := row[0].(int64)
		if !ok {
			return fmt.Errorf("the greatest gid of %s is %v", relation, row[0])
		}
		numbers = greatest + 1
		return nil
	}); err != nil {
		return nil, err
	}
	width := max(1, int64(float64(numbers)*pageTuples/float64(max(1, f.Tuples))))
	from, tuples, known := int64(0), 0, make(domains)
	return func() (*anonymize.Fragment, error) {
		for from < numbers {
			page, _, err := r.fragment(ctx, p, f, fmt.Sprintf("gid >= %d AND gid < %d", from, from+width), known)
			if err != nil {
				return nil, err
			}
			from, tuples = from+width, tuples+page.Tuples()
			if page.Tuples() > 0 {
				return page, nil
			}
		}
		if tuples != f.Tuples {
			return nil, fmt.Errorf("the relation %s of %s has %d tuples in the engine, published were %d", f.Name, p.Name, tuples, f.Tuples)
		}
		return nil, nil
	}, nil
}

// SubTuples implements source.RelationStore.
func (r *Reader) SubTuples(ctx context.Context, p source.Place, f source.Fragment) (once, distinct int, err error) {
	relation, err := r.relation(p, f.Name)
	if err != nil {
		return 0, 0, err
	}
	combinations := fmt.Sprintf("SELECT sum(%s) AS records FROM %s GROUP BY %s", r.dialect.Name("count"), relation, strings.Join(r.columnsOf(f), ", "))
	err = r.asker.Query(
		ctx,
		"SELECT coalesce(sum(CASE WHEN records = 1 THEN 1 ELSE 0 END), 0), count(*) FROM ("+combinations+") AS combined",
		func(row []any) error {
			alone, isNumber := row[0].(int64)
			all, counted := row[1].(int64)
			if !isNumber || !counted {
				return fmt.Errorf("the engine returned %v and %v for numbers of combinations", row[0], row[1])
			}
			once, distinct = int(alone), int(all)
			return nil
		},
	)
	return once, distinct, err
}
