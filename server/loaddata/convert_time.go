package loaddata

import (
	"context"
	"regexp"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/anonsql/anonsql/catalog/delimited"
)

// datetimes converts to DATE, DATETIME and TIMESTAMP. It reads the usual notation itself and leaves others to the
// engine. It refuses the zero date, a time of day for a DATE and a fraction of a second beyond the column's
// precision.
func datetimes(t sql.DatetimeType) func(context.Context, []byte) (any, *problem) {
	wrong := &problem{number: numberWrongTemporal, what: "datetime"}
	unit := time.Second
	for range t.Precision() {
		unit /= 10
	}
	if t.Type() == query.Type_DATE {
		wrong = &problem{number: numberWrongTemporal, what: "date"}
		unit = 24 * time.Hour
	}
	least := t.MinimumTime()
	return func(ctx context.Context, b []byte) (any, *problem) {
		b = delimited.Trim(b)
		v, ok := usualTime(b)
		if !ok {
			if delimited.HasZone(b) { // the engine would move the time to UTC
				return nil, wrong
			}
			var err error
			if v, err = t.ConvertWithoutRangeCheck(ctx, string(b)); err != nil {
				return nil, wrong
			}
		}
		switch {
		case v.Year() == 0:
			return nil, wrong
		case v.Before(least) || v.After(t.MaximumTime()):
			return nil, outOfRange
		case !v.Truncate(unit).Equal(v):
			return nil, truncated
		}
		return v, nil
	}
}

// usualTime reads 2006-01-02 and 2006-01-02 15:04:05, also with T instead of the blank.
func usualTime(b []byte) (time.Time, bool) {
	if len(b) != 10 && len(b) != 19 || b[4] != '-' || b[7] != '-' {
		return time.Time{}, false
	}
	var n [6]int // year, month, day, hour, minute, second
	n[0] = twoDigits(b[0:])*100 + twoDigits(b[2:])
	n[1], n[2] = twoDigits(b[5:]), twoDigits(b[8:])
	if len(b) == 19 {
		if b[10] != ' ' && b[10] != 'T' || b[13] != ':' || b[16] != ':' {
			return time.Time{}, false
		}
		n[3], n[4], n[5] = twoDigits(b[11:]), twoDigits(b[14:]), twoDigits(b[17:])
	}
	if n[0] < 0 || n[3] < 0 || n[3] > 23 || n[4] < 0 || n[4] > 59 || n[5] < 0 || n[5] > 59 {
		return time.Time{}, false
	}
	v := time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], 0, time.UTC)
	// time.Date turns February 30 into a day of March.
	return v, v.Month() == time.Month(n[1]) && v.Day() == n[2]
}

// twoDigits reads two digits; other characters give a number so negative that sums with it stay negative.
func twoDigits(b []byte) int {
	tens, ones := int(b[0])-'0', int(b[1])-'0'
	if tens < 0 || tens > 9 || ones < 0 || ones > 9 {
		return -1 << 20
	}
	return tens*10 + ones
}

// A time has hours and minutes, or digits alone. MySQL's hours end at 838. The engine takes other texts for zero, or cuts their hours.
var (
	writtenTime  = regexp.MustCompile(`^-?(?:(?:[0-7]?\d?\d|8[0-2]\d|83[0-8]):[0-5]?\d(?::[0-5]?\d)?|\d{1,4}|(?:[0-7]?\d?\d|8[0-2]\d|83[0-8])[0-5]\d[0-5]\d)(?:\.\d{1,6}0*)?$`)
	fractionLost = regexp.MustCompile(`^-?838:?59:?59\.\d*[1-9]`)
)

// timespans converts to TIME.
func timespans(typ sql.Type) func(context.Context, []byte) (any, *problem) {
	wrong := problem{number: numberWrongTemporal, what: "time"}
	convert := engine(typ, wrong)
	return func(ctx context.Context, b []byte) (any, *problem) {
		if !writtenTime.Match(b) || fractionLost.Match(b) {
			return nil, &wrong
		}
		return convert(ctx, b)
	}
}
