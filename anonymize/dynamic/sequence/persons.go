package sequence

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A personOfBoth is the record of a key before and after a refresh; -1 if there is none.
type personOfBoth struct {
	key           int64
	before, after int32
}

// joinPersons returns the persons of both sides, including waiting ones, ascending by key.
func joinPersons(before, after *anonymize.Live) ([]personOfBoth, error) {
	old, err := personsByKey(before)
	if err != nil {
		return nil, err
	}
	now, err := personsByKey(after)
	if err != nil {
		return nil, err
	}
	persons := make([]personOfBoth, 0, len(old)+len(now)/8)
	for len(old) > 0 || len(now) > 0 {
		switch {
		case len(now) == 0 || len(old) > 0 && before.Key[old[0]] < after.Key[now[0]]:
			persons = append(persons, personOfBoth{before.Key[old[0]], old[0], -1})
			old = old[1:]
		case len(old) == 0 || after.Key[now[0]] < before.Key[old[0]]:
			persons = append(persons, personOfBoth{after.Key[now[0]], -1, now[0]})
			now = now[1:]
		default:
			persons = append(persons, personOfBoth{after.Key[now[0]], old[0], now[0]})
			old, now = old[1:], now[1:]
		}
	}
	return persons, nil
}

func personsByKey(live *anonymize.Live) ([]int32, error) {
	records := make([]int32, 0, live.Records())
	for i, kind := range live.Kind {
		if kind == anonymize.Person {
			records = append(records, int32(i))
		}
	}
	byKey := func(a, b int32) int { return cmp.Compare(live.Key[a], live.Key[b]) }
	if !slices.IsSortedFunc(records, byKey) {
		slices.SortFunc(records, byKey)
	}
	for i := 1; i < len(records); i++ {
		if key := live.Key[records[i]]; key == live.Key[records[i-1]] {
			return nil, fmt.Errorf("two persons have the key %d", key)
		}
	}
	return records, nil
}

// translate sets translated, by which records of the two sides are compared.
func (o *observation) translate() {
	o.translated = make([][]uint32, len(o.t.AfterLive.Columns))
	for i, c := range o.t.AfterLive.Columns {
		o.translated[i] = anonymize.Translate(o.t.BeforeLive.Columns[i].Dictionary, c.Dictionary, absent)
	}
}

func (o *observation) sameIn(p personOfBoth, column int) bool {
	code := o.t.BeforeLive.Columns[column].Codes[p.before]
	return o.translated[column][code] == o.t.AfterLive.Columns[column].Codes[p.after]
}

// sameRecord reports whether p is on both sides with equal values.
func (o *observation) sameRecord(p personOfBoth) bool {
	for column := range o.translated {
		if p.before < 0 || p.after < 0 || !o.sameIn(p, column) {
			return false
		}
	}
	return true
}

// sameSensitive reports whether p is on both sides with an equal sensitive value.
func (o *observation) sameSensitive(p personOfBoth) bool {
	return p.before >= 0 && p.after >= 0 && o.sameIn(p, len(o.translated)-1)
}

// groupBefore returns the group before; Waiting also for a person who was not there.
func (o *observation) groupBefore(p personOfBoth) uint32 {
	if p.before < 0 {
		return anonymize.Waiting
	}
	return o.t.BeforeLive.Group[p.before]
}

func (o *observation) groupAfter(p personOfBoth) uint32 {
	if p.after < 0 {
		return anonymize.Waiting
	}
	return o.t.AfterLive.Group[p.after]
}
