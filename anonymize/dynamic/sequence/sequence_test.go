package sequence

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// versionsOf reads private sides, one per text. A line is key, gid, age, disease. The key of a counterfeit is -, and
// so is the gid of a waiting record. froms belong to the versions after the first.
func versionsOf(t *testing.T, froms [][]int, texts ...string) *tinySequence {
	t.Helper()
	s := &tinySequence{from: append([][]int{nil}, froms...)}
	for _, text := range texts {
		var rows []row
		for line := range strings.Lines(strings.TrimSpace(text)) {
			var r row
			var key, gid string
			if _, err := fmt.Sscan(line, &key, &gid, &r.age, &r.disease); err != nil {
				t.Fatal(line, err)
			}
			fmt.Sscan(key, &r.key)
			if r.group = anonymize.Waiting; gid != "-" {
				fmt.Sscan(gid, &r.group)
			}
			rows = append(rows, r)
		}
		live, release := sideOf(t, rows)
		s.rows, s.lives, s.releases = append(s.rows, rows), append(s.lives, live), append(s.releases, release)
	}
	return s
}

// verify verifies all refreshes, the history through JSON in between.
func (s *tinySequence) verify(t *testing.T, k int, sealed bool) (lines []string, h *History, guarantees []anonymize.Guarantee) {
	t.Helper()
	for v := 1; v < len(s.rows); v++ {
		tr := s.transition(v)
		tr.K = k
		var next *History
		var err error
		if guarantees, next, err = Verify(context.Background(), tr, h, sealed); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(next)
		if err != nil {
			t.Fatal(err)
		}
		h = new(History)
		if err := json.Unmarshal(text, h); err != nil {
			t.Fatal(err)
		}
	}
	for _, g := range guarantees {
		required := "-"
		if g.Required != nil {
			required = g.Required.String()
		}
		lines = append(lines, fmt.Sprintf("%s %.4f in %d, %s %v: %s", g.Name, g.Achieved, g.WorstGroup, required, g.Holds, g.Detail))
	}
	return lines, h, guarantees
}

func sameLines(t *testing.T, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		g, w := "", ""
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("got  %s\nwant %s", g, w)
		}
	}
}

const threePatients = `
1  0  30  bronchitis
2  0  31  ulcer
3  0  32  flu`

// DRASL's Algorithm 3 adds a counterfeit to the group that a newcomer joins and redraws its value at the next change.
// The first version with the newcomer leaves two candidates, her value and the counterfeit's. The second leaves one,
// because a value that disappears without a departure belonged to nobody.
func TestPrintedInsertionDiscloses(t *testing.T) {
	one := threePatients + `
4  0  33  gastritis
-  0  30  cold`
	s := versionsOf(t, [][]int{{0}}, threePatients, one)
	lines, _, guarantees := s.verify(t, 3, true)
	sameLines(t, lines, []string{
		"k_real 3.0000 in -1, 3 true: no group is new",
		"m_invariance 0.0000 in 0, 1 false: 0 of 1 continuing group are published as before; qi1 of group 0 changed, which was group 0",
		"moved 0.0000 in -1, 0 true: 3 unchanged persons stayed in their group",
		"disclosed_inserted 0.0000 in -1, - true: of 1 inserted person 0 are left with one value and 1 (1) with two",
		"disclosed_deleted 0.0000 in -1, - true: of 0 deleted persons 0 are left with one value and 0 (0) with two",
		"disclosed_unchanged 0.0000 in -1, - true: of 3 unchanged persons 0 are left with one value and 0 (0) with two",
		"disclosed_updated 0.0000 in -1, - true: of 0 updated persons 0 are left with one value and 0 (0) with two",
		"sequence_gain 1.0000 in -1, 0 false: 1 record, 1 of them published now, in 1 refresh",
	})
	var broken *privacy.BrokenError
	if err := privacy.FirstBroken(guarantees); !errors.As(err, &broken) || broken.Name != "m_invariance" ||
		!strings.HasPrefix(err.Error(), "m_invariance is 0 in group 1, promised was at least 1: ") {
		t.Error(err)
	}
	if err := privacy.FirstBroken(guarantees[7:]); err == nil || err.Error() !=
		"sequence_gain is 1, promised was at most 0: 1 record, 1 of them published now, in 1 refresh" {
		t.Error(err)
	}

	two := threePatients + `
4  0  33  gastritis
5  0  34  asthma
-  0  30  acne`
	s = versionsOf(t, [][]int{{0}, {0}}, threePatients, one, two)
	lines, h, _ := s.verify(t, 3, false)
	if want := "disclosed_inserted 0.5000 in -1, - true: of 2 inserted persons 1 are left with one value and 1 (0.5) with two"; lines[3] != want {
		t.Errorf("got  %s\nwant %s", lines[3], want)
	}
	i := slices.IndexFunc(h.Narrowed, func(n Narrowed) bool { return n.Key == 4 })
	if got := h.texts(h.Narrowed[i].Candidates); !slices.Equal(got, []string{"gastritis"}) {
		t.Errorf("patient 4 is left with %v", got)
	}
	if !slices.Equal(h.Inserted, [][2]int64{{4, 5}}) {
		t.Errorf("inserted %v", h.Inserted)
	}

	// After she leaves, her value is still known.
	s = versionsOf(t, [][]int{{0}, {0}, {0}}, threePatients, one, two, strings.Replace(two, "4  0", "-  0", 1))
	lines, h, _ = s.verify(t, 3, false)
	if want := "disclosed_deleted 1.0000 in -1, - true: of 1 deleted person 1 are left with one value and 0 (0) with two"; lines[4] != want {
		t.Errorf("got  %s\nwant %s", lines[4], want)
	}
	if h.GoneInserted != (Tally{1, 1, 0}) || h.GoneGained != 1 || !slices.Equal(h.Inserted, [][2]int64{{5, 5}}) {
		t.Errorf("%+v", h)
	}
}

