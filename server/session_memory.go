package server

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/server/ledger"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/values"
)

// What a session holds is counted in its ledger (server/ledger): packets, the trees
// of its statements, prepared statements and their parameters, user variables, rows
// on their way to the client, what a statement keeps (held.go), and large values
// (server/values).

// textBounds are the bounds of the values that expressions make.
var textBounds = &values.Bounds{Most: maxPacket, Holder: func(ctx *sql.Context) *ledger.Session { return ledgerOf(ctx) }}

// ledgerOf is nil for work that no client asked for.
func ledgerOf(ctx *sql.Context) *ledger.Session {
	if st := statementOf(ctx); st != nil {
		return st.ledger
	}
	return nil
}

func keeperOfStatement(ctx *sql.Context) values.Keeper {
	if st := statementOf(ctx); st != nil {
		return st.tally
	}
	return (*ledger.Tally)(nil)
}

// endStatement ends a statement with an error that its executor cannot return.
func endStatement(ctx *sql.Context, err error) {
	if st := statementOf(ctx); st != nil {
		st.cancel(sqlerror.Typed(err))
	}
}

const (
	// wordMemory is about what a word or an operator of a statement takes in memory,
	// as a part of the tree, of the plan and of what is evaluated, in bytes.
	wordMemory = 400
	// literalMemory is how many bytes the engine takes for a byte of a literal, or of a
	// parameter: it writes the expression out, with all that is in it, again and again.
	literalMemory = 8
	// freeText is the length of a statement from which on its tree is counted.
	freeText = 4 << 10
	// freePacket is the length of a packet from which on it is counted: the protocol
	// layer holds it twice.
	freePacket = 64 << 10
)

// treeMemory is about what a statement's text and tree take in memory, in bytes.
func treeMemory(text string) int64 {
	if len(text) < freeText {
		return 0
	}
	return keptTreeMemory(text)
}

// keptTreeMemory is treeMemory of a statement that the session keeps: many short ones
// add up.
func keptTreeMemory(text string) int64 {
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
	return literalMemory*int64(len(text)) + wordMemory*words
}

// maxPreparedOfSession is how many statements a session may have prepared. The
// server's is max_prepared_stmt_count.
const maxPreparedOfSession = 1024

// defaultMaxPrepared is MySQL's.
const defaultMaxPrepared = 16382

// maxPrepared is max_prepared_stmt_count.
func maxPrepared() int64 {
	if _, value, ok := sql.SystemVariables.GetGlobal("max_prepared_stmt_count"); ok {
		if n, err := strconv.ParseInt(fmt.Sprint(value), 10, 64); err == nil { // it has several types
			return n
		}
	}
	return defaultMaxPrepared
}

// A preparedBook is what a session has prepared, by id or by name.
type preparedBook struct {
	all     *atomic.Int64 // of the server
	ledger  *ledger.Session
	forget  func(text string)
	mu      sync.Mutex
	entries map[any]preparedEntry // uint32 or string
}

type preparedEntry struct {
	text  string
	taken int64
}

// add counts a statement, or says why there is no room for it.
func (b *preparedBook) add(key any, text string, taken int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drop(key)
	refused := func(limit int64, of string) error {
		return sqlerror.New(sqlerror.TooManyPrepared, fmt.Sprintf(
			"Can't create more than max_prepared_stmt_count statements (current value: %d%s); close those that are not needed", limit, of))
	}
	if len(b.entries) >= maxPreparedOfSession {
		return refused(maxPreparedOfSession, " for a session")
	}
	if most := maxPrepared(); b.all.Add(1) > most {
		b.all.Add(-1)
		return refused(most, "")
	}
	if err := b.ledger.Take(taken); err != nil {
		b.all.Add(-1)
		return sqlerror.Typed(err)
	}
	if b.entries == nil {
		b.entries = map[any]preparedEntry{}
	}
	b.entries[key] = preparedEntry{text, taken}
	return nil
}

// drop must be called with mu held.
func (b *preparedBook) drop(key any) {
	entry, found := b.entries[key]
	if !found {
		return
	}
	delete(b.entries, key)
	b.all.Add(-1)
	b.ledger.Give(entry.taken)
	for _, other := range b.entries {
		if other.text == entry.text {
			return
		}
	}
	if _, byID := key.(uint32); byID { // the engine keeps those of the protocol by their text
		b.forget(entry.text)
	}
}

