package sequence

// In the package, because an oracle for every record needs the candidates of departed records, which the history only
// counts.

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// A row of a private side.
type row struct {
	key     int64 // 0: a counterfeit
	group   uint32
	age     int64
	disease string
}

// sideOf returns the private side of rows, and its release, whose cells are the ages.
func sideOf(t testing.TB, rows []row) (*anonymize.Live, *anonymize.Release) {
	t.Helper()
	var ages, diseases []anonymize.Value
	live := &anonymize.Live{}
	r := &anonymize.Release{Method: "drasl"}
	for _, row := range rows {
		ages = append(ages, anonymize.IntegerValue(row.age))
		diseases = append(diseases, anonymize.TextValue(row.disease))
		kind := anonymize.Person
		if row.key == 0 {
			kind = anonymize.ForgedByDeletion
			r.Forged++
		}
		live.Key, live.Group, live.Kind = append(live.Key, row.key), append(live.Group, row.group), append(live.Kind, kind)
		if row.group == anonymize.Waiting {
			continue
		}
		r.Rows++
		for uint32(len(r.GroupSizes)) <= row.group {
			r.GroupSizes = append(r.GroupSizes, 0)
		}
		r.GroupSizes[row.group]++
	}
	live.Columns = []*anonymize.Column{anonymize.NewColumn("age", "int", ages), anonymize.NewColumn("disease", "text", diseases)}
	r.Fragments = []*anonymize.Fragment{
		fragmentOf("qi1", anonymize.QuasiIdentifying, live.Columns[0], live.Group, r.Groups()),
		fragmentOf("sa", anonymize.Sensitive, live.Columns[1], live.Group, r.Groups())}
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	return live, r
}

func fragmentOf(name string, role anonymize.FragmentRole, c *anonymize.Column, group []uint32, groups int) *anonymize.Fragment {
	column := &anonymize.FragmentColumn{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary}
	f := &anonymize.Fragment{Name: name, Role: role, Columns: []*anonymize.FragmentColumn{column}, GroupStart: []uint32{0}}
	var published []uint64 // gid and code
	for i, g := range group {
		if g != anonymize.Waiting {
			published = append(published, uint64(g)<<32|uint64(c.Codes[i]))
		}
	}
	slices.Sort(published)
	for i, p := range published {
		for len(f.GroupStart) <= int(p>>32) {
			f.GroupStart = append(f.GroupStart, uint32(len(f.Count)))
		}
		if i > 0 && published[i-1] == p {
			f.Count[len(f.Count)-1]++
			continue
		}
		column.Codes, f.Count = append(column.Codes, uint32(p)), append(f.Count, 1)
	}
	for len(f.GroupStart) <= groups {
		f.GroupStart = append(f.GroupStart, uint32(len(f.Count)))
	}
	return f
}

// A tiny sequence of versions.
type tinySequence struct {
	rows     [][]row
	lives    []*anonymize.Live
	releases []*anonymize.Release
	from     [][]int
}

// randomSequence draws persons who come, leave, change and move between at most groups groups, with counterfeits of
// any value. With one group this group continues.
func randomSequence(t *testing.T, random *rand.Rand, versions, groups int) *tinySequence {
	s := &tinySequence{}
	values, next := 2+random.IntN(3), int64(1)
	disease := func() string { return string(rune('a' + random.IntN(values))) }
	group := func() uint32 {
		if groups > 1 && random.IntN(12) == 0 {
			return anonymize.Waiting
		}
		return uint32(random.IntN(groups))
	}
	var persons []row
	busy := 1 + random.IntN(4)
	for v := range versions {
		var kept []row
		for _, p := range persons {
			switch random.IntN(4 + 4*busy) {
			case 0:
				continue
			case 1:
				p.disease = disease()
			case 2:
				p.age, p.group = p.age+1, group()
			case 3:
				p.group = group()
			}
			kept = append(kept, p)
		}
		persons = kept
		for random.IntN(2) == 0 && len(persons) < 5 || v == 0 && len(persons) < 2 {
			persons = append(persons, row{next, group(), 0, disease()})
			next++
		}
		rows := slices.Clone(persons)
		size := make([]int, groups)
		for _, p := range persons {
			if p.group != anonymize.Waiting {
				size[p.group]++
			}
		}
		from := make([]int, groups)
		for g := range groups {
			from[g] = g
			for size[g] == 0 || random.IntN(3) == 0 && size[g] < 4 {
				rows = append(rows, row{0, uint32(g), 0, disease()})
				size[g]++
			}
			if groups > 1 && random.IntN(6) == 0 {
				from[g] = -1
			}
		}
		live, release := sideOf(t, rows)
		s.rows, s.from = append(s.rows, rows), append(s.from, from)
		s.lives, s.releases = append(s.lives, live), append(s.releases, release)
	}
	return s
}

