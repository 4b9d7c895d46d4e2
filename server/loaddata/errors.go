package loaddata

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/catalog/delimited"
	"github.com/anonsql/anonsql/catalog/tabular"
)

// MySQL's error numbers for LOAD DATA.
const (
	numberCannotRead     = 13
	numberDuplicate      = 1062
	numberUnknownCharset = 1115
	numberNotSupported   = 1235
	numberTooFew         = 1261
	numberTooMany        = 1262
	numberNullToNotNull  = 1263
	numberOutOfRange     = 1264
	numberTruncated      = 1265
	numberOptionPrevents = 1290
	numberWrongTemporal  = 1292
	numberBadCharacters  = 1300
	numberNoDefault      = 1364
	numberWrongValue     = 1366
	numberTooLong        = 1406
	numberBadJSON        = 3140
	numberCheckViolated  = 3819
	numberLocalDisabled  = 3948
)

var sqlStates = map[int]string{
	1115: "42000", 1235: "42000", 1261: "01000", 1262: "01000",
	1263: "22004", 1264: "22003", 1265: "01000", 1292: "22007", 1406: "22001",
	3140: "22032", 3948: "42000",
}

func newError(number int, text string) error {
	state := sqlStates[number]
	if state == "" {
		state = "HY000"
	}
	return mysql.NewSQLError(number, state, "%s", text)
}

func notSupported(text string) error { return newError(numberNotSupported, text) }

// A position is the number of a record and of its line, both from 1.
type position struct{ row, line int64 }

func (p position) String() string { return fmt.Sprintf("row %d (line %d)", p.row, p.line) }

// readError maps a reader's error to MySQL's number.
func readError(err error) error {
	if other, ok := errors.AsType[*tabular.NotPlainError](err); ok {
		return newError(numberCannotRead, "LOAD DATA: "+other.Error())
	}
	var e *delimited.Error
	if !errors.As(err, &e) {
		return err
	}
	number, wayOut := numberWrongValue, ""
	switch e.Kind {
	case delimited.Ragged:
		number = numberTooFew
		if e.Found > e.Expected {
			number = numberTooMany
		}
	case delimited.Encoding:
		number, wayOut = numberBadCharacters, ". If the text is of a Windows program, say CHARACTER SET latin1 behind the table's name"
	case delimited.TooLong:
		number = numberTooLong
	}
	return newError(number, e.Error()+wayOut)
}

// A problem is a value that its column cannot hold, without its position.
type problem struct {
	number int
	what   string // what the value is not, such as "integer", for 1366 and 1292
}

// errorAt returns the problem as MySQL's error, with the position.
func (p *problem) errorAt(column string, value []byte, where position) error {
	var text string
	switch p.number {
	case numberWrongValue, numberWrongTemporal:
		text = fmt.Sprintf("Incorrect %s value: %s for column '%s' at %s", p.what, quote(value), column, where)
	case numberOutOfRange:
		text = fmt.Sprintf("Out of range value for column '%s' at %s: %s", column, where, quote(value))
	case numberTooLong:
		text = fmt.Sprintf("Data too long for column '%s' at %s: %s", column, where, quote(value))
	case numberBadJSON:
		text = fmt.Sprintf("Invalid JSON text for column '%s' at %s: %s", column, where, quote(value))
	default:
		text = fmt.Sprintf("Data truncated for column '%s' at %s: %s", column, where, quote(value))
	}
	return newError(p.number, text)
}

// quote returns the beginning of a value in quotes.
func quote(value []byte) string {
	const most = 64
	s := strings.ToValidUTF8(string(value[:min(len(value), most)]), "")
	if utf8.RuneCount(value) > utf8.RuneCountInString(s) {
		s += "..."
	}
	return "'" + s + "'"
}
