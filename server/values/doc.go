// Package values bounds the values of expressions: none is larger than
// max_allowed_packet.
//
//  1. A function whose result would be larger is NULL with warning 1301, as in
//     MySQL. An aggregate is an error.
//  2. A result whose size depends on a number is refused before it is built. A function that joins any number of
//     arguments counts while it collects them. Other results are checked afterwards.
//  3. No DOUBLE is infinite or NaN: an operator, a function or an aggregate with such a result is error 1690. Over a
//     window the result is NULL with the warning.
//  4. A text converted to a number has at most MaxDigits digits.
//
// The size of a JSON document is the size of its text: documents share parts, so a document in little memory may have
// a text of any length. The guard of the process bounds the total memory of a statement.
package values

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
)

// numberTooLarge is MySQL's warning for results beyond max_allowed_packet.
const numberTooLarge = 1301

// DefaultMaxPacket is MySQL's max_allowed_packet, in bytes.
const DefaultMaxPacket = 64 << 20

// MaxPacket returns max_allowed_packet, in bytes: the largest packet of a client, and the longest text that a
// function may build. It is a global value; sessions cannot raise it.
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

// TooLong returns NULL and adds MySQL's warning 1301; most is max_allowed_packet, in bytes.
func TooLong(ctx *sql.Context, function string, most int64) (any, error) {
	ctx.Warn(numberTooLarge, "%s", fmt.Sprintf("Result of %s() was larger than max_allowed_packet (%d) - truncated", function, most))
	return nil, nil
}
