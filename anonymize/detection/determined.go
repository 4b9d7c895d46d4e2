package detection

import "github.com/anonsql/anonsql/anonymize"

// Between how many values, and from how many rows a value on, it says something that a column tells another.
const (
	maxDetermining = 4096
	fewestRows     = 5 // a value, on average
	noOther        = ^uint32(0)
	fewestValues   = 2
)

// determined finds for every column one that determines it: all rows of a value there have one
// value here. -1 for none. Explicit identifiers determine everything and do not count.
func determined(t *anonymize.Microdata, s []Suggestion) []int {
	by := make([]int, len(t.Columns))
	for i := range by {
		by[i] = -1
		for j := range t.Columns {
			if i != j && mayTell(t, s[j], s[i]) && determines(t.Columns[j], t.Columns[i]) && !(by[j] == i) {
				by[i] = j
				break
			}
		}
	}
	return by
}

// mayTell excludes pairs without significance: with few rows per value one column determines another by chance.
func mayTell(t *anonymize.Microdata, of, about Suggestion) bool {
	return !identifies(of) && !identifies(about) && of.Distinct <= maxDetermining &&
		about.Distinct >= fewestValues && about.Distinct <= of.Distinct && t.Rows >= fewestRows*of.Distinct
}

func identifies(s Suggestion) bool { return s.Role == ExplicitIdentifier || s.Role == Unit }

// determines compares row by row, up to the first value with two others.
func determines(of, about *anonymize.Column) bool {
	other := make([]uint32, len(of.Dictionary))
	for i := range other {
		other[i] = noOther
	}
	for row, code := range of.Codes {
		switch known := other[code]; known {
		case noOther:
			other[code] = about.Codes[row]
		case about.Codes[row]:
		default:
			return false
		}
	}
	return true
}
