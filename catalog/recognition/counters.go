package recognition

import (
	"cmp"
	"math"
	"slices"
)

// A link pairs a value of a counter (a row number) with the sensitive value of its first
// record, both hashed.
type link struct {
	key   uint64 // valueBits bits
	value uint16
}

const (
	// keptLinks is the number of links kept per counter.
	keptLinks = 512
	// minNumbered is the least share of equal sensitive values beyond chance at which row
	// numbers count as the same.
	minNumbered = 0.5
)

// link computes the links of the first counter with the protected column.
func (t *Table) link(s *Sketch) {
	protected := t.protected()
	if protected == nil {
		return
	}
	for i, c := range t.columns {
		if c.counter {
			list := c.linked(protected, 0, firstBound(c.distinct, keptLinks))
			s.columns[i].links = list[:min(len(list), keptLinks)]
			return
		}
	}
}

// linked lists the links of a column's values with hashes up to a bound. Each has the sensitive
// value that stands behind places further.
func (c *column) linked(protected *column, behind int, bound uint64) []link {
	first := make([]int, len(c.counts))
	for row := len(c.codes) - 1; row >= 0; row-- {
		first[c.codes[row]] = row
	}
	var list []link
	for code, n := range c.counts {
		key, other := c.hashes[code]>>(64-valueBits), code+behind
		if n == 0 || key > bound || other >= len(c.counts) || c.counts[other] == 0 {
			continue
		}
		list = append(list, link{key, uint16(protected.hashes[protected.codes[first[other]]])})
	}
	slices.SortFunc(list, func(a, b link) int { return cmp.Compare(a.key, b.key) })
	return list
}

// compareNumbers finds a column of the table with the remembered row numbers and the same
// sensitive values. Different people often share row numbers, and sensitive values may be
// sorted. So equal values count only as far as they exceed those with the sensitive value of
// the next number.
func (t *Table) compareNumbers(s *Sketch, aligned []int) float64 {
	protected := slices.IndexFunc(s.columns, func(c columnSketch) bool { return c.sensitive && !c.counter && c.distinct > 1 })
	if protected < 0 || aligned[protected] < 0 {
		return 0
	}
	most := 0.0
	for i := range s.columns {
		known := s.columns[i].links
		if len(known) == 0 {
			continue
		}
		for _, c := range t.columns {
			if 10*c.distinct < t.rows || c.entropy < 3 {
				continue
			}
			of := t.columns[aligned[protected]]
			bound := known[len(known)-1].key
			most = max(most, linkedShare(known, c.linked(of, 0, bound), c.linked(of, 1, bound)))
		}
	}
	return most
}

// linkedShare returns the share of equal values beyond chance, 0 for too few links.
func linkedShare(known, same, next []link) float64 {
	equal, both, chance := agreement(known, same)
	shifted, others, _ := agreement(known, next)
	if both < fewestLinks || others < fewestLinks {
		return 0
	}
	chance = math.Max(chance, (shifted+3*math.Sqrt(shifted+1))/others)
	share := equal / both
	if chance >= 1 || share <= chance || logDeviation(equal, both*chance)+logDeviation(both-equal, both*(1-chance)) < minLogLikelihood {
		return 0
	}
	if share = (share - chance) / (1 - chance); share < minNumbered {
		return 0
	}
	return share
}

// fewestLinks is the least number of common links.
const fewestLinks = 20

// agreement counts the links with equal keys, those of them with equal values, and the share
// that chance would make equal.
func agreement(a, b []link) (equal, both, chance float64) {
	left, right := make(map[uint16]float64), make(map[uint16]float64)
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].key < b[j].key:
			i++
		case a[i].key > b[j].key:
			j++
		default:
			both++
			left[a[i].value]++
			right[b[j].value]++
			if a[i].value == b[j].value {
				equal++
			}
			i, j = i+1, j+1
		}
	}
	for value, n := range left {
		chance += n * right[value] / (both * both)
	}
	return equal, both, chance
}
