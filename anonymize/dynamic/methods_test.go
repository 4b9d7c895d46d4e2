package dynamic_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/dynamic"
	"github.com/anonsql/anonsql/anonymize/dynamic/sequence"
	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/anonymize/units"
	"github.com/anonsql/anonsql/testsize"
)

// followers are methods that can follow their table, with arguments that small tables meet.
var followers = []struct {
	method    string
	arguments anonymize.Arguments
}{
	{"anatomy", anonymize.Arguments{"l": "3"}},
	{"anatomy", anonymize.Arguments{"l": "2", "homogeneous": "true"}},
	{"slppa", anonymize.Arguments{"beta": "0.5", "alpha": "1", "gamma": "1", "delta": "1", "tables": "2"}},
	{"slppa", anonymize.Arguments{"beta": "0.34", "tables": "3"}},
	{"arp", anonymize.Arguments{"l": "3"}},
	{"arp", anonymize.Arguments{"l": "2", "over": "generalization"}},
	{"aip", anonymize.Arguments{"l": "2"}},
	{"mondrian", anonymize.Arguments{"k": "3", "l": "2"}},
	{"mondrian", anonymize.Arguments{"k": "4", "mode": "strict"}},
	{"cross_bucket", anonymize.Arguments{"k": "3", "l": "3"}},
	{"cross_bucket", anonymize.Arguments{"k": "2", "l": "4"}},
	{"fulldomain", anonymize.Arguments{"k": "3", "suppress": "0.1"}},
	{"slicing", anonymize.Arguments{"l": "2", "tables": "2"}},
	{"asn", anonymize.Arguments{"beta": "0.5", "alpha": "0.5"}},
	{"cdt", anonymize.Arguments{"k": "3", "l": "2"}},
	{"oka", anonymize.Arguments{"k": "3"}},
	{"ika", anonymize.Arguments{"k": "3"}},
	{"drasl", anonymize.Arguments{"k": "3"}},
	{"dpp", anonymize.Arguments{"k": "3"}},
}

// A ward is a table that changes: age, sex, region, disease of each record, by key; persons have up to three records where it has units.
type ward struct {
	t         *testing.T
	method    anonymize.Method
	arguments anonymize.Arguments
	units     bool
	values    int // different diseases
	random    *rand.Rand
	rows      map[int64][5]anonymize.Value
	touched   map[int64]bool
	next      int64
	live      *anonymize.Live
	release   *anonymize.Release
	promises  []anonymize.Promise
	history   *sequence.History
}

var wardColumns = []string{"person", "age", "sex", "region", "disease"}

func (w *ward) insert(person int64) {
	w.next++
	w.touched[w.next] = true
	w.rows[w.next] = [5]anonymize.Value{anonymize.IntegerValue(person), anonymize.IntegerValue(20 + person*7%40), anonymize.TextValue([]string{"F", "M"}[person%2]),
		anonymize.TextValue([]string{"east", "north", "west"}[w.random.IntN(3)]), anonymize.TextValue(fmt.Sprint("d", w.random.IntN(w.values)))}
}

// columns are those of records; the first names the unit.
func (w *ward) columns(keys []int64) []*anonymize.Column {
	columns := make([]*anonymize.Column, len(wardColumns))
	for i, name := range wardColumns {
		values := make([]anonymize.Value, len(keys))
		for row, key := range keys {
			values[row] = w.rows[key][i]
		}
		columns[i] = anonymize.NewColumn(name, "T", values)
	}
	if !w.units {
		return columns[1:]
	}
	return columns
}

func newWard(t *testing.T, method string, arguments anonymize.Arguments, persons int, units bool, seed uint64) *ward {
	t.Helper()
	return newWardOf(t, method, arguments, persons, 9, units, seed)
}

// newWardOf has at least two persons of every value.
func newWardOf(t *testing.T, method string, arguments anonymize.Arguments, persons, values int, units bool, seed uint64) *ward {
	t.Helper()
	m, err := methods.ByName(method)
	if err != nil {
		t.Fatal(err)
	}
	w := &ward{t: t, method: m, arguments: arguments, units: units, values: values, random: rand.New(rand.NewPCG(seed, 17)), rows: make(map[int64][5]anonymize.Value), touched: make(map[int64]bool)}
	for person := range persons {
		w.insert(int64(person))
		if row := w.rows[w.next]; person < 2*values {
			row[4] = anonymize.TextValue(fmt.Sprint("d", person%values))
			w.rows[w.next] = row
		}
		for units && w.random.IntN(3) == 0 {
			w.insert(int64(person))
		}
	}
	w.start(seed)
	return w
}

