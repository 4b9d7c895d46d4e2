package wire

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/anonsql/anonsql/catalog/declared"
	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// infoLength is the length that the protocol layer claims for the text of an
// OK packet, whatever it is (it writes '#' where the length belongs). Clients
// of the C library take a shorter text for a malformed packet; of a longer one
// they show the beginning.
const infoLength = '#'

// heldRows and heldBytes are how much is kept back before the first row is
// sent. The protocol layer cannot send an error between rows, it closes the
// connection; an error within the first rows is still an ordinary answer.
const (
	heldRows  = 4096
	heldBytes = 1 << 20
	// heldLimited is how much is kept back, in bytes, of a result whose rows or
	// bytes are limited.
	heldLimited = 32 << 20
	// valueOverhead is what a value, or a row, takes beside its bytes.
	valueOverhead = 32
)

// results passes a statement's result on to the client.
type results struct {
	send     func(*sqltypes.Result, bool) error
	held     *sqltypes.Result // what was not sent yet, nil after the first rows were
	size     int              // of the held rows, in bytes
	more     bool
	started  bool
	doubles  []int // the columns that are FLOAT or DOUBLE
	floats   []int // those that are FLOAT, where texts are sent
	seconds  []int // the columns of tables with a fixed number of digits of a second
	decimals []int // of each of these
	// statement counts the rows.
	statement *running.Statement
	// binary is that numbers are sent as they are, not as texts.
	binary   bool
	encoding encoding
	texts    []int // the columns that have to be encoded
	conn     *mysql.Conn
}

// NewResults passes the result of one statement to send, encoded by e.
func NewResults(ctx context.Context, c *mysql.Conn, send func(*sqltypes.Result, bool) error, e encoding) *results {
	o := &results{send: send, statement: running.StatementOf(ctx), encoding: e, conn: c}
	o.Reuse(true)
	return o
}

// AsNumbers is that the client reads FLOATs and DOUBLEs as they are: texts of them have fewer digits.
func (o *results) AsNumbers() *results {
	o.binary = true
	return o
}

// Reuse, which must be off when the statement ends, makes the engine write each batch of rows over the one before: without it
// the engine keeps the text of the whole result, twice. It looks for a flag of the
// connection that the client must not see.
func (o *results) Reuse(on bool) {
	if on {
		o.conn.StatusFlags |= uint16(mysql.ServerCursorExists)
	} else {
		o.conn.StatusFlags &^= uint16(mysql.ServerCursorExists)
	}
}

// Take is the engine's callback. r has at most some hundred rows.
func (o *results) Take(r *sqltypes.Result, more bool) error {
	o.Reuse(false)
	defer o.Reuse(true)
	if err := o.count(r); err != nil {
		return err
	}
	if len(r.Fields) == 0 {
		if len(r.Rows) > 0 { // SET has one row without columns
			r.Rows, r.RowsAffected = nil, 0
		}
		if len(r.Info) < infoLength {
			r.Info = ""
		}
		o.identify(r)
		return o.send(r, more)
	}
	if !o.started {
		o.started = true
		Describe(r.Fields, o.widths())
		if o.statement != nil && o.statement.InJSON.Load() && len(r.Fields) == 1 {
			r.Fields[0].Name = "EXPLAIN" // where tools look for the document
		}
		o.doubles, o.seconds = columnsOf(r.Fields, sqltypes.Float64, sqltypes.Float32), fractionColumns(r.Fields)
		if !o.binary {
			o.floats = columnsOf(r.Fields, sqltypes.Float64, sqltypes.Float32)
		}
		o.texts = o.encoding.Fields(r.Fields)
		for _, i := range o.seconds {
			o.decimals = append(o.decimals, int(r.Fields[i].Decimals))
		}
		o.held = &sqltypes.Result{Fields: r.Fields}
	}
	o.plainDoubles(r.Rows)
	writeFloats(r.Rows, r.Fields, o.floats)
	padSeconds(r.Rows, o.seconds, o.decimals)
	o.encoding.rows(r.Rows, o.texts)
	o.more = more
	if o.held == nil {
		return o.send(r, more)
	}
	o.size += keep(r.Rows)
	o.held.Rows = append(o.held.Rows, r.Rows...)
	o.held.RowsAffected += r.RowsAffected
	if o.mayHold() {
		return nil
	}
	return o.release()
}

// identify says the identity of LAST_INSERT_ID(x) and of rows that the engine does not know. What a routine does says none.
func (o *results) identify(r *sqltypes.Result) {
	if o.statement == nil || o.statement.Kind != "insert" && o.statement.Kind != "update" && o.statement.Kind != "execute" {
		return
	}
	if id := o.statement.InsertID.Swap(nil); id != nil { // a text may have several statements
		r.InsertID = *id
	}
}

// count refuses more rows than the account may have.
func (o *results) count(r *sqltypes.Result) error {
	st := o.statement
	if st == nil {
		return nil
	}
	if len(r.Fields) == 0 {
		st.Rows += int64(r.RowsAffected)
		return nil
	}
	st.Rows += int64(len(r.Rows))
	if limit := st.MaxRows.Load(); limit > 0 && st.Rows > limit {
		return tooLarge(limit, "rows")
	}
	if limit := st.MaxBytes.Load(); limit > 0 {
		if st.Bytes += sizeOf(r.Rows); st.Bytes > limit {
			return tooLarge(limit, "bytes")
		}
	}
	return nil
}

func tooLarge(limit int64, of string) error {
	return sqlerror.New(sqlerror.TooManyRows, fmt.Sprintf("The result has more than %d %s, which is the limit of this server for accounts that read "+
		"published data only; aggregate, add a WHERE or a LIMIT", limit, of))
}

