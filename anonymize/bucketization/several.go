package bucketization

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// Tuples are several sensitive attributes combined into one.
type Tuples struct {
	// Input is the table with the tuple as its only sensitive attribute. Its values are texts,
	// ordered like the attributes' codes.
	Input   *anonymize.Input
	columns []*anonymize.Column
	sample  []uint32 // by tuple: a record with it
}

// Combine makes the tuples of all sensitive attributes of in. O(records x
// attributes).
func Combine(ctx context.Context, in *anonymize.Input) (*Tuples, error) {
	p, err := NewProjection(ctx, in.Sensitive)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(in.Sensitive))
	for i, c := range in.Sensitive {
		names[i] = c.Name
	}
	column := &anonymize.Column{Name: "(" + strings.Join(names, ", ") + ")", Codes: p.ID,
		Dictionary: make([]anonymize.Value, len(p.Frequency))}
	values := make([]string, len(in.Sensitive))
	for tuple, record := range p.Sample {
		for i, c := range in.Sensitive {
			values[i] = c.Value(int(record)).String()
		}
		column.Dictionary[tuple] = anonymize.TextValue(strings.Join(values, ", "))
	}
	one := *in
	one.Sensitive = []*anonymize.Column{column}
	one.Apart, one.Asked = in, nil // promises cover the attributes, not their tuple
	return &Tuples{Input: &one, columns: in.Sensitive, sample: p.Sample}, nil
}

// Publish replaces the tuple in a release of Input by its attributes. The order of tuples stays
// valid.
func (t *Tuples) Publish(r *anonymize.Release) error {
	for _, f := range r.Fragments {
		if f.Role == anonymize.QuasiIdentifying {
			continue
		}
		if f.Role != anonymize.Sensitive || len(f.Columns) != 1 || !f.Columns[0].IsPoint() {
			return fmt.Errorf("fragment %s does not publish tuples of sensitive values as they are", f.Name)
		}
		tuples := f.Columns[0].Codes
		f.Columns = nil
		for _, c := range t.columns {
			f.Columns = append(f.Columns, &anonymize.FragmentColumn{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary,
				Codes: anonymize.Gather(anonymize.Gather(c.Codes, t.sample), tuples)})
		}
	}
	return nil
}

// Combined runs a method for one sensitive attribute on the tuples of several. Its promises
// about sensitive values cover the tuple only: two different tuples of a group may have the
// same disease. A fact reports the frequencies of the attributes' values.
func Combined(ctx context.Context, in *anonymize.Input, run func(in *anonymize.Input) (*anonymize.Release, error)) (*anonymize.Release, error) {
	tuples, err := Combine(ctx, in)
	if err != nil {
		return nil, err
	}
	r, err := run(tuples.Input)
	if err != nil {
		return nil, err
	}
	if err := tuples.Publish(r); err != nil {
		return nil, err
	}
	names := make([]string, len(in.Sensitive))
	for i, c := range in.Sensitive {
		names[i] = c.Name
	}
	r.Promises = PromisedOf(r.Promises, names...)
	r.Facts = append(r.Facts, anonymize.Fact{Name: "sensitive attributes", Value: fmt.Sprintf(
		"%s are one value, of %d tuples; different tuples may agree in an attribute: the greatest share of a value in a group is %s",
		strings.Join(names, ", "), len(tuples.sample), greatestShares(r))})
	return r, ctx.Err()
}

// PromisedOf restricts the promises about sensitive values to the given attributes. k and alpha
// concern quasi-identifiers.
func PromisedOf(promises []anonymize.Promise, attributes ...string) []anonymize.Promise {
	of := slices.Clone(promises)
	for i, p := range of {
		if p.Guarantee != "k" && p.Guarantee != "alpha" {
			of[i].Guarantee = anonymize.GuaranteeName(p.Guarantee, attributes...)
		}
	}
	return of
}

// PromisedOfEach makes the promises about sensitive values for every attribute separately.
func PromisedOfEach(promises []anonymize.Promise, sensitive []*anonymize.Column) []anonymize.Promise {
	var all []anonymize.Promise
	for _, p := range promises {
		for _, c := range sensitive {
			of := PromisedOf([]anonymize.Promise{p}, c.Name)[0]
			all = append(all, of)
			if of.Guarantee == p.Guarantee {
				break
			}
		}
	}
	return all
}

// greatestShares returns "1 of race, 0.5 of disease".
func greatestShares(r *anonymize.Release) string {
	var parts []string
	for _, f := range r.Fragments {
		if f.Role != anonymize.Sensitive {
			continue
		}
		for _, c := range f.Columns {
			greatest, count := anonymize.NewRatio(0, 1), make([]uint32, len(c.Dictionary))
			for g, size := range r.GroupSizes {
				most := uint32(0)
				for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
					count[c.Codes[t]] += f.Count[t]
					most = max(most, count[c.Codes[t]])
				}
				for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
					count[c.Codes[t]] = 0
				}
				if share := anonymize.NewRatio(uint64(most), uint64(size)); share.Cmp(greatest) > 0 {
					greatest = share
				}
			}
			parts = append(parts, fmt.Sprintf("%s of %s", greatest, c.Name))
		}
	}
	return strings.Join(parts, ", ")
}
