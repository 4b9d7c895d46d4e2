package anontest

import (
	"fmt"
	"math"
	"strconv"
	"strings"

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

// CloseDiverse reports whether in every group, of records by number, no interval of the width has the values of more than floor(m/l) of the m
// records, for every numeric sensitive attribute: by looking from every record at all others. width is as of the parameter threshold; NULL is
// close to itself.
func CloseDiverse(in *anonymize.Input, groups [][]int, l int, width string) bool {
	number, relative := strings.CutSuffix(width, "%")
	w, err := strconv.ParseFloat(number, 64)
	if err != nil {
		panic(err)
	}
	for _, c := range in.Sensitive {
		if !c.IsNumeric() || w == 0 {
			continue
		}
		isFrom := func(from, to anonymize.Value) bool {
			x, ok := from.Number()
			y, other := to.Number()
			if !ok || !other {
				return ok == other
			}
			if relative {
				return x <= y && x*y >= 0 && 100*(y-x) <= w*min(math.Abs(x), math.Abs(y))
			}
			return x <= y && y-x <= w
		}
		for _, group := range groups {
			for _, a := range group {
				near := 0
				for _, b := range group {
					if isFrom(c.Value(a), c.Value(b)) {
						near++
					}
				}
				if near*l > len(group) {
					return false
				}
			}
		}
	}
	return true
}
