package dynamic

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/clustering"
)

// A record is a current or future record of a Live.
type record struct {
	row   uint32 // row of the pool, for its quasi-identifiers
	value uint32 // its sensitive value, a code of the pool's last column
	key   int64
	group uint32 // or anonymize.Waiting or removed
	kind  anonymize.RecordKind
}

// removed is the group of a record that the next Live lacks.
const removed = anonymize.Waiting - 1

func (r *record) published() bool { return r.group < removed }

// A change is a touched key.
type change struct {
	key    int64
	record int // previous record, of a person; -1 if there was none
	row    int // current row of the pool; -1 if there is none
}

func byKey(x, y change) int { return cmp.Compare(x.key, y.key) }

// A state is an update in progress.
type state struct {
	Options
	k       int // units that a group needs
	pool    pool
	records []record
	before  int                    // number of groups of the release
	groups  int                    // group numbers in use: those, then new ones
	origins []bucketization.Origin // of new groups: part 1 + the index of their batch
	changes []change
	outcome Outcome
	// The first unitColumns of the pool identify the unit; unitOf has its number by row of the
	// pool. See [anonymize.Live.Units].
	unitColumns int
	unitOf      []int64
}

// begin reads everything and determines the changes. extra are values that counterfeits may
// need.
func begin(live *anonymize.Live, changed *anonymize.Changed, o Options, k int, extra []anonymize.Value) (*state, error) {
	if o.Random == nil {
		return nil, &anonymize.DataError{Reason: "no source of randomness is given"}
	}
	s := &state{Options: o, k: k, unitColumns: live.UnitColumns}
	changed = s.refineChanged(changed)
	rows, err := s.touch(live, changed)
	if err != nil {
		return nil, err
	}
	if s.pool, err = newPool(live, changed, rows, extra); err != nil {
		return nil, err
	}
	if err := s.check(live); err != nil {
		return nil, err
	}
	s.unitOf = anonymize.UnitNumbers(s.pool[:s.unitColumns])
	return s, s.load(live)
}

// refineChanged returns the changed records with the numbers that releases have in generalized columns, like those of a Live.
func (s *state) refineChanged(changed *anonymize.Changed) *anonymize.Changed {
	fine := *changed
	fine.Columns = slices.Clone(changed.Columns)
	for i, c := range fine.Columns {
		if d := s.Domains[c.Name]; d != nil && i < len(fine.Columns)-1 && s.generalizes(c.Name) {
			fine.Columns[i] = d.Taxonomy.ToLeaves(c)
		}
	}
	return &fine
}

// generalizes reports whether the release has cells for a column.
func (s *state) generalizes(name string) bool {
	if s.Before == nil { // a printed update
		return true
	}
	fragment, column, ok := s.Before.Locate(name)
	return ok && !s.Before.Fragments[fragment].Columns[column].IsPoint()
}

// touch sets the changes in the order of keys, and returns the rows of changed that become new
// rows of the pool.
func (s *state) touch(live *anonymize.Live, changed *anonymize.Changed) (rows []int, err error) {
	if len(changed.Row) != len(changed.Key) {
		return nil, fmt.Errorf("%d changed records have %d keys", len(changed.Row), len(changed.Key))
	}
	there := 0
	if len(changed.Columns) > 0 {
		there = changed.Columns[0].Rows()
	}
	at := make(map[int64]int, len(changed.Key)) // by key: its change, in the order of keys
	s.changes = make([]change, len(changed.Key))
	for i, key := range changed.Key {
		s.changes[i] = change{key: key, record: -1, row: changed.Row[i]}
		if row := changed.Row[i]; row < -1 || row >= there {
			return nil, fmt.Errorf("the changed record %d is row %d of %d", key, row, there)
		}
	}
	slices.SortFunc(s.changes, byKey)
	for i := range s.changes {
		c := &s.changes[i]
		if _, twice := at[c.key]; twice {
			return nil, fmt.Errorf("the key %d is among the changed ones twice", c.key)
		}
		at[c.key] = i
		if c.row >= 0 {
			rows = append(rows, c.row)
			c.row = live.Records() + len(rows) - 1
		}
	}
	for i, key := range live.Key {
		if c, touched := at[key]; touched && live.Kind[i] == anonymize.Person {
			s.changes[c].record = i
		}
	}
	return rows, nil
}

