package anonymize

import (
	"crypto/sha256"
	"encoding/binary"
)

// A RecordKind distinguishes a person's record from counterfeits.
type RecordKind uint8

// The kinds of published records.
const (
	Person RecordKind = iota
	// A counterfeit has the kind of update that created it.
	ForgedByInsertion
	ForgedByDeletion
	ForgedByModification
)

// Waiting stands for a group: that of a record in the raw table that is not in the release yet.
const Waiting = ^uint32(0)

// A Live is the private side of a release that follows its table: which record is in which
// group, and which records are counterfeits. The release hides this link, so a Live stays where
// the raw tables are. It is immutable; an update makes a new one.
//
// Records have no particular order. The published cells and values of a group are those of all
// its records, counterfeits included.
type Live struct {
	// Columns are, in this order, the columns that identify the unit, the quasi-identifiers and
	// the sensitive attribute. They have the values of all records: persons, counterfeits and
	// waiting ones.
	Columns []*Column
	// UnitColumns is the number of Columns that identify the unit; with 0, every record is a
	// unit. All published records of a unit are in one group. A record that waits beside them
	// is not published. A counterfeit has the unit that it stands for in its group.
	UnitColumns int
	// Key has the permanent number of each record's row in the raw table; 0 for counterfeits.
	Key []int64
	// Group has the gid of each record in the release, or Waiting.
	Group []uint32
	Kind  []RecordKind
}

// Records returns the number of records, waiting ones included.
func (l *Live) Records() int { return len(l.Key) }

// Released returns the columns of the release: all but those that identify the unit.
func (l *Live) Released() []*Column { return l.Columns[l.UnitColumns:] }

// Units returns, by record, a number of its unit that is the same in all versions. Two units
// share a number with probability 2^-63. It is nil if every record is a unit.
func (l *Live) Units() []int64 { return UnitNumbers(l.Columns[:l.UnitColumns]) }

// UnitNumbers returns, by record, a positive number (a hash) of its values in all columns.
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

// Count returns the number of waiting persons and of published counterfeits.
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

// Changed holds the current state of the raw table's records that were inserted, updated or
// deleted since a Live was made.
type Changed struct {
	// Key has the permanent numbers of the rows, each once.
	Key []int64
	// Row has the position of each record in Columns, or -1 if it was deleted.
	Row []int
	// Columns have the names, types and order of Live.Columns.
	Columns []*Column
}
