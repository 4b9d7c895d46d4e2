package recognition

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// maxColumns is the number of examined columns, released ones first.
const maxColumns = 48

// fewestRows is the least number of rows of a remembered table.
const fewestRows = 5

// A Table is a raw table with hashed columns, ready for Sketch and Compare.
type Table struct {
	key     []byte
	rows    int
	columns []*column
}

type column struct {
	name      uint64 // keyed hash
	released  bool
	sensitive bool
	codes     []uint32
	hashes    []uint64 // of the dictionary
	counts    []int
	distinct  int
	entropy   float64 // bits
	// counter marks row numbers: integers without large gaps, each in about one record. They
	// say nothing about a person.
	counter bool
}

// useful reports whether the column takes part in comparisons of records.
func (c *column) useful() bool { return c.distinct > 1 && !c.counter }

// NewTable hashes the columns of a raw table under a secret key of at least 16 bytes. released
// names the columns that the publication shows, sensitive those of them that it protects. Cost:
// one hash per distinct value and one pass over the codes.
func NewTable(ctx context.Context, key []byte, columns []*anonymize.Column, released, sensitive []string) (*Table, error) {
	t := &Table{key: key}
	if len(columns) == 0 || len(columns[0].Codes) < fewestRows {
		return t, nil
	}
	t.rows = len(columns[0].Codes)
	for _, c := range columns {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		has := func(names []string) bool {
			return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, c.Name) })
		}
		t.columns = append(t.columns, newColumn(key, c, has(released) || has(sensitive), has(sensitive)))
	}
	slices.SortStableFunc(t.columns, func(a, b *column) int { return rank(a) - rank(b) })
	t.columns = t.columns[:min(len(t.columns), maxColumns)]
	return t, nil
}

// rank sorts sensitive columns first, then other released ones.
func rank(c *column) int {
	switch {
	case c.sensitive:
		return 0
	case c.released:
		return 1
	}
	return 2
}

func newColumn(key []byte, c *anonymize.Column, released, sensitive bool) *column {
	made := &column{name: sipHash(key, []byte("column "+strings.ToLower(c.Name))), released: released, sensitive: sensitive,
		codes: c.Codes, hashes: hashValues(key, c.Dictionary), counts: c.Histogram()}
	rows := float64(len(c.Codes))
	for _, n := range made.counts {
		if n > 0 {
			made.distinct++
			made.entropy -= float64(n) / rows * math.Log2(float64(n)/rows)
		}
	}
	made.counter = isCounter(c, made)
	return made
}

// isCounter recognises row numbers: integers, or texts that end in digits after the same
// letters, nearly as many as records and without large gaps.
func isCounter(c *anonymize.Column, made *column) bool {
	rows := len(c.Codes)
	unique := 50*made.distinct >= 49*rows
	frequent := made.distinct > 200 && 10*made.distinct >= rows
	if !unique && !frequent {
		return false
	}
	low, high, prefix, first := math.MaxFloat64, -math.MaxFloat64, "", true
	for code, v := range c.Dictionary {
		if made.counts[code] == 0 || v.IsNull() {
			continue
		}
		letters, number, ok := numbered(v)
		if !ok || !first && letters != prefix {
			return false
		}
		prefix, first = letters, false
		low, high = min(low, number), max(high, number)
	}
	span := high - low + 1
	return unique && span <= 10*float64(made.distinct) || frequent && span <= 2*float64(made.distinct)
}

// numbered splits a value into letters and a trailing integer.
func numbered(v anonymize.Value) (string, float64, bool) {
	if v.Kind == anonymize.Integer {
		return "", float64(v.Int), true
	}
	if v.Kind == anonymize.Real || v.Kind == anonymize.Instant {
		return "", 0, false
	}
	letters := strings.TrimRight(v.Text, "0123456789")
	number, err := strconv.ParseUint(v.Text[len(letters):], 10, 53)
	return letters, float64(number), err == nil
}
