package calendar

import (
	"testing"
	"time"
)

// Modes of MySQL's manual, WEEK(): its example is 2008-02-20; New Year's days of a leap
// year and of two common years are at the edges.
func TestWeekOf(t *testing.T) {
	for _, c := range []struct {
		day               string
		mode, year, weeks int
	}{
		{"2008-02-20", 0, 2008, 7}, {"2008-02-20", 1, 2008, 8}, {"2008-12-31", 1, 2008, 53},
		{"2000-01-01", 0, 2000, 0}, {"2000-01-01", 2, 1999, 52}, {"1987-01-01", 2, 1986, 52},
		{"2021-01-03", 3, 2020, 53}, {"2024-12-30", 3, 2025, 1}, {"2024-12-30", 1, 2024, 53},
	} {
		day, err := time.Parse(time.DateOnly, c.day)
		if err != nil {
			t.Fatal(err)
		}
		if year, week := weekOf(day, c.mode); year != c.year || week != c.weeks {
			t.Errorf("%s by mode %d is week %d of %d, must be week %d of %d", c.day, c.mode, week, year, c.weeks, c.year)
		}
	}
}
