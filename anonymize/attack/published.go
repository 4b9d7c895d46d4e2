package attack

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
)

// published is the sensitive column as published.
type published struct {
	fragment *anonymize.Fragment
	column   *anonymize.FragmentColumn
	raw      []uint32 // published code to raw code
	width    int
}

// locate finds the sensitive column in the release, and the raw columns that its fragment links
// to it.
func locate(r *anonymize.Release, truth Truth) (*published, []*anonymize.Column, error) {
	at, column, ok := r.Locate(truth.Sensitive.Name)
	if !ok || r.Fragments[at].Role == anonymize.QuasiIdentifying {
		return nil, nil, fmt.Errorf("the release has no sensitive attribute %s", truth.Sensitive.Name)
	}
	f := r.Fragments[at]
	p := &published{fragment: f, column: f.Columns[column], width: len(truth.Sensitive.Dictionary)}
	p.raw = translation(p.column, truth.Sensitive)
	if f.Role == anonymize.Sensitive {
		return p, nil, nil
	}
	var linked []*anonymize.Column
	for _, c := range f.Columns {
		if err := p.pointsOnly(c); err != nil {
			return nil, nil, err
		}
		for _, raw := range truth.QuasiIdentifiers {
			if raw.Name == c.Name {
				linked = append(linked, raw)
			}
		}
	}
	if len(linked) != len(f.Columns)-1 {
		return nil, nil, fmt.Errorf("the truth lacks columns that fragment %s links to %s", f.Name, p.column.Name)
	}
	return p, linked, nil
}

func (p *published) pointsOnly(c *anonymize.FragmentColumn) error {
	if !c.IsPoint() {
		return fmt.Errorf("column %s of fragment %s has cells of more than one value, which this attack does not know", c.Name, p.fragment.Name)
	}
	return nil
}

// translation maps the published codes of a column to raw ones; a value that the table lacks
// maps to a code beyond all others.
func translation(published *anonymize.FragmentColumn, raw *anonymize.Column) []uint32 {
	return anonymize.Translate(published.Dictionary, raw.Dictionary, uint32(len(raw.Dictionary)))
}

// agrees verifies that the truth has the published counts in every group.
func (p *published) agrees(truth, start, members []uint32) error {
	missing := make([]int, p.width+1)
	for g := range len(start) - 1 {
		first, end := p.fragment.GroupStart[g], p.fragment.GroupStart[g+1]
		for t := first; t < end; t++ {
			missing[p.raw[p.column.Codes[t]]] += int(p.fragment.Count[t])
		}
		wrong := false
		for _, record := range members[start[g]:start[g+1]] {
			missing[truth[record]]--
		}
		for t := first; t < end; t++ {
			code := p.raw[p.column.Codes[t]]
			wrong = wrong || missing[code] != 0
			missing[code] = 0
		}
		// The sizes agree, so any excess means that something else is missing.
		if wrong {
			return fmt.Errorf("group %d has other values of %s in the truth than in the release", g, p.column.Name)
		}
	}
	return nil
}
