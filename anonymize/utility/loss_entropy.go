package utility

import (
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// An EntropyLoss is the non-uniform entropy of generalized quasi-identifiers (De Waal and
// Willenborg, Information loss through global recoding and local suppression, Netherlands
// Official Statistics 14, 1999; Gionis and Tassa, k-Anonymization with Minimal Loss of
// Information, TKDE 21(2), 2009): with n_x the records of the table that have
// value x, and n_B those whose value is in cell B,
//
//	sum over records and attributes of -log2(n_x / n_B)
//
// how many bits one lacks to tell the values, for who knows how often each occurs.
type EntropyLoss struct {
	Bits float64 // a record, of all quasi-identifiers
	// Share is Bits by those of a table whose records are all suppressed: 0 nothing is
	// lost, 1 everything. 0 where there is nothing to lose.
	Share float64
}

// entropy measures the records of the release; nil where nobody can tell which cells a
// record has: without the link, with several fragments or several tuples in a group, with
// cells that have weights, and with values that are not in the record's cell.
func (l *lossOf) entropy() *EntropyLoss {
	f := onlyQuasiIdentifiers(l.release)
	if f == nil || l.gidOf == nil || f.Tuples() != f.Groups() {
		return nil
	}
	loss, whole, rows, generalized := 0.0, 0.0, 0, false
	for _, raw := range l.in.QuasiIdentifiers {
		at := f.Column(raw.Name)
		if at < 0 {
			return nil
		}
		c := f.Columns[at]
		codes := recoded(raw, c.Dictionary)
		count, n := l.occurrences(codes, len(c.Dictionary))
		rows, whole = n, whole+suppressedBits(count, n)
		if c.IsPoint() {
			continue
		}
		generalized = true
		bits, ok := l.cellBits(c, codes, count)
		if !ok {
			return nil
		}
		loss += bits
	}
	if !generalized || rows == 0 {
		return nil
	}
	e := &EntropyLoss{Bits: loss / float64(rows)}
	if whole > 0 {
		e.Share = loss / whole
	}
	return e
}

// occurrences counts the published values of the records that are in the release.
func (l *lossOf) occurrences(codes []uint32, width int) (count []float64, rows int) {
	count = make([]float64, width+1)
	for record, code := range codes {
		if int(l.gidOf[record]) < l.release.Groups() {
			count[code]++
			rows++
		}
	}
	return count, rows
}

// suppressedBits is the entropy of records that have the cell of all values.
func suppressedBits(count []float64, rows int) (bits float64) {
	for _, n := range count {
		if n > 0 {
			bits += n * math.Log2(float64(rows)/n)
		}
	}
	return bits
}

// cellBits adds up the entropy of one attribute's cells, one a group. ok is false where a
// cell has weights or does not have the record's value.
func (l *lossOf) cellBits(c *anonymize.FragmentColumn, codes []uint32, count []float64) (bits float64, ok bool) {
	logOfCell := make([]float64, len(c.Cells))
	for i, cell := range c.Cells {
		if cell.Weights != nil {
			return 0, false
		}
		n := 0.0
		for _, member := range cell.Members {
			n += count[member]
		}
		logOfCell[i] = math.Log2(n)
	}
	logOf := make([]float64, len(count))
	for code, n := range count {
		logOf[code] = math.Log2(n)
	}
	for record, group := range l.gidOf {
		if int(group) >= l.release.Groups() {
			continue
		}
		if weightOf(c, group, codes[record]) == 0 {
			return 0, false
		}
		bits += logOfCell[c.Codes[group]] - logOf[codes[record]]
	}
	return bits, true
}

// weightOf is the probability that a tuple's cell has of a value, 0 for one that it does
// not stand for.
func weightOf(c *anonymize.FragmentColumn, tuple, code uint32) float64 {
	if c.IsPoint() {
		if c.Codes[tuple] == code {
			return 1
		}
		return 0
	}
	cell := &c.Cells[c.Codes[tuple]]
	at, found := slices.BinarySearch(cell.Members, code)
	if !found {
		return 0
	}
	return cell.Weight(at)
}