// Many insertions into one group, with a release for each: differences of differences reveal nearly everybody except
// the last, although a redrawn value is often also a member's.
func TestManyPrintedInsertionsDisclose(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 6))
	s := &tinySequence{}
	var persons []row
	for i := range 48 {
		persons = append(persons, row{int64(i) + 1, 0, 30, fmt.Sprint("disease", random.IntN(32))})
		if i < 7 {
			continue
		}
		rows := slices.Clone(persons)
		if i > 7 {
			rows = append(rows, row{0, 0, 30, fmt.Sprint("disease", random.IntN(32))})
		}
		live, release := sideOf(t, rows)
		s.rows, s.from = append(s.rows, rows), append(s.from, []int{0})
		s.lives, s.releases = append(s.lives, live), append(s.releases, release)
	}
	_, _, guarantees := s.verify(t, 8, false)
	if g := guarantees[3]; g.Achieved < 0.8 {
		t.Errorf("%+v", g)
	}
}

// A newcomer who replaces the counterfeit is disclosed at once.
func TestReplacedCounterfeitDiscloses(t *testing.T) {
	s := versionsOf(t, [][]int{{0}},
		threePatients+"\n-  0  30  cold",
		threePatients+"\n4  0  33  gastritis")
	lines, _, _ := s.verify(t, 3, false)
	if want := "disclosed_inserted 1.0000 in -1, - true: of 1 inserted person 1 are left with one value and 0 (0) with two"; lines[3] != want {
		t.Errorf("got  %s\nwant %s", lines[3], want)
	}
}

// Algorithm 4 forges a value other than the deleted one: the deleted one is the
// value that has gone.
func TestPrintedDeletionDiscloses(t *testing.T) {
	s := versionsOf(t, [][]int{{0}}, threePatients, `
2  0  31  ulcer
3  0  32  flu
-  0  30  acne`)
	lines, _, _ := s.verify(t, 3, false)
	if want := "disclosed_deleted 1.0000 in -1, - true: of 1 deleted person 1 are left with one value and 0 (0) with two"; lines[4] != want {
		t.Errorf("got  %s\nwant %s", lines[4], want)
	}
}