// start publishes the first version.
func (w *ward) start(seed uint64) {
	keys := slices.Sorted(maps.Keys(w.rows))
	columns := w.columns(keys)
	var unit []*anonymize.Column
	in := &anonymize.Input{Rows: len(keys), Random: rand.NewPCG(seed, 18)}
	if w.units {
		unit, columns, in.Units = columns[:1], columns[1:], columns[0].Codes
	}
	in.QuasiIdentifiers, in.Sensitive = columns[:3], columns[3:]
	var gidOf []uint32
	in.Assigned = func(of []uint32) { gidOf = of }
	result, err := units.Run(w.t.Context(), w.method, in, w.arguments, anonymize.NewRatio(1, 1))
	if err != nil {
		w.t.Fatal(err)
	}
	groupOf := gidOf
	if result.Records != nil {
		groupOf = slices.Repeat([]uint32{anonymize.Waiting}, in.Rows)
		for i, record := range result.Records {
			groupOf[record] = gidOf[i]
		}
	}
	w.release, w.promises = result.Release, result.Release.Promises
	if err := dynamic.CanFollow(w.release, "disease"); err != nil {
		w.t.Fatal(err)
	}
	if w.live, err = dynamic.Start(in, groupOf, keys, unit...); err != nil {
		w.t.Fatal(err)
	}
	clear(w.touched)
}

// step changes the table.
func (w *ward) step() {
	keys := slices.Sorted(maps.Keys(w.rows))
	key := keys[w.random.IntN(len(keys))]
	switch row := w.rows[key]; w.random.IntN(7) {
	case 0, 1, 2:
		w.insert(1000 + w.next)
	case 3:
		delete(w.rows, key)
		w.touched[key] = true
	case 4:
		row[4] = anonymize.TextValue(fmt.Sprint("d", w.random.IntN(9)))
		w.rows[key], w.touched[key] = row, true
	case 5:
		w.insert(w.rows[key][0].Int)
	case 6:
		w.rewrite(4)
	}
}

func (w *ward) changed() *anonymize.Changed { return dynamic.ChangesOf(w.touched, w.rows, w.columns) }

// refresh makes the next version as functions does, and returns nil where it may not be stored.
func (w *ward) refresh(seed uint64) *dynamic.Outcome {
	w.t.Helper()
	o := dynamic.Options{Method: w.method, Arguments: w.arguments, Random: rand.NewPCG(seed, 19), Before: w.release, Promises: w.promises, Held: make(map[int64]bool)}
	for {
		next, err := dynamic.Sealed(w.t.Context(), w.live, w.changed(), o)
		if err != nil {
			w.t.Fatalf("%s: %v", w.method.Name, err)
		}
		err = w.verify(next, &o)
		if err == nil {
			return next
		}
		if !errors.As(err, new(*privacy.BrokenError)) {
			w.t.Fatalf("%s: %v", w.method.Name, err)
		}
		if o.Closed {
			return nil
		}
		o.Closed = len(o.Kept) == 0
	}
}

// verify recomputes all that a refresh must keep.
func (w *ward) verify(next *dynamic.Outcome, o *dynamic.Options) error {
	o.Kept = nil
	for _, r := range []*anonymize.Release{next.Release, next.New} {
		if r == nil {
			continue
		}
		guarantees, err := privacy.Verify(r)
		if err == nil {
			err = privacy.FirstBroken(guarantees)
		}
		if err != nil {
			return err
		}
	}
	before := renamed(w.t, w.history, w.live, next.Rewritten)
	told, history, err := sequence.Verify(w.t.Context(), &sequence.Transition{Before: w.release, After: next.Release, BeforeLive: next.Rewritten.Renumber(w.live),
		AfterLive: next.Live, From: next.From, K: dynamic.GroupSize(w.promises)}, before, true)
	if err != nil {
		return err
	}
	if certain := history.CertainUnits(); len(certain) > 0 {
		o.Kept, o.Closed = next.ExcludeUnits(certain), len(o.Held) > 0
		for _, unit := range certain {
			o.Held[unit] = true
		}
	}
	if err := privacy.FirstBroken(told); err != nil {
		return err
	}
	for _, g := range told {
		if slices.Contains([]string{"moved", "sequence_gain"}, g.Name) && g.Achieved != 0 {
			w.t.Fatalf("%s: %s is %v", w.method.Name, g.Name, g.Achieved)
		}
	}
	w.history = history
	return nil
}

