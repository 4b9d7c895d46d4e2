package sqlerror

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	kinds "gopkg.in/src-d/go-errors.v1"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/server/limits"
	"github.com/anonsql/anonsql/server/regularexpression"
)

// Typed gives errors of our own types their number, and leaves the others: on their way
// up, the engine still decides by their kind (INSERT IGNORE, a view whose table is gone).
// Numbered gives the rest their numbers, where that is past.
func Typed(err error) error {
	var (
		mapped     *mysql.SQLError
		parameter  *anonymize.ParameterError
		data       *anonymize.DataError
		infeasible *anonymize.InfeasibleError
		pattern    *regularexpression.Error
		option     *limits.OptionError
	)
	switch {
	case err == nil || err == io.EOF:
		return err
	case errors.As(err, &mapped):
		return mapped
	case errors.As(err, &parameter):
		return New(BadParameter, err.Error())
	case errors.As(err, &data):
		return New(BadData, err.Error())
	case errors.As(err, &option):
		return New(BadParameter, err.Error())
	case errors.As(err, &infeasible):
		return New(Infeasible, err.Error())
	case errors.As(err, &pattern):
		return New(pattern.Number, pattern.Message)
	}
	return err
}

// Numbered gives what Typed does, kinds of the engine and the end of a context their
// number, and leaves the others. It must be called where the engine looks at the kind
// of an error no more: at the rows of a statement as a whole.
func Numbered(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	err = Typed(sql.UnwrapError(err))
	if known, ok := errors.AsType[*mysql.SQLError](err); ok {
		return known
	}
	if kind, ok := errors.AsType[*kinds.Error](err); ok {
		if number := ofKind(kind); number != Unknown {
			return New(number, err.Error())
		}
	}
	if errors.Is(err, context.Canceled) {
		return ErrInterrupted
	}
	return err
}

// NumberOf returns the number of an error of the engine, Unknown if it has none.
func NumberOf(err error) int {
	if number := Number(Numbered(err)); number != Unknown {
		return number
	}
	return ofText(err.Error())
}

// withNumber is an error of ours that the engine has written into a text of its own,
// as it does with those of the parser.
var withNumber = regexp.MustCompile(`(?s)^(.*) \(errno (\d+)\) \(sqlstate [0-9A-Z]{5}\)$`)

// ToClient returns the error for the client: always a *mysql.SQLError.
func ToClient(err error) error {
	if err == nil {
		return nil
	}
	var known *mysql.SQLError
	if !errors.As(Numbered(err), &known) {
		known = New(Unknown, err.Error())
	}
	if own := withNumber.FindStringSubmatch(known.Message); own != nil {
		known = New(known.Num, own[1])
		if n, err := strconv.Atoi(own[2]); err == nil && known.Num == Unknown {
			known = New(n, own[1])
		}
	}
	if known.Num == Unknown {
		known = New(ofText(known.Message), known.Message)
	}
	if number, worded := inMySQLsWords(known.Num, known.Message); worded != known.Message {
		known = New(number, worded)
	}
	if len(known.Message) > longestMessage { // some engine messages contain the value, as one number per byte
		known = New(known.Num, strings.ToValidUTF8(known.Message[:longestMessage], "")+"...")
	}
	if state, ok := States[known.Num]; ok && known.State != state {
		known = New(known.Num, known.Message)
	}
	return known
}

// longestMessage bounds the message that a client gets, in bytes.
const longestMessage = 4096

// New makes an error with the SQLSTATE of its number, HY000 by default.
func New(number int, message string) *mysql.SQLError {
	state, ok := States[number]
	if !ok {
		state = mysql.SSUnknownSQLState
	}
	return &mysql.SQLError{Num: number, State: state, Message: message}
}

// OverTime returns MySQL's error for a statement that ran longer than a setting allows.
func OverTime(limit time.Duration, setting string) error {
	return New(Timeout, fmt.Sprintf("Query execution was interrupted, maximum statement execution time exceeded: %g s, %s", limit.Seconds(), setting))
}

// ErrInterrupted is MySQL's error for a killed statement.
var ErrInterrupted = New(Interrupted, "Query execution was interrupted")

// Number returns the number of an error: 0 for nil, Unknown if it has none.
func Number(err error) int {
	var known *mysql.SQLError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &known):
		return known.Num
	}
	return Unknown
}
