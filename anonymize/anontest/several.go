package anontest

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
)

// Protected are the values that bounds on sensitive values are about, by attribute
// and record: those of every sensitive attribute, or their tuples as one.
func Protected(in *anonymize.Input, each bool) [][]string {
	values := make([][]string, 1, len(in.Sensitive))
	values[0] = make([]string, in.Rows)
	for _, c := range in.Sensitive {
		one := make([]string, in.Rows)
		for record := range one {
			one[record] = fmt.Sprintf("%#v", c.Value(record))
			values[0][record] += one[record] + ","
		}
		values = append(values, one)
	}
	if each {
		return values[1:]
	}
	return values[:1]
}

// Diverse reports whether in every group, of records by number, no value has more
// than floor(m/l) of the m records, for every attribute of Protected.
func Diverse(values [][]string, groups [][]int, l int) bool {
	for _, of := range values {
		for _, group := range groups {
			count := map[string]int{}
			for _, record := range group {
				if count[of[record]]++; count[of[record]]*l > len(group) {
					return false
				}
			}
		}
	}
	return true
}