// The same insertions, sealed: they wait until there are three. A deletion leaves a counterfeit with the same value.
// Gids are drawn anew, and the new group's values come first in the dictionary.
func TestSealedUpdateDisclosesNobody(t *testing.T) {
	s := versionsOf(t, [][]int{{0}, {-1, 0}}, threePatients, threePatients+`
4  -  33  acne`, `
1  1  30  bronchitis
3  1  32  flu
-  1  31  ulcer
4  0  33  acne
5  0  34  abscess
6  0  35  asthma`)
	lines, h, guarantees := s.verify(t, 3, true)
	sameLines(t, lines, []string{
		"k_real 3.0000 in 0, 3 true: 3 of the 3 records are persons, least of 1 new group",
		"m_invariance 1.0000 in -1, 1 true: 1 of 1 continuing group are published as before",
		"moved 0.0000 in -1, 0 true: 2 unchanged persons stayed in their group",
		"disclosed_inserted 0.0000 in -1, - true: of 3 inserted persons 0 are left with one value and 0 (0) with two",
		"disclosed_deleted 0.0000 in -1, - true: of 1 deleted person 0 are left with one value and 0 (0) with two",
		"disclosed_unchanged 0.0000 in -1, - true: of 2 unchanged persons 0 are left with one value and 0 (0) with two",
		"disclosed_updated 0.0000 in -1, - true: of 0 updated persons 0 are left with one value and 0 (0) with two",
		"sequence_gain 0.0000 in -1, 0 true: 0 records, 0 of them published now, in 2 refreshes",
	})
	if err := privacy.FirstBroken(guarantees); err != nil {
		t.Error(err)
	}
	text, err := json.Marshal(h)
	if err != nil || string(text) != `{"Transitions":2,"Rows":6,"Groups":2,"Forged":1,"Inserted":[[4,6]],`+
		`"GoneInserted":{"Persons":0,"One":0,"Two":0},"GoneUpdated":{"Persons":0,"One":0,"Two":0},"Deleted":{"Persons":1,"One":0,"Two":0},"GoneGained":0}` {
		t.Errorf("%s %v", text, err)
	}
}

// Patient 2 becomes a year older, leaves her group and waits. The new group has only ulcer in common with the old
// one. An observer who takes her for another person learns nothing; one who knows that the disease is still hers
// learns it.
func TestUpdatedPersonIsFollowed(t *testing.T) {
	counterfeit := `
1  0  30  bronchitis
3  0  32  flu
-  0  31  ulcer`
	waits := counterfeit + "\n2  -  60  ulcer"
	s := versionsOf(t, [][]int{{0}, {0, -1}}, threePatients, waits, counterfeit+`
2  1  60  ulcer
7  1  61  gout
8  1  62  acne`)
	lines, h, guarantees := s.verify(t, 3, true)
	if want := "disclosed_updated 1.0000 in -1, - true: of 1 updated person 1 are left with one value and 0 (0) with two"; lines[6] != want {
		t.Errorf("got  %s\nwant %s", lines[6], want)
	}
	if err := privacy.FirstBroken(guarantees); err != nil {
		t.Error(err)
	}
	if len(h.Narrowed) > 0 || h.Deleted.Persons > 0 || !slices.Equal(h.Inserted, [][2]int64{{7, 8}}) {
		t.Errorf("%+v", h)
	}
	// Deleted, or with another disease, while she waits: a deletion.
	for _, instead := range []string{"", "\n2  -  60  gout"} {
		s = versionsOf(t, [][]int{{0}, {0}}, threePatients, waits, counterfeit+instead)
		if _, h, _ = s.verify(t, 3, true); h.Deleted.Persons != 1 || len(h.Followed) > 0 {
			t.Errorf("%+v", h)
		}
	}
}

func TestMovedAndTooFewReal(t *testing.T) {
	s := versionsOf(t, [][]int{{0, -1}}, threePatients+"\n4  1  40  flu\n5  1  41  acne", `
1  0  30  bronchitis
2  0  31  ulcer
-  0  32  flu
3  1  32  flu
4  1  40  flu
5  -  41  acne`)
	lines, _, guarantees := s.verify(t, 3, true)
	if want := "k_real 2.0000 in 1, 3 false: 2 of the 2 records are persons, least of 1 new group"; lines[0] != want {
		t.Errorf("got  %s\nwant %s", lines[0], want)
	}
	if want := "moved 3.0000 in 1, 0 false: 2 unchanged persons stayed in their group"; lines[2] != want {
		t.Errorf("got  %s\nwant %s", lines[2], want)
	}
	if err := privacy.FirstBroken(guarantees); err == nil || !strings.HasPrefix(err.Error(), "k_real is 2 in group 2, promised was at least 3: ") {
		t.Error(err)
	}
}

// A cell is the same when its text and its ends are; which values of the table
// lie between them is not the group's.
func TestInvarianceOfCells(t *testing.T) {
	interval := func(label string, members ...uint32) anonymize.Cell {
		return anonymize.Cell{Label: label, Members: members}
	}
	for _, c := range []struct {
		label   string
		members []uint32
		same    bool
	}{{"[30-32]", []uint32{0, 1, 2}, true}, {"[30-32]", []uint32{0, 2}, true}, {"[30-32]", []uint32{0, 1}, false}, {"*", []uint32{0, 1, 2}, false}} {
		s := versionsOf(t, [][]int{{0}}, threePatients, threePatients)
		for i, r := range s.releases {
			f := r.Fragments[0]
			f.Columns[0].Cells, f.Columns[0].Codes = []anonymize.Cell{interval("[30-32]", 0, 1, 2)}, []uint32{0}
			if i == 0 { // the version after has a place for everybody
				f.Columns[0].Cells, f.Columns[0].Codes = []anonymize.Cell{interval("[0-1]", 0), interval(c.label, c.members...)}, []uint32{1}
			}
			f.Count, f.GroupStart = []uint32{3}, []uint32{0, 1}
		}
		_, _, guarantees := s.verify(t, 3, true)
		if got := guarantees[1].Achieved == 1; got != c.same || guarantees[1].Holds != c.same {
			t.Errorf("%s of %v: %+v", c.label, c.members, guarantees[1])
		}
	}
}

