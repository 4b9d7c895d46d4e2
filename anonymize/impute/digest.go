package impute

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math"

	"github.com/anonsql/anonsql/anonymize"
)

// Digest returns the SHA-256 digest of what a release publishes: group sizes, names, values and
// counts. Releases with equal relations have equal digests, whatever else is known of them.
// Cost: O(tuples * attributes).
func Digest(r *anonymize.Release) [sha256.Size]byte {
	digest, _ := digestOf(context.Background(), r) // this context never ends
	return digest
}

// digestOf is Digest until the context ends; then it returns the context's error.
func digestOf(ctx context.Context, r *anonymize.Release) ([sha256.Size]byte, error) {
	sum := sha256.New()
	d := digester{bufio.NewWriterSize(sum, 1<<16), ctx}
	d.number(uint64(len(r.GroupSizes)))
	d.codes(r.GroupSizes)
	d.number(uint64(len(r.Fragments)))
	for _, f := range r.Fragments {
		d.text(f.Name)
		d.codes(f.GroupStart)
		d.codes(f.Count)
		d.number(uint64(len(f.Columns)))
		for _, c := range f.Columns {
			d.text(c.Name)
			d.values(c)
		}
	}
	d.model(r.Model)
	d.Flush() // a hash never fails
	return [sha256.Size]byte(sum.Sum(nil)), context.Cause(ctx)
}

// A digester writes numbers and texts unambiguously: different sequences give different bytes.
type digester struct {
	*bufio.Writer
	ctx context.Context // when it ends, codes are omitted
}

// model writes the two-way tables of a release, if it has any.
func (d *digester) model(m *anonymize.Model) {
	if m == nil {
		return
	}
	d.text(m.Sensitive)
	d.number(math.Float64bits(m.Scale))
	if m.Variance > 0 {
		d.number(m.Variance)
	}
	for _, t := range m.Tables {
		d.text(t.Attribute)
		for _, w := range t.Weight {
			d.number(uint64(w))
		}
	}
}

func (d *digester) number(n uint64) {
	d.Write(binary.LittleEndian.AppendUint64(d.AvailableBuffer(), n))
}

func (d *digester) text(s string) {
	d.number(uint64(len(s)))
	d.WriteString(s)
}

func (d *digester) codes(codes []uint32) {
	for i, code := range codes {
		if i%digestedAtOnce == 0 && d.ctx.Err() != nil {
			return
		}
		d.code(code)
	}
}

// digestedAtOnce is the number of codes between two checks of the context.
const digestedAtOnce = 1 << 16

// values writes the values that tuples have, and the value of every tuple.
func (d *digester) values(c *anonymize.FragmentColumn) {
	number := make([]uint32, len(c.Dictionary)) // from 1; 0: no tuple has the value
	for _, code := range c.Codes {
		number[code] = 1
	}
	distinct := uint32(0)
	for code, v := range c.Dictionary {
		if number[code] == 0 {
			continue
		}
		distinct++
		number[code] = distinct
		d.number(uint64(v.Kind))
		d.number(uint64(v.Int))
		d.number(math.Float64bits(v.Float))
		d.text(v.Text)
	}
	d.number(uint64(distinct))
	for i, code := range c.Codes {
		if i%digestedAtOnce == 0 && d.ctx.Err() != nil {
			return
		}
		d.code(number[code])
	}
}

func (d *digester) code(code uint32) {
	d.Write(binary.LittleEndian.AppendUint32(d.AvailableBuffer(), code))
}
