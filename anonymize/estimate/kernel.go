package estimate

import (
	"cmp"
	"context"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// taskChunks is the number of chunks that one core takes at a time.
const taskChunks = 8

// joinCost is about what the weighted join costs per record and touched
// fragment, in operations on words: a kernel whose own cost is above leaves the
// question to it.
const joinCost = 16

// A kernel computes the weights of all combinations of classes of a question
// whose conditions, keys and arguments read one column of points each. Per
// fragment and class it finds the records of the class by programs over bit
// planes, counts them per group by adding up words, 64 groups at a time, and
// gets the sum over groups of prod_i(a_i) from the bits of the counts:
//
//	sum_g prod_i a_i(g) = sum_{b_1..b_f} 2^(b_1+..+b_f) #{g : bit b_i of a_i(g) is 1 for all i}
//
// Groups of one size are added up as integers and divided by m^(f-1) once, so
// that no order of summation and no number of cores can change the answer.
type kernel struct {
	layout *layout
	// sides are in the order in which they are probed: the fewest records
	// first, so that most blocks are left after one fragment.
	sides []*kernelSide
	// combinations is the number of combinations of classes.
	combinations int
	// profiled asks for the number of groups by size and counts instead.
	profiled bool
}

type kernelSide struct {
	units []*kernelUnit
	// classes and stride number the classes as weights does.
	classes, stride int
	// records is the share of records that are alive, were the columns
	// independent: only for the order of probing.
	records float64
}

// A kernelUnit is a column with the program that finds its classes.
type kernelUnit struct {
	planes  *planes
	program *program
}

// newKernel returns nil when the question is not of the kernel's kind or would
// be slower.
func (p *Prepared) newKernel(sides []*side) *kernel {
	if p.layout == nil || !kernelShape(sides) {
		return nil
	}
	k := &kernel{layout: p.layout, combinations: 1}
	for _, s := range sides {
		side := &kernelSide{classes: s.classes, stride: k.combinations}
		k.combinations *= s.classes
		for _, u := range s.units {
			program := compile(u.classOf, u.classes, planeBits(s.fragment.Columns[u.columns[0]]))
			if program == nil {
				return nil
			}
			side.units = append(side.units, &kernelUnit{program: program})
		}
		k.sides = append(k.sides, side)
	}
	if k.cost() > float64(joinCost*len(sides)) || k.mayOverflow() {
		return nil
	}
	for i, s := range sides {
		p.attachPlanes(k.sides[i], s)
	}
	slices.SortStableFunc(k.sides, func(a, b *kernelSide) int { return cmp.Compare(a.records, b.records) })
	return k
}

// maxKernelClasses bounds the combinations of classes, and maxLookedAt the
// classes of a column times its values: beyond, the weighted join looks at
// fewer, those that occur.
const (
	maxKernelClasses = 256
	maxLookedAt      = 1 << 18
)

func kernelShape(sides []*side) bool {
	combinations := 1
	for _, s := range sides {
		if combinations *= s.classes; !s.point || combinations > maxKernelClasses {
			return false
		}
		for _, u := range s.units {
			if len(u.columns) != 1 || len(u.classOf) == 0 || u.classes*len(u.classOf) > maxLookedAt {
				return false
			}
		}
	}
	return true
}

// attachPlanes gives the programs their planes and estimates how many records
// the side leaves.
func (p *Prepared) attachPlanes(k *kernelSide, s *side) {
	fragment := slices.Index(p.release.Fragments, s.fragment)
	k.records = 1
	for i, u := range s.units {
		k.units[i].planes = p.planesOf(fragment, u.columns[0])
		alive := int64(0)
		for code, class := range u.classOf {
			if class != dead {
				alive += k.units[i].planes.records[code]
			}
		}
		k.records *= float64(alive) / float64(max(1, p.release.Rows))
	}
}

// cost is the number of operations on words per record, about.
func (k *kernel) cost() float64 {
	height := float64(k.layout.blockStart[k.layout.blocks()]) / float64(max(1, k.layout.blocks()))
	perWord, perBlock := 0.0, 4.0
	for _, s := range k.sides {
		for _, u := range s.units {
			perWord += float64(len(u.program.steps))
		}
		perWord += float64(s.classes * (len(s.units) + 5))
		// Of the bits of a count those are 0 that its class seldom reaches.
		perBlock *= float64(s.classes * min(bits.Len(uint(height)), bits.Len(uint(height)/uint(s.classes))+1))
	}
	return (perWord + perBlock/max(1, height)) / lanes
}

// mayOverflow reports whether the sum over the groups of a size could leave
// 63 bits: it is at most rows * m^(f-1).
func (k *kernel) mayOverflow() bool {
	l := k.layout
	if len(l.sizes) == 0 {
		return false
	}
	width := bits.Len(uint(l.groups))
	for range k.sides {
		width += bits.Len(uint(l.sizes[len(l.sizes)-1]))
	}
	return width > 63
}

// run computes the weight of every combination.
func (k *kernel) run(ctx context.Context) ([]float64, error) {
	sums, err := k.total(ctx)
	if err != nil {
		return nil, err
	}
	return k.divide(sums), nil
}

// total adds up the chunks, split over the cores.
func (k *kernel) total(ctx context.Context) ([]uint64, error) {
	tasks := (k.layout.chunks() + taskChunks - 1) / taskChunks
	sums := make([]uint64, k.places())
	var next atomic.Int64
	var wait sync.WaitGroup
	var adding sync.Mutex
	for range min(runtime.GOMAXPROCS(0), tasks) {
		wait.Go(func() {
			w := newKernelWorker(k)
			for ctx.Err() == nil {
				first := (int(next.Add(1)) - 1) * taskChunks
				if first >= k.layout.chunks() {
					break
				}
				for c := first; c < min(first+taskChunks, k.layout.chunks()); c++ {
					w.chunk(int(k.layout.chunkStart[c]), int(k.layout.chunkStart[c+1]))
				}
			}
			adding.Lock()
			defer adding.Unlock()
			for i, x := range w.sums {
				sums[i] += x
			}
		})
	}
	wait.Wait()
	return sums, context.Cause(ctx)
}

// places is the number of sums: by size, and by combination or by counts.
func (k *kernel) places() int {
	if k.profiled {
		return len(k.layout.sizes) << (k.layout.width() * len(k.sides))
	}
	return len(k.layout.sizes) * k.combinations
}

// divide turns the sums of products of counts into records: over m^(f-1).
func (k *kernel) divide(sums []uint64) []float64 {
	dense := make([]float64, k.combinations)
	for i, size := range k.layout.sizes {
		scale := 1.0
		for range len(k.sides) - 1 {
			scale *= float64(size)
		}
		for c := range dense {
			dense[c] += float64(sums[i*k.combinations+c]) / scale
		}
	}
	return dense
}
