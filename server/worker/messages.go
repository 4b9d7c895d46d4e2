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

// An Opening is the first message on a session's socket: whose it is, and how it begins.
type Opening struct {
	Connection uint32
	User, Host string
	// Address is the client's.
	Address      string
	Capabilities uint32
	CharacterSet uint8
	// Version and Cipher are those of the client's TLS, "" without.
	Version, Cipher string
	State
}

// A State is what a session has set, by which it can be opened again.
type State struct {
	Database string
	// Variables are the system variables whose values are not those of the process.
	Variables map[string]any
}

// A Kind says what a command is.
type Kind byte

// The commands.
const (
	Query   Kind = iota // the text is one statement
	Batch               // the text may have several, of which the first is answered
	Prepare             // the statement's columns are answered
	Execute             // what was prepared, with parameters
	Use                 // the text is a database
	Forget              // what was prepared is closed; there is no answer
	cancel              // the command of the number shall end, if it runs
)

// A Command is what a client has sent.
type Command struct {
	Kind       Kind
	Number     uint64 // of the session's commands; of a cancel, that of the command which shall end
	Text       string
	Parameters map[string]Parameter
	// Refusal is why no estimate may be answered now, nil where it may.
	Refusal *Failure
}

// A Parameter is of a prepared statement.
type Parameter struct {
	Type  int32
	Value []byte
}

// Parameters are those of the protocol layer.
func Parameters(bound map[string]*querypb.BindVariable) map[string]Parameter {
	given := make(map[string]Parameter, len(bound))
	for name, v := range bound {
		if v != nil {
			given[name] = Parameter{int32(v.Type), v.Value}
		}
	}
	return given
}

// Bound is the reverse of [Parameters].
func (c *Command) Bound() map[string]*querypb.BindVariable {
	bound := make(map[string]*querypb.BindVariable, len(c.Parameters))
	for name, p := range c.Parameters {
		bound[name] = &querypb.BindVariable{Type: querypb.Type(p.Type), Value: p.Value}
	}
	return bound
}

// An answer is a part of what a command is answered with; the last one is final.
type answer struct {
	Fields []field
	// Rows are packed.
	Rows                   []byte
	Count                  int
	RowsAffected, InsertID uint64
	Info                   string
	More                   bool
	// Status are the flags of the connection, and Warnings the number of notes and warnings, as the client is told them with this part.
	Status, Warnings uint16
	Final            *Ending
}

// An Ending is how a command ended.
type Ending struct {
	// Status and Warnings are those of the connection after the command.
	Status, Warnings uint16
	// Rest is the part of a batch that is left.
	Rest string
	// Failure is nil where the command succeeded.
	Failure *Failure
	// State is set where the session has changed it, nil otherwise.
	State *State
	// Lasting says that the session has what a new one cannot be given: user variables, statements that were prepared by name.
	Lasting bool
	// Stale says that the statement failed because of what it reads is not there any more: asked again, it reads what is.
	Stale bool
	// Acts are what the statement did, as the audit has it.
	Acts []Act
	// Reads are the classes of what it read, Estimates the times of its estimates, as the figures of the server have them.
	Reads     int32
	Estimates []time.Duration
	// Columns are those of a statement that was prepared, HasColumns whether it has any.
	Columns    []field
	HasColumns bool
}

// An Act is a part of what a statement did.
type Act struct{ Kind, Release, Source string }

// A Failure is the error of a statement as the client is told it, in the client's character set.
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

// FailureOf is an error that a handler of the protocol layer has returned.
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

// packed writes rows behind one another: of a value its type and its length plus one, 0 for NULL, and its bytes.
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

// unpacked is the reverse. The values are parts of data.
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
