package clustering

import "math"

// Link is Definition 8 (Eq. 10): 2 for equal values, 1 for synonyms, else 0.
func (k *Catalogue) Link(v, w uint32) int {
	switch {
	case v == w:
		return 2
	case k.Class[v] == k.Class[w]:
		return 1
	}
	return 0
}

// Links is Definition 9 (Eq. 12), Tlink: the links of all pairs of values.
// Counting, not pairing: a value c times and a class m times have c(c-1)/2 +
// m(m-1)/2 links. O(values).
func (k *Catalogue) Links(values []uint32) int {
	links := 0
	count, class := make(map[uint32]int), make(map[uint32]int)
	for _, v := range values {
		links += count[v] + class[k.Class[v]]
		count[v]++
		class[k.Class[v]]++
	}
	return links
}

// Probability is Definition 10 (Eq. 13), Pr_SA: the links of n values as a share
// of n(n-1), those of n equal ones. 0 for fewer than two values.
func (k *Catalogue) Probability(values []uint32) float64 {
	return probability(k.Links(values), len(values))
}

func probability(links, n int) float64 {
	if n < 2 {
		return 0
	}
	return float64(links) / (float64(n) * float64(n-1))
}

// Entropy is Eq. (8) with its minus sign, in decimal digits, of values.
func Entropy(values []uint32) float64 {
	count := make(map[uint32]int)
	sum := 0.0
	for _, v := range values {
		sum += XLogX(count[v]+1) - XLogX(count[v])
		count[v]++
	}
	return entropy(sum, len(values))
}

// entropy of n values whose counts c have sum = sum of c log c: log n - sum/n.
func entropy(sum float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return math.Log10(float64(n)) - sum/float64(n)
}

// XLogX is c log c in decimal digits, 0 for 0.
func XLogX(c int) float64 {
	if c == 0 {
		return 0
	}
	return float64(c) * math.Log10(float64(c))
}