func (s *tinySequence) transition(v int) *Transition {
	return &Transition{Before: s.releases[v-1], After: s.releases[v], BeforeLive: s.lives[v-1], AfterLive: s.lives[v],
		From: s.from[v], K: 1}
}

// A tinyRecord is a person's record from version to version, with its group in each.
type tinyRecord struct {
	key         int64
	first, last int
	group       []uint32
	inTable     bool // after last, with the same value
	found       []string
}

// records are those that the observer tells apart; with same, who is updated
// without a new value stays the same record.
func (s *tinySequence) records(same bool) (records []*tinyRecord) {
	current := make(map[int64]*tinyRecord)
	before := make(map[int64]row)
	for v, rows := range s.rows {
		now := make(map[int64]row)
		for _, p := range rows {
			if p.key == 0 {
				continue
			}
			now[p.key] = p
			old, was := before[p.key]
			if was && old.disease == p.disease && same {
				was = current[p.key] != nil
			} else if !was || old.disease != p.disease || old.age != p.age || old.group == anonymize.Waiting || p.group == anonymize.Waiting {
				was, current[p.key] = false, nil
			}
			if p.group == anonymize.Waiting {
				if same && was {
					current[p.key].group = append(current[p.key].group, p.group)
				}
				continue
			}
			if !was {
				current[p.key] = &tinyRecord{key: p.key, first: v}
				records = append(records, current[p.key])
			}
			r := current[p.key]
			r.group, r.last = append(r.group, p.group), v
		}
		for key := range before {
			if _, ok := now[key]; !ok {
				delete(current, key)
			}
		}
		before = now
	}
	return records
}

// worlds enumerates all and returns, by record, the values that occur.
func (s *tinySequence) worlds(records []*tinyRecord) []map[string]bool {
	left := make([][16]int, len(s.rows)) // by version, then 4 gid + value
	at := func(g uint32, value string) int { return 4*int(g) + int(value[0]-'a') }
	for v, rows := range s.rows {
		for _, p := range rows {
			if p.group != anonymize.Waiting {
				left[v][at(p.group, p.disease)]++
			}
		}
	}
	possible, chosen := make([]map[string]bool, len(records)), make([]string, len(records))
	for i := range possible {
		possible[i] = make(map[string]bool)
	}
	take := func(r *tinyRecord, value string, n int) (fits bool) {
		fits = true
		for i, g := range r.group {
			if g != anonymize.Waiting {
				left[r.first+i][at(g, value)] -= n
				fits = fits && left[r.first+i][at(g, value)] >= 0
			}
		}
		return fits
	}
	var enumerate func(i int)
	enumerate = func(i int) {
		if i == len(records) {
			for j, value := range chosen {
				possible[j][value] = true
			}
			return
		}
		for _, value := range []string{"a", "b", "c", "d"} {
			if chosen[i] = value; take(records[i], value, 1) {
				enumerate(i + 1)
			}
			take(records[i], value, -1)
		}
	}
	enumerate(0)
	return possible
}

func (o *observation) texts(numbers []uint32) (texts []string) {
	for _, n := range numbers {
		texts = append(texts, o.numbers.values[n].Text)
	}
	return texts
}

