package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/dialect"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/syntax"
)

// The protocol layer assumes well-formed commands; a malformed one makes it panic or end the connection. So this file checks each command that
// can do so, and answers a malformed one with MySQL's error instead of passing it on.

// served are the supported commands. The protocol layer also knows those of replication, but ignores them, and panics over the next command.
var served = map[byte]bool{
	mysql.ComQuit: true, mysql.ComInitDB: true, mysql.ComQuery: true, mysql.ComFieldList: true, mysql.ComPing: true,
	mysql.ComPrepare: true, mysql.ComStmtExecute: true, mysql.ComStmtSendLongData: true, mysql.ComStmtClose: true,
	mysql.ComStmtReset: true, mysql.ComSetOption: true, mysql.ComResetConnection: true,
}

// Commands that the protocol layer does not know, and that are served here.
const (
	comStatistics  = 0x09
	comProcessKill = 0x0c
)

// command checks a command whose header was read.
func (p *PacketConn) command(header [packetHead]byte, length int64) error {
	p.opening = nil
	if length == 0 {
		return p.writeError(sqlerror.UnknownCommand, "Unknown command")
	}
	first, err := p.in.Peek(1)
	if err != nil {
		return io.EOF
	}
	switch first[0] {
	case comStatistics, comProcessKill, mysql.ComStmtFetch:
		if !p.more && length <= 1+4+4 {
			return p.ownCommand(header, length)
		}
	case mysql.ComStmtExecute:
		p.opens(length)
	}
	if first[0] == comChangeUser && !p.more && length <= handshakePacket && p.hand != nil {
		return p.changeUser(length)
	}
	if !served[first[0]] {
		if _, err := io.CopyN(io.Discard, p.in, length); err != nil {
			return err
		}
		if p.more { // an unknown command of 16 MiB
			return p.refuse(sqlerror.UnknownCommand, "Unknown command")
		}
		return p.writeError(sqlerror.UnknownCommand, "Unknown command")
	}
	if first[0] == mysql.ComPrepare && p.more {
		return p.refuse(sqlerror.PacketTooLarge, "Got a packet bigger than 16 MiB to prepare: send values as parameters")
	}
	check := p.check(first[0])
	if p.more && first[0] == mysql.ComStmtSendLongData {
		return p.refuse(sqlerror.PacketTooLarge, "Got a part of a parameter that is longer than 16777214 bytes: send it in shorter parts")
	}
	if p.more && first[0] == mysql.ComStmtExecute {
		head, _ := p.in.Peek(1 + 4) // at least the byte above
		if _, wrong := p.beginExecute(&fields{b: head[1:], ok: true}); wrong != nil {
			return p.refuse(wrong.Num, wrong.Message)
		}
	}
	if check == nil || p.more {
		p.pending, p.left = append(p.pending, header[:]...), length
		return nil
	}
	packet := append(header[:], make([]byte, length)...)
	if _, err := io.ReadFull(p.in, packet[packetHead:]); err != nil {
		return io.EOF
	}
	if first[0] == mysql.ComPrepare {
		packet = p.inGrammar(packet)
	}
	switch wrong := check(packet[packetHead+1:]); {
	case wrong == nil && first[0] == mysql.ComPrepare:
		p.pending = p.preparing.packet(packet)
	case wrong == nil:
		p.pending = packet
	case wrong != errNoAnswer:
		return p.writeError(wrong.Num, wrong.Message)
	}
	return nil
}

