package coding

import (
	"testing"
	"time"
)

// The answers are MariaDB 10.11's to UNIX_TIMESTAMP('...') and FROM_UNIXTIME(...).
func TestClocksThatArePutForwardAndBack(t *testing.T) {
	for _, c := range []struct {
		zone, written string
		moment        int64
		shown         string // empty: as written
	}{
		{"Europe/Berlin", "2024-10-27 01:59:59", 1729987199, ""},
		{"Europe/Berlin", "2024-10-27 02:00:00", 1729987200, ""},
		{"Europe/Berlin", "2024-10-27 02:59:59", 1729990799, ""},
		{"Europe/Berlin", "2024-10-27 03:00:00", 1729994400, ""},
		{"Europe/Berlin", "2024-03-31 01:59:59", 1711846799, ""},
		{"Europe/Berlin", "2024-03-31 02:30:00", 1711846800, "2024-03-31 03:00:00"},
		{"Europe/Berlin", "2024-03-31 03:00:00", 1711846800, ""},
		{"America/New_York", "2024-11-03 01:30:00", 1730611800, ""},
		{"America/New_York", "2024-03-10 02:30:00", 1710054000, "2024-03-10 03:00:00"},
		{"Australia/Lord_Howe", "2024-04-07 01:45:00", 1712414700, ""}, // half an hour
		{"+05:30", "2024-04-07 01:45:00", 1712434500, ""},
		{"+00:00", "2024-04-07 01:45:00", 1712454300, ""},
	} {
		clock, err := ClockIn(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		written, err := time.Parse(time.DateTime, c.written)
		if err != nil {
			t.Fatal(err)
		}
		moment := clock.Moment(written)
		if moment.Unix() != c.moment {
			t.Errorf("%s in %s is at %d, not at %d", c.written, c.zone, moment.Unix(), c.moment)
		}
		want := c.shown
		if want == "" {
			want = c.written
		}
		if shown := clock.WallTime(time.Unix(c.moment, 0)).Format(time.DateTime); shown != want {
			t.Errorf("%d in %s is %s, not %s", c.moment, c.zone, shown, want)
		}
	}
}

// The text that a clock shows is parsed as the same moment, even if two moments look alike.
func TestWallTimesAreWrittenAgain(t *testing.T) {
	for _, zone := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "America/Caracas", "Asia/Kolkata", "+05:30"} {
		clock, err := ClockIn(zone)
		if err != nil {
			t.Fatal(err)
		}
		alike := 0
		for change := time.Unix(0, 0).In(clock.zone); change.Year() < 2038; {
			_, next := change.ZoneBounds()
			if next.IsZero() {
				break
			}
			change = next
			for moment := change.Add(-2 * time.Hour); moment.Before(change.Add(2 * time.Hour)); moment = moment.Add(10 * time.Minute) {
				shown := clock.WallTime(moment)
				if again := clock.Moment(shown); !again.Equal(moment) || shown.String() != shown.UTC().String() {
					t.Fatalf("%v is shown as %v, which is written as %v", moment, shown, again)
				}
				if !clock.Moment(shown.UTC()).Equal(moment) {
					alike++
				}
			}
		}
		if wanted := zone != "Asia/Kolkata" && zone != "+05:30"; wanted != (alike > 0) {
			t.Errorf("%s showed %d times twice", zone, alike)
		}
	}
}
