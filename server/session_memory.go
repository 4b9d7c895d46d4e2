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
	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/sqlerror"
)

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
func (s *instance) prepareByName(ctx *sql.Context, st *running.Statement) error {
	switch st.Kind {
	case "select", "insert", "update", "delete", "set", "execute", "show", "call":
		return nil
	}
	head := st.Text[:min(len(st.Text), hintsRead)]
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
	taken := running.KeptTreeMemory(st.Text)
	if found[4] != "" {
		_, value, err := ctx.GetUserVariable(ctx, strings.ToLower(strings.Trim(found[4], "`'\"")))
		if text, ok := value.(string); ok && err == nil {
			taken += running.KeptTreeMemory(text)
		}
	}
	return book.add(name, "", taken+running.FreeText)
}

// SetUserVariable implements sql.Session. What the variable held before is given
// back.
func (s *session) SetUserVariable(ctx *sql.Context, name string, value any, typ sql.Type) error {
	if s.ledger == nil {
		return s.Session.SetUserVariable(ctx, name, value, typ)
	}
	name = strings.ToLower(name)
	size := running.RowMemory(sql.Row{value}) + int64(len(name))
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
	case sent.parameters[parameter]+size > running.MaxPacket():
		sent.refused = sqlerror.New(sqlerror.PacketTooLarge, fmt.Sprintf(
			"Parameter %d of the prepared statement, which is sent in parts, is longer than 'max_allowed_packet' bytes (%d)", parameter+1, running.MaxPacket()))
	default:
		if err := p.ledger.Take(running.LiteralMemory * size); err != nil {
			sent.refused = sqlerror.New(sqlerror.Capacity, err.Error())
			break
		}
		sent.parameters[parameter] += size
		sent.taken += running.LiteralMemory * size
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