// sizeOf is the length of all values, in bytes.
func sizeOf(rows [][]sqltypes.Value) int64 {
	size := 0
	for _, row := range rows {
		for _, v := range row {
			size += v.Len()
		}
	}
	return int64(size)
}

// mayHold tells whether rows may be kept back longer. Where their number or
// their size is limited that is until the limit was seen to hold, as far as
// memory allows.
func (o *results) mayHold() bool {
	rows, bytes := heldRows, heldBytes
	if st := o.statement; st != nil {
		if limit := int(st.MaxRows.Load()); limit >= rows {
			rows, bytes = limit+1, heldLimited
		}
		if st.MaxBytes.Load() > 0 {
			rows, bytes = max(rows, heldLimited/(valueOverhead*(1+len(o.held.Fields)))), heldLimited
		}
	}
	return len(o.held.Rows) < rows && o.size < bytes
}

// keep gives the rows memory of their own and returns its size in bytes. The
// engine's is lent to another statement, of any session, as soon as this one
// ends.
func keep(rows [][]sqltypes.Value) int {
	size := int(sizeOf(rows))
	memory := make([]byte, 0, size)
	for _, row := range rows {
		for i, v := range row {
			if !v.IsNull() {
				begin := len(memory)
				memory = append(memory, v.Raw()...)
				row[i] = sqltypes.MakeTrusted(v.Type(), memory[begin:len(memory):len(memory)])
			}
		}
	}
	return size
}

// Finish sends what is held when the statement succeeded.
func (o *results) Finish(err error) error {
	o.Reuse(false)
	if err != nil || o.held == nil {
		return err
	}
	return o.release()
}

func (o *results) release() error {
	held := o.held
	o.held = nil
	return o.send(held, o.more)
}

func columnsOf(fields []*querypb.Field, kinds ...querypb.Type) []int {
	var columns []int
	for i, f := range fields {
		if slices.Contains(kinds, f.Type) {
			columns = append(columns, i)
		}
	}
	return columns
}

// maxDecimals are those of a second at most, and of what is computed where the engine does not know them.
const maxDecimals = 6

func fractionColumns(fields []*querypb.Field) []int {
	var columns []int
	for i, f := range fields {
		if (f.Type == sqltypes.Datetime || f.Type == sqltypes.Timestamp) && f.Decimals > 0 && f.Decimals <= maxDecimals &&
			(f.OrgTable != "" || f.Decimals < maxDecimals) {
			columns = append(columns, i)
		}
	}
	return columns
}

// padSeconds writes all digits of a second that a column has: the engine leaves zeros at
// the end out.
func padSeconds(rows [][]sqltypes.Value, columns, decimals []int) {
	for _, row := range rows {
		for j, i := range columns {
			raw := row[i].Raw()
			if row[i].IsNull() || len(raw) == 0 {
				continue
			}
			have := 0
			point := bytes.IndexByte(raw, '.')
			if point >= 0 {
				have = len(raw) - point - 1
			}
			if have >= decimals[j] {
				continue
			}
			padded := make([]byte, len(raw), len(raw)+1+decimals[j])
			copy(padded, raw)
			if point < 0 {
				padded = append(padded, '.')
			}
			row[i] = sqltypes.MakeTrusted(row[i].Type(), append(padded, "000000"[:decimals[j]-have]...))
		}
	}
}

func (o *results) plainDoubles(rows [][]sqltypes.Value) {
	for _, row := range rows {
		for _, i := range o.doubles {
			if raw := row[i].Raw(); bytes.IndexByte(raw, 'e') >= 0 {
				row[i] = sqltypes.MakeTrusted(row[i].Type(), plainDouble(raw))
			}
		}
	}
}

// writeFloats writes the decimals of FLOAT(m, d) and DOUBLE(m, d), and six digits that count of other FLOATs, as MySQL does.
func writeFloats(rows [][]sqltypes.Value, fields []*querypb.Field, columns []int) {
	for _, row := range rows {
		for _, i := range columns {
			value, err := strconv.ParseFloat(row[i].ToString(), 64)
			switch {
			case row[i].IsNull() || err != nil:
			case fields[i].Decimals < notFixed:
				row[i] = sqltypes.MakeTrusted(row[i].Type(), strconv.AppendFloat(nil, value, 'f', int(fields[i].Decimals), 64))
			case fields[i].Type == sqltypes.Float32:
				shown := strconv.AppendFloat(nil, declared.FloatAsWritten(float32(value)), 'e', -1, 64)
				row[i] = sqltypes.MakeTrusted(row[i].Type(), plainDouble(shown))
			}
		}
	}
}

// plainDouble writes a number with an exponent the way MySQL does: without
// one from 1e-15 up to, not including, 1e15, and without plus sign and leading
// zeros otherwise.
func plainDouble(raw []byte) []byte {
	e := bytes.IndexByte(raw, 'e')
	exponent, err := strconv.Atoi(string(raw[e+1:]))
	if err != nil {
		return raw
	}
	if exponent >= 15 || exponent < -15 {
		return strconv.AppendInt(append([]byte{}, raw[:e+1]...), int64(exponent), 10)
	}
	value, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return raw
	}
	return strconv.AppendFloat(nil, value, 'f', -1, 64)
}

// widths are those of the statement's columns.
func (o *results) widths() []uint32 {
	if o.statement == nil {
		return nil
	}
	if widths := o.statement.Widths.Load(); widths != nil {
		return *widths
	}
	return nil
}