// ownCommand answers COM_STATISTICS and COM_STMT_FETCH, and turns COM_PROCESS_KILL into the statement KILL, with its privileges.
func (p *PacketConn) ownCommand(header [packetHead]byte, length int64) error {
	body := make([]byte, length)
	if _, err := io.ReadFull(p.in, body); err != nil {
		return io.EOF
	}
	f := fields{b: body[1:], ok: true}
	switch {
	case body[0] == comStatistics && p.Statistics != nil:
		text := p.Statistics()
		_, err := p.stream.Write(append([]byte{byte(len(text)), byte(len(text) >> 8), 0, p.sequence + 1}, text...))
		return err
	case body[0] == mysql.ComStmtFetch:
		return p.fetch(f.b)
	case body[0] == comProcessKill:
		if id := f.number(4); f.ok {
			text := fmt.Sprintf("KILL CONNECTION %d", id)
			p.pending = append([]byte{byte(1 + len(text)), 0, 0, header[3], mysql.ComQuery}, text...)
			return nil
		}
		return p.writeError(sqlerror.MalformedPacket, "Malformed communication packet")
	}
	return p.writeError(sqlerror.UnknownCommand, "Unknown command")
}

// inGrammar rewrites the text in a packet of COM_STMT_PREPARE (package dialect), because the protocol layer parses it.
func (p *PacketConn) inGrammar(packet []byte) []byte {
	if p.Announced == nil || p.Options == nil {
		return packet
	}
	options, err := p.Options(p.Announced)
	text := string(packet[packetHead+1:])
	changed := dialect.Rewrite(text, options.AnsiQuotes, false)
	if length := 1 + len(changed); err == nil && changed != text && length < fullPart {
		return append([]byte{byte(length), byte(length >> 8), byte(length >> 16), packet[3], packet[packetHead]}, changed...)
	}
	return packet
}

// errNoAnswer marks a command without an answer, not even an error.
var errNoAnswer = sqlerror.New(sqlerror.MalformedPacket, "")

// check returns the check of the bytes after a command, nil for none.
func (p *PacketConn) check(command byte) func([]byte) *mysql.SQLError {
	switch command {
	case mysql.ComFieldList:
		p.answer.single = true // the protocol layer ends the columns even after an error
		return checkFieldList
	case mysql.ComSetOption:
		return checkOption
	case mysql.ComPrepare:
		return func(query []byte) *mysql.SQLError {
			wrong := p.checkPrepare(query)
			if wrong != nil && p.Refuses != nil {
				p.Refuses(string(query), wrong)
			}
			return wrong
		}
	case mysql.ComStmtExecute:
		return p.checkExecute
	case mysql.ComStmtSendLongData:
		return p.checkLongData
	case mysql.ComStmtReset:
		return p.checkReset
	case mysql.ComStmtClose:
		return p.checkClose
	}
	return nil
}

func checkFieldList(b []byte) *mysql.SQLError {
	f := fields{b: b, ok: true}
	if f.text(); !f.ok {
		return sqlerror.New(sqlerror.MalformedPacket, "Malformed communication packet")
	}
	return nil
}

func checkOption(b []byte) *mysql.SQLError {
	f := fields{b: b, ok: true}
	if option := f.number(2); !f.ok || option > 1 {
		return sqlerror.New(sqlerror.UnknownCommand, "Unknown command")
	}
	return nil
}

// checkPrepare does beforehand what the protocol layer does without a recover: it parses a statement and walks the tree to count its
// parameters. The walk panics over LOAD DATA, which MySQL cannot prepare either. It costs some ten microseconds for a short query.
func (p *PacketConn) checkPrepare(query []byte) (wrong *mysql.SQLError) {
	if p.Announced == nil || p.Options == nil {
		return nil
	}
	defer func() {
		if recover() != nil { // also for unparsable statements
			wrong = notPreparable()
		}
	}()
	options, err := p.Options(p.Announced)
	if err != nil {
		return sqlerror.New(sqlerror.Unknown, err.Error())
	}
	text, grammar := string(query), ""
	// The protocol layer splits the text without ANSI_QUOTES, in every mode.
	for _, ansi := range []bool{false, options.AnsiQuotes} {
		if grammar, wrong = syntax.AsGrammar(text, ansi); wrong != nil {
			return wrong
		}
	}
	if len(grammar) >= fullPart-1 {
		return sqlerror.New(sqlerror.PacketTooLarge, "Got a packet bigger than 16 MiB to prepare: send values as parameters")
	}
	p.preparing = preparing{text, grammar}
	if wrong := CheckWords(grammar); wrong != nil {
		return wrong
	}
	statement, err := sqlparser.ParseWithOptions(context.Background(), grammar, options)
	if err != nil {
		syntax.Unreadable(&err)
		var known *mysql.SQLError
		errors.As(sqlerror.ToClient(syntax.WayOut(text, err)), &known)
		return known // the protocol layer would say 1105
	}
	if _, load := statement.(*sqlparser.Load); load || sqlparser.Walk(hasValue, statement) != nil {
		return notPreparable()
	}
	return nil
}

