package impute_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/impute"
)

// TestCompleteSample: the tables are those of Complete; every model has its weights; and a value that no record has is in the category of its neighbour below.
func TestCompleteSample(t *testing.T) {
	r := impute.Made(600, 31).Released(t, "anatomy", "l", "3")
	column := r.Fragments[0].Columns[0]
	rare := column.Codes[0]
	for i, code := range column.Codes {
		if code == rare {
			column.Codes[i] = (rare + 1) % uint32(len(column.Dictionary))
		}
	}
	f, err := impute.CompleteSample(t.Context(), r, impute.Options{Tables: 3})
	if err != nil {
		t.Fatal(err)
	}
	want := complete(t, r, impute.Options{Tables: 3})
	for d := range want.Narrow {
		for j := range want.Narrow[d] {
			if !slices.Equal(f.Completion.Narrow[d][j], want.Narrow[d][j]) {
				t.Errorf("table %d has other places of fragment %d than Complete draws", d, j+1)
			}
		}
	}
	if len(f.Theta) != 3 || len(f.Theta[0]) != f.Categories*f.Categories {
		t.Errorf("%d models, of %d weights for %d categories", len(f.Theta), len(f.Theta[0]), f.Categories)
	}
	met := make(map[uint16]bool)
	for i, fragment := range r.Fragments {
		for c := range fragment.Columns {
			own := make(map[uint16]bool)
			for _, category := range f.Category[i][c] {
				own[category] = true
			}
			for category := range own {
				if int(category) >= f.Categories || met[category] {
					t.Errorf("category %d of %d is of two columns, or of none", category, f.Categories)
				}
				met[category] = true
			}
		}
	}
	neighbour := max(int(rare)-1, 0)
	if rare == 0 {
		neighbour = 1
	}
	if all := f.Category[0][0]; all[rare] != all[neighbour] {
		t.Errorf("value %d, which no record has, is in category %d, its neighbour in %d", rare, all[rare], all[neighbour])
	}
	if _, err := impute.CompleteSample(t.Context(), r, impute.Options{}); err == nil || !strings.Contains(err.Error(), "two completed tables or more") {
		t.Errorf("without a number of tables: %v", err)
	}
	units := *r
	units.Units = make([]uint32, r.Groups())
	if _, err := impute.CompleteSample(t.Context(), &units, impute.Options{Tables: 3}); err == nil {
		t.Error("a sample has units")
	}
	if _, err := impute.CompleteSample(t.Context(), &anonymize.Release{}, impute.Options{Tables: 3}); err == nil {
		t.Error("a release without fragments is completed")
	}
}

// A sample of a release with a model has the model's categories, also of values that none of its records has.
func TestSampleOfModel(t *testing.T) {
	r := impute.Made(600, 31).Released(t, "anatomy", "l", "3")
	column, sensitive := r.Fragments[0].Columns[0], r.Fragments[len(r.Fragments)-1].Columns[0]
	categories := func(c *anonymize.FragmentColumn, records int64) (all []anonymize.Category) {
		for _, v := range c.Dictionary {
			all = append(all, anonymize.Category{Low: v, High: v, Records: records})
		}
		return all
	}
	r.Model = &anonymize.Model{Sensitive: sensitive.Name, Categories: categories(sensitive, 100), Tables: []anonymize.TwoWay{{Attribute: column.Name, Categories: categories(column, 90)}}}
	r.Model.Tables[0].Weight = slices.Repeat(anonymize.Weights{10}, len(column.Dictionary)*len(sensitive.Dictionary))
	rare := column.Codes[0]
	for i, code := range column.Codes {
		if code == rare {
			column.Codes[i] = (rare + 1) % uint32(len(column.Dictionary))
		}
	}
	f, err := impute.CompleteSample(t.Context(), r, impute.Options{Tables: 2})
	if err != nil {
		t.Fatal(err)
	}
	of := slices.Sorted(slices.Values(f.Category[0][0]))
	if len(slices.Compact(of)) != len(column.Dictionary) {
		t.Errorf("the categories are %v, the model has one of each of %d values", f.Category[0][0], len(column.Dictionary))
	}
}
