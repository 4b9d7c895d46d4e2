package bucketization

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/testsize"
)

// A million records of two attributes of 16 and 14 values, skewed, dealt and swept.
func BenchmarkEach(b *testing.B) {
	rows := testsize.Of(50_000, 1_000_000)
	random := rand.New(rand.NewPCG(1, 1))
	var columns []*anonymize.Column
	for _, width := range []int{16, 14} {
		c := &anonymize.Column{Codes: make([]uint32, rows)}
		for v := range width {
			c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(int64(v)))
		}
		for i := range c.Codes {
			c.Codes[i] = uint32(min(random.IntN(width), random.IntN(width), random.IntN(width)))
		}
		columns = append(columns, c)
	}
	e := NewEach(&anonymize.Input{Sensitive: columns})
	order := make([]uint32, rows)
	for i := range order {
		order[i] = uint32(i)
	}
	for name, group := range map[string]func() (*Partition, EachFigures, error){
		"deal": func() (*Partition, EachFigures, error) {
			return e.Deal(context.Background(), 4, DiverseBounds(4), random)
		},
		"sweep": func() (*Partition, EachFigures, error) {
			return e.Sweep(context.Background(), order, 4, DiverseBounds(4), random)
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p, _, err := group()
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(rows)/float64(p.Groups()), "records/group")
			}
		})
	}
}