// check requires that the domains know all values; otherwise a *anonymize.DataError names one.
func (s *state) check(live *anonymize.Live) error {
	for i, c := range s.pool[s.unitColumns:] {
		d := s.Domains[c.Name]
		if c != s.sensitive() && !s.generalizes(c.Name) {
			continue
		}
		if d != nil {
			if err := d.Check(c); err != nil {
				return err
			}
			continue
		}
		if live.Released()[i].IsNumeric() && !c.IsNumeric() {
			return &anonymize.DataError{Reason: fmt.Sprintf("column %s is numeric in the release, and %s is no number", c.Name, notNumeric(c))}
		}
	}
	return s.checkCatalogue(live.Columns[len(live.Columns)-1])
}

func notNumeric(c *anonymize.Column) anonymize.Value {
	for _, v := range c.Dictionary {
		if _, ok := v.Number(); !ok && !v.IsNull() {
			return v
		}
	}
	return anonymize.NullValue
}

// checkCatalogue requires that a release keeps using the bundled catalogue of synonyms if it
// did: with an unknown value, every value would become a class of its own, in groups that were
// made for eight classes.
func (s *state) checkCatalogue(before *anonymize.Column) error {
	sensitive := s.sensitive()
	if d := s.Domains[sensitive.Name]; s.Method.Name != "drasl" || d != nil && d.Taxonomy != nil || !bundled(before) {
		return nil
	}
	if err := clustering.Diseases().Check(sensitive); err != nil {
		return &anonymize.DataError{
			Reason: fmt.Sprintf("the synonyms of the release are those of the bundled catalogue: %v; give %s a taxonomy that has it", err, sensitive.Name),
		}
	}
	return nil
}

// bundled reports whether the bundled catalogue has the values of a column.
func bundled(c *anonymize.Column) bool {
	if clustering.Diseases().Check(c) != nil {
		return false
	}
	for code, n := range c.Histogram() {
		if n > 0 && !c.Dictionary[code].IsNull() {
			return true
		}
	}
	return false
}

// load makes the records of the Live.
func (s *state) load(live *anonymize.Live) error {
	sensitive := s.sensitive()
	s.records = make([]record, live.Records(), live.Records()+2*len(s.changes))
	for i := range s.records {
		s.records[i] = record{row: uint32(i), value: sensitive.Codes[i], key: live.Key[i], group: live.Group[i], kind: live.Kind[i]}
		if s.records[i].published() {
			s.before = max(s.before, int(live.Group[i])+1)
		}
	}
	if s.groups = s.before; s.groups > live.Records() {
		return fmt.Errorf("%d records are in group %d", live.Records(), s.groups-1)
	}
	return nil
}

// arrive adds a waiting person and returns her record.
func (s *state) arrive(key int64, row int) int {
	s.records = append(s.records, record{row: uint32(row), value: s.sensitive().Codes[row], key: key, group: anonymize.Waiting})
	return len(s.records) - 1
}

func (s *state) sensitive() *anonymize.Column { return s.pool[len(s.pool)-1] }

func (s *state) quasi() []*anonymize.Column { return s.pool[s.unitColumns : len(s.pool)-1] }

// columns returns the columns of some records, with only their values.
func (s *state) columns(records []uint32) []*anonymize.Column {
	columns := make([]*anonymize.Column, len(s.pool))
	codes := make([]uint32, len(records))
	for i, c := range s.pool {
		for j, r := range records {
			if i < len(s.pool)-1 {
				codes[j] = c.Codes[s.records[r].row]
			} else {
				codes[j] = s.records[r].value
			}
		}
		columns[i] = compact(c, codes)
	}
	return columns
}

// recordsWhere returns the records for which want holds.
func (s *state) recordsWhere(want func(*record) bool) []uint32 {
	var records []uint32
	for i := range s.records {
		if want(&s.records[i]) {
			records = append(records, uint32(i))
		}
	}
	return records
}

func waiting(r *record) bool { return r.group == anonymize.Waiting }
