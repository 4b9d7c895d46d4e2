package completed

import (
	"unsafe"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/planes"
)

// MaxCompletedRecords bounds the records of a release that has completed tables,
// so that counters of 32 bits never overflow.
const MaxCompletedRecords = 1<<31 - 1

// Tables are the completed tables of a release, and what is prepared to count them.
type Tables struct {
	release    *anonymize.Release
	Completion *anonymize.Completion
	Blocks     []recordBlock
	MostSlots  int           // of a block
	pairs      []*pairCounts // those made last
	making     chan struct{} // has room for who makes one, or places
	planes     *planes.Store
	places     *planes.Places // made when a question first fits them
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

// Bytes is the memory that the tables take at most.
func (t *Tables) Bytes() int64 {
	return t.Completion.Bytes() + int64(t.maxPairs())*int64(t.maxPairBytes()) + int64(len(t.Blocks))*int64(unsafe.Sizeof(recordBlock{})) +
		t.planes.PlacesBytes(t.Completion) + t.unitBytes()
}
