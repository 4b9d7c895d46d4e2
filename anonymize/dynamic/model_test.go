package dynamic

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/testsize"
)

// A cohort is the expected state of a group: its members by key and values, its counterfeits, and what was first
// published of it.
type cohort struct {
	persons map[int64]string
	forged  []string // kind and values
	text    string
}

// A model keeps the expected publication, by its own rules: sets and strings.
type model struct {
	groups  map[int]*cohort // by gid of the present version
	waiting map[int64]string
}

func newModel(w *world) *model {
	m := &model{groups: map[int]*cohort{}, waiting: map[int64]string{}}
	for g, text := range published(w.release) {
		m.groups[g] = &cohort{persons: map[int64]string{}, text: text}
	}
	for i, key := range w.live.Key {
		m.groups[int(w.live.Group[i])].persons[key] = describe(w.live, i)
	}
	return m
}

// rename gives rewritten rows their new keys. It expects that they keep their values, and that nobody left while a row with the same values
// came.
func (m *model) rename(t *testing.T, w *world, keys Keys) {
	t.Helper()
	all := []map[int64]string{m.waiting}
	for _, c := range m.groups {
		all = append(all, c.persons)
	}
	left := map[string]bool{}
	for _, persons := range all {
		renamed := map[int64]string{}
		for key, values := range persons {
			now := keys.Current(key)
			if row, present := w.row[now]; now != key && now > 0 && (!present || fmt.Sprint(row) != values) {
				t.Fatalf("%d had %s and is %d: %v", key, values, now, row)
			}
			if renamed[now] = values; fmt.Sprint(w.row[now]) != values {
				left[values] = true
			}
		}
		clear(persons)
		maps.Copy(persons, renamed)
	}
	for key := range w.touched {
		if row, present := w.row[key]; present && left[fmt.Sprint(row)] && !m.has(key, fmt.Sprint(row)) {
			t.Fatalf("%d came with the values %v of somebody who left", key, row)
		}
	}
	for from, to := range keys {
		if _, present := w.row[from]; !present && !m.has(from, "") {
			delete(w.touched, from)
		}
		if to < 0 {
			w.touched[to] = true
		}
	}
}

// has reports whether some person has a key, with the values if they are given.
func (m *model) has(key int64, values string) bool {
	had, in := m.waiting[key]
	for _, c := range m.groups {
		if of, here := c.persons[key]; here {
			had, in = of, true
		}
	}
	return in && (values == "" || had == values)
}

// expect performs a sealed refresh, except for the new groups. It returns the numbers of inserted, deleted, modified
// and unchanged records.
func (m *model) expect(w *world) (counts [4]int) {
	for key := range w.touched {
		now, present := w.row[key]
		text := fmt.Sprint(now)
		old, waits := m.waiting[key]
		home := -1
		for g, c := range m.groups {
			if values, in := c.persons[key]; in {
				home, old = g, values
			}
		}
		known := waits || home >= 0
		switch {
		case !known && !present, known && present && text == old:
			counts[3]++
			continue
		case !known:
			counts[0]++
		case !present:
			counts[1]++
		default:
			counts[2]++
		}
		delete(m.waiting, key)
		if home >= 0 {
			kind := anonymize.ForgedByModification
			if !present {
				kind = anonymize.ForgedByDeletion
			}
			m.groups[home].forged = append(m.groups[home].forged, fmt.Sprint(kind, " ", old))
			delete(m.groups[home].persons, key)
		}
		if present {
			m.waiting[key] = text
		}
	}
	for g, c := range m.groups {
		if len(c.persons) == 0 {
			delete(m.groups, g)
		}
	}
	return counts
}

// verify compares an outcome with the model, and adopts the new groups.
func (m *model) verify(w *world, o *Outcome, counts [4]int, k int) error {
	if got := [4]int{o.Inserted, o.Deleted, o.Modified, o.Unchanged}; got != counts {
		return fmt.Errorf("inserted, deleted, modified, unchanged are %v, must be %v", got, counts)
	}
	if err := wellFormed(w, o); err != nil {
		return err
	}
	// What the Live has for every gid.
	found := map[int]*cohort{}
	for g, text := range published(o.Release) {
		found[g] = &cohort{persons: map[int64]string{}, text: text}
	}
	waiting := map[int64]string{}
	for i, key := range o.Live.Key {
		switch values := describe(o.Live, i); {
		case o.Live.Group[i] == anonymize.Waiting:
			waiting[key] = values
		case o.Live.Kind[i] == anonymize.Person:
			found[int(o.Live.Group[i])].persons[key] = values
		default:
			c := found[int(o.Live.Group[i])]
			c.forged = append(c.forged, fmt.Sprint(o.Live.Kind[i], " ", values))
		}
	}
	return m.compare(o, found, waiting, k)
}

