package running

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/server/ledger"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/values"
)

// What a session holds is counted in its ledger (server/ledger): packets, the trees
// of its statements, prepared statements and their parameters, user variables, rows
// on their way to the client, what a statement keeps (held.go), and large values
// (server/values).

// TextBounds are the bounds of the values that expressions make.
var TextBounds = &values.Bounds{Most: MaxPacket, Holder: func(ctx *sql.Context) *ledger.Session { return Ledger(ctx) }}

// Ledger is nil for work that no client asked for.
func Ledger(ctx *sql.Context) *ledger.Session {
	if st := Of(ctx); st != nil {
		return st.Ledger
	}
	return nil
}

// Keeper counts for the statement that runs.
func Keeper(ctx *sql.Context) values.Keeper {
	if st := Of(ctx); st != nil {
		return st.Tally
	}
	return (*ledger.Tally)(nil)
}

// End ends a statement with an error that its executor cannot return.
func End(ctx *sql.Context, err error) {
	if st := Of(ctx); st != nil {
		err = sqlerror.Typed(err)
		st.UnlessSettled(func() {
			st.failure.CompareAndSwap(nil, &err)
			st.Cancel(err)
		})
	}
}

// Failed is the error that End ended the statement with, nil for none: its executor may
// come to its last row before it notices.
func (st *Statement) Failed() error {
	if st == nil {
		return nil
	}
	if failure := st.failure.Load(); failure != nil {
		return *failure
	}
	return nil
}

const (
	// wordMemory is about what a word or an operator of a statement takes in memory,
	// as a part of the tree, of the plan and of what is evaluated, in bytes.
	wordMemory = 400
	// LiteralMemory is how many bytes the engine takes for a byte of a literal, or of a
	// parameter: it writes the expression out, with all that is in it, again and again.
	LiteralMemory = 8
	// FreeText is the length of a statement from which on its tree is counted.
	FreeText = 4 << 10
	// FreePacket is the length of a packet from which on it is counted: the protocol
	// layer holds it twice.
	FreePacket = 64 << 10
)

// TreeMemory is about what a statement's text and tree take in memory, in bytes.
func TreeMemory(text string) int64 {
	if len(text) < FreeText {
		return 0
	}
	return KeptTreeMemory(text)
}

// KeptTreeMemory is TreeMemory of a statement that the session keeps: many short ones
// add up.
func KeptTreeMemory(text string) int64 {
	words, space := int64(0), true
	for i := range len(text) {
		switch c := text[i]; {
		case c <= ' ':
			if !space {
				words++
			}
			space = true
			continue
		case c == ',' || c == '(' || c == '+' || c == '-' || c == '*' || c == '/' || c == '!' || c == '~' || c == '=' || c == '<' || c == '>':
			words++
		}
		space = false
	}
	return LiteralMemory*int64(len(text)) + wordMemory*words
}

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