func (b *preparedBook) remove(key any) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drop(key)
}

func (b *preparedBook) clear() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for key := range b.entries {
		b.drop(key)
	}
}

// prepareByName counts PREPARE name FROM ..., and DEALLOCATE PREPARE. It is called
// before the statement runs; a name whose statement cannot be prepared is counted
// until it is prepared again, deallocated, or the session ends.
func (s *instance) prepareByName(ctx *sql.Context, st *statement) error {
	switch st.kind {
	case "select", "insert", "update", "delete", "set", "execute", "show", "call":
		return nil
	}
	head := st.text[:min(len(st.text), hintsRead)]
	found := preparesName.FindStringSubmatch(head[len(leading.FindString(head)):])
	if found == nil {
		return nil
	}
	book := s.connections.preparedOf(ctx.Session.ID())
	if book == nil {
		return nil
	}
	name := strings.ToLower(found[2] + found[3])
	if !strings.EqualFold(found[1], "PREPARE") {
		book.remove(name)
		return nil
	}
	taken := keptTreeMemory(st.text)
	if found[4] != "" {
		_, value, err := ctx.GetUserVariable(ctx, strings.ToLower(strings.Trim(found[4], "`'\"")))
		if text, ok := value.(string); ok && err == nil {
			taken += keptTreeMemory(text)
		}
	}
	return book.add(name, "", taken+freeText)
}

// SetUserVariable implements sql.Session. What the variable held before is given
// back.
func (s *session) SetUserVariable(ctx *sql.Context, name string, value any, typ sql.Type) error {
	if s.ledger == nil {
		return s.Session.SetUserVariable(ctx, name, value, typ)
	}
	name = strings.ToLower(name)
	size := memoryOf(sql.Row{value}) + int64(len(name))
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.variables[name]
	if err := s.ledger.Take(size - before); err != nil {
		return sqlerror.Typed(err)
	}
	if size < before {
		s.ledger.Give(before - size)
	}
	if s.variables == nil {
		s.variables = map[string]int64{}
	}
	s.variables[name] = size
	return s.Session.SetUserVariable(ctx, name, value, typ)
}

// maxVariableText is the longest text that a system variable of a session takes, in
// bytes: no variable is in need of more.
const maxVariableText = 64 << 10

// SetSessionVariable implements sql.Session.
func (s *session) SetSessionVariable(ctx *sql.Context, name string, value any) error {
	if text, ok := value.(string); ok && len(text) > maxVariableText {
		return sqlerror.New(sqlerror.WrongVariable, fmt.Sprintf(
			"Variable '%s' can't be set to the value of %d bytes, must have at most %d", name, len(text), maxVariableText))
	}
	return s.Session.SetSessionVariable(ctx, name, value)
}

// end gives back what the session's variables held.
func (s *session) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, size := range s.variables {
		s.ledger.Give(size)
	}
	s.variables = nil
}

// longData is what COM_STMT_SEND_LONG_DATA has brought for one statement.
type longData struct {
	parameters map[uint16]int64 // bytes
	taken      int64
	refused    *mysql.SQLError // the answer to COM_STMT_EXECUTE
}

// sentLong counts a part of a parameter, and tells whether the parameter may grow
// by it.
func (p *packetConn) sentLong(id uint32, parameter uint16, size int64) bool {
	if p.long == nil {
		p.long = map[uint32]*longData{}
	}
	sent := p.long[id]
	if sent == nil {
		sent = &longData{parameters: map[uint16]int64{}}
		p.long[id] = sent
	}
	switch {
	case sent.refused != nil:
	case sent.parameters[parameter]+size > maxPacket():
		sent.refused = sqlerror.New(sqlerror.PacketTooLarge, fmt.Sprintf(
			"Parameter %d of the prepared statement, which is sent in parts, is longer than 'max_allowed_packet' bytes (%d)", parameter+1, maxPacket()))
	default:
		if err := p.ledger.Take(literalMemory * size); err != nil {
			sent.refused = sqlerror.New(sqlerror.Capacity, err.Error())
			break
		}
		sent.parameters[parameter] += size
		sent.taken += literalMemory * size
		return true
	}
	return false
}

// forgetLong gives back what was sent for a statement.
func (p *packetConn) forgetLong(id uint32) {
	if sent := p.long[id]; sent != nil {
		p.ledger.Give(sent.taken)
		delete(p.long, id)
	}
}
