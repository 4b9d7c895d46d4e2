package utility

import (
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// GroupSizes is the distribution of the numbers of records of the groups.
// Quartiles between two groups are the mean of their sizes.
type GroupSizes struct {
	Groups                                int
	Least, Lower, Median, Upper, Greatest float64
	Mean                                  float64
}

// SizesOf looks at the groups of a release; all is 0 when there is none.
// O(groups log groups).
func SizesOf(r *anonymize.Release) GroupSizes {
	sizes := slices.Sorted(slices.Values(r.GroupSizes))
	n := len(sizes)
	if n == 0 {
		return GroupSizes{}
	}
	// Of n sorted values the quantile q/4 lies at (n-1) q/4.
	quartile := func(q int) float64 {
		low, rest := (n-1)*q/4, (n-1)*q%4
		if rest == 0 {
			return float64(sizes[low])
		}
		return (float64(sizes[low]) + float64(sizes[low+1])) / 2
	}
	return GroupSizes{Groups: n, Least: quartile(0), Lower: quartile(1), Median: quartile(2), Upper: quartile(3), Greatest: quartile(4),
		Mean: float64(r.Rows) / float64(n)}
}
