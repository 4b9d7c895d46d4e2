package units_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"math"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/units"
)

const day = 24 * 60 * 60 * 1_000_000

// Every date of a unit is moved by the same number of days, within the bound, all numbers are drawn about equally often, and undoing it is exact.
func TestDatesOfAUnitMoveTogether(t *testing.T) {
	const persons, most = 21_000, 10
	var admitted, discharged []anonymize.Value
	var unitOf []uint32
	for u := range uint32(persons) {
		for visit := range u%3 + 1 {
			at := int64(u%5000)*day + int64(visit)*30*day + 3_600_000_000
			admitted = append(admitted, anonymize.InstantValue(at))
			stay := anonymize.InstantValue(at + int64(u%9)*day)
			if u%50 == 0 {
				stay = anonymize.NullValue
			}
			discharged, unitOf = append(discharged, stay), append(unitOf, u)
		}
	}
	columns := []*anonymize.Column{anonymize.NewColumn("admitted", "DATETIME", admitted), anonymize.NewColumn("discharged", "DATETIME", discharged)}
	moves, err := units.DrawMoves(unitOf, len(unitOf), most, rand.Reader)
	if err != nil || len(moves) != persons {
		t.Fatal(len(moves), err)
	}
	drawn := make(map[int64]int)
	for _, days := range moves {
		drawn[days]++
	}
	if len(drawn) != 2*most+1 {
		t.Errorf("%d numbers of days, want %d", len(drawn), 2*most+1)
	}
	for days, n := range drawn { // 1000 on average, with a standard deviation of 31: seven of these, twice in 10^11
		if days < -most || days > most || math.Abs(float64(n)-persons/(2*most+1)) > 220 {
			t.Errorf("%d days were drawn %d times", days, n)
		}
	}
	for _, c := range columns {
		moved, err := moves.Move(c, unitOf, most)
		if err != nil {
			t.Fatal(err)
		}
		for row, unit := range unitOf {
			before, after := c.Value(row), moved.Value(row)
			if before.IsNull() != after.IsNull() || !before.IsNull() && after.Int-before.Int != moves[unit]*day {
				t.Fatalf("%s of row %d: %v became %v, of a unit that is moved by %d days", c.Name, row, before, after, moves[unit])
			}
		}
		undone := moves.Undo(moved, unitOf)
		for row := range unitOf {
			if undone.Value(row) != c.Value(row) {
				t.Fatalf("row %d: %v, want %v", row, undone.Value(row), c.Value(row))
			}
		}
	}
}

// Where nothing says who is whom each record is moved by itself; dates do not leave the calendar.
func TestDatesOfRecords(t *testing.T) {
	last := anonymize.NewColumn("until", "DATE", []anonymize.Value{anonymize.InstantValue(253402214400000000), anonymize.NullValue}) // 9999-12-31
	moves, err := units.DrawMoves(nil, 2, 1, bytes.NewReader(bytes.Repeat([]byte{2}, 10)))                                           // two of 0 to 2: one day ahead
	if err != nil || len(moves) != 2 || moves[0] != 1 {
		t.Fatal(moves, err)
	}
	if _, err := moves.Move(last, nil, 1); !errors.As(err, new(*anonymize.DataError)) {
		t.Errorf("a day after 9999-12-31: %v", err)
	}
}
