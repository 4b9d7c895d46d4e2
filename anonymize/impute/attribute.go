package impute

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A grain says how fine the categories of an attribute are.
type grain struct {
	// bins is the most quantile bins that numbers are put into.
	bins int
	// values is the most categories of texts. While there are no more texts, each is
	// a category of its own; else the most frequent three quarters of the
	// categories are, and the rest share bins of about equal weight.
	values int
}

var finest = grain{bins: 16, values: 64}

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
	// single says that there are three fragments or more, of one attribute each.
	single bool
}

func (s *schema) fragments() int { return len(s.of) - 1 }

// newSchema numbers the categories of a release, as fine as maxCategories lets it. Errors:
// the context's. Cost: O(tuples * attributes).
func newSchema(ctx context.Context, r *anonymize.Release) (*schema, error) {
	for g := finest; ; g = (grain{max(2, g.bins/2), max(2, g.values/2)}) {
		s, err := newSchemaOf(ctx, r, g)
		if err != nil || s.categories <= maxCategories || g.values == 2 && g.bins == 2 {
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

func newSchemaOf(ctx context.Context, r *anonymize.Release, g grain) (*schema, error) {
	s := &schema{of: []int{0}}
	total := make([]int, len(r.Fragments))
	for i, f := range r.Fragments {
		for c, column := range f.Columns {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			weight := make([]int, len(column.Dictionary))
			for t, code := range column.Codes {
				weight[code] += int(f.Count[t])
			}
			category, n := g.categories(column, weight)
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
	return s, nil
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

// categories puts the codes of a column into n categories; weight is the number of
// records of every code. NULL is a category of its own.
func (g grain) categories(column *anonymize.FragmentColumn, weight []int) (category []uint16, n int) {
	category = make([]uint16, len(weight))
	var codes []int // those that occur and are not NULL
	null, numbers := -1, true
	for code, w := range weight {
		switch v := column.Dictionary[code]; {
		case w == 0:
		case v.IsNull():
			null = code
		default:
			codes = append(codes, code)
			_, ok := v.Number()
			numbers = numbers && ok
		}
	}
	switch {
	case numbers:
		n = quantiles(category, codes, weight, g.bins)
	case len(codes) <= g.values:
		n = quantiles(category, codes, weight, g.values)
	default:
		n = g.frequent(category, codes, weight)
	}
	if null >= 0 {
		category[null] = uint16(n)
		n++
	}
	return category, n
}

// frequent gives the most frequent codes categories of their own.
func (g grain) frequent(category []uint16, codes []int, weight []int) int {
	slices.SortStableFunc(codes, func(a, b int) int { return cmp.Compare(weight[b], weight[a]) })
	own := g.values * 3 / 4
	rest := slices.Sorted(slices.Values(codes[own:]))
	shared := quantiles(category, rest, weight, g.values-own)
	for i, code := range codes[:own] {
		category[code] = uint16(shared + i)
	}
	return shared + own
}

// quantiles puts codes, in their order, into at most bins categories of about
// equal weight, numbered from 0, and returns how many it made.
func quantiles(category []uint16, codes []int, weight []int, bins int) int {
	if len(codes) <= bins {
		for i, code := range codes {
			category[code] = uint16(i)
		}
		return len(codes)
	}
	most, left := fairShare(codes, weight, bins) // left: of this bin and those to come
	bin, inside := 0, 0
	for _, code := range codes {
		// A code goes into the next bin when most of it is beyond this bin's share.
		w := min(weight[code], most)
		if inside > 0 && bin < bins-1 && inside+w/2 >= left/(bins-bin) {
			left -= inside
			bin, inside = bin+1, 0
		}
		category[code] = uint16(bin)
		inside += w
	}
	return bin + 1
}

// fairShare is the weight that one code counts with at most, so that no code counts for
// more than one of the bins, and what all codes count together.
func fairShare(codes []int, weight []int, bins int) (most, total int) {
	most = math.MaxInt
	for {
		total = 0
		for _, code := range codes {
			total += min(weight[code], most)
		}
		share := max(1, total/bins)
		if share >= most {
			return most, total
		}
		most = share
	}
}
