package units

import (
	"crypto/rand"
	"fmt"
	"io"
	"math/big"
	"slices"
	"time"

	"github.com/anonsql/anonsql/anonymize"
)

// Moves has, by unit, the number of days by which its dates are moved.
type Moves []int64

// DrawMoves draws uniform moves from -most to most, one for each unit of the records; if unitOf
// is nil, one for each of rows records. random is the system's secure generator, or a test's.
func DrawMoves(unitOf []uint32, rows, most int, random io.Reader) (Moves, error) {
	if len(unitOf) > 0 {
		rows = int(slices.Max(unitOf)) + 1
	}
	moves := make(Moves, rows)
	for u := range moves {
		drawn, err := rand.Int(random, big.NewInt(int64(2*most+1)))
		if err != nil {
			return nil, err
		}
		moves[u] = drawn.Int64() - int64(most)
	}
	return moves, nil
}

// Move returns the column with moved dates. It returns a *anonymize.DataError if a move by most days could leave the years 1 to 9999.
func (m Moves) Move(c *anonymize.Column, unitOf []uint32, most int) (*anonymize.Column, error) {
	for _, v := range c.Dictionary {
		at := time.UnixMicro(v.Int).UTC()
		if !v.IsNull() && (at.AddDate(0, 0, -most).Year() < 1 || at.AddDate(0, 0, most).Year() > 9999) {
			return nil, &anonymize.DataError{Reason: fmt.Sprintf("shift may move dates of %s beyond the years 1 to 9999: write NULL for dates that are none, such as 9999-12-31", c.Name)}
		}
	}
	return m.add(c, unitOf, 1), nil
}

// Undo reverses Move.
func (m Moves) Undo(c *anonymize.Column, unitOf []uint32) *anonymize.Column {
	return m.add(c, unitOf, -1)
}

func (m Moves) add(c *anonymize.Column, unitOf []uint32, times int64) *anonymize.Column {
	const day = 24 * 60 * 60 * 1_000_000 // in microseconds
	values := make([]anonymize.Value, len(c.Codes))
	for row := range values {
		unit := uint32(row)
		if unitOf != nil {
			unit = unitOf[row]
		}
		if values[row] = c.Value(row); !values[row].IsNull() {
			values[row] = anonymize.InstantValue(values[row].Int + times*m[unit]*day)
		}
	}
	return anonymize.NewColumn(c.Name, c.Type, values)
}
