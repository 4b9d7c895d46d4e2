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

// infoLength is the length that the protocol layer always claims for the text of an OK packet (it writes '#' instead of the length). The C
// library takes a shorter text for a malformed packet, and truncates a longer one.
const infoLength = '#'

// heldRows and heldBytes bound the rows held back before the first one is sent. The protocol layer cannot send an error between rows and closes
// the connection; an error while rows are held back is still an ordinary answer.
const (
	heldRows  = 4096
	heldBytes = 1 << 20
	// heldLimited bounds the held rows of a result with limited rows or bytes, in bytes.
	heldLimited = 32 << 20
	// valueOverhead is the overhead of a value, or a row, in bytes.
	valueOverhead = 32
)

// results passes a statement's result on to the client.
type results struct {
	send     func(*sqltypes.Result, bool) error
	held     *sqltypes.Result // unsent rows, nil once the first rows were sent
	size     int              // of the held rows, in bytes
	more     bool
	started  bool
	doubles  []int // the columns that are FLOAT or DOUBLE
	floats   []int // those that are FLOAT, if texts are sent
	seconds  []int // the columns of tables with fixed decimals of a second
	decimals []int // of each of these
	// statement counts the rows.
	statement *running.Statement
	// binary: numbers are sent in binary, not as texts.
	binary   bool
	encoding encoding
	texts    []int // the columns to encode
	conn     *mysql.Conn
}

// NewResults returns results that pass a statement's result to send, encoded by e.
func NewResults(ctx context.Context, c *mysql.Conn, send func(*sqltypes.Result, bool) error, e encoding) *results {
	o := &results{send: send, statement: running.StatementOf(ctx), encoding: e, conn: c}
	o.Reuse(true)
	return o
}

// AsNumbers makes results for the binary protocol, in which FLOATs and DOUBLEs keep all their digits.
func (o *results) AsNumbers() *results {
	o.binary = true
	return o
}

// Reuse makes the engine overwrite each batch of rows by the next; otherwise it keeps the text of the whole result, twice. It
// must be off when the statement ends, since it sets a flag of the connection that the client must not see.
func (o *results) Reuse(on bool) {
	if on {
		o.conn.StatusFlags |= uint16(mysql.ServerCursorExists)
	} else {
		o.conn.StatusFlags &^= uint16(mysql.ServerCursorExists)
	}
}

// Take is the engine's callback. r has at most a few hundred rows.
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
			r.Fields[0].Name = "EXPLAIN" // tools look for the document there
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

// identify sets the identity of LAST_INSERT_ID(x), and of rows for which the engine does not know it. Statements of a routine report none.
func (o *results) identify(r *sqltypes.Result) {
	if o.statement == nil || o.statement.Kind != "insert" && o.statement.Kind != "update" && o.statement.Kind != "execute" {
		return
	}
	if id := o.statement.InsertID.Swap(nil); id != nil { // once: a text may have several statements
		r.InsertID = *id
	}
}

// count counts rows and bytes, and fails beyond the account's limits.
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

// sizeOf is the total length of all values, in bytes.
func sizeOf(rows [][]sqltypes.Value) int64 {
	size := 0
	for _, row := range rows {
		for _, v := range row {
			size += v.Len()
		}
	}
	return int64(size)
}

// mayHold reports whether rows may be held back longer: if their number or size is
// limited, until the result is known to obey the limit, as far as memory allows.
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

// keep copies the values into memory of their own and returns its size in bytes: the
// engine reuses its memory for any session's next statement as soon as this one ends.
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

// Finish sends the held rows if the statement succeeded.
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

// maxDecimals are the most decimals of a second, also assumed for computed values with unknown decimals.
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

// padSeconds pads the fractions of seconds to the decimals of their columns: the engine omits trailing zeros.
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

// writeFloats writes the decimals of FLOAT(m, d) and DOUBLE(m, d), and six significant digits of other FLOATs, as MySQL does.
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

// plainDouble rewrites a number with an exponent as MySQL does: without an exponent in
// [1e-15, 1e15), otherwise without plus sign and leading zeros of the exponent.
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

// widths are the widths of the statement's columns.
func (o *results) widths() []uint32 {
	if o.statement == nil {
		return nil
	}
	if widths := o.statement.Widths.Load(); widths != nil {
		return *widths
	}
	return nil
}
