package wire

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/catalog/coding"
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

// A PreparedBook is what a session has prepared, by id or by name.
type PreparedBook struct {
	All     *atomic.Int64 // of the server
	Ledger  *ledger.Session
	Forget  func(text string)
	mu      sync.Mutex
	entries map[any]preparedEntry // uint32 or string
}

type preparedEntry struct {
	text  string
	taken int64
}

// Add counts a statement, or says why there is no room for it.
func (b *PreparedBook) Add(key any, text string, taken int64) error {
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
	if most := maxPrepared(); b.All.Add(1) > most {
		b.All.Add(-1)
		return refused(most, "")
	}
	if err := b.Ledger.Take(taken); err != nil {
		b.All.Add(-1)
		return sqlerror.Typed(err)
	}
	if b.entries == nil {
		b.entries = map[any]preparedEntry{}
	}
	b.entries[key] = preparedEntry{text, taken}
	return nil
}

// drop must be called with mu held.
func (b *PreparedBook) drop(key any) {
	entry, found := b.entries[key]
	if !found {
		return
	}
	delete(b.entries, key)
	b.All.Add(-1)
	b.Ledger.Give(entry.taken)
	for _, other := range b.entries {
		if other.text == entry.text {
			return
		}
	}
	if _, byID := key.(uint32); byID { // the engine keeps those of the protocol by their text
		b.Forget(entry.text)
	}
}

func (b *PreparedBook) Remove(key any) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drop(key)
}

func (b *PreparedBook) clear() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for key := range b.entries {
		b.drop(key)
	}
}

// SetUserVariable implements sql.Session. What the variable held before is given
// back.
func (s *Session) SetUserVariable(ctx *sql.Context, name string, value any, typ sql.Type) error {
	if s.Ledger == nil {
		return s.Session.SetUserVariable(ctx, name, value, typ)
	}
	name = strings.ToLower(name)
	size := running.RowMemory(sql.Row{value}) + int64(len(name))
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.variables[name]
	if err := s.Ledger.Take(size - before); err != nil {
		return sqlerror.Typed(err)
	}
	if size < before {
		s.Ledger.Give(before - size)
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
func (s *Session) SetSessionVariable(ctx *sql.Context, name string, value any) error {
	if text, ok := value.(string); ok && len(text) > maxVariableText {
		return sqlerror.New(sqlerror.WrongVariable, fmt.Sprintf(
			"Variable '%s' can't be set to the value of %d bytes, must have at most %d", name, len(text), maxVariableText))
	}
	if strings.EqualFold(name, "time_zone") {
		if _, err := coding.Zone(fmt.Sprint(value)); err != nil {
			return err
		}
		value = zoneName(fmt.Sprint(value))
	}
	return s.Session.SetSessionVariable(ctx, name, value)
}

// zoneName is the name of a zone as the engine knows it, which takes +8:00 for none.
func zoneName(given string) string {
	if len(given) == len("+8:00") && given[2] == ':' {
		return given[:1] + "0" + given[1:]
	}
	return given
}

// end gives back what the session's variables held.
func (s *Session) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, size := range s.variables {
		s.Ledger.Give(size)
	}
	s.variables = nil
}

// longData is what COM_STMT_SEND_LONG_DATA has brought for one statement.
type longData struct {
	parameters map[uint16]int64 // bytes
	Taken      int64
	refused    *mysql.SQLError // the answer to COM_STMT_EXECUTE
}

// sentLong counts a part of a parameter, and tells whether the parameter may grow
// by it.
func (p *PacketConn) sentLong(id uint32, parameter uint16, size int64) bool {
	if p.Long == nil {
		p.Long = map[uint32]*longData{}
	}
	sent := p.Long[id]
	if sent == nil {
		sent = &longData{parameters: map[uint16]int64{}}
		p.Long[id] = sent
	}
	switch {
	case sent.refused != nil:
	case sent.parameters[parameter]+size > running.MaxPacket():
		sent.refused = sqlerror.New(sqlerror.PacketTooLarge, fmt.Sprintf(
			"Parameter %d of the prepared statement, which is sent in parts, is longer than 'max_allowed_packet' bytes (%d)", parameter+1, running.MaxPacket()))
	default:
		if err := p.Ledger.Take(running.LiteralMemory * size); err != nil {
			sent.refused = sqlerror.New(sqlerror.Capacity, err.Error())
			break
		}
		sent.parameters[parameter] += size
		sent.Taken += running.LiteralMemory * size
		return true
	}
	return false
}

// forgetLong gives back what was sent for a statement.
func (p *PacketConn) forgetLong(id uint32) {
	if sent := p.Long[id]; sent != nil {
		p.Ledger.Give(sent.Taken)
		delete(p.Long, id)
	}
}

// Lasting says that the session holds what another one cannot be given: user variables.
func (s *Session) Lasting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.variables) > 0
}
