package attack

import (
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// withOnly returns the release with one of its sensitive attributes. If several are published
// as tuples, it adds up tuples with equal values of that one, so that a group has every value
// once. If there is only one, it returns r. O(tuples), and a sort within groups.
func withOnly(r *anonymize.Release, attribute string) *anonymize.Release {
	at, column, ok := r.Locate(attribute)
	if !ok || r.Fragments[at].Role != anonymize.Sensitive || len(r.Fragments[at].Columns) == 1 {
		return r
	}
	from := r.Fragments[at]
	only := *from.Columns[column]
	only.Codes = nil
	one := &anonymize.Fragment{Name: from.Name, Role: from.Role, GroupStart: make([]uint32, 1, len(from.GroupStart))}
	var order []uint32 // tuples of a group, by code
	codes := from.Columns[column].Codes
	for g := range from.Groups() {
		order = order[:0]
		for t := from.GroupStart[g]; t < from.GroupStart[g+1]; t++ {
			order = append(order, t)
		}
		slices.SortFunc(order, func(a, b uint32) int { return int(codes[a]) - int(codes[b]) })
		for i, t := range order {
			if i > 0 && codes[order[i-1]] == codes[t] {
				one.Count[len(one.Count)-1] += from.Count[t]
				continue
			}
			only.Codes, one.Count = append(only.Codes, codes[t]), append(one.Count, from.Count[t])
		}
		one.GroupStart = append(one.GroupStart, uint32(len(only.Codes)))
	}
	one.Columns = []*anonymize.FragmentColumn{&only}
	view := *r
	view.Fragments = slices.Clone(r.Fragments)
	view.Fragments[at] = one
	return &view
}
