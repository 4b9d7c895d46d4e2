package publication

import "math"

// binsOf cuts attributes into bins whose product is at most most. For blocks, bins have about
// equally many records, and the attribute with the most bins gives up some first. For classes,
// every value has a bin if there are not too many, and attributes give up bins where that saves
// most.
func (p *Plan) binsOf(counts [][]Count, most int) []*Bins {
	bins, wanted := make([]*Bins, len(counts)), make([]int, len(counts))
	for i, of := range counts {
		wanted[i] = min(len(of), maxBins)
	}
	if p.Method != Mondrian {
		for i, n := range Shrink(wanted, most) {
			bins[i] = NewBins(p.QuasiIdentifiers[i], counts[i], n)
		}
		return bins
	}
	for i, of := range counts {
		if bins[i] = binOfEach(p.QuasiIdentifiers[i], of); bins[i].Number() > maxBins {
			bins[i] = NewBins(p.QuasiIdentifiers[i], of, maxBins)
		}
	}
	return merged(bins, spend(bins, counts, most))
}

// coarserBins merges the bins of binsOf so that their product is at most most.
func (p *Plan) coarserBins(finer []*Bins, counts [][]Count, most int) []*Bins {
	if p.Method == Mondrian {
		return merged(finer, spend(finer, counts, most))
	}
	return merged(finer, Shrink(numbersOf(finer), most))
}

// spend returns how many of its bins each attribute keeps, so that their product is at most
// most. Repeatedly, the attribute that loses least per saving gives up an eighth. Its loss is
// the share of its values that share a record's bin, on average. Its saving is entropy, because
// the number of the records' combinations of bins is about the exponential of the entropies'
// sum.
func spend(bins []*Bins, counts [][]Count, most int) []int {
	given, purses := numbersOf(bins), make([]*purse, len(bins))
	for i, b := range bins {
		purses[i] = newPurse(b, counts[i])
	}
	for product(given) > int64(most) {
		best, least := -1, math.Inf(1)
		for i, n := range given {
			if rate := purses[i].rate(n, fewerBins(n)); n > 1 && (best < 0 || rate < least) {
				best, least = i, rate
			}
		}
		if best < 0 {
			break
		}
		given[best] = fewerBins(given[best])
	}
	return given
}

// fewerBins returns an eighth less, but at least one less if there are several.
func fewerBins(bins int) int { return max(1, bins*7/8) }

// A purse knows an attribute's loss by merging its bins.
type purse struct {
	share, values []float64 // by bin: share of the records; distinct values
	all           float64   // values of the attribute
}

func newPurse(b *Bins, counts []Count) *purse {
	p := &purse{share: make([]float64, b.Number()), values: make([]float64, b.Number()), all: float64(len(counts))}
	var records int64
	for _, c := range counts {
		records += c.Records
	}
	for _, c := range counts {
		bin := b.binOf(c.Value)
		p.share[bin] += float64(c.Records) / float64(records)
		p.values[bin]++
	}
	return p
}

// rate returns the additional loss of to instead of from bins, per saved entropy.
func (p *purse) rate(from, to int) float64 {
	loses, entropy := p.lossWithBins(from)
	losesThen, entropyThen := p.lossWithBins(to)
	const nothing = 1e-9 // saved: a bin of hardly any records is gone
	return (losesThen - loses) / max(entropy-entropyThen, nothing)
}

// lossWithBins returns a record's loss with this many bins, from 0 to 1, and the entropy of the records' bins.
func (p *purse) lossWithBins(bins int) (loses, entropy float64) {
	for bin, next := 0, 0; bin < bins; bin++ {
		share, values := 0.0, 0.0
		for ; next < len(p.share) && next*bins/len(p.share) == bin; next++ {
			share, values = share+p.share[next], values+p.values[next]
		}
		if share > 0 && p.all > 1 {
			loses += share * (values - 1) / (p.all - 1)
			entropy -= share * math.Log(share)
		}
	}
	return loses, entropy
}
