package planes

import (
	"math/bits"

	"github.com/anonsql/anonsql/anonymize"
)

// lanes is the number of groups that a block holds side by side, one a bit.
const lanes = 64

// maxPadding bounds the bits of a plane per record: above it the groups of a
// block are so uneven, or so few, that most bits would be empty.
const maxPadding = 2

// maxHeight bounds the records of a group: the scratch space of a core is some
// vectors, up to hundreds, as long as the tallest block.
const maxHeight = 4096

// chunkWords is the number of words of a plane that are worked on together: so
// few that every intermediate result stays in the nearest cache, so many that
// an instruction of a program is worth its dispatch.
const chunkWords = 256

// A layout says where a record is found in a bit plane. Groups are ordered by
// size and taken 64 at a time, a block. The block has as many words as its
// largest group has records; bit g of word j is record j of its g-th group. So
// one operation on a word works on 64 groups, and the records of a group are
// counted by adding words up, with no thought to where groups start.
type layout struct {
	// order has the gids by size, empty groups left out; nil when it is the
	// identity, which it is when all groups have one size.
	order  []uint32
	groups int
	// sizes are the distinct group sizes, ascending; the groups of sizes[i] are
	// at positions sizeStart[i] .. sizeStart[i+1]-1 of the order.
	sizes     []uint32
	sizeStart []int
	// blockStart has the first word of every block, and the number of words
	// last; blockSize the index of the size of every block's first group.
	blockStart []uint32
	blockSize  []uint32
	// chunkStart cuts the blocks into chunks of about chunkWords words.
	chunkStart []uint32
	// maxWords and maxBlocks are the most words and blocks of a chunk.
	maxWords, maxBlocks int
}

// NewLayout returns nil when the layout would not pay.
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

// sort orders the groups by size, and inside a size by gid: it counts them, since no size is above largest.
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

// width is the number of bits of the largest size.
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

// lanesFrom returns the lanes of block b from a position of the order on, none
// when that is behind the block.
func lanesFrom(b, position int) uint64 {
	return ^uint64(0) << max(0, position-b*lanes) // a shift by 64 or more is 0
}

// isEven reports whether block b is full and its groups have one size.
func (l *layout) isEven(b int) bool { return l.sizeStart[l.blockSize[b]+1] >= (b+1)*lanes }

// clip clears, in the words of block b, the bits that are no record: of groups
// that are smaller than the block is tall.
func (l *layout) clip(b int, words []uint64) {
	size := int(l.blockSize[b])
	for j := range words {
		for int(l.sizes[size]) <= j {
			size++
		}
		words[j] &= lanesFrom(b, l.sizeStart[size])
	}
}

// bytes is the memory of the layout.
func (l *layout) bytes() int64 {
	return 4*int64(len(l.order)+len(l.sizes)+len(l.blockStart)+len(l.blockSize)+len(l.chunkStart)) + 8*int64(len(l.sizeStart))
}
