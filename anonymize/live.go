package anonymize

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
	// Columns are the quasi-identifiers and then the sensitive attribute, with
	// the values of all records: persons, counterfeits and waiting ones.
	Columns []*Column
	// Key has the lasting number of the row in the raw table, by record; 0 for
	// counterfeits.
	Key []int64
	// Group has the gid in the release, or Waiting.
	Group []uint32
	Kind  []RecordKind
}

// Records returns the number of records, waiting ones included.
func (l *Live) Records() int { return len(l.Key) }

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
	// Columns are the quasi-identifiers and then the sensitive attribute, under
	// the names and types of the Live.
	Columns []*Column
}
