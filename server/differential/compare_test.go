package differential

import (
	dbsql "database/sql"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A result is rows of texts, with NULL for NULL, and the types of its columns as the protocol has them, or an error.
type result struct {
	rows  [][]string
	types []string
	err   error
}

func ask(t *testing.T, db *dbsql.DB, text string) (r result) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), text)
	if err != nil {
		return result{err: err}
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return result{err: err}
	}
	if r.types, err = definedTypes(rows); err != nil {
		return result{err: err}
	}
	for rows.Next() {
		cells, targets := make([]dbsql.NullString, len(columns)), make([]any, len(columns))
		for i := range cells {
			targets[i] = &cells[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return result{err: err}
		}
		row := make([]string, len(columns))
		for i, c := range cells {
			if row[i] = "NULL"; c.Valid {
				row[i] = c.String
			}
		}
		r.rows = append(r.rows, row)
	}
	r.err = rows.Err()
	return r
}

var (
	plainNumber = regexp.MustCompile(`^-?\d+(\.\d+)?(e[-+]?\d+)?$`)
	fraction    = regexp.MustCompile(`(\d\d:\d\d:\d\d)\.(\d+)$`)
)

// same recognises two cells of one value: numbers to 12 digits, and to four decimals where
// the averages and quotients of ten rows are rounded to those.
func same(a, b string, rounded bool) bool {
	if a == b {
		return true
	}
	if plainNumber.MatchString(a) && plainNumber.MatchString(b) {
		x, _ := strconv.ParseFloat(a, 64)
		y, _ := strconv.ParseFloat(b, 64)
		off := math.Abs(x - y)
		return off <= 1e-12*max(math.Abs(x), math.Abs(y)) || rounded && off <= 10*0.51e-4
	}
	return withoutZeros(a) == withoutZeros(b)
}

// withoutZeros removes trailing zeros after the point of a time.
func withoutZeros(s string) string {
	if found := fraction.FindStringSubmatchIndex(s); found != nil {
		return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// equal compares two results, as sets of rows where they have no order.
func equal(a, b result, ordered, rounded bool) bool {
	if len(a.rows) != len(b.rows) {
		return false
	}
	left, right := slices.Clone(a.rows), slices.Clone(b.rows)
	if !ordered {
		order := func(x, y []string) int { return slices.CompareFunc(x, y, byValue) }
		slices.SortFunc(left, order)
		slices.SortFunc(right, order)
	}
	for i := range left {
		for j := range left[i] {
			if !same(left[i][j], right[i][j], rounded) {
				return false
			}
		}
	}
	return true
}

func byValue(a, b string) int {
	if number := plainNumber.MatchString(a); number != plainNumber.MatchString(b) { // numbers come first
		if number {
			return -1
		}
		return 1
	}
	if plainNumber.MatchString(a) && plainNumber.MatchString(b) {
		x, _ := strconv.ParseFloat(a, 64)
		y, _ := strconv.ParseFloat(b, 64)
		if math.Abs(x-y) > 1e-4 {
			if x < y {
				return -1
			}
			return 1
		}
		return 0
	}
	return strings.Compare(a, b)
}