func (m *model) compare(o *Outcome, found map[int]*cohort, waiting map[int64]string, k int) error {
	continued := 0
	for gid, from := range o.From {
		now := found[gid]
		slices.Sort(now.forged)
		if from >= 0 {
			continued++
			was := m.groups[from]
			if was == nil {
				return fmt.Errorf("group %d comes from %d, which is no more", gid, from)
			}
			slices.Sort(was.forged)
			if !maps.Equal(was.persons, now.persons) || !slices.Equal(was.forged, now.forged) {
				return fmt.Errorf("group %d was %v %v and is %v %v", gid, was.persons, was.forged, now.persons, now.forged)
			}
			if was.text != now.text {
				return fmt.Errorf("group %d was published as\n%s\nand is\n%s", gid, was.text, now.text)
			}
			continue
		}
		if len(now.persons) < k || len(now.forged) > 0 {
			return fmt.Errorf("new group %d has %d persons and %d counterfeits", gid, len(now.persons), len(now.forged))
		}
		for key, values := range now.persons {
			if m.waiting[key] != values {
				return fmt.Errorf("new group %d has %d %s, who did not wait: %s", gid, key, values, m.waiting[key])
			}
			delete(m.waiting, key)
		}
	}
	if continued != len(m.groups) {
		return fmt.Errorf("%d groups continue, %d must", continued, len(m.groups))
	}
	if !maps.Equal(waiting, m.waiting) {
		return fmt.Errorf("%v wait, %v must", waiting, m.waiting)
	}
	m.groups = found
	return nil
}

// wellFormed checks the outcome of any update: the release is well-formed, everybody in the table is in the Live once
// with her current values, the release's groups are the Live's, cells contain the values, and counterfeits are
// counted.
func wellFormed(w *world, o *Outcome) error {
	if err := o.Release.Check(); err != nil {
		return err
	}
	var forged [4]int
	waiting, members := 0, make([][]int, o.Release.Groups())
	persons := make([]int, o.Release.Groups())
	left := maps.Clone(w.row)
	for i, key := range o.Live.Key {
		g := o.Live.Group[i]
		if o.Live.Kind[i] == anonymize.Person {
			if now, in := left[key]; !in || fmt.Sprint(now) != describe(o.Live, i) {
				return fmt.Errorf("%d is %s, must be %v", key, describe(o.Live, i), now)
			}
			delete(left, key)
		} else if forged[o.Live.Kind[i]]++; key != 0 || g == anonymize.Waiting {
			return fmt.Errorf("counterfeit %d has key %d and group %d", i, key, g)
		}
		if g == anonymize.Waiting {
			waiting++
			continue
		}
		members[g] = append(members[g], i)
		if o.Live.Kind[i] == anonymize.Person {
			persons[g]++
		}
	}
	total := forged[1] + forged[2] + forged[3]
	if len(left) > 0 || forged != o.Forged || total != o.Release.Forged || waiting != o.Waiting || len(o.From) != o.Release.Groups() {
		return fmt.Errorf("missing %v; counterfeits %v, %v, %d; waiting %d, %d", left, forged, o.Forged, o.Release.Forged, waiting, o.Waiting)
	}
	if i := slices.Index(persons, 0); i >= 0 {
		return fmt.Errorf("nobody is in group %d", i)
	}
	return covers(o, members)
}

// covers checks cells and the multisets of sensitive values.
func covers(o *Outcome, members [][]int) error {
	qi, sa := o.Release.Fragments[0], o.Release.Fragments[1]
	for g, records := range members {
		if len(records) != int(o.Release.GroupSizes[g]) || qi.GroupStart[g+1]-qi.GroupStart[g] != 1 {
			return fmt.Errorf("group %d has %d records, %d are published in %d cells", g, len(records), o.Release.GroupSizes[g], qi.GroupStart[g+1]-qi.GroupStart[g])
		}
		var have, want []string
		for t := sa.GroupStart[g]; t < sa.GroupStart[g+1]; t++ {
			have = append(have, strings.Repeat(sa.Columns[0].Dictionary[sa.Columns[0].Codes[t]].String()+",", int(sa.Count[t])))
		}
		for _, r := range records {
			want = append(want, o.Live.Columns[len(o.Live.Columns)-1].Value(r).String()+",")
			for i, c := range qi.Columns {
				v := o.Live.Columns[i].Value(r)
				if !contains(c, c.Cells[c.Codes[qi.GroupStart[g]]], v) {
					return fmt.Errorf("group %d: the cell of %s does not contain %s", g, c.Name, v)
				}
			}
		}
		slices.Sort(have)
		slices.Sort(want)
		if strings.Join(have, "") != strings.Join(want, "") {
			return fmt.Errorf("group %d publishes %v, has %v", g, have, want)
		}
	}
	return nil
}

func contains(c *anonymize.FragmentColumn, cell anonymize.Cell, v anonymize.Value) bool {
	return slices.ContainsFunc(cell.Members, func(code uint32) bool { return c.Dictionary[code] == v })
}

