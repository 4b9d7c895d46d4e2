package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/server/sqlerror"
)

// A client with a cursor fetches its rows by COM_STMT_FETCH. The protocol layer would run such a statement concurrently with later commands, on the
// same session, and would never end it when the client leaves. So the protocol layer does not see cursors: it writes all rows at once, and this file
// keeps their packets until they are fetched. As in MySQL, the statement has ended then, and others may run. If there are more rows than the limit,
// the statement waits until some are fetched, and meanwhile the connection serves only its cursors (attend).

const (
	// keptRows bounds the stored rows of a connection's cursors, in bytes.
	keptRows = 32 << 20
	// keptAhead is how far a statement may be ahead of its client once it has waited, in bytes.
	keptAhead = 1 << 20
)

var (
	errCursorClosed = sqlerror.New(sqlerror.Interrupted, "the cursor was closed before its last row")
	errBesideCursor = sqlerror.New(sqlerror.Capacity, fmt.Sprintf("Memory capacity of %d bytes for 'cursors' exceeded: commands are out of sync, since a statement of this "+
		"connection waits for its rows to be fetched; read them to the end, close the cursor, or use another connection", keptRows))
)

// The next part of an answer.
const (
	itsKind = iota
	itsColumns
	itsColumnsEnd
	itsRows
)

// A cursor is the answer to a COM_STMT_EXECUTE with a cursor.
type cursor struct {
	statement uint32
	next      int    // the next part that the protocol layer writes
	partial   []byte // a packet that it has written in part
	columns   uint64 // that are still to come
	head      []byte // the client's answer before it fetches, nil once sent
	end       []byte // the packet after the columns, without its header
	rows      bytes.Buffer
	whole     uint32 // rows that can be fetched
	continued bool   // another part of a row follows
	waited    bool   // there were more rows than the limit
	dropped   bool   // rows are no longer kept
	last      []byte // the packet after the rows, without its header: an error, or their end; nil while the statement runs
	// Of an unanswered COM_STMT_FETCH.
	asked    bool
	wanted   uint32
	sequence byte
}

// opens checks a COM_STMT_EXECUTE, which closes its statement's cursor and may open another, and hides this from the protocol layer.
func (p *PacketConn) opens(length int64) {
	const flags = 1 + 4
	if length <= flags {
		return
	}
	b, err := p.in.Peek(flags + 1) // the protocol layer reads these bytes as changed here
	if err != nil {
		return
	}
	id := binary.LittleEndian.Uint32(b[1:])
	delete(p.cursors, id)
	if b[flags] != 0 {
		b[flags] = mysql.NoCursor
		p.opening = &cursor{statement: id}
	}
}

// collect takes the protocol layer's answer to an execution that opens a cursor.
func (p *PacketConn) collect(k *cursor, b []byte) error {
	rest := append(k.partial, b...)
	for len(rest) >= packetHead {
		length := packetHead + (int(rest[0]) | int(rest[1])<<8 | int(rest[2])<<16)
		if len(rest) < length {
			break
		}
		p.keep(k, rest[:length])
		rest = rest[length:]
	}
	k.partial = append(k.partial[:0], rest...)
	if k.head != nil && (k.next == itsKind || k.last != nil || p.full(k)) {
		if err := p.answerExecution(k); err != nil {
			return err
		}
	}
	if k.asked {
		if err := p.deliver(k); err != nil {
			return err
		}
	}
	if p.full(k) && !k.asked && k.last == nil && p.busy.Load() {
		return p.attend(k)
	}
	return nil
}

