package utility

import (
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// An EntropyLoss is the non-uniform entropy of generalized quasi-identifiers (De Waal and
// Willenborg, Information loss through global recoding and local suppression, Netherlands
// Official Statistics 14, 1999; Gionis and Tassa, k-Anonymization with Minimal Loss of
// Information, TKDE 21(2), 2009). With n_x the table's records of value x, and n_B those whose
// value is in cell B, it is
//
//	sum over records and attributes of -log2(n_x / n_B)
//
// the number of bits that a reader who knows each value's frequency needs to determine the values.
type EntropyLoss struct {
	Bits float64 // per record, over all quasi-identifiers
	// Share is Bits relative to a table whose records are all suppressed: 0 loses nothing, 1
	// everything. It is 0 if there is nothing to lose.
	Share float64
}

// entropy measures the records of the release. It is nil if a record's cells are unknown:
// without the link, with several fragments or several tuples in a group, if cells have weights,
// and if a value is not in the record's cell.
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

// occurrences counts the published values of the records in the release.
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

// suppressedBits returns the entropy of records that have the cell of all values.
func suppressedBits(count []float64, rows int) (bits float64) {
	for _, n := range count {
		if n > 0 {
			bits += n * math.Log2(float64(rows)/n)
		}
	}
	return bits
}

// cellBits returns the entropy of one attribute's cells, one per group. ok is false if a cell
// has weights or lacks the record's value.
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

// weightOf returns the probability of a value in a tuple's cell; 0 if the cell lacks it.
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
