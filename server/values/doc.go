// Package values bounds the values that expressions make: none is larger than
// max_allowed_packet, whoever makes it.
//
//  1. Every function of the engine has a class (classes.go), which says how its
//     result grows with its arguments, and what it takes meanwhile. A function
//     without one is bounded as if it could make anything; a test asks for the
//     class of every function that the engine registers.
//  2. What can grow by a factor is bounded from the sizes of the arguments before
//     it is made. What grows by the length of its arguments is looked at when it
//     is made.
//  3. A function whose result would be larger is NULL with warning 1301, as in
//     MySQL. An aggregate is an error.
//  4. Large values, what a function takes while it works, and what an aggregate
//     keeps are taken from the ledger of the session that asks (package ledger).
//
// A JSON document is as large as its text: documents share parts, so that a
// document of little memory can have a text of any length.
package values

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/server/ledger"
)

// numberTooLarge is MySQL's number of the warning.
const numberTooLarge = 1301

// Bounds are those of one server.
type Bounds struct {
	// Most is max_allowed_packet, in bytes. Required.
	Most func() int64
	// Holder is the ledger of a statement's session, nil for none. Required.
	Holder func(ctx *sql.Context) *ledger.Session
}

// TooLong is NULL with MySQL's warning.
func TooLong(ctx *sql.Context, function string, most int64) (any, error) {
	ctx.Warn(numberTooLarge, "%s", fmt.Sprintf("Result of %s() was larger than max_allowed_packet (%d) - truncated", function, most))
	return nil, nil
}