// infer verifies the sequence and stores in every record what the verifier says
// of it: at the departure, else at the end.
func (s *tinySequence) infer(t *testing.T, records []*tinyRecord) (h *History, guarantees []anonymize.Guarantee) {
	t.Helper()
	for v := 1; v < len(s.rows); v++ {
		tr := s.transition(v)
		before := h
		if before == nil {
			before = newHistory(tr.Before)
		}
		o, err := observe(context.Background(), tr)
		if err != nil {
			t.Fatal(err)
		}
		m := o.newMemory(before)
		for i, p := range o.persons {
			for _, r := range records {
				if r.key != p.key || r.last != v-1 || o.groupBefore(p) == anonymize.Waiting || o.pairOf[i] >= 0 {
					continue
				}
				left, err := m.depart(i)
				if err != nil {
					t.Fatal(err)
				}
				r.found, r.inTable = o.texts(left), o.sameSensitive(p)
			}
		}
		if guarantees, h, err = Verify(context.Background(), tr, h, false); err != nil {
			t.Fatal(err)
		}
	}
	last := len(s.rows) - 1
	for _, r := range records {
		if r.last != last {
			continue
		}
		group := r.group[len(r.group)-1]
		for _, p := range s.rows[last] {
			if p.group == group && !slices.Contains(r.found, p.disease) {
				r.found = append(r.found, p.disease)
			}
		}
		for _, n := range h.Narrowed {
			if n.Key == r.key {
				r.found = h.texts(n.Candidates)
			}
		}
	}
	return h, guarantees
}

func (h *History) texts(candidates []uint32) (texts []string) {
	for _, c := range candidates {
		texts = append(texts, h.Values[c].Text)
	}
	return texts
}

// Nothing that a world allows is ever excluded; in one group over two versions
// everything else is.
func TestSequenceAgainstWorlds(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 6))
	for _, c := range []struct {
		versions, groups, sequences int
		exact                       bool
	}{{2, 1, 3000, true}, {3, 1, 1500, false}, {2, 2, 2000, false}, {2, 3, 1500, false}, {3, 2, 2000, false}, {4, 3, 500, false}} {
		all, equal, narrowed := 0, 0, 0
		for range c.sequences {
			s := randomSequence(t, random, c.versions, c.groups)
			records := s.records(false)
			h, guarantees := s.infer(t, records)
			for i, possible := range s.worlds(records) {
				r := records[i]
				for value := range possible {
					if !slices.Contains(r.found, value) {
						t.Fatalf("%v, from %v: a world gives %+v %s", s.rows, s.from, r, value)
					}
				}
				if c.exact && len(possible) != len(r.found) {
					t.Fatalf("%v: %+v, possible are %v", s.rows, r, possible)
				}
				all++
				if len(possible) == len(r.found) {
					equal++
				}
				if n := s.groupValues(r); len(r.found) < n {
					narrowed++
				}
			}
			s.checkFollowed(t, h)
			s.checkTallies(t, records, guarantees)
		}
		t.Logf("%d versions, %d groups: %d records in %d sequences, %d narrowed, %.1f %% exact", c.versions, c.groups, all, c.sequences, narrowed, 100*float64(equal)/float64(all))
		if narrowed == 0 {
			t.Error("no sequence excludes anything")
		}
	}
}

// groupValues is the least number of values of a group of r.
func (s *tinySequence) groupValues(r *tinyRecord) int {
	least := 1 << 30
	for i, g := range r.group {
		values := make(map[string]bool)
		for _, p := range s.rows[r.first+i] {
			if p.group == g {
				values[p.disease] = true
			}
		}
		least = min(least, len(values))
	}
	return least
}

// checkFollowed compares with the worlds of an observer who knows that updates
// kept the value.
func (s *tinySequence) checkFollowed(t *testing.T, h *History) {
	records := s.records(true)
	possible := s.worlds(records)
	for _, f := range h.Followed {
		i := slices.IndexFunc(records, func(r *tinyRecord) bool { return r.key == f.Key && r.first+len(r.group) == len(s.rows) })
		if i < 0 {
			t.Fatalf("%v: the history follows %d", s.rows, f.Key)
		}
		for value := range possible[i] {
			if !slices.Contains(h.texts(f.Candidates), value) {
				t.Fatalf("%v: a world gives %d, who was updated, %s: %v", s.rows, f.Key, value, h.texts(f.Candidates))
			}
		}
	}
}

