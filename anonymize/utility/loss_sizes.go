package utility

import (
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// GroupSizes is the distribution of the groups' numbers of records. A quartile between two
// groups is the mean of their sizes.
type GroupSizes struct {
	Groups                                int
	Least, Lower, Median, Upper, Greatest float64
	Mean                                  float64
}

// SizesOf returns the distribution for a release; zero if there are no groups. O(groups log
// groups).
func SizesOf(r *anonymize.Release) GroupSizes {
	sizes := slices.Sorted(slices.Values(r.GroupSizes))
	return sizesIn(len(sizes), r.Rows, func(group int) uint32 { return sizes[group] })
}

// SizesCounted is SizesOf for groups that were counted by their size, ascending.
func SizesCounted(counted []estimate.GroupSize) GroupSizes {
	groups, records := 0, 0
	for _, s := range counted {
		groups, records = groups+int(s.Groups), records+int(s.Groups)*int(s.Size)
	}
	return sizesIn(groups, records, func(group int) uint32 {
		for _, s := range counted {
			if group -= int(s.Groups); group < 0 {
				return s.Size
			}
		}
		return 0 // no such group
	})
}

// sizesIn is SizesOf for that many groups and records; sized returns the size of a group, ascending from group 0.
func sizesIn(groups, records int, sized func(group int) uint32) GroupSizes {
	if groups == 0 {
		return GroupSizes{}
	}
	// Of n sorted values the quantile q/4 lies at (n-1) q/4.
	quartile := func(q int) float64 {
		low, rest := (groups-1)*q/4, (groups-1)*q%4
		if rest == 0 {
			return float64(sized(low))
		}
		return (float64(sized(low)) + float64(sized(low+1))) / 2
	}
	return GroupSizes{Groups: groups, Least: quartile(0), Lower: quartile(1), Median: quartile(2), Upper: quartile(3), Greatest: quartile(4),
		Mean: float64(records) / float64(groups)}
}
