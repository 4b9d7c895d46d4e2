package anontest

import (
	"math/rand/v2"
	"strconv"

	"github.com/anonsql/anonsql/anonymize"
)

// widths are roughly the widths of Adult's nine quasi-identifiers (Yao et al. 2021, Table 5).
var widths = []int{74, 8, 16, 7, 6, 5, 2, 96, 41}

// People returns an Input with this many records for benchmarks. Nine numeric quasi-identifiers q1 to q9, about as
// wide as Adult's, depend on a hidden variable, so that they are associated. The sensitive attribute has 14 values,
// about as skewed as Adult's occupation, from 13.4 to 0.9 percent.
func People(rows int, seed uint64) *anonymize.Input {
	random := rand.New(rand.NewPCG(7+seed, uint64(rows)))
	in := &anonymize.Input{Rows: rows, Random: rand.NewPCG(seed, 2)}
	hidden := make([]float64, rows)
	for i := range hidden {
		hidden[i] = random.Float64()
	}
	for i, width := range widths {
		c := integers("q"+strconv.Itoa(i+1), width, rows)
		for row := range c.Codes {
			x := 0.3*hidden[row] + 0.7*random.Float64()
			c.Codes[row] = uint32(x * x * float64(width)) // x^2: small codes are frequent
		}
		in.QuasiIdentifiers = append(in.QuasiIdentifiers, c)
	}
	in.Sensitive = []*anonymize.Column{skewed(rows, random)}
	return in
}

func integers(name string, width, rows int) *anonymize.Column {
	c := &anonymize.Column{Name: name, Type: "BIGINT", Codes: make([]uint32, rows)}
	for v := range width {
		c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(int64(v)))
	}
	return c
}

func skewed(rows int, random *rand.Rand) *anonymize.Column {
	c := integers("sensitive", 14, rows)
	for row := range c.Codes {
		// Value v has a share in proportion to 14-v+0.05.
		v := random.IntN(14)
		for random.Float64()*14.05 >= float64(14-v)+0.05 {
			v = random.IntN(14)
		}
		c.Codes[row] = uint32(v)
	}
	return c
}