// A relation that has another tuple than the group's records, or a cell without a place for one, is not the private side's.
func TestRelationsAreTheRecords(t *testing.T) {
	for _, members := range [][]uint32{{0, 1, 2}, {0, 2}} {
		s := versionsOf(t, [][]int{{0}}, threePatients, threePatients)
		for _, r := range s.releases {
			f := r.Fragments[0]
			f.Columns[0].Cells, f.Columns[0].Codes = []anonymize.Cell{{Label: "[30-32]", Members: members}}, []uint32{0}
			f.Count, f.GroupStart = []uint32{3}, []uint32{0, 1}
		}
		_, _, err := Verify(t.Context(), s.transition(1), nil, true)
		if refused := err != nil && strings.Contains(err.Error(), "does not have the records of its private side"); refused != (len(members) == 2) {
			t.Errorf("%v: %v", members, err)
		}
	}
	s := versionsOf(t, [][]int{{0}}, threePatients, threePatients)
	for _, r := range s.releases { // 30, 31 and 32 are published as 30, 30 and 32
		f := r.Fragments[0]
		f.Columns[0].Cells, f.Columns[0].Codes, f.Count, f.GroupStart = nil, []uint32{0, 2}, []uint32{2, 1}, []uint32{0, 2}
	}
	if _, _, err := Verify(t.Context(), s.transition(1), nil, true); err == nil || !strings.Contains(err.Error(), "relation qi1 of group 0") {
		t.Errorf("the error is %v", err)
	}
}

// The numbering of cells does not matter.
func TestInvarianceOfNumbering(t *testing.T) {
	s := versionsOf(t, [][]int{{0}}, threePatients, threePatients)
	for i, r := range s.releases {
		young, old := anonymize.Cell{Label: "young", Members: []uint32{0, 1}}, anonymize.Cell{Label: "old", Members: []uint32{2}}
		f := r.Fragments[0]
		f.Columns[0].Codes, f.GroupStart = []uint32{0, 1}, []uint32{0, 2}
		f.Columns[0].Cells, f.Count = []anonymize.Cell{young, old}, []uint32{2, 1}
		if i == 1 {
			f.Columns[0].Cells, f.Count = []anonymize.Cell{old, young}, []uint32{1, 2}
		}
	}
	if _, _, guarantees := s.verify(t, 3, true); !guarantees[1].Holds {
		t.Errorf("%+v", guarantees[1])
	}
	// Two cells with the same text.
	f := s.releases[1].Fragments[0]
	f.Columns[0].Cells = append(f.Columns[0].Cells, f.Columns[0].Cells[1])
	f.Columns[0].Codes, f.Count, f.GroupStart = []uint32{0, 1, 2}, []uint32{1, 1, 1}, []uint32{0, 3}
	if _, _, guarantees := s.verify(t, 3, true); !guarantees[1].Holds {
		t.Errorf("%+v", guarantees[1])
	}
	f.Columns[0].Codes, f.GroupStart, f.Count = []uint32{0, 1}, []uint32{0, 2}, []uint32{2, 1}
	if _, _, guarantees := s.verify(t, 3, true); guarantees[1].Holds {
		t.Errorf("%+v", guarantees[1])
	}
}

// grown is a refresh with three new records, one of which waits.
func grown(t *testing.T) *Transition {
	t.Helper()
	return versionsOf(t, [][]int{{0, -1}}, threePatients, threePatients+"\n-  1  40  flu\n5  1  41  acne\n6  -  41  acne").transition(1)
}