// keep keeps a packet, or a part of one.
func (p *PacketConn) keep(k *cursor, packet []byte) {
	body := packet[packetHead:]
	switch {
	case k.next == itsKind:
		if k.head = bytes.Clone(packet); body[0] != mysql.ErrPacket && body[0] != mysql.OKPacket {
			number := fields{b: body[min(1, len(body)-1):], ok: true} // behind how long it is, unless it is a byte
			k.columns, k.next = number.number(len(number.b)), itsColumns
		}
	case k.next == itsColumns:
		k.head = append(k.head, packet...)
		if k.columns--; k.columns == 0 {
			k.next = itsColumnsEnd
		}
		if k.next == itsColumnsEnd && p.Announced.Capabilities&mysql.CapabilityClientDeprecateEOF != 0 {
			status := p.Announced.StatusFlags
			p.keep(k, []byte{7, 0, 0, packet[3] + 1, mysql.EOFPacket, 0, 0, byte(status), byte(status >> 8), 0, 0}) // sent only for a cursor
		}
	case k.next == itsColumnsEnd:
		k.end = bytes.Clone(body)
		k.head = append(append(k.head, packet[:packetHead]...), withStatus(k.end, mysql.ServerCursorExists)...)
		k.next = itsRows
	case k.continued || body[0] == mysql.OKPacket:
		if k.continued = len(body) == fullPart; !k.dropped {
			k.rows.Write(packet)
			if !k.continued {
				k.whole++
			}
		}
	case k.dropped && body[0] == mysql.EOFPacket:
		k.last = errorPacket(0, sqlerror.Interrupted, sqlerror.ErrInterrupted.Message)[packetHead:]
	default:
		if k.last = bytes.Clone(body); body[0] == mysql.ErrPacket {
			k.drop()
		}
	}
}

// withStatus adds a status flag to the packet that ends columns or rows. Both forms of it have the flags at the same offset.
func withStatus(body []byte, flag uint16) []byte {
	const status = 3
	changed := bytes.Clone(body)
	if changed[0] == mysql.EOFPacket {
		binary.LittleEndian.PutUint16(changed[status:], binary.LittleEndian.Uint16(changed[status:])|flag)
	}
	return changed
}

// drop forgets the rows.
func (k *cursor) drop() {
	k.rows, k.whole, k.dropped = bytes.Buffer{}, 0, true
}

// full reports whether the statement must wait.
func (p *PacketConn) full(k *cursor) bool {
	if k.dropped {
		return false
	}
	kept := k.rows.Len()
	if k.waited && kept > keptAhead {
		return true
	}
	for _, other := range p.cursors {
		if other != k {
			kept += other.rows.Len()
		}
	}
	return kept > keptRows
}

// answerExecution answers COM_STMT_EXECUTE, once all rows are kept, or as many as the limit allows.
func (p *PacketConn) answerExecution(k *cursor) error {
	head := k.head
	switch k.head = nil; {
	case k.next == itsKind: // no rows
	case k.last != nil && k.last[0] == mysql.ErrPacket:
		head = append([]byte{byte(len(k.last)), byte(len(k.last) >> 8), 0, head[3]}, k.last...)
	default:
		if p.cursors == nil {
			p.cursors = map[uint32]*cursor{}
		}
		p.cursors[k.statement] = k
	}
	return p.write(head)
}

// fetch answers COM_STMT_FETCH, at once or as the statement produces rows.
func (p *PacketConn) fetch(b []byte) error {
	f := fields{b: b, ok: true}
	id, _, wrong := p.prepared(&f, "mysqld_stmt_fetch")
	rows := uint32(f.number(4))
	k := p.cursors[id]
	switch {
	case wrong != nil:
		return p.writeError(wrong.Num, wrong.Message)
	case !f.ok:
		return p.writeError(sqlerror.MalformedPacket, "Malformed communication packet")
	case k == nil:
		return p.writeError(sqlerror.NoOpenCursor, fmt.Sprintf("The statement (%d) has no open cursor.", id))
	}
	k.asked, k.wanted, k.sequence = true, rows, p.sequence+1
	return p.deliver(k)
}

