package nonhomogeneous

import (
	"encoding/binary"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// windows collects the candidates of every record.
type windows struct {
	bucketization.Candidates
	sensitive *anonymize.Column
	l         int
	number    map[string]uint32 // cells by their members
	members   []uint32
	key       []byte
}

func newWindows(sensitive *anonymize.Column, l int) *windows {
	return &windows{Candidates: bucketization.Candidates{Of: make([]uint32, sensitive.Rows())},
		sensitive: sensitive, l: l, number: make(map[string]uint32)}
}

// assignWindows gives the record at place i of a ring the values at places i-places ..
// i-places+l-1 as candidates; its own is candidate number places.
func (w *windows) assignWindows(ring []uint32, places int) {
	n := len(ring)
	for i, record := range ring {
		w.members = w.members[:0]
		at := i - places
		if at < 0 {
			at += n
		}
		for range w.l {
			w.members = append(w.members, w.sensitive.Codes[ring[at]])
			if at++; at == n {
				at = 0
			}
		}
		slices.Sort(w.members) // the position of its own value must not show
		w.Of[record] = w.cell()
	}
}

// cell returns the number of the cell of members.
func (w *windows) cell() uint32 {
	w.key = w.key[:0]
	for _, code := range w.members {
		w.key = binary.LittleEndian.AppendUint32(w.key, code)
	}
	number, ok := w.number[string(w.key)]
	if !ok {
		number = uint32(len(w.Cells))
		w.number[string(w.key)] = number
		w.Cells = append(w.Cells, bucketization.SetCell(w.sensitive.Dictionary, w.members))
	}
	return number
}
