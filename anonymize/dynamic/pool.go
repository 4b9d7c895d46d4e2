package dynamic

import (
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A pool has the rows of a Live, then those of the changed records in the table, under common
// dictionaries.
type pool []*anonymize.Column

// newPool verifies that the changed records have the Live's columns. rows selects rows of
// changed.Columns; extra are additional values for the dictionary of the sensitive attribute.
// O(rows + values).
func newPool(live *anonymize.Live, changed *anonymize.Changed, rows []int, extra []anonymize.Value) (pool, error) {
	news := changed.Columns
	if len(news) == 0 && len(rows) == 0 { // only deletions
		news = live.Columns
	}
	if len(live.Columns) < 2 || len(news) != len(live.Columns) {
		return nil, fmt.Errorf("the release has %d columns, the changed records %d", len(live.Columns), len(news))
	}
	p := make(pool, len(live.Columns))
	for i, c := range live.Columns {
		d := news[i]
		if d.Name != c.Name || d.Type != c.Type {
			return nil, fmt.Errorf("column %d is %s %s in the release and %s %s in the changed records", i, c.Name, c.Type, d.Name, d.Type)
		}
		var more []anonymize.Value
		if i == len(p)-1 {
			more = extra
		}
		p[i] = appendRows(c, d, rows, more)
	}
	return p, nil
}

// appendRows returns a column with the rows of c and then some rows of d.
func appendRows(c, d *anonymize.Column, rows []int, extra []anonymize.Value) *anonymize.Column {
	news := slices.Clone(extra)
	for _, row := range rows {
		news = append(news, d.Value(row))
	}
	dictionary := merge(c.Dictionary, news)
	codes := make([]uint32, 0, len(c.Codes)+len(rows))
	if len(dictionary) == len(c.Dictionary) {
		codes = append(codes, c.Codes...)
	} else {
		to := make([]uint32, len(c.Dictionary))
		for code, v := range c.Dictionary {
			to[code] = codeOf(dictionary, v)
		}
		codes = append(codes, anonymize.Gather(to, c.Codes)...)
	}
	for _, row := range rows {
		codes = append(codes, codeOf(dictionary, d.Value(row)))
	}
	return &anonymize.Column{Name: c.Name, Type: c.Type, Dictionary: dictionary, Codes: codes}
}

// merge returns an ascending dictionary with additional values.
func merge(dictionary, values []anonymize.Value) []anonymize.Value {
	merged := slices.Concat(dictionary, values)
	slices.SortFunc(merged, anonymize.Compare)
	return slices.Compact(merged)
}

// codeOf returns the code of a value in the dictionary.
func codeOf(dictionary []anonymize.Value, v anonymize.Value) uint32 {
	code, _ := slices.BinarySearchFunc(dictionary, v, anonymize.Compare)
	return uint32(code)
}

// compact returns a column of these codes whose dictionary has only the values that they use:
// it will be published and must not reveal unpublished records.
func compact(c *anonymize.Column, codes []uint32) *anonymize.Column {
	to := make([]uint32, len(c.Dictionary))
	for _, code := range codes {
		to[code] = 1
	}
	var dictionary []anonymize.Value
	for code, used := range to {
		if used == 1 {
			to[code] = uint32(len(dictionary))
			dictionary = append(dictionary, c.Dictionary[code])
		}
	}
	return &anonymize.Column{Name: c.Name, Type: c.Type, Dictionary: dictionary, Codes: anonymize.Gather(to, codes)}
}

// equal reports whether two rows have the same values in the columns.
func equal(columns []*anonymize.Column, x, y uint32) bool {
	for _, c := range columns {
		if c.Codes[x] != c.Codes[y] {
			return false
		}
	}
	return true
}
