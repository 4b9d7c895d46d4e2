package columnar

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/fault"
)

// EncodeCodes writes codes little-endian in 1, 2 or 4 bytes each, as few as suffice. The first
// byte is that width.
func EncodeCodes(codes []uint32) []byte {
	largest := uint32(0)
	for _, code := range codes {
		largest |= code
	}
	switch {
	case largest < 1<<8:
		data := make([]byte, 1+len(codes))
		data[0] = 1
		for i, code := range codes {
			data[1+i] = byte(code)
		}
		return data
	case largest < 1<<16:
		data := make([]byte, 1, 1+2*len(codes))
		data[0] = 2
		for _, code := range codes {
			data = binary.LittleEndian.AppendUint16(data, uint16(code))
		}
		return data
	}
	data := make([]byte, 1, 1+4*len(codes))
	data[0] = 4
	for _, code := range codes {
		data = binary.LittleEndian.AppendUint32(data, code)
	}
	return data
}

// DecodeCodes appends the codes of one chunk to codes.
func DecodeCodes(codes []uint32, data []byte) ([]uint32, error) {
	if len(data) == 0 {
		return nil, fault.ErrDamaged
	}
	width, data := int(data[0]), data[1:]
	if width != 1 && width != 2 && width != 4 || len(data)%width != 0 {
		return nil, fault.ErrDamaged
	}
	switch width {
	case 1:
		for _, b := range data {
			codes = append(codes, uint32(b))
		}
	case 2:
		for i := 0; i < len(data); i += 2 {
			codes = append(codes, uint32(binary.LittleEndian.Uint16(data[i:])))
		}
	case 4:
		for i := 0; i < len(data); i += 4 {
			codes = append(codes, binary.LittleEndian.Uint32(data[i:]))
		}
	}
	return codes, nil
}

// EncodeDictionary writes each value losslessly as a kind byte and the value.
func EncodeDictionary(dictionary []anonymize.Value) []byte {
	data := binary.AppendUvarint(nil, uint64(len(dictionary)))
	for _, v := range dictionary {
		data = append(data, byte(v.Kind))
		switch v.Kind {
		case anonymize.Integer, anonymize.Instant:
			data = binary.AppendVarint(data, v.Int)
		case anonymize.Real:
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v.Float))
		case anonymize.Decimal, anonymize.Text:
			data = appendText(data, v.Text)
		}
	}
	return data
}

func appendText(data []byte, text string) []byte {
	return append(binary.AppendUvarint(data, uint64(len(text))), text...)
}

// A decoder reads the encoders' output; its first error sticks.
type decoder struct {
	data []byte
	err  error
}

func (d *decoder) fail() { d.data, d.err = nil, fault.ErrDamaged }

func (d *decoder) byte() byte {
	if len(d.data) == 0 {
		d.fail()
		return 0
	}
	b := d.data[0]
	d.data = d.data[1:]
	return b
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.data)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.data = d.data[n:]
	return v
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.data)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.data = d.data[n:]
	return v
}

func (d *decoder) float() float64 {
	if len(d.data) < 8 {
		d.fail()
		return 0
	}
	v := math.Float64frombits(binary.LittleEndian.Uint64(d.data))
	d.data = d.data[8:]
	return v
}

func (d *decoder) text() string {
	n := d.uvarint()
	if n > uint64(len(d.data)) {
		d.fail()
		return ""
	}
	text := string(d.data[:n])
	d.data = d.data[n:]
	return text
}

// length reads the length of a list whose entries take at least one byte each.
func (d *decoder) length() int {
	n := d.uvarint()
	if n > uint64(len(d.data)) {
		d.fail()
		return 0
	}
	return int(n)
}

func DecodeDictionary(data []byte) ([]anonymize.Value, error) {
	d := &decoder{data: data}
	dictionary := make([]anonymize.Value, d.length())
	for i := range dictionary {
		switch kind := anonymize.ValueKind(d.byte()); kind {
		case anonymize.Null:
		case anonymize.Integer:
			dictionary[i] = anonymize.IntegerValue(d.varint())
		case anonymize.Instant:
			dictionary[i] = anonymize.InstantValue(d.varint())
		case anonymize.Real:
			dictionary[i] = anonymize.RealValue(d.float())
		case anonymize.Decimal:
			dictionary[i] = anonymize.DecimalValue(d.text())
		case anonymize.Text:
			dictionary[i] = anonymize.TextValue(d.text())
		default:
			return nil, fmt.Errorf("%w: value %d has the unknown kind %d", fault.ErrDamaged, i, kind)
		}
	}
	return dictionary, d.err
}

// EncodeCells writes label, members and weights of every cell. A cell has members, so a 0 in
// place of their number marks a range of codes, given by its first code and its length: a wide
// interval takes a few bytes.
func EncodeCells(cells []anonymize.Cell) []byte {
	data := binary.AppendUvarint(nil, uint64(len(cells)))
	for _, cell := range cells {
		data = appendText(data, cell.Label)
		if IsStretch(cell.Members) {
			data = binary.AppendUvarint(append(data, 0), uint64(cell.Members[0]))
			data = binary.AppendUvarint(data, uint64(len(cell.Members)))
		} else {
			data = binary.AppendUvarint(data, uint64(len(cell.Members)))
			for _, member := range cell.Members {
				data = binary.AppendUvarint(data, uint64(member))
			}
		}
		data = append(data, byte(min(1, len(cell.Weights))))
		for _, weight := range cell.Weights {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(weight))
		}
	}
	return data
}

// IsStretch reports whether ascending members are a range of at least two consecutive codes.
func IsStretch(members []uint32) bool {
	last := len(members) - 1
	return last > 0 && int(members[last]-members[0]) == last
}

// DecodeCells reads the cells of a column with a dictionary of values entries. Ranges share one
// list and take no memory of their own.
func DecodeCells(data []byte, values int) ([]anonymize.Cell, error) {
	d := &decoder{data: data}
	cells := make([]anonymize.Cell, d.length())
	all := anonymize.Indices(values)
	for i := range cells {
		cells[i].Label = d.text()
		cells[i].Members = d.members(all)
		if d.byte() == 1 {
			cells[i].Weights = make([]float64, len(cells[i].Members))
			for j := range cells[i].Weights {
				cells[i].Weights[j] = d.float()
			}
		}
	}
	return cells, d.err
}

// members reads a cell's codes; a range is a slice of all, which has every code.
func (d *decoder) members(all []uint32) []uint32 {
	if count := d.length(); count > 0 {
		members := make([]uint32, count)
		for i := range members {
			if code := d.uvarint(); code < uint64(len(all)) {
				members[i] = uint32(code)
			} else {
				d.fail()
			}
		}
		return members
	}
	first, count := d.uvarint(), d.uvarint()
	if d.err != nil || count == 0 || first >= uint64(len(all)) || count > uint64(len(all))-first {
		d.fail()
		return nil
	}
	return all[first : first+count : first+count]
}

// EncodeKeys writes differences of neighbours as varints.
func EncodeKeys(keys []int64) []byte {
	var data []byte
	before := int64(0)
	for _, key := range keys {
		data = binary.AppendVarint(data, key-before)
		before = key
	}
	return data
}

// DecodeKeys fills keys; more or fewer stored keys are damage.
func DecodeKeys(data []byte, keys []int64) error {
	d := &decoder{data: data}
	before := int64(0)
	for i := range keys {
		before += d.varint()
		keys[i] = before
	}
	if d.err == nil && len(d.data) > 0 {
		d.fail()
	}
	return d.err
}
