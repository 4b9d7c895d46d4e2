package noise

import (
	"bufio"
	"fmt"
	"io"
	"math/bits"
)

// maxVariance keeps every product of a draw below 2^64. Its standard deviation is 8,191.
const maxVariance = 8191 * 8191

// Gaussian is the discrete Gaussian distribution: the integer k has a probability proportional to exp(-k^2 / (2 variance))
// (Canonne, Kamath and Steinke 2020, Definition 1). Counts that differ by at most d in the Euclidean norm, published with this
// noise on each, are d^2 / (2 variance)-zCDP (Theorem 4 and its note on several counts). It is not safe for concurrent use.
type Gaussian struct {
	laplace *Laplace
	square  uint64 // sigma^2
	t       uint64 // of the proposed Laplace numbers: floor(sigma) + 1
}

// NewGaussian returns the distribution with an integer variance from 1 to 8191^2. It draws its bits from source.
func NewGaussian(variance uint64, source io.Reader) (*Gaussian, error) {
	if variance < 1 || variance > maxVariance {
		return nil, fmt.Errorf("the variance of the noise is %d, must be 1 to %d", variance, maxVariance)
	}
	t := floorRoot(variance) + 1
	return &Gaussian{laplace: &Laplace{coin: coin{source: bufio.NewReader(source)}, t: t, s: 1}, square: variance, t: t}, nil
}

// floorRoot returns the integer square root of n, rounded down.
func floorRoot(n uint64) (root uint64) {
	for bit := uint64(1) << (bits.Len64(n) / 2); bit > 0; bit /= 2 {
		if (root+bit)*(root+bit) <= n {
			root += bit
		}
	}
	return root
}

// farthest bounds a number, in units of t: beyond, it has a probability below 2^-2000 and is drawn again.
const farthest = 64

// Draw returns one number: Algorithm 3. It takes fewer than two numbers of the Laplace distribution on average.
func (g *Gaussian) Draw() (int64, error) {
	for {
		y, err := g.laplace.Draw()
		if err != nil {
			return 0, err
		}
		distance := uint64(max(y, -y))
		if distance > farthest*g.t {
			continue
		}
		if kept, err := g.keep(distance); kept || err != nil {
			return y, err
		}
	}
}

// keep returns true with probability exp(-(|y| - sigma^2/t)^2 / (2 sigma^2)), that is exp(-x/d) for x = (|y| t
// - sigma^2)^2 and d = 2 sigma^2 t^2: line 8. A gamma above 1 is drawn in steps of one, as in Algorithm 1.
func (g *Gaussian) keep(distance uint64) (bool, error) {
	x := max(distance*g.t, g.square) - min(distance*g.t, g.square)
	x, d := x*x, 2*g.square*g.t*g.t
	for ; x > d; x -= d {
		if kept, err := g.laplace.flipExp(1, 1); !kept || err != nil {
			return false, err
		}
	}
	return g.laplace.flipExp(x, d)
}
