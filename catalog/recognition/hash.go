package recognition

import (
	"encoding/binary"
	"math/bits"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// canonical writes a number and its text alike, and texts that differ only in case or in
// surrounding blanks.
func canonical(to []byte, v anonymize.Value) []byte {
	switch v.Kind {
	case anonymize.Null:
		return append(to, 0)
	case anonymize.Integer:
		return strconv.AppendInt(to, v.Int, 10)
	case anonymize.Real:
		return strconv.AppendFloat(to, v.Float, 'f', -1, 64)
	case anonymize.Instant:
		return append(to, v.String()...)
	}
	text := strings.ToLower(strings.TrimSpace(v.Text))
	if number, ok := plainNumber(text); ok {
		text = number
	}
	return append(to, text...)
}

// plainNumber removes leading zeros, a plus sign and trailing zeros after the point from the
// text of a number.
func plainNumber(text string) (string, bool) {
	sign, digits := "", text
	if digits != "" && (digits[0] == '-' || digits[0] == '+') {
		if digits[0] == '-' {
			sign = "-"
		}
		digits = digits[1:]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	if whole == "" || strings.Trim(whole, "0123456789") != "" || strings.Trim(fraction, "0123456789") != "" {
		return "", false
	}
	whole, fraction = strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0")
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		return sign + whole + "." + fraction, true
	}
	if whole == "0" {
		sign = ""
	}
	return sign + whole, true
}

// hashValues hashes every dictionary entry under the key.
func hashValues(key []byte, dictionary []anonymize.Value) []uint64 {
	hashes := make([]uint64, len(dictionary))
	var text []byte
	for i, v := range dictionary {
		text = canonical(text[:0], v)
		hashes[i] = sipHash(key, text)
	}
	return hashes
}

// sipHash is SipHash-2-4 (Aumasson and Bernstein, INDOCRYPT 2012): without the first 16 bytes
// of the key its values look random.
func sipHash(key, text []byte) uint64 {
	k0, k1 := binary.LittleEndian.Uint64(key), binary.LittleEndian.Uint64(key[8:])
	v0, v1, v2, v3 := k0^0x736f6d6570736575, k1^0x646f72616e646f6d, k0^0x6c7967656e657261, k1^0x7465646279746573
	round := func() {
		v0 += v1
		v2 += v3
		v1, v3 = bits.RotateLeft64(v1, 13)^v0, bits.RotateLeft64(v3, 16)^v2
		v0 = bits.RotateLeft64(v0, 32)
		v2 += v1
		v0 += v3
		v1, v3 = bits.RotateLeft64(v1, 17)^v2, bits.RotateLeft64(v3, 21)^v0
		v2 = bits.RotateLeft64(v2, 32)
	}
	last := uint64(len(text)) << 56
	for ; len(text) >= 8; text = text[8:] {
		m := binary.LittleEndian.Uint64(text)
		v3 ^= m
		round()
		round()
		v0 ^= m
	}
	for i, b := range text {
		last |= uint64(b) << (8 * i)
	}
	v3 ^= last
	round()
	round()
	v0 ^= last
	v2 ^= 0xff
	for range 4 {
		round()
	}
	return v0 ^ v1 ^ v2 ^ v3
}

// scramble mixes the bits of x (the finalizer of SplitMix64), so that a sum of hashes of sums
// is not the sum of the columns' sums.
func scramble(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// salted makes the hashes depend on the column: a record (0, 1) differs from (1, 0).
func salted(hashes []uint64, column int) []uint64 {
	list := make([]uint64, len(hashes))
	for i, h := range hashes {
		list[i] = scramble(h + uint64(column+1)*0x9e3779b97f4a7c15)
	}
	return list
}
