package worker

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
)

// An Opening is the first message on a session's socket: its client, and its initial state.
type Opening struct {
	Connection uint32
	User, Host string
	// Address is the client's address.
	Address      string
	Capabilities uint32
	CharacterSet uint8
	// Version and Cipher describe the client's TLS, "" without TLS.
	Version, Cipher string
	State
}

// A State is the state of a session with which it can be opened again.
type State struct {
	Database string
	// Variables are the system variables that differ from the global ones.
	Variables map[string]any
}

type Kind byte

// The commands.
const (
	Query   Kind = iota // the text is one statement
	Batch               // the text may have several statements; the first is run
	Prepare             // the answer has the statement's columns
	Execute             // runs a prepared statement with parameters
	Use                 // the text is a database
	Forget              // closes a prepared statement; there is no answer
	cancel              // ends the command with the number, if it runs
)

// A Command is a client's command.
type Command struct {
	Kind       Kind
	Number     uint64 // counts the session's commands; in a cancel, the number of the command to end
	Text       string
	Parameters map[string]Parameter
	// Refusal is why estimates are refused now, nil if they are allowed.
	Refusal *Failure
}

// A Parameter is a parameter of a prepared statement, in the protocol's types.
type Parameter struct {
	Type  int32
	Value []byte
}

// Parameters converts the protocol layer's parameters.
func Parameters(bound map[string]*querypb.BindVariable) map[string]Parameter {
	given := make(map[string]Parameter, len(bound))
	for name, v := range bound {
		if v != nil {
			given[name] = Parameter{int32(v.Type), v.Value}
		}
	}
	return given
}

// Bound is the inverse of [Parameters].
func (c *Command) Bound() map[string]*querypb.BindVariable {
	bound := make(map[string]*querypb.BindVariable, len(c.Parameters))
	for name, p := range c.Parameters {
		bound[name] = &querypb.BindVariable{Type: querypb.Type(p.Type), Value: p.Value}
	}
	return bound
}

// An answer is a part of the answer to a command; the last one has Final.
type answer struct {
	Fields []field
	// Rows are encoded by packed.
	Rows                   []byte
	Count                  int
	RowsAffected, InsertID uint64
	Info                   string
	More                   bool
	// Status are the connection's flags, and Warnings the number of notes and warnings, which the client gets with this part.
	Status, Warnings uint16
	Final            *Ending
}

// An Ending is the outcome of a command.
type Ending struct {
	// Status and Warnings describe the connection after the command.
	Status, Warnings uint16
	// Rest is the rest of a batch.
	Rest string
	// Failure is nil if the command succeeded.
	Failure *Failure
	// State is the session's new state, nil if unchanged.
	State *State
	// Lasting: the session has state that a new one cannot restore: user variables, named locks, statements prepared by name.
	Lasting bool
	// Stale: the statement failed because data that it reads are gone; a repetition will read current data.
	Stale bool
	// Acts are the statement's acts for the audit.
	Acts []Act
	// Reads are the classes of what it read, Estimates the times of its estimates, for the server's metrics.
	Reads     int32
	Estimates []time.Duration
	// Columns are the columns of a prepared statement, HasColumns whether it has any.
	Columns    []field
	HasColumns bool
}

// An Act is one act of a statement for the audit.
type Act struct{ Kind, Release, Source string }

// A Failure is the client's error of a statement, in the client's character set.
type Failure struct {
	Number         int
	State, Message string
}

// Error implements error.
func (f *Failure) Error() string { return f.SQLError().Error() }

// SQLError is the failure for the protocol layer.
func (f *Failure) SQLError() *mysql.SQLError {
	return &mysql.SQLError{Num: f.Number, State: f.State, Message: f.Message}
}

// FailureOf converts an error of the protocol layer's handler; nil for nil.
func FailureOf(err error) *Failure {
	if err == nil {
		return nil
	}
	var known *mysql.SQLError
	if !errors.As(err, &known) {
		known = mysql.NewSQLErrorFromError(err).(*mysql.SQLError)
	}
	return &Failure{known.Num, known.State, known.Message}
}

// A field is a column's definition.
type field struct {
	Name, OrgName, Table, OrgTable, Database string
	Type                                     int32
	ColumnLength, Charset, Decimals, Flags   uint32
}

func fieldsOf(given []*querypb.Field) []field {
	fields := make([]field, len(given))
	for i, f := range given {
		fields[i] = field{f.Name, f.OrgName, f.Table, f.OrgTable, f.Database, int32(f.Type), f.ColumnLength, f.Charset, f.Decimals, f.Flags}
	}
	return fields
}

func protocolFields(fields []field) []*querypb.Field {
	given := make([]*querypb.Field, len(fields))
	for i, f := range fields {
		given[i] = &querypb.Field{Name: f.Name, OrgName: f.OrgName, Table: f.Table, OrgTable: f.OrgTable, Database: f.Database,
			Type: querypb.Type(f.Type), ColumnLength: f.ColumnLength, Charset: f.Charset, Decimals: f.Decimals, Flags: f.Flags}
	}
	return given
}

// packed appends rows to buffer: for each row the number of values; for each value its length plus one, its type and its bytes, or 0 for NULL.
func packed(buffer []byte, rows [][]sqltypes.Value) []byte {
	for _, row := range rows {
		buffer = binary.AppendUvarint(buffer, uint64(len(row)))
		for _, v := range row {
			if v.IsNull() {
				buffer = append(buffer, 0)
				continue
			}
			raw := v.Raw()
			buffer = binary.AppendUvarint(buffer, uint64(len(raw))+1)
			buffer = binary.AppendUvarint(buffer, uint64(v.Type()))
			buffer = append(buffer, raw...)
		}
	}
	return buffer
}

// unpacked is the inverse. The values are slices of data.
func unpacked(data []byte, count int) ([][]sqltypes.Value, error) {
	next := func() (uint64, bool) {
		n, width := binary.Uvarint(data)
		if width <= 0 {
			return 0, false
		}
		data = data[width:]
		return n, true
	}
	if count < 0 || count > len(data) {
		return nil, fmt.Errorf("a worker sent %d bytes for %d rows", len(data), count)
	}
	rows := make([][]sqltypes.Value, count)
	for i := range rows {
		width, ok := next()
		if !ok || width > uint64(len(data)) {
			return nil, errors.New("a worker sent a row that is cut short")
		}
		row := make([]sqltypes.Value, width)
		for j := range row {
			length, ok := next()
			if !ok {
				return nil, errors.New("a worker sent a row that is cut short")
			}
			if length == 0 {
				continue
			}
			typ, ok := next()
			if !ok || length-1 > uint64(len(data)) {
				return nil, errors.New("a worker sent a value that is cut short")
			}
			row[j] = sqltypes.MakeTrusted(querypb.Type(typ), data[:length-1:length-1])
			data = data[length-1:]
		}
		rows[i] = row
	}
	return rows, nil
}