// maxPreparedWords bounds prepared statements: the protocol layer builds the tree of each, some 400 bytes per word, before it is known in which
// process the statement runs. 65,535 parameters, the protocol's maximum, take half of it.
const maxPreparedWords = 1 << 18

// CheckWords refuses a statement to prepare that has too many words and operators, about.
func CheckWords(text string) *mysql.SQLError {
	words, space := 0, true
	for i := range len(text) {
		blank := text[i] <= ' '
		if blank && !space || strings.IndexByte(",(+-*/!~=<>", text[i]) >= 0 {
			words++
		}
		space = blank
	}
	if words <= maxPreparedWords {
		return nil
	}
	return sqlerror.New(sqlerror.PacketTooLarge, fmt.Sprintf("Got a statement of more than %d words to prepare: send values as parameters", maxPreparedWords))
}

// preparing is the text of a statement being prepared, as written and as rewritten for the grammar; the protocol layer parses the latter.
type preparing struct{ text, grammar string }

// packet returns the packet for the protocol layer.
func (of preparing) packet(given []byte) []byte {
	if of.text == of.grammar {
		return given
	}
	length := 1 + len(of.grammar)
	header := [packetHead]byte{byte(length), byte(length >> 8), byte(length >> 16), given[3]}
	return append(append(header[:], given[packetHead]), of.grammar...)
}

// AsWritten returns the original text of a prepared statement, of which the protocol layer knows only the rewritten query.
func (p *PacketConn) AsWritten(query string) string {
	if query == p.preparing.grammar {
		return p.preparing.text
	}
	return query
}

// hasValue fails for a node without a value, whose text the protocol layer would read.
func hasValue(node sqlparser.SQLNode) (bool, error) {
	if value, ok := node.(*sqlparser.SQLVal); ok && value == nil {
		return false, errNoAnswer
	}
	return true, nil
}

func notPreparable() *mysql.SQLError {
	return sqlerror.New(sqlerror.NotPreparable, "This command is not supported in the prepared statement protocol yet")
}

// prepared reads the id of a prepared statement, and finds the statement.
func (p *PacketConn) prepared(f *fields, command string) (uint32, *mysql.PrepareData, *mysql.SQLError) {
	id := uint32(f.number(4))
	if f.ok && p.Announced != nil {
		if s := p.Announced.PrepareData[id]; s != nil {
			return id, s, nil
		}
	}
	return 0, nil, sqlerror.New(sqlerror.UnknownPrepared, fmt.Sprintf("Unknown prepared statement handler (%d) given to %s", id, command))
}

func (p *PacketConn) checkReset(b []byte) *mysql.SQLError {
	id, _, wrong := p.prepared(&fields{b: b, ok: true}, "mysqld_stmt_reset")
	delete(p.spoiled, id)
	delete(p.cursors, id)
	p.forgetLong(id)
	return wrong
}

// checkClose forgets a statement. This command has no answer.
func (p *PacketConn) checkClose(b []byte) *mysql.SQLError {
	f := fields{b: b, ok: true}
	id := uint32(f.number(4))
	if !f.ok {
		return errNoAnswer
	}
	delete(p.spoiled, id)
	delete(p.cursors, id)
	p.forgetLong(id)
	p.Holds.Remove(id)
	return nil
}

