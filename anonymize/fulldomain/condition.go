package fulldomain

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/demand"
)

// A condition says which classes are allowed and how many records may be suppressed.
type condition struct {
	k       int             // least number of records, at least 1
	l       int             // no sensitive value above floor(m/l); 1 demands nothing
	t       anonymize.Ratio // greatest distance to the table's sensitive values; 1 demands nothing
	ordered bool            // use the ordered distance
	limit   int             // records that may be suppressed
	asked   *demand.Demand  // further requirements; nil for none
}

// diverse reports whether sensitive values matter.
func (c *condition) diverse() bool { return c.l > 1 || c.close() || c.asked != nil }

func (c *condition) close() bool { return c.t.Num < c.t.Den }

// check refuses tables whose distances do not fit into 64 bits.
func (c *condition) check(rows, values int) error {
	if c.close() && float64(rows)*float64(rows)*float64(max(values, 2)) > 1<<62 {
		return &anonymize.DataError{Reason: fmt.Sprintf("%d records of %d sensitive values are too many to measure t exactly", rows, values)}
	}
	return nil
}

// A judge evaluates classes and nodes; it has its own scratch memory.
type judge struct {
	*counter
	condition
	objective *objective
	violating []uint32 // classes of the current node
	jump      int      // see search.halve
	hidden    []int    // by cell of an attribute: suppressed records
}

// violates reports whether tuple g is not allowed as a class, and then the least number of its
// records that every finer node must suppress.
func (j *judge) violates(t *tuples, g int) (bad bool, least int) {
	m := int(t.count[g])
	if m < j.k {
		return true, m
	}
	if t.start == nil {
		return false, 0
	}
	first, end := t.start[g], t.start[g+1]
	value, records := t.value[first:end], t.records[first:end]
	switch {
	case j.l > 1 && !j.isDiverse(records, m):
		least = j.minRemoved(records, m)
	case j.close() && !j.isClose(value, records, m), !j.isAsked(value, records, m):
	default:
		return false, 0
	}
	if j.limit == 0 {
		least = m // every finer node has a violating class
	}
	return true, least
}

func (c *condition) isDiverse(records []uint32, m int) bool {
	for _, n := range records {
		if int(n)*c.l > m {
			return false
		}
	}
	return true
}

// minRemoved is the least number of records whose removal leaves a class that is
// l-diverse and has k records, or none. With at most x records of any value,
// sum min(n_v, x) records are left, and they are l-diverse if that is at least
// l x. The difference is concave in x and 0 for x = 0, so the greatest x is found
// by halving. O(values log m).
func (c *condition) minRemoved(records []uint32, m int) int {
	left := func(x int) (sum int) {
		for _, n := range records {
			sum += min(int(n), x)
		}
		return sum
	}
	low, high := 0, m // low is possible, all above high are not
	for low < high {
		if x := (low + high + 1) / 2; left(x) >= c.l*x {
			low = x
		} else {
			high = x - 1
		}
	}
	if kept := left(low); kept >= c.k {
		return m - kept
	}
	return m
}

// isAsked reports whether a class meets the further requirements.
func (j *judge) isAsked(value, records []uint32, m int) bool {
	if j.asked == nil {
		return true
	}
	for i, v := range value {
		j.dense[v] = records[i]
	}
	admitted := j.asked.Admits(j.dense, value, m)
	for _, v := range value {
		j.dense[v] = 0
	}
	return admitted
}

// isClose tests t-closeness: Li, Li and Venkatasubramanian, ICDE 2007, section 5.2. In units of
// 1/(m n), the equal distance is the sum of the values' surpluses over their share; the ordered
// one is the sum of the cumulated differences over the number of values less 1.
func (j *judge) isClose(value, records []uint32, m int) bool {
	sum, whole, rows := 0, m*j.rows, j.rows
	if !j.ordered {
		for i, v := range value {
			sum += max(0, int(records[i])*rows-j.total[v]*m)
		}
		return j.t.Admits(sum, whole)
	}
	for i, v := range value {
		j.dense[v] = records[i]
	}
	above, values := 0, 0
	for v, n := range j.total {
		if n == 0 {
			continue
		}
		values++
		above += int(j.dense[v])*rows - n*m
		sum += max(above, -above)
	}
	for _, v := range value {
		j.dense[v] = 0
	}
	return j.t.Admits(sum, whole*max(values-1, 1))
}
