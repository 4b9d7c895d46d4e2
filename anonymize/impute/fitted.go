package impute

import (
	"context"
	"errors"

	"github.com/anonsql/anonsql/anonymize"
)

// A Fitted is a sample of a release with its completed tables and their models, so that another engine can complete the other groups.
type Fitted struct {
	Sample     *anonymize.Release
	Completion *anonymize.Completion
	// Category has, by fragment, column and code, the category of a value, numbered over all columns. A value without
	// records in the sample has the category of the release's model, or else that of the next lower value with records.
	Category [][][]uint16
	// Categories is the number of categories.
	Categories int
	// Theta has, by table and at u*Categories+v, the interaction of two categories of different fragments.
	Theta [][]float32
}

// CompleteSample is [Complete] for a sample of whole groups without units, whose dictionaries have all values of the release. It
// requires Options.Tables, since the default depends on the records of the release. Errors: a RefusedError, the context's.
func CompleteSample(ctx context.Context, sample *anonymize.Release, o Options) (*Fitted, error) {
	if err := Refuse(sample); err != nil {
		return nil, err
	}
	if sample.Units != nil || o.Tables < 2 {
		return nil, errors.New("a sample has no units, and two completed tables or more")
	}
	models, c, err := complete(ctx, sample, o)
	if err != nil {
		return nil, err
	}
	s := models[0].schema
	f := &Fitted{Sample: sample, Completion: c, Categories: s.categories, Category: make([][][]uint16, len(sample.Fragments))}
	for _, a := range s.attributes {
		f.Category[a.fragment] = append(f.Category[a.fragment], a.ofAll(sample))
	}
	for _, m := range models {
		f.Theta = append(f.Theta, m.theta)
	}
	return f, nil
}

// ofAll returns the categories of all values of the dictionary, including those without records.
func (a *attribute) ofAll(r *anonymize.Release) []uint16 {
	f := r.Fragments[a.fragment]
	column := f.Columns[a.column]
	if r.Model.CategoriesOf(column.Name) != nil {
		return a.category
	}
	all, last := make([]uint16, len(a.category)), -1
	for code, records := range f.Weigh(column) {
		if records > 0 {
			if last < 0 {
				for before := range code {
					all[before] = a.category[code]
				}
			}
			all[code], last = a.category[code], code
		} else if last >= 0 {
			all[code] = all[last]
		}
	}
	return all
}
