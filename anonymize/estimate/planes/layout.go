package planes

import (
	"math/bits"

	"github.com/anonsql/anonsql/anonymize"
)

// lanes is the number of groups of a block, one per bit.
const lanes = 64

// maxPadding is the greatest number of bits of a plane per record. Beyond it, the groups are so
// uneven, or so few, that most bits would be unused.
const maxPadding = 2

// maxHeight is the greatest number of records of a group. A core's scratch space is up to
// hundreds of vectors as long as the tallest block.
const maxHeight = 4096

// chunkWords is the number of words of a plane that are processed together: few enough that all
// intermediate results stay in the first-level cache, many enough to make up for the dispatch
// of an instruction.
const chunkWords = 256

// A layout determines the position of a record in a bit plane. Groups are ordered by size; 64
// in a row form a block. The block has as many words as its largest group has records: bit g of
// word j is record j of its g-th group. So one operation on a word processes 64 groups, and
// adding up words counts the records of a group, regardless of where groups start.
type layout struct {
	// order has the gids by size, without empty groups; nil if it is the identity, which it is
	// if all groups have one size.
	order  []uint32
	groups int
	// sizes are the distinct group sizes, ascending. The groups of sizes[i] are at positions
	// sizeStart[i] .. sizeStart[i+1]-1 of the order.
	sizes     []uint32
	sizeStart []int
	// blockStart has the first word of every block, and last the number of words. blockSize
	// has, for every block, the index of its first group's size.
	blockStart []uint32
	blockSize  []uint32
	// chunkStart divides the blocks into chunks of about chunkWords words.
	chunkStart []uint32
	// maxWords and maxBlocks are the greatest numbers of words and blocks of a chunk.
	maxWords, maxBlocks int
}

// NewLayout returns nil if planes would not pay.
func NewLayout(r *anonymize.Release) *layout {
	largest := uint32(0)
	for _, size := range r.GroupSizes {
		largest = max(largest, size)
	}
	if largest > maxHeight {
		return nil
	}
	l := &layout{}
	l.sort(r.GroupSizes, largest)
	l.cutBlocks()
	words := int(l.blockStart[l.blocks()])
	if words*lanes > maxPadding*r.Rows+lanes*chunkWords {
		return nil
	}
	l.cutChunks()
	return l
}

// sort orders the groups by size, then by gid. It is a counting sort: no size exceeds largest.
func (l *layout) sort(sizes []uint32, largest uint32) {
	next := make([]int, largest+1) // by size: the groups of it, and then the position of the next one
	for _, size := range sizes {
		next[size]++
	}
	uniform := next[0] == 0
	for size := uint32(1); size <= largest; size++ {
		groups := next[size]
		if next[size] = l.groups; groups > 0 {
			l.sizes, l.sizeStart = append(l.sizes, size), append(l.sizeStart, l.groups)
			l.groups += groups
		}
	}
	l.sizeStart = append(l.sizeStart, l.groups)
	if uniform && len(l.sizes) <= 1 || l.groups == 0 {
		return
	}
	l.order = make([]uint32, l.groups)
	for g, size := range sizes {
		if size > 0 {
			l.order[next[size]] = uint32(g)
			next[size]++
		}
	}
}

func (l *layout) cutBlocks() {
	words, size := 0, 0
	for first := 0; first < l.groups; first += lanes {
		for l.sizeStart[size+1] <= first {
			size++
		}
		l.blockStart, l.blockSize = append(l.blockStart, uint32(words)), append(l.blockSize, uint32(size))
		last, tallest := min(first+lanes, l.groups)-1, size
		for l.sizeStart[tallest+1] <= last {
			tallest++
		}
		words += int(l.sizes[tallest])
	}
	l.blockStart = append(l.blockStart, uint32(words))
}

func (l *layout) cutChunks() {
	first := 0
	for b := range l.blocks() {
		if b > first && int(l.blockStart[b+1]-l.blockStart[first]) > chunkWords {
			l.chunkStart = append(l.chunkStart, uint32(first))
			first = b
		}
		l.maxWords = max(l.maxWords, int(l.blockStart[b+1]-l.blockStart[first]))
		l.maxBlocks = max(l.maxBlocks, b+1-first)
	}
	l.chunkStart = append(l.chunkStart, uint32(first), uint32(l.blocks()))
}

func (l *layout) blocks() int { return len(l.blockStart) - 1 }

func (l *layout) chunks() int { return len(l.chunkStart) - 1 }

// width returns the number of bits of the largest size.
func (l *layout) width() int {
	if len(l.sizes) == 0 {
		return 0
	}
	return bits.Len32(l.sizes[len(l.sizes)-1])
}

// group returns the gid at a position of the order.
func (l *layout) group(position int) uint32 {
	if l.order == nil {
		return uint32(position)
	}
	return l.order[position]
}

// lanesFrom returns the lanes of block b from a position of the order on; 0 if the position is
// behind the block.
func lanesFrom(b, position int) uint64 {
	return ^uint64(0) << max(0, position-b*lanes) // a shift by 64 or more is 0
}

// isEven reports whether block b is full and its groups have one size.
func (l *layout) isEven(b int) bool { return l.sizeStart[l.blockSize[b]+1] >= (b+1)*lanes }

// clip clears the unused bits in the words of block b: those of groups smaller than the block's
// height.
func (l *layout) clip(b int, words []uint64) {
	size := int(l.blockSize[b])
	for j := range words {
		for int(l.sizes[size]) <= j {
			size++
		}
		words[j] &= lanesFrom(b, l.sizeStart[size])
	}
}

// bytes returns the memory of the layout.
func (l *layout) bytes() int64 {
	return 4*int64(len(l.order)+len(l.sizes)+len(l.blockStart)+len(l.blockSize)+len(l.chunkStart)) + 8*int64(len(l.sizeStart))
}
