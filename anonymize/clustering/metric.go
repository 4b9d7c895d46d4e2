package clustering

import (
	"cmp"
	"math"
	"slices"
)

// Weights are the weights of the micro-aggregation metric.
type Weights struct {
	Alpha float64 // of the gain in entropy
	Beta  float64 // of the distance to the centroid
	Gamma float64 // of synonymous linkage; 0 is the metric of DPP (Definition 7)
}

// Metric is Definition 11 (Eq. 14) with the signs that do what the text says: the
// value to a group of a record,
//
//	f = alpha (S(G') - S(G)) - beta d(mu_G, r) - gamma Pr_SA(G'),
//
// for the sensitive values of the group and of the record, and the record's distance to the
// group's centroid. It is slow and simple, for single evaluations.
func (w Weights) Metric(k *Catalogue, group []uint32, value uint32, distance float64) float64 {
	after := append(slices.Clone(group), value)
	return w.Alpha*(Entropy(after)-Entropy(group)) - w.Beta*distance - w.Gamma*k.Probability(after)
}

// A bonus is the metric without its distance for the current group: the worth of a record's
// sensitive value. It depends only on two counts of the group, of the value and of its class.
type bonus struct {
	Weights
	*Catalogue
	n      int
	sum    float64 // of c log c over values
	links  int
	value  []uint32 // of the members
	counts []int    // by value
	class  []int    // by class
	step   []float64
	levels []level

	alone       []bool // by bit: one kind only
	base, scale float64
	share       float64
}

// A level is a bonus and the kinds of values with it, as bits.
type level struct {
	worth float64
	kinds uint64
}

func newBonus(k *Catalogue, w Weights) *bonus {
	b := &bonus{Weights: w, Catalogue: k, counts: make([]int, len(k.Class)), class: make([]int, k.Classes), step: []float64{0}}
	if b.byValue() {
		return b
	}
	seen := make([]int, 64)
	for class := range k.Classes {
		seen[class%64]++
	}
	for _, n := range seen {
		b.alone = append(b.alone, n == 1)
	}
	return b
}

// byValue reports whether each value has its own bit. Otherwise a bit stands for one or several
// classes.
func (k *Catalogue) byValue() bool { return len(k.Class) <= 64 }

// kind returns the bit of a value.
func (k *Catalogue) kind(value uint32) uint64 {
	if k.byValue() {
		return 1 << value
	}
	return 1 << (k.Class[value] % 64)
}

func (b *bonus) reset() {
	for _, v := range b.value {
		b.counts[v], b.class[b.Class[v]] = 0, 0
	}
	b.value, b.n, b.sum, b.links = b.value[:0], 0, 0, 0
}

func (b *bonus) add(v uint32) {
	for len(b.step) <= b.counts[v]+1 {
		b.step = append(b.step, XLogX(len(b.step)+1)-XLogX(len(b.step)))
	}
	b.sum += b.step[b.counts[v]]
	b.links += b.counts[v] + b.class[b.Class[v]]
	b.counts[v]++
	b.class[b.Class[v]]++
	b.value = append(b.value, v)
	b.n++
}

// prepare must be called after changes of the group and before queries.
func (b *bonus) prepare() {
	n := float64(b.n)
	b.scale, b.share = 1/(n+1), 1/((n+1)*n)
	b.base = b.Alpha*(math.Log10(n+1)-b.sum*b.scale-entropy(b.sum, b.n)) - b.Gamma*float64(b.links)*b.share
	b.level()
}

// gainOfValue returns the worth of a value.
func (b *bonus) gainOfValue(v uint32) float64 { return b.gain(b.counts[v], b.class[b.Class[v]]) }

func (b *bonus) gain(count, class int) float64 {
	return b.base - b.Alpha*b.step[count]*b.scale - b.Gamma*float64(count+class)*b.share
}

// level sorts kinds by their values' greatest worth.
func (b *bonus) level() {
	b.levels = append(b.levels[:0], level{b.gain(0, 0), ^uint64(0)})
	if b.byValue() {
		for v := range b.counts {
			b.put(uint64(1)<<v, b.gainOfValue(uint32(v)))
		}
	} else {
		for _, v := range b.value {
			if class := b.Class[v]; b.alone[class%64] {
				b.put(1<<(class%64), b.gain(0, b.class[class]))
			}
		}
	}
	slices.SortFunc(b.levels, func(x, y level) int { return cmp.Compare(y.worth, x.worth) })
}

// put moves a kind from the first level to the level of its worth.
func (b *bonus) put(kind uint64, worth float64) {
	if worth == b.levels[0].worth {
		return
	}
	b.levels[0].kinds &^= kind
	for i := range b.levels[1:] {
		if l := &b.levels[1+i]; l.worth == worth {
			l.kinds |= kind
			return
		}
	}
	b.levels = append(b.levels, level{worth, kind})
}

// maxGain returns the greatest worth of a value among kinds.
func (b *bonus) maxGain(kinds uint64) float64 {
	for _, l := range b.levels {
		if l.kinds&kinds != 0 {
			return l.worth
		}
	}
	return math.Inf(-1)
}