// deliver sends the requested rows, as far as available, and then their end.
func (p *PacketConn) deliver(k *cursor) error {
	packets, length := k.rows.Bytes(), 0
	for ; k.wanted > 0 && k.whole > 0; k.wanted, k.whole = k.wanted-1, k.whole-1 {
		for part := fullPart; part == fullPart; k.sequence++ {
			head := packets[length:]
			part = int(head[0]) | int(head[1])<<8 | int(head[2])<<16
			head[3] = k.sequence
			length += packetHead + part
		}
	}
	if err := p.write(k.rows.Next(length)); err != nil || k.wanted > 0 && k.last == nil {
		return err
	}
	k.asked = false
	end := withStatus(k.end, mysql.ServerCursorExists)
	if k.whole == 0 && k.last != nil {
		end = withStatus(k.last, mysql.ServerCursorLastRowSent)
		delete(p.cursors, k.statement)
	}
	return p.write(append([]byte{byte(len(end)), byte(len(end) >> 8), 0, k.sequence}, end...))
}

// attend serves commands while a statement waits for its rows to be fetched, until it may go on or must end. It leaves a command that closes the
// cursor unread until the statement has ended.
func (p *PacketConn) attend(k *cursor) error {
	k.waited = true
	defer p.idle.stop()
	hurried := p.sender.reads(true)
	for !hurried && !k.asked && p.full(k) {
		if err := p.await(); err != nil || p.closes(k) {
			if hurried = p.sender.reads(false); !hurried { // otherwise the cause that ended the statement counts
				delete(p.cursors, k.statement)
				p.cancel(errCursorClosed)
			}
			k.drop()
			return nil
		}
		if err := p.serveBeside(); err != nil {
			return err
		}
	}
	if p.sender.reads(false) {
		k.drop()
	}
	return nil
}

// closes reports whether the next command, whose header has arrived, closes the cursor or the connection, or is too long to be served meanwhile.
func (p *PacketConn) closes(k *cursor) bool {
	header, _ := p.in.Peek(packetHead)
	length := int(header[0]) | int(header[1])<<8 | int(header[2])<<16
	if length == 0 || length == fullPart || header[3] != 0 {
		return true
	}
	command, err := p.in.Peek(packetHead + min(length, 1+4))
	if err != nil {
		return true
	}
	switch command = command[packetHead:]; command[0] {
	case mysql.ComQuit, mysql.ComResetConnection, comChangeUser:
		return true
	case mysql.ComStmtClose, mysql.ComStmtReset, mysql.ComStmtExecute:
		return len(command) == 1+4 && binary.LittleEndian.Uint32(command[1:]) == k.statement
	}
	return false
}

// serveBeside serves a command while a statement waits, as the protocol layer cannot.
func (p *PacketConn) serveBeside() error {
	var header [packetHead]byte
	if _, err := io.ReadFull(p.in, header[:]); err != nil {
		return err
	}
	length := p.begun(header)
	first, err := p.in.Peek(1)
	if err != nil {
		return err
	}
	command, body := first[0], make([]byte, min(length, handshakePacket))
	if _, err := io.ReadFull(p.in, body); err != nil {
		return err
	}
	if _, err := io.CopyN(io.Discard, p.in, length-int64(len(body))); err != nil {
		return err
	}
	p.idle.stop()
	f := fields{b: body[1:], ok: true}
	switch command {
	case mysql.ComStmtFetch:
		return p.fetch(f.b)
	case mysql.ComPing:
		status := p.Announced.StatusFlags
		return p.write([]byte{7, 0, 0, p.sequence + 1, mysql.OKPacket, 0, 0, byte(status), byte(status >> 8), 0, 0})
	case mysql.ComStmtClose:
		_ = p.checkClose(f.b)
		delete(p.Announced.PrepareData, uint32(f.number(4)))
		return nil
	case mysql.ComStmtSendLongData: // has no answer: the next execution reports the error
		if id, _, wrong := p.prepared(&f, "mysqld_stmt_send_long_data"); wrong == nil {
			p.spoil(id)
		}
		return nil
	}
	return p.writeError(errBesideCursor.Num, errBesideCursor.Message)
}
