package privacy

import (
	"cmp"
	"fmt"
	"math"

	"github.com/anonsql/anonsql/anonymize"
)

// beta-likeness and delta-disclosure privacy bound a value's share q of a class, given its
// share p of the release. If sensitive cells are sets or have weights, q is the value's weight
// in the record's own cell: the value's share of a class is a mean of these, so it keeps every
// bound that all of them keep.

// basicLikeness is basic beta-likeness, Cao and Karras, "Publishing Microdata with a Robust
// Privacy Guarantee" (PVLDB 5(11), 2012): the greatest (q - p)/p over values with q > p. It is
// lift minus 1.
func basicLikeness(r *anonymize.Release) ([]figure, error) {
	likeness := newFigure("beta_likeness")
	err := eachPosterior(r, func(c *composition, i int, p *prior) {
		if gain, ok := p.gain(c, i); ok && likeness.raise(gain, c.group) {
			likeness.detail = p.describe(c, i)
		}
	})
	if err != nil {
		return nil, err
	}
	return []figure{likeness}, nil
}

// enhancedLikeness is enhanced beta-likeness of the same paper: (q - p)/p is at most min(beta,
// -ln p), so that frequent values gain less. The figure is the greatest (q - p)/p. If one
// exceeds -ln p there is no figure, since no beta suffices.
func enhancedLikeness(r *anonymize.Release) ([]figure, error) {
	likeness := newFigure("enhanced_beta_likeness")
	var none error
	err := eachPosterior(r, func(c *composition, i int, p *prior) {
		gain, ok := p.gain(c, i)
		if !ok {
			return
		}
		if none == nil && !p.belowLogarithm(gain, c.codes[i]) {
			none = fmt.Errorf("no beta is enough in group %d: %s, a gain of %.4g, and the logarithm allows %.4g",
				c.group+1, p.describe(c, i), gain.float(), p.logarithm(c.codes[i]))
		}
		if likeness.raise(gain, c.group) {
			likeness.detail = p.describe(c, i)
		}
	})
	if err := cmp.Or(err, none); err != nil {
		return nil, err
	}
	return []figure{likeness}, nil
}

// A prior is the distribution of the release's records over the values of one attribute:
// total[code] of whole.
type prior struct {
	*spread
	whole  uint64
	values int // that occur
}

// eachPosterior calls look for every value of every composition, with the prior of its
// attribute.
func eachPosterior(r *anonymize.Release, look func(c *composition, i int, p *prior)) error {
	return eachComposed(r, func(c *composition, p *prior) {
		for i := range c.codes {
			look(c, i, p)
		}
	})
}

func eachComposed(r *anonymize.Release, look func(c *composition, p *prior)) error {
	priors := make(map[*anonymize.FragmentColumn]*prior)
	err := eachSpread(r, func(s *spread) {
		p := &prior{spread: s, whole: uint64(r.Rows) * s.unit}
		for _, n := range s.total {
			if n > 0 {
				p.values++
			}
		}
		priors[s.column] = p
	})
	if err != nil {
		return err
	}
	return eachComposition(r, func(c *composition) { look(c, priors[c.column]) })
}

// ratio returns q/p for the i-th value of a composition.
func (p *prior) ratio(c *composition, i int) exact {
	return sharesQuotient(c.counts[i], c.whole, p.total[c.codes[i]], p.whole)
}

// gain returns (q - p)/p; false if q < p.
func (p *prior) gain(c *composition, i int) (exact, bool) {
	x := p.ratio(c, i)
	if x.compare(quotient(1, 1)) < 0 {
		return x, false
	}
	return x.less1(), true
}

// logarithm returns -ln p for a value.
func (p *prior) logarithm(code uint32) float64 {
	if p.total[code] == p.whole {
		return 0
	}
	return math.Log(float64(p.whole) / float64(p.total[code]))
}

// logarithmError is the distance from -ln p within which a gain is indistinguishable from it:
// about a thousand roundings. -ln p is irrational unless p = 1, so equality is impossible.
const logarithmError = 1e-12

// belowLogarithm reports whether the gain is at most -ln p; false if float64 cannot decide.
func (p *prior) belowLogarithm(gain exact, code uint32) bool {
	if p.total[code] == p.whole {
		return gain.compare(quotient(0, 1)) <= 0
	}
	bound := p.logarithm(code)
	return gain.float() <= bound-logarithmError*max(1, bound)
}

// describe returns "in sa, disease = 'flu' is 2 of 4 records, 2 of 8 in the release".
func (p *prior) describe(c *composition, i int) string {
	return fmt.Sprintf("%s, %s of %d in the release", c.describe(i), p.records(p.total[c.codes[i]]), p.release.Rows)
}
