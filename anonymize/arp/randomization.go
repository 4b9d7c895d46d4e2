package arp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// With retention probability p, a record of a group of m different values shows its own value
// with probability p, else a random one of the m. For a reader of one record, the shown value
// is true with probability p + (1-p)/m, which exceeds 1/m and so 1/l if m = l. A reader of the
// whole group knows that its true values differ. If by chance all m shown values differ, each
// is true with probability
//
//	P(m) = (1 + x)/m E_{m-1}(x) / E_m(x),  x = m p/(1-p),  E_k(x) = sum_{j<=k} x^j/j!
//
// which is the greatest posterior of any outcome. (The weight of a matching of
// values to records is b^m (1+x)^hits with b = (1-p)/m, hits counting the records
// matched to what they show; matchings with h chosen hits are (m-h)!, so that all
// weigh b^m m! E_m(x).) P falls in m to p/(1-p), hence p < 1/(l+1).

// posterior returns P(m). For many values, terms and sums overflow, but not the share of the last term in its
// sum, q_j = (x^j/j!) / E_j(x): 1/q_j = 1 + j / (x q_(j-1)), and E_{m-1}/E_m = 1 - q_m = m / (x q_(m-1) + m).
func posterior(m int, p anonymize.Ratio) float64 {
	x, last := float64(m)*float64(p.Num)/float64(p.Den-p.Num), 1.0
	for j := 1; j < m; j++ {
		last = x * last / (x*last + float64(j))
	}
	return (1 + x) / (x*last + float64(m))
}

// leastValues returns the least m of l .. most with P(m) <= 1/l, by bisection. O(most log most).
func leastValues(l int, p anonymize.Ratio, most int) (m int, ok bool) {
	if p.Num == 0 {
		return l, l <= most
	}
	m = l + 1 + sort.Search(max(0, most-l), func(i int) bool { return posterior(l+1+i, p) <= 1/float64(l) })
	return m, m <= most
}

// publishRandomization publishes a record's quasi-identifiers with its randomized sensitive
// value: a cell of the group's values in which the shown one has weight p + (1-p)/m. In a group
// of unlinked fragments the weights would be meaningless: the shares of a group are equal for
// every p.
func (p *parameters) publishRandomization(
	ctx context.Context,
	method string,
	in *anonymize.Input,
	groups *bucketization.Partition,
	random *rand.Rand,
) (*anonymize.Release, error) {
	shown := newShown(in.Sensitive[0], p.retain)
	c := &bucketization.Candidates{Of: make([]uint32, in.Rows)}
	var codes []uint32
	for g := range groups.Groups() {
		if g%stretch == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		members := groups.Records(g)
		codes = codes[:0]
		for _, record := range members {
			codes = append(codes, in.Sensitive[0].Codes[record])
		}
		slices.Sort(codes)
		first := shown.cellOf(codes)
		for _, record := range members {
			c.Of[record] = first
			if p.retain.Num > 0 {
				c.Of[record] += p.show(in.Sensitive[0].Codes[record], codes, random)
			}
		}
	}
	c.Cells = shown.cells
	return bucketization.PublishRecords(ctx, method, in, c, random)
}

// show draws the index of the value that a record shows.
func (p *parameters) show(own uint32, codes []uint32, random *rand.Rand) uint32 {
	if random.Uint64N(p.retain.Den) < p.retain.Num {
		place, _ := slices.BinarySearch(codes, own)
		return uint32(place)
	}
	return random.Uint32N(uint32(len(codes)))
}

// shown has the cells: for every set of values, one for each shown value.
type shown struct {
	sensitive *anonymize.Column
	retain    anonymize.Ratio
	cells     []anonymize.Cell
	number    map[string]uint32
	key       []byte
}

func newShown(sensitive *anonymize.Column, retain anonymize.Ratio) *shown {
	return &shown{sensitive: sensitive, retain: retain, number: make(map[string]uint32)}
}

// cellOf returns the number of the cell that shows codes[0] among codes. With p = 0 nothing is
// shown, and there is one cell per set.
func (s *shown) cellOf(codes []uint32) uint32 {
	s.key = s.key[:0]
	for _, code := range codes {
		s.key = append(s.key, byte(code), byte(code>>8), byte(code>>16), byte(code>>24))
	}
	if first, ok := s.number[string(s.key)]; ok {
		return first
	}
	first := uint32(len(s.cells))
	s.number[string(s.key)] = first
	set := bucketization.SetCell(s.sensitive.Dictionary, codes)
	if s.retain.Num == 0 {
		s.cells = append(s.cells, set)
		return first
	}
	others := float64(s.retain.Den-s.retain.Num) / float64(s.retain.Den) / float64(len(codes))
	for i, code := range set.Members {
		weights := make([]float64, len(codes))
		for j := range weights {
			weights[j] = others
		}
		weights[i] += s.retain.Float()
		s.cells = append(s.cells, anonymize.Cell{Members: set.Members, Weights: weights,
			Label: fmt.Sprintf("%s~%s", s.sensitive.Dictionary[code], set.Label)})
	}
	return first
}