// renamed is a copy of a history with the keys of now.
func renamed(t *testing.T, h *sequence.History, live *anonymize.Live, keys dynamic.Keys) *sequence.History {
	if h == nil {
		return nil
	}
	text, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	again := new(sequence.History)
	if err := json.Unmarshal(text, again); err != nil {
		t.Fatal(err)
	}
	if err := again.Rename(keys.Current, live); err != nil {
		t.Fatal(err)
	}
	return again
}

// inserted are the keys, as they are now, of the published persons who were not in the first version; of units their numbers.
func (w *ward) inserted(keys dynamic.Keys) map[int64]bool {
	numbers, inserted := w.live.Units(), make(map[int64]bool)
	for i, key := range w.live.Key {
		now := keys.Current(key)
		if w.units {
			key, now = numbers[i], numbers[i]
		}
		within := func(run [2]int64) bool { return run[0] <= key && key <= run[1] }
		if w.history != nil && w.live.Group[i] != anonymize.Waiting && slices.ContainsFunc(w.history.Inserted, within) {
			inserted[now] = true
		}
	}
	return inserted
}

// rewrite writes rows anew, in a random order, below keys of their own, of new ones, or of each other.
func (w *ward) rewrite(n int) {
	keys := slices.Sorted(maps.Keys(w.rows))
	w.random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	keys = keys[:min(n, len(keys))]
	rows := make([][5]anonymize.Value, len(keys))
	for i, key := range keys {
		rows[i] = w.rows[key]
		delete(w.rows, key)
		w.touched[key] = true
	}
	slices.Sort(keys)
	for i, row := range rows {
		key := keys[i]
		if w.random.IntN(2) == 0 {
			w.next++
			key = w.next
		}
		w.rows[key], w.touched[key] = row, true
	}
}

// TestRewrittenRowsStay: REPLACE, and a load of the whole table, change nothing, after any versions; and who goes or comes besides is told from them.
func TestRewrittenRowsStay(t *testing.T) {
	for _, f := range []struct{ method, parameter string }{{"anatomy", "l"}, {"mondrian", "k"}} {
		for _, byUnits := range []bool{false, true} {
			w := newWard(t, f.method, anonymize.Arguments{f.parameter: "3"}, 80, byUnits, 5)
			for version := range uint64(8) {
				before := *w
				w.rewrite(len(w.rows))
				next := w.refresh(version)
				if n := next.Inserted + next.Deleted + next.Modified; n > 0 || len(next.Rewritten) == 0 {
					t.Fatalf("%s: of %d rows that were written anew, %d changed", f.method, len(w.rows), n)
				}
				if was, is := slices.Sorted(slices.Values(groupTexts(w.release))), slices.Sorted(slices.Values(groupTexts(next.Release))); version == 0 && !slices.Equal(was, is) {
					t.Fatalf("%s: the groups are\n%s\nand were\n%s", f.method, is, was)
				}
				w.check(next)
				w.live, w.release = next.Live, next.Release
				if was, is := before.inserted(next.Rewritten), w.inserted(nil); !maps.Equal(was, is) || version == 7 && len(is) == 0 {
					t.Fatalf("%s: %v were inserted since the first version, and after a load of the same rows %v", f.method, was, is)
				}
				clear(w.touched)
				for range 9 {
					w.step()
				}
				w.rewrite(len(w.rows) / 2)
				if next = w.refresh(100 + version); next == nil {
					continue
				}
				w.check(next)
				w.live, w.release = next.Live, next.Release
				clear(w.touched)
			}
		}
	}
}

