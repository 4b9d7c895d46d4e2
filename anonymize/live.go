package anonymize

import (
	"crypto/sha256"
	"encoding/binary"
)

// A RecordKind tells the record of a person from counterfeits.
type RecordKind uint8

// What a published record can be.
const (
	Person RecordKind = iota
	// Counterfeits by the update that made them.
	ForgedByInsertion
	ForgedByDeletion
	ForgedByModification
)

// Waiting is the group of a record that is in the raw table and not in the
// release yet.
const Waiting = ^uint32(0)

// A Live is the private side of a release that follows its table: whose record is
// in which group, and which records are counterfeits. It is the link that the
// release hides, so it stays where raw tables are. It is immutable; an update
// makes a new one.
//
// Records are in no order. A group's published cells and values are those of all
// its records, counterfeits included.
type Live struct {
	// Columns are those that name the unit, the quasi-identifiers and then the
	// sensitive attribute, with the values of all records: persons, counterfeits
	// and waiting ones.
	Columns []*Column
	// UnitColumns is how many of Columns name the unit; 0: every record is one.
	// The published records of a unit are in one group. A record that waits beside
	// them is left out. A counterfeit has the unit that it stands for in its group.
	UnitColumns int
	// Key has the lasting number of the row in the raw table, by record; 0 for
	// counterfeits.
	Key []int64
	// Group has the gid in the release, or Waiting.
	Group []uint32
	Kind  []RecordKind
}

// Records returns the number of records, waiting ones included.
func (l *Live) Records() int { return len(l.Key) }

// Released are the columns of the release: all but those that name the unit.
func (l *Live) Released() []*Column { return l.Columns[l.UnitColumns:] }

// Units has, by record, a number of its unit, the same in all versions: of two units, numbers
// are different but for one pair in 2^63. Nil where every record is a unit.
func (l *Live) Units() []int64 { return UnitNumbers(l.Columns[:l.UnitColumns]) }

// UnitNumbers has, by record, a positive number of what all columns have together.
func UnitNumbers(columns []*Column) []int64 {
	if len(columns) == 0 {
		return nil
	}
	numbers := make([]int64, columns[0].Rows())
	known := make(map[[2]uint64]int64)
	for _, c := range columns {
		for record, code := range c.Codes {
			key := [2]uint64{uint64(numbers[record]), uint64(code)}
			number, ok := known[key]
			if !ok {
				text := binary.BigEndian.AppendUint64(nil, uint64(numbers[record]))
				digest := sha256.Sum256(append(append(text, byte(c.Dictionary[code].Kind)), c.Dictionary[code].String()...))
				number = max(1, int64(binary.BigEndian.Uint64(digest[:])>>1))
				known[key] = number
			}
			numbers[record] = number
		}
		clear(known)
	}
	return numbers
}

// Count returns the numbers of waiting persons and of published counterfeits.
func (l *Live) Count() (waiting, forged int) {
	for i, kind := range l.Kind {
		switch {
		case kind != Person:
			forged++
		case l.Group[i] == Waiting:
			waiting++
		}
	}
	return waiting, forged
}

// Changed are the records of a raw table that were inserted, updated or deleted
// since a Live was made, as they are now.
type Changed struct {
	// Key has the lasting numbers of the rows, each once.
	Key []int64
	// Row has the place of the record in Columns, -1 when it is deleted.
	Row []int
	// Columns are under the names and types of the Live, in its order.
	Columns []*Column
}
