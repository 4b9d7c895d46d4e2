package recognition

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// benchTable has a million rows of ten released columns, and row numbers and names
// beside them.
func benchTable() *dataset {
	random, d := rand.New(rand.NewPCG(1, 2)), &dataset{}
	for i, domain := range []int{14, 80, 16, 7, 15, 6, 5, 41, 30, 20_000} {
		c := &anonymize.Column{Name: fmt.Sprint("c", i), Codes: make([]uint32, 1_000_000)}
		for v := range domain {
			c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(int64(v*v+i)))
		}
		for row := range c.Codes {
			c.Codes[row] = uint32(float64(domain) * random.Float64() * random.Float64())
		}
		d.columns, d.quasi = append(d.columns, c), append(d.quasi, c.Name)
	}
	d.protects, d.quasi = d.quasi[0], d.quasi[1:]
	id, name := &anonymize.Column{Name: "id"}, &anonymize.Column{Name: "name"}
	for row := range 1_000_000 {
		id.Dictionary, id.Codes = append(id.Dictionary, anonymize.IntegerValue(int64(row))), append(id.Codes, uint32(row))
		name.Codes = append(name.Codes, uint32(random.IntN(100_000)))
	}
	for v := range 100_000 {
		name.Dictionary = append(name.Dictionary, anonymize.TextValue(fmt.Sprintf("Somebody No %06d", v*7)))
	}
	d.columns = append(d.columns, id, name)
	return d
}

func BenchmarkSketch(b *testing.B) {
	d := benchTable()
	var bytes int
	for b.Loop() {
		s, err := tableOf(b, d).Sketch(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		bytes = len(s.Encode())
	}
	b.ReportMetric(float64(bytes), "bytes")
}

// BenchmarkCompare is what every remembered publication of a table with the same
// columns costs.
func BenchmarkCompare(b *testing.B) {
	d, other := benchTable(), benchTable()
	random := rand.New(rand.NewPCG(3, 4))
	for _, c := range other.columns {
		random.Shuffle(len(c.Codes), func(i, j int) { c.Codes[i], c.Codes[j] = c.Codes[j], c.Codes[i] })
	}
	s, t := sketchOf(b, other), tableOf(b, d)
	for b.Loop() {
		if _, err := t.Compare(b.Context(), s); err != nil {
			b.Fatal(err)
		}
	}
}
