package impute

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/contingency"
)

// maxCategories is the greatest number of categories of all attributes; theta has its square.
const maxCategories = 1024

// An attribute is one column of the release in the model: its values form categories, which are
// numbered over all attributes.
type attribute struct {
	fragment, column int
	// The attribute's categories are first .. end-1.
	first, end int
	// category has the category of every code of the column's dictionary. It is meaningless for
	// codes without tuples.
	category []uint16
}

// A schema has the attributes of a release, ordered by fragment and column.
type schema struct {
	attributes []attribute
	// of[j] .. of[j+1]-1 are the attributes of fragment j.
	of []int
	// categories is the number of categories of all attributes. Those from responses on belong
	// to the attributes that the fit predicts from the rest of a row: of all fragments except
	// the one with the most categories. Of any two attributes of different fragments, at least
	// one is predicted, so every theta is fitted.
	categories, responses int
	// whole has joint attributes over all attributes; inside has joint attributes within
	// fragments: units[j] .. units[j+1]-1 for fragment j.
	whole, inside *joints
	units         []int
	// large is the fragment without responses.
	large int
	// targets are the two-way tables that the release publishes.
	targets []*target
	// single says that there are at least three fragments, of one attribute each.
	single bool
}

func (s *schema) fragments() int { return len(s.of) - 1 }

// newSchema numbers the categories of a release, as fine as maxCategories allows. The only
// error is the context's. Cost: O(tuples * attributes).
func newSchema(ctx context.Context, r *anonymize.Release) (*schema, error) {
	for g := contingency.Finest; ; g = g.Coarser() {
		s, err := newSchemaOf(ctx, r, g)
		if err != nil || s.categories <= maxCategories || g.IsCoarsest() {
			return s, err
		}
	}
}

// Categories returns, for the attributes whose values the model does not all distinguish, the
// category of every code of the dictionary, from 0. Estimates of single values are worse than
// those of categories. The release must pass Refuse. The only error is the context's. Cost:
// O(tuples * attributes).
func Categories(ctx context.Context, r *anonymize.Release) (map[string][]uint16, error) {
	s, err := newSchema(ctx, r)
	if err != nil {
		return nil, err
	}
	shared := make(map[string][]uint16)
	for _, a := range s.attributes {
		column := r.Fragments[a.fragment].Columns[a.column]
		values := make(map[uint32]bool)
		for _, code := range column.Codes {
			values[code] = true
		}
		if len(values) <= a.end-a.first {
			continue
		}
		category := make([]uint16, len(column.Dictionary))
		for code := range values {
			category[code] = a.category[code] - uint16(a.first)
		}
		shared[column.Name] = category
	}
	return shared, nil
}

func newSchemaOf(ctx context.Context, r *anonymize.Release, g contingency.Grain) (*schema, error) {
	s := &schema{of: []int{0}}
	total := make([]int, len(r.Fragments))
	for i, f := range r.Fragments {
		for c, column := range f.Columns {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			category, n := categoriesOf(r, f, column, g)
			s.attributes = append(s.attributes, attribute{fragment: i, column: c, end: n, category: category})
			total[i] += n
		}
		s.of = append(s.of, len(s.attributes))
	}
	s.large = slices.Index(total, slices.Max(total))
	s.single = s.fragments() > 2 && s.fragments() == len(s.attributes)
	s.number(s.large)
	s.responses = s.categories
	for i := range r.Fragments {
		if i != s.large {
			s.number(i)
		}
	}
	s.joinAll()
	s.targets = s.targetsOf(r)
	return s, nil
}

// categoriesOf divides the codes of a column into n categories: those of the release's model if it has the attribute.
func categoriesOf(r *anonymize.Release, f *anonymize.Fragment, column *anonymize.FragmentColumn, g contingency.Grain) (category []uint16, n int) {
	if told := r.Model.CategoriesOf(column.Name); told != nil {
		return anonymize.Categorize(told, column.Dictionary), len(told)
	}
	return g.Categories(column.Dictionary, f.Weigh(column))
}

func (s *schema) joinAll() {
	var all []int
	var inside [][]int
	for i := range s.attributes {
		all = append(all, i)
	}
	for j := range s.fragments() {
		inside = append(inside, all[s.of[j]:s.of[j+1]])
	}
	s.whole, s.inside = s.join(all), s.join(inside...)
	s.units = []int{0}
	for i := range s.inside.all {
		fragment := s.attributes[s.inside.all[i].attributes[0]].fragment
		for len(s.units) <= fragment {
			s.units = append(s.units, i)
		}
	}
	for len(s.units) <= s.fragments() {
		s.units = append(s.units, len(s.inside.all))
	}
}

// number places the categories of a fragment behind those already numbered.
func (s *schema) number(fragment int) {
	for i := s.of[fragment]; i < s.of[fragment+1]; i++ {
		a := &s.attributes[i]
		a.first, a.end = s.categories, s.categories+a.end
		for code := range a.category {
			a.category[code] += uint16(a.first)
		}
		s.categories = a.end
	}
}
