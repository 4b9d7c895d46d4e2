package regularexpression

import (
	"slices"
	"unicode"
)

// A set of characters: pairs of first and last. A tidy set is ascending, without overlapping or adjacent pairs.
// regexp/syntax accepts it as it is.
type set []rune

// tidy sorts and merges the pairs, in place.
func (s set) tidy() set {
	type span struct{ first, last rune }
	spans := make([]span, len(s)/2)
	for i := range spans {
		spans[i] = span{s[2*i], s[2*i+1]}
	}
	slices.SortFunc(spans, func(a, b span) int { return int(a.first) - int(b.first) })
	out := s[:0]
	for _, p := range spans {
		if n := len(out); n > 0 && p.first <= out[n-1]+1 {
			out[n-1] = max(out[n-1], p.last)
		} else {
			out = append(out, p.first, p.last)
		}
	}
	return out
}

// not returns all other characters. s must be tidy.
func (s set) not() set {
	var out set
	next := rune(0)
	for i := 0; i < len(s); i += 2 {
		if s[i] > next {
			out = append(out, next, s[i]-1)
		}
		next = s[i+1] + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, next, unicode.MaxRune)
	}
	return out
}

// and returns the intersection. Both sets must be tidy.
func (s set) and(other set) set {
	var out set
	for i, j := 0, 0; i < len(s) && j < len(other); {
		if first, last := max(s[i], other[j]), min(s[i+1], other[j+1]); first <= last {
			out = append(out, first, last)
		}
		if s[i+1] < other[j+1] {
			i += 2
		} else {
			j += 2
		}
	}
	return out
}

// union returns a tidy set.
func (s set) union(other set) set { return slices.Concat(s, other).tidy() }

// has reports whether r is in s, which must be tidy.
func (s set) has(r rune) bool {
	low, high := 0, len(s)/2
	for low < high {
		if middle := (low + high) / 2; r > s[2*middle+1] {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low < len(s)/2 && s[2*low] <= r
}

// folded adds the other cases of all characters. s must be tidy.
func (s set) folded() set {
	out := slices.Clone(s)
	cased := casedSet().and(s)
	for i := 0; i < len(cased); i += 2 {
		for r := cased[i]; r <= cased[i+1]; r++ {
			for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
				if !s.has(other) {
					out = append(out, other, other)
				}
			}
		}
	}
	return out.tidy()
}

// ofTables returns the union of Unicode's tables.
func ofTables(tables ...*unicode.RangeTable) set {
	var out set
	for _, table := range tables {
		for _, r := range table.R16 {
			out = appendStrided(out, rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range table.R32 {
			out = appendStrided(out, rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return out.tidy()
}

func appendStrided(out set, low, high, stride rune) set {
	if stride == 1 {
		return append(out, low, high)
	}
	for r := low; r <= high; r += stride {
		out = append(out, r, r)
	}
	return out
}
