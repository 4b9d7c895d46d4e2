package wire

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/values"
)

// maxPreparedOfSession is how many prepared statements a session may have; max_prepared_stmt_count is the server's limit.
const maxPreparedOfSession = 1024

// defaultMaxPrepared is MySQL's default.
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

// A PreparedBook counts the prepared statements of a session, by id or by name.
type PreparedBook struct {
	All     *atomic.Int64 // of the server
	Forget  func(text string)
	mu      sync.Mutex
	entries map[any]string // texts by id (uint32) or by name (string)
	bytes   int64          // of the texts
}

// Add counts a statement, or fails if there is no room for it.
func (b *PreparedBook) Add(key any, text string) error {
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
	if most := values.MaxPacket(); b.bytes+int64(len(text)) > most {
		return sqlerror.New(sqlerror.TooManyPrepared, fmt.Sprintf("Can't create more prepared statements: the texts of this session's would be longer "+
			"than 'max_allowed_packet' bytes (%d) together; close those that are not needed", most))
	}
	if most := maxPrepared(); b.All.Add(1) > most {
		b.All.Add(-1)
		return refused(most, "")
	}
	if b.entries == nil {
		b.entries = map[any]string{}
	}
	b.entries[key] = text
	b.bytes += int64(len(text))
	return nil
}

// drop must be called with mu held.
func (b *PreparedBook) drop(key any) {
	text, found := b.entries[key]
	if !found {
		return
	}
	delete(b.entries, key)
	b.bytes -= int64(len(text))
	b.All.Add(-1)
	_, byID := key.(uint32) // the engine finds the protocol's statements by text
	for other, same := range b.entries {
		if _, also := other.(uint32); also && same == text {
			byID = false
		}
	}
	if byID {
		b.Forget(text)
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

// SetUserVariable implements sql.Session.
func (s *Session) SetUserVariable(ctx *sql.Context, name string, value any, typ sql.Type) error {
	name = strings.TrimPrefix(name, "@") // which the interpreter of procedures leaves there
	value, typ = values.Variable(ctx, value, typ)
	if err := s.variables.add(name, value); err != nil {
		return err
	}
	return s.Session.SetUserVariable(ctx, name, value, typ)
}

// CollatesVariables implements values.Collating.
func (s *Session) CollatesVariables() {}

var _ values.Collating = (*Session)(nil)

// maxVariableText is the longest text of a session's system variable, in bytes; none needs more.
const maxVariableText = 64 << 10

// SetSessionVariable implements sql.Session.
func (s *Session) SetSessionVariable(ctx *sql.Context, name string, value any) error {
	if text, ok := value.(string); ok && len(text) > maxVariableText {
		return sqlerror.New(sqlerror.WrongVariable, fmt.Sprintf(
			"Variable '%s' can't be set to the value of %d bytes, must have at most %d", name, len(text), maxVariableText))
	}
	switch strings.ToLower(name) {
	case "time_zone":
		if _, err := coding.Zone(fmt.Sprint(value)); err != nil {
			return err
		}
		value = zoneName(fmt.Sprint(value))
	case "sql_select_limit": // the engine takes its greatest value for a negative one
		if limit, err := strconv.ParseFloat(fmt.Sprint(value), 64); err == nil && limit >= math.MaxInt64 {
			value = int64(math.MaxInt64)
		} else if err == nil && limit < 0 {
			value = int64(0)
		}
	}
	return s.Session.SetSessionVariable(ctx, name, value)
}

// zoneName is a zone's name for the engine, which does not know +8:00.
func zoneName(given string) string {
	if len(given) == len("+8:00") && given[2] == ':' {
		return given[:1] + "0" + given[1:]
	}
	return given
}

// longData counts the data of COM_STMT_SEND_LONG_DATA for one statement.
type longData struct {
	size    int64           // bytes, of all parameters
	refused *mysql.SQLError // the answer to COM_STMT_EXECUTE
}

// sentLong counts a part of a parameter, and reports whether the parameter may grow by it. The total of a connection is
// bounded, since the protocol layer keeps the data until the statements are executed.
func (p *PacketConn) sentLong(id uint32, parameter uint16, size int64) bool {
	if p.long == nil {
		p.long = map[uint32]*longData{}
	}
	sent := p.long[id]
	if sent == nil {
		sent = &longData{}
		p.long[id] = sent
	}
	all := size
	for _, of := range p.long {
		all += of.size
	}
	if most := values.MaxPacket(); all > most && sent.refused == nil {
		sent.refused = sqlerror.New(sqlerror.PacketTooLarge, fmt.Sprintf(
			"Parameter %d of the prepared statement, which is sent in parts, is longer than 'max_allowed_packet' bytes (%d), with those that wait beside it",
			parameter+1, most))
	}
	if sent.refused != nil {
		return false
	}
	sent.size += size
	return true
}

// forgetLong drops the count of a statement's data.
func (p *PacketConn) forgetLong(id uint32) { delete(p.long, id) }

// variableSize is about what a user variable takes beside its value, in bytes.
const variableSize = 256

// userVariables are how many bytes a session's take, by name in lower case.
type userVariables struct {
	mu    sync.Mutex
	sizes map[string]int64
	bytes int64 // all together
}

// add counts a value, or says why there is no room for it.
func (v *userVariables) add(name string, value any) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	name, most := strings.ToLower(name), values.MaxPacket()
	size := values.SizeOf(value, most) + int64(len(name)) + variableSize
	if before := v.sizes[name]; size > before && v.bytes-before+size > most {
		return sqlerror.New(sqlerror.Capacity, fmt.Sprintf("Memory capacity of %d bytes for 'user variables' exceeded: those of a session take at most "+
			"'max_allowed_packet' bytes together; set those that are not needed to NULL", most))
	}
	if v.sizes == nil {
		v.sizes = map[string]int64{}
	}
	v.bytes += size - v.sizes[name]
	v.sizes[name] = size
	return nil
}

func (v *userVariables) take() map[string]int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	sizes := v.sizes
	v.sizes, v.bytes = nil, 0
	return sizes
}

// HoldsVariables reports whether the session has user variables, which cannot be copied to another session.
func (s *Session) HoldsVariables() bool {
	s.variables.mu.Lock()
	defer s.variables.mu.Unlock()
	return len(s.variables.sizes) > 0
}

// ForgetVariables sets all user variables to NULL, like variables that were never set, and reports whether there were any.
func (s *Session) ForgetVariables(ctx *sql.Context) bool {
	names := s.variables.take()
	for name := range names {
		_ = s.Session.SetUserVariable(ctx, name, nil, types.Null) // the name was set before
	}
	return len(names) > 0
}
