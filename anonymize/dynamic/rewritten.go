package dynamic

import (
	"encoding/binary"

	"github.com/anonsql/anonsql/anonymize"
)

// Keys maps the previous keys of records to the current keys, for records whose rows were rewritten.
type Keys map[int64]int64

// Current returns the current key of a record.
func (k Keys) Current(key int64) int64 {
	if now, other := k[key]; other {
		return now
	}
	return key
}

// Renumber returns a private side with the current keys. It shares everything else.
func (k Keys) Renumber(live *anonymize.Live) *anonymize.Live {
	if len(k) == 0 {
		return live
	}
	now := *live
	now.Key = make([]int64, len(live.Key))
	for i, key := range live.Key {
		if now.Key[i] = key; live.Kind[i] == anonymize.Person {
			now.Key[i] = k.Current(key)
		}
	}
	return &now
}

// matchRewritten gives records whose rows disappeared the keys of new rows with the same values,
// including the unit's. Otherwise reloading the same table would put everyone into a second group, and
// both groups together reveal more than each. Records without a group come last.
func (s *state) matchRewritten() {
	gone := make(map[string][]int) // records, by their values
	for _, inGroup := range []bool{true, false} {
		for _, c := range s.changes {
			if c.record >= 0 && s.records[c.record].published() == inGroup && !s.isSame(c) {
				values := s.valuesOf(c.record)
				gone[values] = append(gone[values], c.record)
			}
		}
	}
	keyOf := make(map[int]int64) // by record
	var changes []change
	for _, c := range s.changes {
		if c.row < 0 || s.isSame(c) {
			continue
		}
		values := s.valuesOf(c.row)
		if records := gone[values]; len(records) > 0 {
			gone[values] = records[1:]
			keyOf[records[0]] = c.key
			changes = append(changes, change{c.key, records[0], c.row})
		}
	}
	if len(keyOf) == 0 {
		return
	}
	taken := make(map[int64]bool, len(changes)) // keys of matched rows
	for _, c := range changes {
		taken[c.key] = true
	}
	s.outcome.Rewritten = make(Keys)
	for _, c := range s.changes {
		key, matched := keyOf[c.record]
		if matched = matched && c.record >= 0; matched {
			s.outcome.Rewritten[c.key], s.records[c.record].key = key, key
		}
		rest := c
		if matched {
			rest.record = -1
		}
		if taken[c.key] {
			rest.row = -1
		}
		if taken[c.key] && rest.record >= 0 { // the key's previous record belongs to someone else, who leaves
			s.outcome.Rewritten[c.key] = -c.key
		}
		if rest.record >= 0 || rest.row >= 0 || rest == c { // also a row that came and went
			changes = append(changes, rest)
		}
	}
	s.changes = changes
}

// isSame reports whether a touched record has its previous values.
func (s *state) isSame(c change) bool {
	return c.record >= 0 && c.row >= 0 && equal(s.pool, uint32(c.record), uint32(c.row))
}

// valuesOf returns the codes of a row of the pool.
func (s *state) valuesOf(row int) string {
	var codes []byte
	for _, c := range s.pool {
		codes = binary.LittleEndian.AppendUint32(codes, c.Codes[row])
	}
	return string(codes)
}