func TestRefusedTransitions(t *testing.T) {
	for name, c := range map[string]struct {
		change func(tr *Transition)
		says   string
	}{
		"no private side": {func(tr *Transition) { tr.BeforeLive = nil },
			"a refresh needs two versions and their private sides"},
		"k below 1": {func(tr *Transition) { tr.K = 0 },
			"k is 0, must be at least 1"},
		"a malformed version": {func(tr *Transition) { tr.After.Rows++ },
			"the version after the refresh is malformed"},
		"no origins": {func(tr *Transition) { tr.From = nil },
			"the refresh says of 0 groups where they come from, the version after it has 2"},
		"an unknown origin": {func(tr *Transition) { tr.From = []int{0, 1} },
			"group 1 comes from group 1, the version before has 1 groups"},
		"one origin twice": {func(tr *Transition) { tr.From = []int{0, 0} },
			"two groups come from group 0"},
		"a column too few": {func(tr *Transition) { tr.AfterLive.Columns = tr.AfterLive.Columns[:1] },
			"have 2 and 1 columns"},
		"another name of a column": {func(tr *Transition) { tr.AfterLive.Columns[0].Name = "years" },
			"column years was column age before the refresh"},
		"no kinds": {func(tr *Transition) { tr.AfterLive.Kind = nil },
			"has 6 keys, 6 groups and 0 kinds"},
		"no values": {func(tr *Transition) { tr.AfterLive.Columns[1].Codes = nil },
			"column disease after the refresh has 0 values for 6 records"},
		"a record in another group": {func(tr *Transition) { tr.AfterLive.Group[0] = 1 },
			"after the refresh: the private side is not the release's: the values of group 0"},
		"a record in no group": {func(tr *Transition) { tr.AfterLive.Group[0] = 7 },
			"record 0 is in group 7, the release has 2 groups"},
		"a counterfeit that waits": {func(tr *Transition) { tr.AfterLive.Kind[5] = anonymize.ForgedByDeletion },
			"record 5 is a counterfeit in no group"},
		"a counterfeit too many": {func(tr *Transition) { tr.AfterLive.Kind[0] = anonymize.ForgedByDeletion },
			"5 records with 2 counterfeits are in groups, the release has 5 with 1"},
		"a key twice after": {func(tr *Transition) { tr.AfterLive.Key[1] = 1 },
			"two persons have the key 1"},
		"a key twice before": {func(tr *Transition) { tr.BeforeLive.Key[1] = 1 },
			"two persons have the key 1"},
		"sensitive cells in a mixed fragment": {func(tr *Transition) { tr.After.Fragments[1].Role = anonymize.Mixed },
			"disease is published beside other attributes or generalized"},
		"no sensitive fragment": {func(tr *Transition) { tr.After.Fragments = tr.After.Fragments[:1] },
			"the release does not publish disease"},
		"a fragment that was not there": {func(tr *Transition) { tr.Before.Fragments = tr.Before.Fragments[1:] },
			"the version before has no fragment qi1 of the same columns"},
		"a column that was not there": {func(tr *Transition) { tr.Before.Fragments[0].Columns[0].Name = "years" },
			"fragment qi1 has column age, before it had years"},
	} {
		t.Run(name, func(t *testing.T) {
			tr := grown(t)
			c.change(tr)
			if _, _, err := Verify(context.Background(), tr, nil, true); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %s", err, c.says)
			}
		})
	}
	if _, _, err := Verify(context.Background(), nil, nil, true); err == nil {
		t.Error("no transition is accepted")
	}
}

func TestRefusedHistories(t *testing.T) {
	for name, c := range map[string]struct {
		history History
		says    string
	}{
		"of another version": {History{Rows: 4, Groups: 1},
			"the history ends at a version of 4 records (0 counterfeits) in 1 groups, the version before the refresh has 3 (0) in 1"},
		"a candidate that is no value": {History{Rows: 3, Groups: 1, Followed: []Followed{{Key: 1, Candidates: []uint32{0}}}},
			"the history has candidate 0, beyond its 0 values"},
		"without the true value": {History{Rows: 3, Groups: 1, Values: []anonymize.Value{anonymize.TextValue("gout")}, Narrowed: []Narrowed{{Key: 1, Candidates: []uint32{0}, Least: 3}}},
			"the history excludes the sensitive value of the person with key 1"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := Verify(context.Background(), grown(t), &c.history, true); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %s", err, c.says)
			}
		})
	}
}

func TestCanceled(t *testing.T) {
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Verify(canceled, grown(t), nil, true); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A release cannot make a promise that only a sequence can keep.
func TestReleasesCannotPromiseSequences(t *testing.T) {
	r := grown(t).After
	r.Promises = []anonymize.Promise{{Guarantee: "m_invariance", Bound: anonymize.MustRatio("1")}}
	if _, err := privacy.Verify(r); !errors.As(err, new(*privacy.CannotCheckError)) {
		t.Error(err)
	}
}
