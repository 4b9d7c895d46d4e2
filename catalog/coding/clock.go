package coding

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
)

// A Clock is the wall clock of a session's time_zone. A TIMESTAMP value is a moment: it is stored in UTC, and the session reads and writes
// it as its clock shows it. The zero Clock shows UTC. Values of other types are the same on every clock.
//
// When a clock goes back an hour, two moments look alike. A statement writes the earlier one; a row that UPDATE reads and rewrites keeps
// the later one. A time that the clock skips becomes the moment of the change, unless a strict statement refuses it.
type Clock struct{ zone *time.Location }

// later is the location of a wall time that a clock shows for the second time. Otherwise it equals UTC.
var later = time.FixedZone("UTC", 0)

// ClockOf returns the clock of a session. It fails for an invalid time zone.
func ClockOf(ctx *sql.Context) (Clock, error) {
	value, err := ctx.GetSessionVariable(ctx, "time_zone")
	if err != nil {
		return Clock{}, nil // the server's own context has no variables
	}
	return ClockIn(fmt.Sprint(value))
}

// ClockIn returns the clock of a named time zone (see [Zone]).
func ClockIn(name string) (Clock, error) {
	zone, err := Zone(name)
	if err != nil || zone.String() == "UTC" {
		return Clock{}, err
	}
	return Clock{zone}, nil
}

// errUnknownZone is MySQL's number.
const errUnknownZone = 1298

// offset matches MySQL's notation of a difference from UTC.
var offset = regexp.MustCompile(`^([+-])(\d{1,2}):(\d{2})$`)

// zones caches the zones read from the system's list, because statements ask for every row.
var zones sync.Map

// Zone returns a time zone by its name: SYSTEM, a difference from UTC (-13:59 to +14:00), or a name in the system's list of zones.
func Zone(name string) (*time.Location, error) {
	if strings.EqualFold(name, "SYSTEM") {
		return time.Local, nil
	}
	if found := offset.FindStringSubmatch(name); found != nil {
		hours, _ := strconv.Atoi(found[2]) // digits
		minutes, _ := strconv.Atoi(found[3])
		seconds := (hours*60 + minutes) * 60
		if found[1] == "-" {
			seconds = -seconds
		}
		switch {
		case minutes > 59 || seconds < -(13*60+59)*60 || seconds > 14*3600:
		case seconds == 0:
			return time.UTC, nil
		default:
			return time.FixedZone(name, seconds), nil
		}
	} else if name != "" && name != "Local" {
		if zone, known := zones.Load(name); known {
			return zone.(*time.Location), nil
		}
		if zone, err := time.LoadLocation(name); err == nil {
			zones.Store(name, zone)
			return zone, nil
		}
	}
	return nil, mysql.NewSQLError(errUnknownZone, "HY000", "Unknown or incorrect time zone: '%s'", name)
}

// moves reports whether the clock shows values of a type differently from how they are stored.
func (c Clock) moves(typ sql.Type) bool { return c.zone != nil && types.IsTimestampType(typ) }

// Codec returns the codec of a column for a session with the clock.
func (c Clock) Codec(of Codec) Codec {
	if c.moves(of.Type) {
		of.clock = c
	}
	return of
}

// Codecs is Codec for several columns. It returns the same slice if the clock moves none.
func (c Clock) Codecs(of []Codec) []Codec {
	for i := range of {
		if c.moves(of[i].Type) {
			seen := make([]Codec, len(of))
			for j := range of {
				seen[j] = c.Codec(of[j])
			}
			return seen
		}
	}
	return of
}

// SQLValue returns a value of microdata as the clock shows it.
func (c Clock) SQLValue(typ sql.Type, v anonymize.Value) (any, error) {
	return c.Codec(New(typ)).sqlValue(v)
}

// ShownValues returns a column's stored values as the clock shows them.
func (c Clock) ShownValues(typ sql.Type, stored []any) []any {
	if !c.moves(typ) {
		return stored
	}
	seen := make([]any, len(stored))
	for i, v := range stored {
		if moment, ok := v.(time.Time); ok {
			v = c.WallTime(moment)
		}
		seen[i] = v
	}
	return seen
}

// WallTime returns what the clock shows at a moment as a time.Time in UTC, the engine's form of every date.
func (c Clock) WallTime(moment time.Time) time.Time {
	if c.zone == nil {
		return moment.UTC()
	}
	local := moment.In(c.zone)
	_, seconds := local.Zone()
	shown := moment.UTC().Add(time.Duration(seconds) * time.Second)
	if change, _ := local.ZoneBounds(); !change.IsZero() {
		_, before := change.Add(-1).Zone()
		if moment.Sub(change) < time.Duration(before-seconds)*time.Second {
			return shown.In(later)
		}
	}
	return shown
}

// Moment returns the moment at which the clock shows a time.
func (c Clock) Moment(shown time.Time) time.Time {
	if c.zone == nil {
		return shown
	}
	y, m, d := shown.Date()
	moment := time.Date(y, m, d, shown.Hour(), shown.Minute(), shown.Second(), shown.Nanosecond(), c.zone)
	change, next := moment.ZoneBounds()
	if shown.Location() == later {
		_, after := next.Zone()
		if second := shown.Add(-time.Duration(after) * time.Second); !next.IsZero() && !second.Before(next) {
			return second.UTC()
		}
	} else if !change.IsZero() {
		_, before := change.Add(-1).Zone()
		if earlier := shown.Add(-time.Duration(before) * time.Second); earlier.Before(change) {
			return earlier
		}
	}
	switch seen := c.WallTime(moment); {
	case seen.Before(shown):
		return next.UTC()
	case seen.After(shown):
		return change.UTC()
	}
	return moment.UTC()
}

// Shows reports whether the clock ever shows a time: a clock that goes forward skips an hour.
func (c Clock) Shows(t time.Time) bool { return c.WallTime(c.Moment(t)).Equal(t) }
