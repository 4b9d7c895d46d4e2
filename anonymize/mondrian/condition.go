package mondrian

import (
	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/demand"
)

// A Condition says which classes are allowed. L and T apply to each sensitive attribute
// separately.
type Condition struct {
	K int // least number of records; at least 1
	L int // l-diversity: no sensitive value above floor(m/L); 1 demands nothing
	// T is the greatest distance of the class's sensitive values from the table's; 1 demands
	// nothing.
	T anonymize.Ratio
	// Ordered selects the ordered distance, for a numeric sensitive attribute. Only [Partition]
	// uses it; PartitionEach examines the attributes.
	Ordered bool
	// Asked has further requirements on each sensitive attribute, nil for none. Only
	// PartitionEach and PartitionLocal use it.
	Asked []*demand.Demand
}

// grows reports whether every class of k records with sufficiently rare values meets the
// condition: distances and demands require more.
func (c *Condition) grows() bool { return c.T.Num >= c.T.Den && c.Asked == nil }

// asks reports whether m records meet the further requirements on a sensitive attribute. present is as in allows.
func (c *Condition) asks(sensitive int, count, present []uint32, m int) bool {
	return c.Asked == nil || c.Asked[sensitive].Admits(count, present, m)
}

// allows reports whether m records with these counts of a sensitive attribute's values may be a
// class, by that attribute alone. present lists at least the values with a count; total has the
// counts of the table's rows records. It is exact.
func (c *Condition) allows(count, present, total []uint32, m, rows int, ordered bool) bool {
	if m < c.K {
		return false
	}
	if c.L > 1 {
		for _, v := range present {
			if int(count[v])*c.L > m {
				return false
			}
		}
	}
	return c.T.Num >= c.T.Den || c.close(count, total, uint64(m), uint64(rows), ordered)
}

// close tests t-closeness: Li, Li and Venkatasubramanian, ICDE 2007, section 5.2. Sums are
// below 2^63: fewer than 2^31 records, at most 2 m n for the equal distance, and m n times the
// number of values for the ordered one, which newDivision checks.
func (c *Condition) close(count, total []uint32, m, rows uint64, ordered bool) bool {
	sum, whole, above, values := uint64(0), m*rows, int64(0), uint64(0)
	for v, n := range total {
		if n == 0 {
			continue
		}
		values++
		difference := int64(uint64(count[v])*rows) - int64(uint64(n)*m)
		if above += difference; !ordered {
			above = max(difference, 0)
		}
		sum += uint64(max(above, -above))
	}
	if ordered {
		whole *= max(values-1, 1)
	}
	return c.T.Admits(int(sum), int(whole))
}
