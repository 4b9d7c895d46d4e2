package recognition

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
)

// sketchFormat begins every encoded sketch.
var sketchFormat = []byte{0, 2}

var errDamaged = errors.New("it is damaged")

// Encode encodes a sketch in about 2 bytes per kept combination.
func (s *Sketch) Encode() []byte {
	data := slices.Clone(sketchFormat)
	data = binary.AppendUvarint(data, uint64(s.rows))
	data = binary.LittleEndian.AppendUint64(data, s.whole)
	data = binary.AppendUvarint(data, uint64(len(s.columns)))
	for i := range s.columns {
		data = s.columns[i].encode(data)
	}
	data = binary.AppendUvarint(data, uint64(len(s.samples)))
	for _, of := range s.samples {
		data = of.encode(data)
	}
	return data
}

func (c *columnSketch) encode(data []byte) []byte {
	flags := uint64(0)
	for i, on := range []bool{c.released, c.sensitive, c.counter} {
		if on {
			flags |= 1 << i
		}
	}
	data = binary.LittleEndian.AppendUint64(data, c.name)
	for _, n := range []uint64{flags, uint64(c.distinct), c.bound, uint64(len(c.values))} {
		data = binary.AppendUvarint(data, n)
	}
	before := uint64(0)
	for _, v := range c.values {
		data = binary.AppendUvarint(data, v.hash-before)
		data = binary.AppendUvarint(data, uint64(v.count))
		before = v.hash
	}
	data = binary.AppendUvarint(data, uint64(len(c.classes)))
	for _, of := range c.classes {
		data = binary.AppendUvarint(data, of.count)
		data = binary.LittleEndian.AppendUint64(data, of.sum)
	}
	data = binary.AppendUvarint(data, uint64(len(c.links)))
	last := uint64(0)
	for _, l := range c.links {
		data = binary.AppendUvarint(data, l.key-last)
		data, last = binary.LittleEndian.AppendUint16(data, l.value), l.key
	}
	return data
}

// encode writes gaps between cells, with the counts, which are mostly 1, in their lowest 2
// bits.
func (s *sample) encode(data []byte) []byte {
	data = binary.AppendUvarint(data, uint64(len(s.columns)))
	for _, c := range s.columns {
		data = binary.AppendUvarint(data, uint64(c))
	}
	for _, n := range []uint64{uint64(s.shift), s.bound, uint64(s.times), uint64(len(s.cells))} {
		data = binary.AppendUvarint(data, n)
	}
	before := uint64(0)
	for i, cell := range s.cells {
		n := uint64(s.count[i])
		data = binary.AppendUvarint(data, (cell-before)<<2|(min(n, 4)-1))
		if n > 3 {
			data = binary.AppendUvarint(data, n-4)
		}
		before = cell
	}
	return data
}

// Decode decodes the output of Encode.
func Decode(data []byte) (*Sketch, error) {
	if !bytes.HasPrefix(data, sketchFormat) {
		return nil, errDamaged
	}
	d := &reader{data: data[len(sketchFormat):]}
	s := &Sketch{rows: d.number(1 << 40), whole: d.fixed(8)}
	s.columns = make([]columnSketch, d.number(maxColumns))
	for i := range s.columns {
		s.columns[i] = d.column()
	}
	s.samples = make([]*sample, d.number(maxSets))
	for i := range s.samples {
		s.samples[i] = d.sample(len(s.columns))
	}
	if d.failed || len(d.data) > 0 || s.rows < fewestRows {
		return nil, errDamaged
	}
	return s, nil
}

// A reader reads numbers from data; after the first failure it returns zeros.
type reader struct {
	data   []byte
	failed bool
}

func (d *reader) uvarint() uint64 {
	v, n := binary.Uvarint(d.data)
	if n <= 0 || d.failed {
		d.failed = true
		return 0
	}
	d.data = d.data[n:]
	return v
}

func (d *reader) number(most uint64) int {
	v := d.uvarint()
	if v > most {
		d.failed = true
		return 0
	}
	return int(v)
}

func (d *reader) fixed(bytes int) (v uint64) {
	if len(d.data) < bytes || d.failed {
		d.failed = true
		return 0
	}
	for i := range bytes {
		v |= uint64(d.data[i]) << (8 * i)
	}
	d.data = d.data[bytes:]
	return v
}

func (d *reader) column() columnSketch {
	c := columnSketch{name: d.fixed(8)}
	flags := d.uvarint()
	c.released, c.sensitive, c.counter = flags&1 != 0, flags&2 != 0, flags&4 != 0
	c.distinct, c.bound = d.number(1<<40), d.uvarint()
	c.values = make([]valueCount, d.number(keptValues))
	before := uint64(0)
	for i := range c.values {
		before += d.uvarint()
		c.values[i] = valueCount{before, d.number(1 << 40)}
	}
	c.classes = make([]class, d.number(maxClasses))
	for i := range c.classes {
		c.classes[i] = class{d.uvarint(), d.fixed(8)}
	}
	c.links = make([]link, d.number(keptLinks))
	before = 0
	for i := range c.links {
		before += d.uvarint()
		c.links[i] = link{before, uint16(d.fixed(2))}
	}
	return c
}

func (d *reader) sample(columns int) *sample {
	s := &sample{columns: make([]int, d.number(maxColumns))}
	for i := range s.columns {
		s.columns[i] = d.number(uint64(max(columns, 1) - 1))
	}
	s.shift, s.bound, s.times = uint(d.number(63)), d.uvarint(), d.number(1<<32)
	n := d.number(manyKept)
	before := uint64(0)
	for i := 0; i < n && !d.failed; i++ {
		v := d.uvarint()
		before += v >> 2
		count := uint64(v&3) + 1
		if count == 4 {
			count += uint64(d.number(1<<32 - 8))
		}
		s.cells, s.count = append(s.cells, before), append(s.count, uint32(count))
	}
	if len(s.columns) == 0 || !slices.IsSorted(s.cells) {
		d.failed = true
	}
	return s
}
