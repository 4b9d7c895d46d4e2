package completed

import (
	"unsafe"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/planes"
)

// MaxCompletedRecords is the greatest number of records of a release with completed tables:
// 32-bit counters cannot overflow.
const MaxCompletedRecords = 1<<31 - 1

// Tables are the completed tables of a release with the prepared data to count them.
type Tables struct {
	release    *anonymize.Release
	Completion *anonymize.Completion
	Blocks     []recordBlock
	MostSlots  int           // of any block
	pairs      []*pairCounts // the most recent ones
	making     chan struct{} // a lock for making pairs and places
	planes     *planes.Store
	places     *planes.Places // made for the first question that they fit
	units      unitTables
}

// NewTables returns the completed tables of a release, which has planes.
func NewTables(r *anonymize.Release, p *planes.Store, completion *anonymize.Completion) *Tables {
	t := &Tables{release: r, Completion: completion, Blocks: recordBlocks(r.GroupSizes), making: make(chan struct{}, 1), planes: p}
	for b, from := range t.Blocks[:len(t.Blocks)-1] {
		t.MostSlots = max(t.MostSlots, t.Blocks[b+1].record-from.record)
	}
	return t
}

// Bytes returns the most memory that the tables take.
func (t *Tables) Bytes() int64 {
	return t.Completion.Bytes() + int64(t.maxPairs())*int64(t.maxPairBytes()) + int64(len(t.Blocks))*int64(unsafe.Sizeof(recordBlock{})) +
		t.planes.PlacesBytes(t.Completion) + t.unitBytes()
}