// checkLongData drops data that cannot be accepted. This command has no answer, so the next COM_STMT_EXECUTE fails instead.
func (p *PacketConn) checkLongData(b []byte) *mysql.SQLError {
	f := fields{b: b, ok: true}
	id, s, wrong := p.prepared(&f, "mysqld_stmt_send_long_data")
	if wrong != nil {
		return errNoAnswer
	}
	parameter := uint16(f.number(2))
	if !f.ok || parameter >= s.ParamsCount || s.BindVars == nil {
		p.spoil(id)
		return errNoAnswer
	}
	if !p.sentLong(id, parameter, int64(len(f.b))) {
		return errNoAnswer
	}
	// COM_STMT_RESET leaves a nil there, which the protocol layer writes to.
	if name := parameterName(int(parameter)); s.BindVars[name] == nil {
		delete(s.BindVars, name)
	}
	return nil
}

// spoil marks a statement for which unacceptable data were sent.
func (p *PacketConn) spoil(id uint32) {
	if p.spoiled == nil {
		p.spoiled = map[uint32]bool{}
	}
	p.spoiled[id] = true
}

func parameterName(i int) string { return fmt.Sprintf("v%d", i+1) }

var incorrect = sqlerror.New(sqlerror.BadParameter, "Incorrect arguments to mysqld_stmt_execute")

// beginExecute finds the statement to execute, unless unacceptable data were sent for it.
func (p *PacketConn) beginExecute(f *fields) (*mysql.PrepareData, *mysql.SQLError) {
	id, s, wrong := p.prepared(f, "mysqld_stmt_execute")
	if wrong != nil {
		return nil, wrong
	}
	if p.spoiled[id] {
		delete(p.spoiled, id)
		return nil, incorrect
	}
	if sent := p.long[id]; sent != nil && sent.refused != nil {
		p.forgetLong(id)
		s.BindVars = make(map[string]*querypb.BindVariable, s.ParamsCount) // as after every execution
		return nil, sent.refused
	}
	p.executed = id
	return s, nil
}

// checkExecute checks what the protocol layer will read.
func (p *PacketConn) checkExecute(b []byte) *mysql.SQLError {
	f := fields{b: b, ok: true}
	s, wrong := p.beginExecute(&f)
	if wrong != nil {
		return wrong
	}
	f.skip(1) // the type of cursor (opens)
	once := f.number(4) == 1
	if !f.ok || !once || !wellFormedParameters(&f, s) {
		return incorrect
	}
	return nil
}

// wellFormedParameters checks the NULL bitmap, the types unless they are those of the last execution, and the values.
func wellFormedParameters(f *fields, s *mysql.PrepareData) bool {
	count := len(s.ParamsType)
	if count == 0 {
		return true
	}
	nulls := f.b
	if f.skip(uint64(count+7) / 8); !f.ok || count+7 > 1<<16-1 {
		return false // the protocol layer's counter overflows
	}
	types := append([]int32(nil), s.ParamsType...)
	if f.number(1) == 1 {
		for i := range types {
			t, err := sqltypes.MySQLToType(int64(f.number(1)), int64(f.number(1))>>2)
			if err != nil {
				return false
			}
			types[i] = int32(t)
		}
	}
	for i, t := range types {
		if s.BindVars[parameterName(i)] == nil && nulls[i/8]&(1<<(i%8)) == 0 && f.ok {
			f.value(querypb.Type(t))
		}
	}
	return f.ok
}

// value skips a value of COM_STMT_EXECUTE. The protocol layer itself checks the lengths of dates and times.
func (f *fields) value(t querypb.Type) {
	switch t {
	case sqltypes.Null:
	case sqltypes.Int8, sqltypes.Uint8:
		f.skip(1)
	case sqltypes.Int16, sqltypes.Uint16, sqltypes.Year:
		f.skip(2)
	case sqltypes.Int24, sqltypes.Uint24, sqltypes.Int32, sqltypes.Uint32, sqltypes.Float32:
		f.skip(4)
	case sqltypes.Int64, sqltypes.Uint64, sqltypes.Float64:
		f.skip(8)
	case sqltypes.Timestamp, sqltypes.Date, sqltypes.Datetime, sqltypes.Time:
		f.skip(f.number(1))
	default:
		f.counted()
	}
}
