package wire

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
)

// plainDecimal is a DECIMAL as it can stand in a statement.
var plainDecimal = regexp.MustCompile(`^-?\d{1,65}(\.\d{0,30})?$`)

// CorrectParameters corrects the values of COM_STMT_EXECUTE: the protocol layer writes dates and times without
// leading zeros, so that 5 microseconds become half a second, and takes a DECIMAL for a text.
func CorrectParameters(prepare *mysql.PrepareData) {
	for i, t := range prepare.ParamsType {
		given := prepare.BindVars[parameterName(i)]
		if given == nil || given.Type == sqltypes.Null {
			continue
		}
		sent, text := querypb.Type(t), string(given.Value)
		switch {
		case sent == sqltypes.Decimal && plainDecimal.MatchString(text):
			if !strings.Contains(text, ".") {
				text += "." // or the engine makes it a BIGINT
			}
			prepare.BindVars[parameterName(i)] = &querypb.BindVariable{Type: sqltypes.Decimal, Value: []byte(text)}
		case given.Type != sqltypes.VarChar: // COM_STMT_SEND_LONG_DATA, too
		case sent == sqltypes.Time:
			prepare.BindVars[parameterName(i)] = sqltypes.StringBindVariable(sentTime(text))
		case sent == sqltypes.Date || sent == sqltypes.Datetime || sent == sqltypes.Timestamp:
			prepare.BindVars[parameterName(i)] = sqltypes.StringBindVariable(sentDate(text, sent == sqltypes.Date))
		}
	}
}

// sentDate is a date, or a DATETIME, with all its digits.
func sentDate(text string, day bool) string {
	var year, month, date, hour, minute, second, micros int
	parts, _ := fmt.Sscanf(text, "%d-%d-%d %d:%d:%d.%d", &year, &month, &date, &hour, &minute, &second, &micros) // the zero date has none
	written := fmt.Sprintf("%04d-%02d-%02d", year, month, date)
	if parts > 3 || !day {
		written += fmt.Sprintf(" %02d:%02d:%02d", hour, minute, second)
	}
	if parts > 6 {
		written += fmt.Sprintf(".%06d", micros)
	}
	return written
}

// sentTime is a time with all its digits.
func sentTime(text string) string {
	var hour, minute, second, micros int
	unsigned, negative := strings.CutPrefix(text, "-")
	parts, _ := fmt.Sscanf(unsigned, "%d:%d:%d.%d", &hour, &minute, &second, &micros)
	written := fmt.Sprintf("%02d:%02d:%02d", hour, minute, second)
	if negative {
		written = "-" + written
	}
	if parts > 3 {
		written += fmt.Sprintf(".%06d", micros)
	}
	return written
}
