package units

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// A unit is the records of one person or household: rows of the input, ascending.
type unit []uint32

// A stratum is the set of units with equally many records.
type stratum struct {
	records int
	units   []unit
}

// strata groups the units of in by their number of records, in descending order.
func strata(in *anonymize.Input) []*stratum {
	rows := anonymize.Indices(in.Rows)
	units := 0
	if in.Rows > 0 {
		units = int(slices.Max(in.Units)) + 1
	}
	byUnit := bucketization.NewPartition(rows, in.Units, units)
	bySize := make(map[int]*stratum)
	for u := range byUnit.Groups() {
		records := byUnit.Records(u)
		s := bySize[len(records)]
		if s == nil {
			s = &stratum{records: len(records)}
			bySize[len(records)] = s
		}
		s.units = append(s.units, records)
	}
	delete(bySize, 0) // numbers without records
	return slices.SortedFunc(maps.Values(bySize), func(a, b *stratum) int { return cmp.Compare(b.records, a.records) })
}

// trim moves the units of s to a stratum with fewer records. Each keeps a random selection of its records.
func (s *stratum) trim(to *stratum, random *rand.Rand) {
	for _, u := range s.units {
		kept := slices.Clone(u)
		bucketization.Shuffle(kept, random)
		kept = kept[:to.records]
		slices.Sort(kept)
		to.units = append(to.units, kept)
	}
}

// isConstant reports whether no unit of the stratum has two values of the column.
func (s *stratum) isConstant(c *anonymize.Column) bool {
	for _, u := range s.units {
		for _, row := range u[1:] {
			if c.Codes[row] != c.Codes[u[0]] {
				return false
			}
		}
	}
	return true
}

// input returns the table with one row per unit that the method sees. It has the middle value of a quasi-identifier, or
// the most frequent if the values are not numbers; for a sensitive attribute, the value that most units have.
func (s *stratum) input(in *anonymize.Input) *anonymize.Input {
	of := *in
	of.Rows, of.Units, of.Assigned = len(s.units), nil, nil
	of.QuasiIdentifiers, of.Sensitive = nil, nil
	for _, c := range slices.Concat(in.QuasiIdentifiers, in.Sensitive) {
		if !s.isConstant(c) {
			of.Varying = append(of.Varying, c.Name)
		}
	}
	for _, c := range in.QuasiIdentifiers {
		choose := mostFrequent
		if c.IsNumeric() {
			choose = middle
		}
		of.QuasiIdentifiers = append(of.QuasiIdentifiers, s.oneRowAUnit(c, choose))
	}
	for _, c := range in.Sensitive {
		units := s.unitsWith(c)
		of.Sensitive = append(of.Sensitive, s.oneRowAUnit(c, func(codes []uint32) uint32 {
			return slices.MaxFunc(codes, func(a, b uint32) int { return cmp.Or(cmp.Compare(units[a], units[b]), cmp.Compare(b, a)) })
		}))
	}
	return &of
}

// oneRowAUnit returns the column with one of each unit's codes.
func (s *stratum) oneRowAUnit(c *anonymize.Column, choose func(codes []uint32) uint32) *anonymize.Column {
	one := &anonymize.Column{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary, Codes: make([]uint32, len(s.units))}
	codes := make([]uint32, 0, s.records)
	for i, u := range s.units {
		codes = codes[:0]
		for _, row := range u {
			codes = append(codes, c.Codes[row])
		}
		one.Codes[i] = choose(codes)
	}
	return one
}

func middle(codes []uint32) uint32 {
	slices.Sort(codes)
	return codes[(len(codes)-1)/2]
}

func mostFrequent(codes []uint32) (most uint32) {
	slices.Sort(codes)
	longest := 0
	for first := 0; first < len(codes); {
		end := first
		for end < len(codes) && codes[end] == codes[first] {
			end++
		}
		if end-first > longest {
			longest, most = end-first, codes[first]
		}
		first = end
	}
	return most
}

// unitsWith returns, by code of a column, the number of units with that code in any record.
func (s *stratum) unitsWith(c *anonymize.Column) []int {
	units := make([]int, len(c.Dictionary))
	last := make([]int, len(c.Dictionary)) // by code: the last counted unit, from 1
	for i, u := range s.units {
		for _, row := range u {
			if code := c.Codes[row]; last[code] != i+1 {
				last[code] = i + 1
				units[code]++
			}
		}
	}
	return units
}
