package releases

import (
	"context"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/engine/estimates"
	"github.com/anonsql/anonsql/engine/publication"
)

// Counts implements source.RelationStore.
func (r *Reader) Counts(ctx context.Context, p source.Place, fragments []source.Fragment) (*anonymize.Release, estimate.Elsewhere, error) {
	s, shape := &estimates.Store{Query: r.asker.Query, Dialect: r.dialect, Sizes: p.Sizes}, &anonymize.Release{}
	for _, f := range fragments {
		if _, err := r.relation(p, f.Name); err != nil {
			return nil, nil, err
		}
		fragment := &anonymize.Fragment{Name: f.Name, Role: f.Role}
		for _, c := range f.Columns {
			fragment.Columns = append(fragment.Columns, &anonymize.FragmentColumn{Name: c.Name, Type: c.Type})
		}
		s.Relations, shape.Fragments = append(s.Relations, r.counting(p, f)), append(shape.Fragments, fragment)
	}
	if p.Tables > 0 {
		s.Completed = []string{r.catalog, r.schemaOf(p), publication.RelationName(p.Name, completed)}
	}
	return shape, s, r.readRanges(ctx, p, fragments, shape, s)
}

// readRanges reads the relations of ranges whole and replaces their descriptions in shape; they have the same groups.
func (r *Reader) readRanges(ctx context.Context, p source.Place, fragments []source.Fragment, shape *anonymize.Release, s *estimates.Store) error {
	read := &anonymize.Release{}
	for i, f := range fragments {
		if !hasRanges(f) {
			continue
		}
		if f.Tuples > r.limit {
			return &anonymize.DataError{
				Reason: fmt.Sprintf(
					"relation %s of the release has %d rows of ranges, more than are read (--engine-rows): start the server with a larger limit",
					f.Name,
					f.Tuples,
				),
			}
		}
		fragment, gids, err := r.fragment(ctx, p, f, "", make(domains))
		if err != nil {
			return err
		}
		if len(read.Fragments) > 0 && !slices.Equal(gids, s.Numbers) {
			return fmt.Errorf("the relation %s of %s has other groups", f.Name, p.Name)
		}
		s.Numbers, shape.Fragments[i] = gids, fragment
		read.Fragments = append(read.Fragments, fragment)
	}
	if len(read.Fragments) == 0 {
		return nil
	}
	err := size(read, read.Fragments[0])
	shape.GroupSizes = read.GroupSizes
	return err
}
