package impute

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/contingency"
)

// maxCategories bounds the categories of all attributes: theta has their square.
const maxCategories = 1024

// An attribute is one column of the release as the model sees it: categories,
// numbered over all attributes.
type attribute struct {
	fragment, column int
	// The attribute's categories are first .. end-1.
	first, end int
	// category of every code of the column's dictionary; of a code that no tuple
	// has it means nothing.
	category []uint16
}

// A schema is the attributes of a release, in the order of fragments and columns.
type schema struct {
	attributes []attribute
	// of[j] .. of[j+1]-1 are the attributes of fragment j.
	of []int
	// categories of all attributes. Those from responses on belong to the attributes
	// that the fit predicts from the rest of a row: of all fragments but the one with
	// the most categories. Every pair of attributes of different fragments has
	// one of them, so every theta is fitted.
	categories, responses int
	// whole are joint attributes of any attributes, inside of attributes of one
	// fragment, whose joint attributes are units[j] .. units[j+1]-1.
	whole, inside *joints
	units         []int
	// large is the fragment without responses.
	large int
	// targets are the two-way tables that the release tells.
	targets []*target
	// single says that there are three fragments or more, of one attribute each.
	single bool
}

func (s *schema) fragments() int { return len(s.of) - 1 }

// newSchema numbers the categories of a release, as fine as maxCategories lets it. Errors:
// the context's. Cost: O(tuples * attributes).
func newSchema(ctx context.Context, r *anonymize.Release) (*schema, error) {
	for g := contingency.Finest; ; g = g.Coarser() {
		s, err := newSchemaOf(ctx, r, g)
		if err != nil || s.categories <= maxCategories || g.IsCoarsest() {
			return s, err
		}
	}
}

// Categories has, by attribute, the category that the model puts every code of its
// dictionary into, numbered from 0, of those whose values it does not all tell apart: cells
// of single values are missed by more than those of categories. The release is one that
// Refuse lets pass. Errors: the context's. Cost: that of a schema, O(tuples * attributes).
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

// categoriesOf puts the codes of a column into n categories: those of the release's model where it has the attribute.
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

// number moves the categories of a fragment behind those that are numbered.
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
