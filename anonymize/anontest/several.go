package anontest

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// Protected returns the values that bounds on sensitive values apply to, by attribute and record: the tuples of the
// sensitive attributes, or the values of each one.
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

// Diverse reports whether, for every attribute of Protected, no value has more than floor(m/l) of the m records of
// any group. Groups list record numbers.
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

// CloseDiverse reports whether, for every numeric sensitive attribute, no interval of the width has the values of more than floor(m/l) of the
// m records of any group. It compares every record with all others. width has the syntax of the parameter threshold. NULL is close to NULL.
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