// checkTallies counts records by their fate again.
func (s *tinySequence) checkTallies(t *testing.T, records []*tinyRecord, guarantees []anonymize.Guarantee) {
	last := len(s.rows) - 1
	var inserted, unchanged, gained Tally
	for i, r := range records {
		follows := slices.ContainsFunc(records[:i], func(other *tinyRecord) bool {
			return other.key == r.key && other.inTable && s.stays(r.key, other.last, r.first)
		})
		switch {
		case r.first > 0 && !follows:
			inserted.add(len(r.found))
		case r.first == 0 && r.last == last:
			unchanged.add(len(r.found))
		}
		if len(r.found) < s.groupValues(r) {
			gained.add(1)
		}
	}
	for _, want := range []anonymize.Guarantee{
		inserted.guarantee("disclosed_inserted", "inserted"),
		unchanged.guarantee("disclosed_unchanged", "unchanged"),
		{Name: "sequence_gain", Achieved: float64(gained.Persons)}} {
		i := slices.IndexFunc(guarantees, func(g anonymize.Guarantee) bool { return g.Name == want.Name })
		if got := guarantees[i]; got.Achieved != want.Achieved || want.Detail != "" && got.Detail != want.Detail {
			t.Fatalf("%v: %s is %v (%s), want %v (%s)", s.rows, want.Name, got.Achieved, got.Detail, want.Achieved, want.Detail)
		}
	}
}

// stays reports whether a key is in the table with one value from version to version.
func (s *tinySequence) stays(key int64, from, to int) bool {
	value := ""
	for v := from; v <= to; v++ {
		i := slices.IndexFunc(s.rows[v], func(p row) bool { return p.key == key })
		if i < 0 || v > from && s.rows[v][i].disease != value {
			return false
		}
		value = s.rows[v][i].disease
	}
	return true
}

// The three tests as they are stated, on multisets, against what observe makes of
// them.
func TestSequencePairRule(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 6))
	tight := 0
	for range 3000 {
		s := randomSequence(t, random, 2, 3)
		o, err := observe(context.Background(), s.transition(1))
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range o.persons {
			before, after := o.groupBefore(p), o.groupAfter(p)
			if own := o.pairOf[i]; own >= 0 {
				want := s.left(o, o.before.values(before), before, after, own)
				if got := o.texts(o.pairs[own].candidates); !slices.Equal(got, o.texts(want)) {
					t.Fatalf("%v: unchanged %d has %v, want %v", s.rows, p.key, got, o.texts(want))
				}
				continue
			}
			if before != anonymize.Waiting {
				want := s.left(o, o.before.values(before), before, anonymize.Waiting, -1)
				if got := o.texts(o.departed[before]); !slices.Equal(got, o.texts(want)) {
					t.Fatalf("%v: departed %d has %v, want %v", s.rows, p.key, got, o.texts(want))
				}
			}
			if after != anonymize.Waiting {
				want := s.left(o, o.after.values(after), anonymize.Waiting, after, -1)
				if got := o.texts(o.arrived[after]); !slices.Equal(got, o.texts(want)) {
					t.Fatalf("%v: arrived %d has %v, want %v", s.rows, p.key, got, o.texts(want))
				}
			}
		}
		for _, p := range o.pairs {
			if p.tight {
				tight++
			}
		}
	}
	if tight < 100 {
		t.Errorf("only %d tight pairs", tight)
	}
}

// left applies the inequalities of all pairs that have one of the groups.
func (s *tinySequence) left(o *observation, values []uint32, before, after uint32, own int32) (left []uint32) {
	for _, v := range values {
		possible := true
		for i, p := range o.pairs {
			switch {
			case int32(i) == own:
				possible = possible && o.before.times(before, v) > 0 && o.after.times(after, v) > 0 && o.common(p, v, 1, 1) >= p.persons-1
			case p.after == after:
				possible = possible && o.common(p, v, 0, 1) >= p.persons
			case p.before == before:
				possible = possible && o.common(p, v, 1, 0) >= p.persons
			}
		}
		if possible {
			left = append(left, v)
		}
	}
	return left
}

// common is |(M - v) ∩ (M' - v)|, taking as many from M and M' as said.
func (o *observation) common(p groupPair, v uint32, fromBefore, fromAfter int) (size int) {
	for n := range uint32(len(o.numbers.values)) {
		a, b := int(o.before.times(p.before, n)), int(o.after.times(p.after, n))
		if n == v {
			a, b = a-fromBefore, b-fromAfter
		}
		size += max(0, min(a, b))
	}
	return size
}
