package planner_test

import (
	"testing"
	"time"

	"github.com/anonsql/anonsql/planner/plannertest"
)

// NOW beside a release is what the session's clock shows, also in the hours before clocks are put back or forward.
func TestNowBesideARelease(t *testing.T) {
	s := plannertest.Hospital(t)
	for _, c := range []struct {
		zone, call string
		at, want   time.Time
	}{
		{"America/New_York", "NOW()", time.Date(2024, 11, 3, 5, 30, 0, 7e8, time.UTC), time.Date(2024, 11, 3, 1, 30, 0, 0, time.UTC)}, // half an hour before
		{"America/New_York", "NOW(3)", time.Date(2024, 11, 3, 5, 30, 0, 7126e5, time.UTC), time.Date(2024, 11, 3, 1, 30, 0, 712e6, time.UTC)},
		{"Europe/Berlin", "CURRENT_TIMESTAMP(6)", time.Date(2024, 3, 31, 0, 30, 0, 1000, time.UTC), time.Date(2024, 3, 31, 1, 30, 0, 1000, time.UTC)},
		{"+02:00", "LOCALTIME()", time.Date(2024, 7, 1, 23, 0, 0, 0, time.UTC), time.Date(2024, 7, 2, 1, 0, 0, 0, time.UTC)},
	} {
		if _, err := s.Query("SET time_zone = '" + c.zone + "'"); err != nil {
			t.Fatal(err)
		}
		s.At = c.at
		answered, err := s.Query("SELECT " + c.call + ", COUNT(*) FROM patients")
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := answered.Rows[0][0].(time.Time); !ok || !got.Equal(c.want) {
			t.Errorf("%s in %s at %s is %v, want %s", c.call, c.zone, c.at, answered.Rows[0][0], c.want)
		}
	}
}