// step does one thing to the table.
func (w *world) step() {
	key := w.somebody()
	if w.shrinks && w.random.IntN(4) == 0 && key != 0 {
		w.delete(key)
		return
	}
	switch choice := w.random.IntN(100); {
	case choice < 35 || key == 0:
		w.insert(w.next)
	case choice < 55:
		w.delete(key)
	case choice < 60: // most likely a waiting one
		w.delete(slices.Max(slices.Collect(maps.Keys(w.row))))
	case choice < 70:
		w.update(key, w.random.IntN(4))
	case choice < 80:
		w.update(key, 4)
	case choice < 85:
		w.update(key, 0, 1, 2, 3, 4)
	case choice < 90:
		w.update(key) // nothing
	default: // the key of another person
		w.delete(key)
		w.insert(key)
	}
}

var steps = testsize.Of(4_000, 12_000)

// Random sequences of all changes and of refreshes keep Sealed's promises, as checked by a naive model.
func TestSealedModel(t *testing.T) {
	refreshes, empty, refused, newGroups, dropped := 0, 0, 0, 0, 0
	for run := range 12 {
		k := 2 + run%4
		method := []string{"drasl", "dpp"}[run%2]
		w := newWorld(t, 6+5*run, k, method, uint64(run))
		m := newModel(w)
		w.shrinks = run%4 > 1
		if run%3 == 0 {
			w.options.Arguments["search"] = "exact"
		}
		if run%4 == 2 {
			w.options.Arguments["improve"] = "true"
		}
		for range steps / 12 {
			w.step()
			if w.random.IntN(12) != 0 {
				continue
			}
			for again := w.random.IntN(3) == 0; ; again = false {
				before := len(m.groups)
				copied := &model{groups: map[int]*cohort{}, waiting: maps.Clone(m.waiting)}
				for g, c := range m.groups {
					copied.groups[g] = &cohort{maps.Clone(c.persons), slices.Clone(c.forged), c.text}
				}
				w.options.Before = w.release
				o, err := sealed(t.Context(), w.live, w.changed(), w.options)
				if err == nil {
					m.rename(t, w, o.Rewritten)
				}
				counts := m.expect(w)
				if data := (*anonymize.DataError)(nil); errors.As(err, &data) && len(m.groups) == 0 && len(m.waiting) < k {
					m, refused = copied, refused+1
					break
				} else if err != nil {
					t.Fatal(err)
				}
				continued := len(m.groups)
				if err := m.verify(w, o, counts, k); err != nil {
					t.Fatalf("run %d, refresh %d: %v", run, refreshes, err)
				}
				dropped += before - continued
				newGroups += len(m.groups) - continued
				w.live, w.release = o.Live, o.Release
				if refreshes++; len(w.touched) == 0 {
					empty++
				}
				clear(w.touched)
				if !again {
					break
				}
			}
		}
	}
	t.Logf("%d steps, %d refreshes, %d of them of nothing, %d refused; %d new groups, %d dropped", steps, refreshes, empty, refused, newGroups, dropped)
	if refreshes < steps/15 || empty < steps/120 || newGroups < steps/40 || dropped < steps/240 {
		t.Error("the steps do not do what they are for")
	}
}

// The printed updates promise less: everybody is published with current values, and a group has K records and at most
// one counterfeit. This also holds after sealed updates, except for what these leave.
func TestPrintedModel(t *testing.T) {
	refreshes, refused := 0, 0
	for run := range 8 {
		k := 2 + run%4
		w := newWorld(t, 6+5*run, k, []string{"drasl", "dpp"}[run%2], uint64(run))
		for range 500 {
			w.step()
			if w.random.IntN(12) != 0 {
				continue
			}
			update := Printed
			if mixed := run > 5; mixed && w.random.IntN(2) == 0 {
				update = sealed
			}
			w.options.Before = w.release
			o, err := update(t.Context(), w.live, w.changed(), w.options)
			if data := (*anonymize.DataError)(nil); errors.As(err, &data) && w.live.Records() < 3*k+10 {
				refused++
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			if err := wellFormed(w, o); err != nil {
				t.Fatalf("run %d, refresh %d: %v", run, refreshes, err)
			}
			counterfeits := make([]int, o.Release.Groups())
			for i, kind := range o.Live.Kind {
				if kind != anonymize.Person {
					counterfeits[o.Live.Group[i]]++
				}
			}
			if int(slices.Min(o.Release.GroupSizes)) < k || run <= 5 && (slices.Max(counterfeits) > 1 || o.Waiting > 0) {
				t.Fatalf("run %d: groups of %d records, %d counterfeits, %d wait", run, o.Release.GroupSizes, counterfeits, o.Waiting)
			}
			w.live, w.release = o.Live, o.Release
			clear(w.touched)
			refreshes++
		}
	}
	t.Logf("%d refreshes, %d refused", refreshes, refused)
	if refreshes < 200 {
		t.Error("the steps do not do what they are for")
	}
}
