package noise

import (
	"bufio"
	"fmt"
	"io"
	"math"

	"github.com/anonsql/anonsql/anonymize"
)

// maxScale bounds numerator and denominator of a scale. No publication needs more, and no sum overflows.
const maxScale = 1 << 48

// Laplace is the discrete Laplace distribution, or two-sided geometric: the whole number k has the probability
//
//	P(k) = (1 - e) / (1 + e) * e^|k|   with e = exp(-1 / scale).
//
// A count that changes by at most s between two tables, published with this noise, has a privacy loss of at most s/scale (Ghosh,
// Roughgarden and Sundararajan, "Universally Utility-Maximizing Privacy Mechanisms", 2009). It is not safe for concurrent use.
type Laplace struct {
	coin
	t, s uint64 // scale = t/s, as the paper has it
}

// NewLaplace returns the distribution with a scale from 2^-48 to 2^48. It draws its bits from
// source and reads ahead, so the source must not be shared with a reader that counts its bytes.
func NewLaplace(scale anonymize.Ratio, source io.Reader) (*Laplace, error) {
	if scale.Num == 0 || scale.Den == 0 || scale.Num > maxScale || scale.Den > maxScale {
		return nil, fmt.Errorf("the scale of the noise is %d/%d, must be positive, with numbers of at most 2^48", scale.Num, scale.Den)
	}
	return &Laplace{coin: coin{source: bufio.NewReader(source)}, t: scale.Num, s: scale.Den}, nil
}

// Draw returns one number: Algorithm 2. It takes fewer than four rounds on average.
func (l *Laplace) Draw() (int64, error) {
	l.read = 0
	for {
		x, ok, err := l.drawExponential()
		if err != nil {
			return 0, err
		}
		if !ok {
			continue // line 5
		}
		y := int64(x / l.s) // line 12
		negative, err := l.flip(1, 2)
		if err != nil {
			return 0, err
		}
		switch {
		case negative && y == 0: // zero has one sign
			continue
		case negative:
			return -y, nil
		}
		return y, nil
	}
}

// drawExponential draws X from a geometric distribution, P(X = x) ~ exp(-x/t): lines 3 to 11. ok is false if line 5 rejects.
func (l *Laplace) drawExponential() (x uint64, ok bool, err error) {
	u, err := l.drawUniform(l.t)
	if err != nil {
		return 0, false, err
	}
	if ok, err = l.flipExp(u, l.t); !ok || err != nil {
		return 0, false, err
	}
	v := uint64(0)
	for {
		again, err := l.flipExp(1, 1)
		if err != nil {
			return 0, false, err
		}
		if !again {
			break
		}
		v++
	}
	return u + v*l.t, true, nil // below 2^63: v took a byte each, of maxBytes
}

// StandardDeviation returns sqrt(2 e) / (1 - e) with e = exp(-1 / scale): about 1.41 scale.
func (l *Laplace) StandardDeviation() float64 {
	return math.Sqrt2 / (2 * math.Sinh(float64(l.s)/float64(l.t)/2))
}