// groupTexts writes, by gid, all that is published of a group, cells with their values.
func groupTexts(r *anonymize.Release) []string {
	texts := make([]string, r.Groups())
	for g := range texts {
		for _, f := range r.Fragments {
			var tuples []string
			for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
				tuple := fmt.Sprint(f.Count[t], " x")
				if f.Units != nil {
					tuple += fmt.Sprint(" of ", f.Units[t])
				}
				for _, c := range f.Columns {
					if c.IsPoint() {
						tuple += " " + c.Dictionary[c.Codes[t]].String()
						continue
					}
					cell := c.Cells[c.Codes[t]]
					tuple += fmt.Sprintf(" %s %v", cell.Label, cell.Weights)
					for _, m := range cell.Members {
						tuple += " " + c.Dictionary[m].String()
					}
				}
				tuples = append(tuples, tuple)
			}
			slices.Sort(tuples)
			texts[g] += fmt.Sprintf("%s%q", f.Name, tuples)
		}
	}
	return texts
}

// check compares a version with the one before and with the table: groups that continue are published as before, to the last value
// of a cell; who is in the table is published once as she is, or waits; who stays does not move.
func (w *ward) check(next *dynamic.Outcome) {
	w.t.Helper()
	was, is := groupTexts(w.release), groupTexts(next.Release)
	kept := make(map[int]bool)
	for gid, from := range next.From {
		if from >= 0 && was[from] != is[gid] {
			w.t.Fatalf("%s: group %d was\n%s\nand is\n%s", w.method.Name, gid, was[from], is[gid])
		}
		kept[from] = true
	}
	before := make(map[int64]uint32)
	inhabited := make(map[uint32]bool)
	live := next.Rewritten.Renumber(w.live)
	for i, key := range live.Key {
		if live.Kind[i] == anonymize.Person {
			before[key] = live.Group[i]
			_, stays := w.rows[key]
			inhabited[live.Group[i]] = inhabited[live.Group[i]] || stays && !w.touched[key]
		}
	}
	for was, key := range next.Rewritten {
		if i := slices.Index(next.Live.Key, key); i >= 0 && before[key] != anonymize.Waiting && !w.units && next.From[next.Live.Group[i]] != int(before[key]) {
			w.t.Fatalf("%s: record %d moved, which was %d", w.method.Name, key, was)
		}
	}
	for g := range w.release.Groups() {
		spans := w.method.Name == "cross_bucket" // a class hides behind several buckets, with or without persons
		if (inhabited[uint32(g)] && !w.units || spans) && !kept[g] {
			w.t.Fatalf("%s: group %d is gone", w.method.Name, g)
		}
	}
	seen := 0
	for i, key := range next.Live.Key {
		if next.Live.Kind[i] != anonymize.Person {
			continue
		}
		seen++
		row, there := w.rows[key]
		for j, c := range next.Live.Columns {
			if want := row[len(wardColumns)-len(next.Live.Columns)+j]; !there || c.Value(i) != want {
				w.t.Fatalf("%s: record %d has %s %s, and in the table it has %s", w.method.Name, key, c.Name, c.Value(i), want)
			}
		}
		g := next.Live.Group[i]
		if old, known := before[key]; !w.units && known && !w.touched[key] && old != anonymize.Waiting && (g == anonymize.Waiting || next.From[g] != int(old)) {
			w.t.Fatalf("%s: record %d moved", w.method.Name, key)
		}
	}
	if seen != len(w.rows) {
		w.t.Fatalf("%s: %d records are known of %d", w.method.Name, seen, len(w.rows))
	}
	w.linked(next)
}

// linked asks that the published records are those of the private side, and have a place in all relations of their group.
func (w *ward) linked(next *dynamic.Outcome) {
	w.t.Helper()
	in := &anonymize.Input{}
	var gidOf []uint32
	for _, c := range next.Live.Released() {
		var values []anonymize.Value
		gidOf = nil
		for i, g := range next.Live.Group {
			if g != anonymize.Waiting {
				values, gidOf = append(values, c.Value(i)), append(gidOf, g)
			}
		}
		in.QuasiIdentifiers, in.Rows = append(in.QuasiIdentifiers, anonymize.NewColumn(c.Name, c.Type, values)), len(values)
	}
	in.QuasiIdentifiers, in.Sensitive = in.QuasiIdentifiers[:3], in.QuasiIdentifiers[3:]
	if err := anontest.Linked(next.Release, in, gidOf); err != nil {
		w.t.Fatalf("%s: %v", w.method.Name, err)
	}
	if err := privacy.Complete(next.Release, slices.Concat(in.QuasiIdentifiers, in.Sensitive)); err != nil {
		w.t.Fatalf("%s: %v", w.method.Name, err)
	}
}

