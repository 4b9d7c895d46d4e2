package dynamic

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/dynamic/sequence"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/anonymize/units"
	"github.com/anonsql/anonsql/testsize"
)

// A clinicOfUnits is a table of visits that changes, kept as naively as can be: patient, birth year, ward, illness by visit.
type clinicOfUnits struct {
	t       testing.TB
	random  *rand.Rand
	visits  map[int64][4]anonymize.Value
	touched map[int64]bool
	next    int64
	k       int
	illness int // of how many
	options Options
	live    *anonymize.Live
	release *anonymize.Release
	history *sequence.History
}

func newClinicOfUnits(t testing.TB, patients, illness int, seed uint64) *clinicOfUnits {
	t.Helper()
	return newClinicOf(t, Options{Method: methodOf("drasl"), Arguments: anonymize.Arguments{"k": "3"}}, patients, illness, seed)
}

// newClinicOf is for options with k=3.
func newClinicOf(t testing.TB, options Options, patients, illness int, seed uint64) *clinicOfUnits {
	t.Helper()
	c := &clinicOfUnits{t: t, random: rand.New(rand.NewPCG(seed, 31)), visits: map[int64][4]anonymize.Value{}, touched: map[int64]bool{}, k: 3, illness: illness}
	c.options = options
	c.options.Random = rand.NewPCG(seed, 32)
	for patient := range patients {
		for range 1 + c.random.IntN(3) {
			c.visit(patient)
		}
	}
	in, keys, patientOf := c.input()
	groupOf := slices.Repeat([]uint32{anonymize.Waiting}, in.Rows)
	var published []uint32
	in.Assigned = func(of []uint32) { published = of }
	result, err := units.Run(t.Context(), options.Method, in, c.options.Arguments, anonymize.Ratio{Num: 1, Den: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range published {
		record := uint32(i)
		if result.Records != nil {
			record = result.Records[i]
		}
		groupOf[record] = g
	}
	if c.live, err = Start(in, groupOf, keys, patientOf); err != nil {
		t.Fatal(err)
	}
	c.release = result.Release
	clear(c.touched)
	return c
}

// visit adds one of a patient.
func (c *clinicOfUnits) visit(patient int) {
	c.next++
	c.touched[c.next] = true
	c.visits[c.next] = [4]anonymize.Value{anonymize.TextValue(fmt.Sprint("p", patient)), anonymize.IntegerValue(int64(1940 + patient%50)),
		anonymize.TextValue([]string{"north", "south", "west"}[c.random.IntN(3)]), anonymize.TextValue(fmt.Sprint("d", c.random.IntN(c.illness)))}
}

// step changes the table: a visit more, one less, one changed, one that is another patient's, or a patient who leaves.
func (c *clinicOfUnits) step(patients int) {
	keys := slices.Sorted(maps.Keys(c.visits))
	key := keys[c.random.IntN(len(keys))]
	visit := c.visits[key]
	c.touched[key] = true
	switch c.random.IntN(6) {
	case 0, 1:
		c.visit(c.random.IntN(patients))
	case 2:
		delete(c.visits, key)
	case 3:
		visit[3] = anonymize.TextValue(fmt.Sprint("d", c.random.IntN(c.illness)))
		c.visits[key] = visit
	case 4:
		visit[0] = anonymize.TextValue(fmt.Sprint("p", c.random.IntN(patients)))
		c.visits[key] = visit
	case 5:
		for other, v := range c.visits {
			if v[0] == visit[0] {
				c.touched[other] = true
				delete(c.visits, other)
			}
		}
	}
}

// columns are those of some visits.
func (c *clinicOfUnits) columns(keys []int64) []*anonymize.Column {
	columns := make([]*anonymize.Column, 4)
	for i, name := range []string{"patient", "born", "ward", "illness"} {
		values := make([]anonymize.Value, len(keys))
		for row, key := range keys {
			values[row] = c.visits[key][i]
		}
		columns[i] = anonymize.NewColumn(name, "T", values)
	}
	return columns
}

func (c *clinicOfUnits) input() (in *anonymize.Input, keys []int64, patient *anonymize.Column) {
	keys = slices.Sorted(maps.Keys(c.visits))
	columns := c.columns(keys)
	return &anonymize.Input{QuasiIdentifiers: columns[1:3], Sensitive: columns[3:], Units: columns[0].Codes, Rows: len(keys), Random: c.options.Random}, keys, columns[0]
}

func (c *clinicOfUnits) changed() *anonymize.Changed {
	return ChangesOf(c.touched, c.visits, c.columns)
}

// ChangesOf are the rows with the keys that were touched, of those that there are.
func ChangesOf[R any](touched map[int64]bool, rows map[int64]R, columns func(keys []int64) []*anonymize.Column) *anonymize.Changed {
	changed := &anonymize.Changed{Key: slices.Sorted(maps.Keys(touched))}
	var there []int64
	for _, key := range changed.Key {
		row := -1
		if _, in := rows[key]; in {
			row = len(there)
			there = append(there, key)
		}
		changed.Row = append(changed.Row, row)
	}
	changed.Columns = columns(there)
	return changed
}

// refresh makes the next version as a refresh does: units of which a follower would be sure wait.
func (c *clinicOfUnits) refresh() *Outcome {
	c.t.Helper()
	c.options.Before, c.options.Held, c.options.Kept, c.options.Closed = c.release, make(map[int64]bool), nil, false
	for attempt := 1; ; attempt++ {
		o, err := sealed(c.t.Context(), c.live, c.changed(), c.options)
		if err != nil {
			c.t.Fatal(err)
		}
		told, history, err := sequence.Verify(c.t.Context(), &sequence.Transition{Before: c.release, After: o.Release, BeforeLive: c.live, AfterLive: o.Live,
			From: o.From, K: c.k}, c.history, true)
		if err != nil {
			c.t.Fatal(err)
		}
		if certain := history.CertainUnits(); len(certain) > 0 {
			if err := privacy.FirstBroken(told); err == nil || !strings.Contains(err.Error(), "disclosed_updated") {
				c.t.Fatalf("a follower is sure of a value of %d units, and the promise that is broken is %v", len(certain), err)
			}
			for _, unit := range certain {
				if c.options.Held[unit] {
					c.t.Fatalf("unit %d was to wait", unit)
				}
				c.options.Held[unit] = true
			}
			if c.options.Closed {
				c.t.Fatal("a group that was good is not")
			}
			c.options.Kept, c.options.Closed = o.ExcludeUnits(certain), attempt == 3
			continue
		}
		if err := privacy.FirstBroken(told); err != nil {
			c.t.Fatal(err)
		}
		guarantees, err := privacy.Verify(o.Release)
		if err == nil {
			err = privacy.FirstBroken(guarantees)
		}
		if err == nil {
			err = privacy.Complete(o.Release, publishedOf(o.Live))
		}
		if err != nil {
			c.t.Fatal(err)
		}
		c.history = history
		return o
	}
}

// publishedOf are the released values of the records that are published.
func publishedOf(l *anonymize.Live) (columns []*anonymize.Column) {
	for _, c := range l.Released() {
		var values []anonymize.Value
		for record := range c.Codes {
			if l.Group[record] != anonymize.Waiting {
				values = append(values, c.Value(record))
			}
		}
		columns = append(columns, anonymize.NewColumn(c.Name, c.Type, values))
	}
	return columns
}

// bundles are, by gid and patient, the records of a Live as text, sorted; those of the waiting are of gid -1. Counterfeits are marked.
func bundles(l *anonymize.Live) map[int]map[string][]string {
	all := make(map[int]map[string][]string)
	for i, g := range l.Group {
		gid, who := int(g), l.Columns[0].Value(i).String()
		if g == anonymize.Waiting {
			gid = -1
		}
		if l.Kind[i] != anonymize.Person {
			who = "counterfeit of " + who
		}
		if all[gid] == nil {
			all[gid] = make(map[string][]string)
		}
		all[gid][who] = append(all[gid][who], fmt.Sprint(l.Key[i], " ", describe(l, i)))
	}
	for _, of := range all {
		for _, records := range of {
			slices.Sort(records)
		}
	}
	return all
}

// TestSealedUnits compares refreshes with what sealed updates of units are: units that stay are published as before, units that changed leave a
// counterfeit with the same records, all of today's records are there once, and new groups are of K units that waited, with equally many records each.
func TestSealedUnits(t *testing.T) {
	fresh, held := 0, 0
	for seed := range testsize.Levels[uint64](4, 10, 50) {
		const patients = 60
		of := []struct {
			method  string
			links   string
			illness int
		}{{"drasl", "any", 3}, {"dpp", "", 6}, {"drasl", "any", 60}, {"dpp", "", 30}, {"drasl", "any", 30}}[seed%5]
		options := Options{Method: methodOf(of.method), Arguments: anonymize.Arguments{"k": "3"}}
		if of.links != "" {
			options.Arguments["links"] = of.links
		}
		c := newClinicOf(t, options, 45, of.illness, seed)
		for range 6 {
			for range 1 + c.random.IntN(12) {
				c.step(patients)
			}
			o := c.refresh()
			before, after := bundles(o.Rewritten.Renumber(c.live)), bundles(o.Live)
			fresh += c.checkGroups(before, after, o)
			c.checkRecords(after)
			held += len(c.options.Held)
			c.live, c.release = o.Live, o.Release
			clear(c.touched)
		}
	}
	if fresh == 0 || held == 0 {
		t.Errorf("%d groups were new, %d units had to wait", fresh, held)
	}
}

// TestUnitsWithSeveralValuesWait: links=none is promised of persons with one value, and a refresh keeps the others waiting.
func TestUnitsWithSeveralValuesWait(t *testing.T) {
	c := newClinicOfUnits(t, 45, 60, 1)
	c.options.Arguments["links"] = "none"
	for range 30 {
		c.step(60)
	}
	if o := c.refresh(); o.Waiting == 0 || o.Why == nil || !strings.Contains(o.Why.Error(), "illness varies in a unit") {
		t.Errorf("%d wait, because of %v", o.Waiting, o.Why)
	}
}

// checkGroups compares the groups of a version with those before, and returns how many are new.
func (c *clinicOfUnits) checkGroups(before, after map[int]map[string][]string, o *Outcome) (fresh int) {
	c.t.Helper()
	was, is := published(c.release), published(o.Release)
	for gid, of := range after {
		if gid < 0 {
			continue
		}
		sizes, persons := make(map[int]bool), 0
		for who, records := range of {
			if sizes[len(records)] = true; !strings.HasPrefix(who, "counterfeit") {
				persons++
			}
		}
		from := o.From[gid]
		switch {
		case persons == 0 || len(sizes) != 1 || from < 0 && (persons < c.k || len(of) != persons):
			c.t.Fatalf("group %d, from %d, is %v", gid, from, of)
		case from < 0:
			fresh++
			for who, records := range of {
				if now := c.recordsOf(who); !slices.Equal(records, now) {
					c.t.Fatalf("%s is published with %q of %q", who, records, now)
				}
			}
		case is[gid] != was[from]:
			c.t.Fatalf("group %d was published as\n%s\nand is\n%s", gid, was[from], is[gid])
		default:
			if err := continues(before[from], of); err != nil {
				c.t.Fatal(err)
			}
		}
	}
	return fresh
}

// recordsOf are the visits of a patient, as bundles have them.
func (c *clinicOfUnits) recordsOf(who string) (records []string) {
	for key, v := range c.visits {
		if v[0].String() == who {
			records = append(records, fmt.Sprint(key, " ", fmt.Sprint(v[:])))
		}
	}
	slices.Sort(records)
	return records
}

// checkRecords checks that every visit is in a private side once, as a person's.
func (c *clinicOfUnits) checkRecords(side map[int]map[string][]string) {
	c.t.Helper()
	seen, visits := make(map[string][]string), 0
	for _, of := range side {
		for who, records := range of {
			if !strings.HasPrefix(who, "counterfeit") {
				seen[who] = append(seen[who], records...)
				visits += len(records)
			}
		}
	}
	for who, records := range seen {
		if slices.Sort(records); !slices.Equal(records, c.recordsOf(who)) {
			c.t.Fatalf("%s has %q, the private side %q", who, c.recordsOf(who), records)
		}
	}
	if visits != len(c.visits) {
		c.t.Fatalf("the table has %d visits, the private side %d", len(c.visits), visits)
	}
}

// continues checks that a group has the units that it had, each as a person with the same records, or as a counterfeit with their values.
func continues(before, after map[string][]string) error {
	values := func(of map[string][]string) map[string]string {
		valued := make(map[string]string)
		for who, records := range of {
			var bare []string
			for _, record := range records {
				_, text, _ := strings.Cut(record, " ")
				bare = append(bare, text)
			}
			slices.Sort(bare)
			valued[strings.TrimPrefix(who, "counterfeit of ")] = fmt.Sprint(bare)
		}
		return valued
	}
	if !maps.Equal(values(before), values(after)) {
		return fmt.Errorf("a group was %v and is %v", before, after)
	}
	for who, records := range after {
		if was, person := before[who]; !strings.HasPrefix(who, "counterfeit") && (!person || !slices.Equal(was, records)) {
			return fmt.Errorf("%s was %q and is %q", who, was, records)
		}
	}
	return nil
}

// TestProposition3 of docs/units.md: whichever unit of a group has which bundle, all versions tell the same.
func TestProposition3(t *testing.T) {
	arrangements := 0
	for seed := range testsize.Levels[uint64](2, 4, 12) {
		c := newClinicOfUnits(t, 9, 4, seed)
		versions := []*anonymize.Live{c.live}
		from := [][]int{}
		for range 3 {
			for range 5 {
				c.step(12)
			}
			o := c.refresh()
			versions, from = append(versions, o.Live), append(from, o.From)
			c.live, c.release = o.Live, o.Release
			clear(c.touched)
		}
		for g := range groupNumbers(versions[0]) {
			place := int(g)
			for v, live := range versions {
				if v > 0 {
					if place = slices.Index(from[v-1], place); place < 0 {
						break // the group was dropped
					}
				}
				told := relationsOf(t, live, uint32(place), nil)
				for _, order := range anontest.Permutations(len(unitsOfGroup(live, uint32(place)))) {
					arrangements++
					if other := relationsOf(t, live, uint32(place), order); other != told {
						t.Fatalf("group %d of version %d tells\n%s\nand of other bundles\n%s", place, v+1, told, other)
					}
				}
			}
		}
	}
	if arrangements < 50 {
		t.Errorf("%d arrangements were tried", arrangements)
	}
}

// groupNumbers are the groups of a Live.
func groupNumbers(l *anonymize.Live) map[uint32]bool {
	groups := make(map[uint32]bool)
	for _, g := range l.Group {
		if g != anonymize.Waiting {
			groups[g] = true
		}
	}
	return groups
}

// unitsOfGroup are the records of a group, by unit.
func unitsOfGroup(l *anonymize.Live, g uint32) (of [][]int) {
	at := make(map[string]int)
	for i, group := range l.Group {
		if group != g {
			continue
		}
		who := l.Columns[0].Value(i).String()
		if _, known := at[who]; !known {
			at[who] = len(of)
			of = append(of, nil)
		}
		of[at[who]] = append(of[at[who]], i)
	}
	return of
}

// relationsOf publishes a group whose i-th unit has the sensitive values of the order[i]-th; its own without an order.
func relationsOf(t *testing.T, l *anonymize.Live, g uint32, order []int) string {
	t.Helper()
	of := unitsOfGroup(l, g)
	var values [3][]anonymize.Value
	in := &anonymize.Input{Random: rand.NewPCG(1, 1)}
	for u, records := range of {
		for i, record := range records {
			has := record
			if order != nil {
				has = of[order[u]][i]
			}
			for c, from := range []int{record, record, has} {
				values[c] = append(values[c], l.Columns[c+1].Value(from))
			}
			in.Units, in.Rows = append(in.Units, uint32(u)), in.Rows+1
		}
	}
	for c := range 2 {
		in.QuasiIdentifiers = append(in.QuasiIdentifiers, anonymize.NewColumn(l.Columns[c+1].Name, "T", values[c]))
	}
	in.Sensitive = []*anonymize.Column{anonymize.NewColumn(l.Columns[3].Name, "T", values[2])}
	result, err := units.Run(t.Context(), methodOf("drasl"), in, anonymize.Arguments{"k": fmt.Sprint(len(of))}, anonymize.Ratio{})
	if err != nil {
		t.Fatal(err)
	}
	r := result.Release
	if r.Groups() != 1 {
		t.Fatalf("%d units are %d groups", len(of), r.Groups())
	}
	text := published(r)[0]
	for _, f := range r.Fragments {
		text += fmt.Sprint(f.Units)
	}
	return text
}

// TestUnitsAreNotBelieved: a version that moves a unit, that has other numbers of units or other counterfeits than its private side, is refused.
func TestUnitsAreNotBelieved(t *testing.T) {
	c := newClinicOfUnits(t, 120, 2, 5)
	for range 10 {
		c.step(40)
	}
	o := c.refresh()
	verify := func(after *anonymize.Release, live *anonymize.Live) error {
		told, _, err := sequence.Verify(t.Context(), &sequence.Transition{Before: c.release, After: after, BeforeLive: c.live, AfterLive: live, From: o.From, K: c.k}, nil, true)
		if err != nil {
			return err
		}
		return privacy.FirstBroken(told)
	}
	if err := verify(o.Release, o.Live); err != nil {
		t.Fatal(err)
	}
	moved := *o.Live
	moved.Group = slices.Clone(moved.Group)
	var single []int // records of persons of one, in groups that continue
	for g := range uint32(o.Release.Groups()) {
		for _, records := range unitsOfGroup(&moved, g) {
			if i := records[0]; len(records) == 1 && o.From[g] >= 0 && moved.Kind[i] == anonymize.Person && (len(single) == 0 || moved.Group[single[0]] != g) {
				single = append(single, i)
			}
		}
	}
	x, y := single[0], single[len(single)-1]
	moved.Group[x], moved.Group[y] = moved.Group[y], moved.Group[x]
	counted := *o.Release
	counted.Fragments = slices.Clone(counted.Fragments)
	sensitive := *counted.Fragments[1]
	sensitive.Units = slices.Clone(sensitive.Units)
	tuple := slices.IndexFunc(sensitive.Count, func(n uint32) bool { return n > 1 })
	sensitive.Units[tuple] = sensitive.Count[tuple]*2 - sensitive.Units[tuple] - 1
	counted.Fragments[1] = &sensitive
	forged := *o.Live
	forged.Kind = slices.Clone(forged.Kind)
	forged.Kind[slices.Index(forged.Kind, anonymize.Person)] = anonymize.ForgedByDeletion
	for name, err := range map[string]error{"moved": verify(o.Release, &moved), "units": verify(&counted, o.Live), "counterfeits": verify(o.Release, &forged)} {
		if err == nil {
			t.Errorf("%s: nothing is wrong", name)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
}

// TestNobodysVisit: a record whose unit is NULL is refused.
func TestNobodysVisit(t *testing.T) {
	c := newClinicOfUnits(t, 20, 6, 6)
	visit := c.visits[1]
	visit[0] = anonymize.NullValue
	c.visits[1], c.touched[1] = visit, true
	c.options.Before = c.release
	if _, err := sealed(t.Context(), c.live, c.changed(), c.options); err == nil || !strings.Contains(err.Error(), "may be anybody's") {
		t.Errorf("the error is %v", err)
	}
}
