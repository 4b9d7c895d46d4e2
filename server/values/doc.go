// Package values bounds the values that expressions make: none is larger than
// max_allowed_packet, whoever makes it.
//
//  1. A function whose result would be larger is NULL with warning 1301, as in
//     MySQL. An aggregate is an error.
//  2. What a number makes large is refused before it is made. What grows by the length
//     of its arguments is looked at when it is made.
//  3. No DOUBLE is infinite, and none is no number: an operator, a function or an aggregate beyond them is error 1690.
//     Over a window it is NULL with the warning.
//  4. A text that is read as a number has at most MaxDigits digits.
//
// A JSON document is as large as its text: documents share parts, so that a
// document of little memory can have a text of any length. What a statement takes
// altogether is bounded by who ends its process.
package values

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
)

// numberTooLarge is MySQL's number of the warning.
const numberTooLarge = 1301

// DefaultMaxPacket is MySQL's max_allowed_packet, in bytes.
const DefaultMaxPacket = 64 << 20

// MaxPacket is max_allowed_packet, in bytes: what a client may send at once,
// and the longest text that a function may build. It is the value of the whole
// server; sessions cannot raise their own.
func MaxPacket() int64 {
	if _, value, ok := sql.SystemVariables.GetGlobal("max_allowed_packet"); ok {
		switch v := value.(type) {
		case int64:
			return v
		case uint64:
			return int64(v)
		}
	}
	return DefaultMaxPacket
}

// TooLong is NULL with MySQL's warning.
func TooLong(ctx *sql.Context, function string, most int64) (any, error) {
	ctx.Warn(numberTooLarge, "%s", fmt.Sprintf("Result of %s() was larger than max_allowed_packet (%d) - truncated", function, most))
	return nil, nil
}
