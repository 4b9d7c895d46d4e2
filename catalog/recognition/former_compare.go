package recognition

import (
	"encoding/binary"
	"slices"
)

// Overlap estimates which share of the records of a table are records of another
// one: of the smaller table's, by the projection that has most.
func (s Former) Overlap(other Former) float64 {
	sums := make(map[[2]uint64]bool)
	holders := make(map[uint64][]int)
	for i, p := range other {
		sums[[2]uint64{p.records, p.sum}] = true
		for _, hash := range p.least {
			holders[hash] = append(holders[hash], i)
		}
	}
	most := 0.0
	for i := range s {
		p := &s[i]
		if sums[[2]uint64{p.records, p.sum}] {
			return 1
		}
		seen := make(map[int]bool)
		for _, hash := range p.least {
			for _, at := range holders[hash] {
				if !seen[at] {
					seen[at] = true
					most = max(most, p.common(&other[at]))
				}
			}
		}
	}
	return most
}

// common estimates the share of common records of two projections, of the smaller
// one's: below the lesser of the two greatest hashes both are complete.
func (p *projection) common(other *projection) float64 {
	bound := min(p.reach(), other.reach())
	a, b := below(p.least, bound), below(other.least, bound)
	if min(len(a), len(b)) < fewestCompared && min(p.records, other.records) >= fewestCompared {
		return 0
	}
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			both, i, j = both+1, i+1, j+1
		}
	}
	return float64(both) / float64(min(len(a), len(b)))
}

func (p *projection) reach() uint64 {
	if len(p.least) < sketchSize {
		return ^uint64(0) // it has all
	}
	return p.least[len(p.least)-1]
}

func below(hashes []uint64, bound uint64) []uint64 {
	n, _ := slices.BinarySearch(hashes, bound)
	if n < len(hashes) && hashes[n] == bound {
		n++
	}
	return hashes[:n]
}

// Encode writes the projections: records, sum, number of hashes, hashes.
func (s Former) Encode() []byte {
	data := binary.AppendUvarint([]byte{}, uint64(len(s)))
	for _, p := range s {
		data = binary.AppendUvarint(data, p.records)
		data = binary.LittleEndian.AppendUint64(data, p.sum)
		data = binary.AppendUvarint(data, uint64(len(p.least)))
		for _, hash := range p.least {
			data = binary.LittleEndian.AppendUint64(data, hash)
		}
	}
	return data
}

// DecodeFormer reads what encode wrote.
func DecodeFormer(data []byte) (Former, error) {
	if len(data) == 0 {
		return nil, nil
	}
	d := &reader{data: data}
	s := make(Former, d.length())
	for i := range s {
		s[i].records = d.uvarint()
		s[i].sum = d.fixed(8)
		s[i].least = make([]uint64, d.length())
		for j := range s[i].least {
			s[i].least[j] = d.fixed(8)
		}
		d.failed = d.failed || !slices.IsSorted(s[i].least)
	}
	if d.failed || len(d.data) > 0 {
		return nil, errDamaged
	}
	return s, nil
}

// length reads the length of a list whose entries take at least one byte.
func (d *reader) length() int {
	n := d.uvarint()
	if n > uint64(len(d.data)) {
		d.failed = true
		return 0
	}
	return int(n)
}
