package noise

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/bits"
)

// maxBytes is the greatest number of bytes that a draw takes from the source: usually some forty, and more than this
// with a probability below 2^-1000. With a nonrandom source, such as one of zeros, a draw could otherwise run forever.
const maxBytes = 1 << 14

// A coin draws integers from random bytes, without floating point. It is not safe for concurrent use.
type coin struct {
	source *bufio.Reader
	read   int // bytes of this draw
}

// drawUniform returns a uniform number from 0 to n-1. It draws as many bits as n-1 has and
// rejects numbers from n on.
func (c *coin) drawUniform(n uint64) (uint64, error) {
	width := bits.Len64(n - 1)
	for {
		var x uint64
		for read := 0; read < width; read += 8 {
			b, err := c.readByte()
			if err != nil {
				return 0, fmt.Errorf("reading random bits: %w", err)
			}
			x = x<<8 | uint64(b)
		}
		if x &= 1<<width - 1; x < n {
			return x, nil
		}
	}
}

func (c *coin) readByte() (byte, error) {
	if c.read++; c.read > maxBytes {
		return 0, errors.New("the source is not random: a draw does not end")
	}
	b, err := c.source.ReadByte()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}

// flip returns true with probability num/den, num <= den.
func (c *coin) flip(num, den uint64) (bool, error) {
	x, err := c.drawUniform(den)
	return x < num, err
}

// flipExp returns true with probability exp(-num/den), num <= den: Algorithm 1 for gamma = num/den in [0, 1]. For its line 3, a
// coin of gamma/K, it flips two coins, of gamma and of 1/K, both of which must succeed, so no product overflows.
func (c *coin) flipExp(num, den uint64) (bool, error) {
	for k := uint64(1); ; k++ {
		a, err := c.flip(num, den)
		if a && err == nil {
			a, err = c.flip(1, k)
		}
		if err != nil {
			return false, err
		}
		if !a {
			return k%2 == 1, nil
		}
	}
}
