package association

import "github.com/anonsql/anonsql/anonymize"

// levels is a column prepared for phi^2: codes below width, after discretization.
type levels struct {
	codes    []uint32
	count    []int // rows per code, width entries
	distinct int   // codes that occur
}

// newLevels prepares a column. A numeric one of more than bins distinct values
// is discretized, unless bins is 0.
func newLevels(c *anonymize.Column, bins int) *levels {
	l := &levels{codes: c.Codes, count: c.Histogram()}
	for _, n := range l.count {
		if n > 0 {
			l.distinct++
		}
	}
	if bins > 0 && l.distinct > bins && c.IsNumeric() {
		l.merge(EqualFrequency(c.Dictionary, l.count, bins), bins)
	}
	return l
}

// EqualFrequency divides the values of a numeric attribute, ascending with NULL first, into at
// most bins bins with about equally many records, as [Matrix] does. It returns the bin by
// value, ascending from 0; NULL has bin 0 for itself. bins is at least 2. A value goes to the
// bin of its middle rank, so equal values share a bin, and a value more frequent than a bin
// fills one.
func EqualFrequency[N int | int64](values []anonymize.Value, records []N, bins int) []uint32 {
	var rows N
	for _, n := range records {
		rows += n
	}
	first := 0
	if len(values) > 0 && values[0].IsNull() && records[0] > 0 {
		rows, first = rows-records[0], 1
	}
	binOf := make([]uint32, len(records))
	var below N
	for code := first; code < len(records); code++ {
		middle := 2*below + records[code]
		bin := int(middle * N(bins-first) / (2 * rows))
		binOf[code] = uint32(min(bin, bins-first-1) + first)
		below += records[code]
	}
	return binOf
}

// merge replaces the codes by their bins.
func (l *levels) merge(binOf []uint32, bins int) {
	codes := anonymize.Gather(binOf, l.codes)
	count := make([]int, bins)
	for code, n := range l.count {
		count[binOf[code]] += n
	}
	l.codes, l.count, l.distinct = codes, count, 0
	for _, n := range count {
		if n > 0 {
			l.distinct++
		}
	}
}