// TestEveryMethodIsSealed runs random sequences of insertions, deletions and updates through every method that can follow its table,
// by records and by units. Nothing that was published changes, all promises hold of every version and of its new groups by themselves.
func TestEveryMethodIsSealed(t *testing.T) {
	for _, f := range followers {
		for _, byUnits := range []bool{false, true} {
			if byUnits && slices.Contains([]string{"fulldomain", "cross_bucket"}, f.method) {
				continue // regions vary in a person, which these have no place for
			}
			name := fmt.Sprint(f.method, " ", f.arguments)
			if byUnits {
				name += " by units"
			}
			t.Run(strings.NewReplacer("map[", "", "]", "").Replace(name), func(t *testing.T) {
				fresh, refused, forged := 0, 0, 0
				for seed := range testsize.Levels[uint64](1, 3, 20) {
					w := newWard(t, f.method, f.arguments, 60, byUnits, seed)
					for version := range uint64(6) {
						for range 12 {
							w.step()
						}
						next := w.refresh(100*seed + version)
						if next == nil {
							refused++
							continue
						}
						w.check(next)
						if next.New != nil {
							fresh += next.New.Groups()
						}
						forged += next.Release.Forged
						w.live, w.release = next.Live, next.Release
						clear(w.touched)
					}
				}
				t.Logf("%d new groups, %d refreshes refused, %d counterfeits over all versions", fresh, refused, forged)
				if fresh == 0 || forged == 0 {
					t.Error("nothing was refreshed")
				}
			})
		}
	}
}

// A taxonomy that takes a value out of a node may not give new groups the node's name: readers would take it for the old one.
func TestOneMeaning(t *testing.T) {
	w := newWard(t, "mondrian", anonymize.Arguments{"k": "2", "mode": "strict"}, 12, false, 1)
	o := dynamic.Options{Method: w.method, Arguments: anonymize.Arguments{"k": "4", "mode": "strict"}, Random: rand.NewPCG(1, 1), Promises: w.promises}
	tree := func(classes ...string) map[string]*anonymize.Domain {
		return map[string]*anonymize.Domain{"region": {Scale: anonymize.Semantic, Taxonomy: anontest.Tree(t, classes...)}}
	}
	columns := func(regions ...string) []*anonymize.Column {
		var ages, sexes, places, diseases []anonymize.Value
		for i, region := range regions {
			ages, sexes = append(ages, anonymize.IntegerValue(30)), append(sexes, anonymize.TextValue("F"))
			places, diseases = append(places, anonymize.TextValue(region)), append(diseases, anonymize.TextValue(fmt.Sprint("d", i)))
		}
		return []*anonymize.Column{anonymize.NewColumn("age", "T", ages), anonymize.NewColumn("sex", "T", sexes), anonymize.NewColumn("region", "T", places),
			anonymize.NewColumn("disease", "T", diseases)}
	}
	first := columns("east", "north", "east", "north")
	in := &anonymize.Input{QuasiIdentifiers: first[:3], Sensitive: first[3:], Rows: 4, Domains: tree("up: east north", "down: west south"), Random: o.Random}
	var gidOf []uint32
	in.Assigned = func(of []uint32) { gidOf = of }
	r, err := w.method.Run(t.Context(), in, o.Arguments)
	if err != nil {
		t.Fatal(err)
	}
	live, err := dynamic.Start(in, gidOf, []int64{1, 2, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	o.Before = r
	for text, classes := range map[string][]string{"": {"up: east north", "down: west south"}, "up of region stands for other values now": {"up: west north", "down: east south"}} {
		o.Domains = tree(classes...)
		regions := []string{"north", strings.Fields(classes[0])[1], "north", strings.Fields(classes[0])[1], "east", "east", "south", "south"}
		_, err := dynamic.Sealed(t.Context(), live, &anonymize.Changed{Key: []int64{5, 6, 7, 8, 9, 10, 11, 12}, Row: []int{0, 1, 2, 3, 4, 5, 6, 7}, Columns: columns(regions...)}, o)
		if (err == nil) != (text == "") || err != nil && !strings.Contains(err.Error(), text) {
			t.Errorf("%q: the error is %v", classes, err)
		}
	}
}
