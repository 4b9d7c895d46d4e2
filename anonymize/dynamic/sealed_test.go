package dynamic

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/clustering"
)

type update = func(context.Context, *anonymize.Live, *anonymize.Changed, Options) (*Outcome, error)

var both = map[string]update{"sealed": sealed, "paper": Printed}

// One source gives one outcome, and Sealed modifies neither the Live nor the changes.
func TestDeterminism(t *testing.T) {
	for name, update := range both {
		for _, method := range []string{"drasl", "dpp"} {
			var outcomes []*Outcome
			for range 2 {
				w := newWorld(t, 60, 3, method, 7)
				for range 60 {
					w.step()
				}
				changed := w.changed()
				live, asked := fmt.Sprint(w.live), fmt.Sprint(changed)
				for range 2 {
					w.options.Random = rand.NewPCG(5, 6)
					o, err := update(t.Context(), w.live, changed, w.options)
					if err != nil {
						t.Fatal(err)
					}
					outcomes = append(outcomes, o)
				}
				if fmt.Sprint(w.live) != live || fmt.Sprint(changed) != asked {
					t.Errorf("%s: the update wrote to what it was given", name)
				}
			}
			for _, o := range outcomes[1:] {
				if !reflect.DeepEqual(o, outcomes[0]) {
					t.Errorf("%s, %s: two runs from one source differ", name, method)
				}
			}
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, update := range both {
		w := newWorld(t, 60, 3, "drasl", 7)
		for range 40 {
			w.step()
		}
		if o, err := update(ctx, w.live, w.changed(), w.options); !errors.Is(err, context.Canceled) || o != nil {
			t.Errorf("%s: the outcome is %v, the error %v", name, o, err)
		}
		ctx, cancel := context.WithCancel(t.Context()) // and on the way
		w.options.Progress = func(string, int, int) { cancel() }
		if o, err := update(ctx, w.live, w.changed(), w.options); !errors.Is(err, context.Canceled) || o != nil {
			t.Errorf("%s, on the way: the outcome is %v, the error %v", name, o, err)
		}
	}
}

func TestProgress(t *testing.T) {
	for name, update := range both {
		w := newWorld(t, 60, 3, "drasl", 7)
		for range 40 {
			w.step()
		}
		told := 0
		w.options.Progress = func(phase string, done, total int) {
			if told++; phase == "" || done > total {
				t.Errorf("%s: %s %d of %d", name, phase, done, total)
			}
		}
		if _, err := update(t.Context(), w.live, w.changed(), w.options); err != nil || told == 0 {
			t.Errorf("%s: told %d times, %v", name, told, err)
		}
	}
}

// Errors name the value, the parameter or the column.
func TestErrors(t *testing.T) {
	domains := map[string]*anonymize.Domain{"disease": {Scale: anonymize.Semantic, Taxonomy: anontest.Tree(t, "a: enteritis leukemia", "b: bronchitis anemia")},
		"zipcode": {Scale: anonymize.Ordinal, Order: []anonymize.Value{anonymize.IntegerValue(12), anonymize.IntegerValue(14), anonymize.IntegerValue(18), anonymize.IntegerValue(25)}}}
	for name, c := range map[string]struct {
		changed *anonymize.Changed
		set     func(*Options)
		want    string
	}{
		"sensitive": {changedOf("9 23 14 acne"), func(o *Options) { o.Domains = domains }, "the taxonomy of disease has no leaf for the value acne"},
		"ordinal":   {changedOf("9 23 15 anemia"), func(o *Options) { o.Domains = domains }, "the order of zipcode has no place for the value 15"},
		"number":    {changedOf("9 old 15 anemia"), func(*Options) {}, "column age is numeric in the release, and old is no number"},
		"synonyms": {changedOf("9 23 15 covid"), func(*Options) {},
			"the synonyms of the release are those of the bundled catalogue: the taxonomy of disease has no leaf for the value covid; give disease a taxonomy that has it"},
		"method":    {changedOf(), func(o *Options) { o.Method = clustering.OKA() }, "method is 'oka', must be drasl or dpp, of which the printed updates are"},
		"k":         {changedOf(), func(o *Options) { o.Arguments["k"] = "1" }, "k is 1, must be between 2 and 1073741824"},
		"gamma":     {changedOf(), func(o *Options) { o.Arguments["gamma"] = "x" }, "gamma is 'x', must be a number from 0 to 100, or auto"},
		"parameter": {changedOf(), func(o *Options) { o.Arguments["kk"] = "1" }, "kk is unknown"},
		"random":    {changedOf(), func(o *Options) { o.Random = nil }, "no source of randomness is given"},
		"twice":     {changedOf("9 1 2 acne", "9 1 2 acne"), func(*Options) {}, "the key 9 is among the changed ones twice"},
		"nobody":    {changedOf("1", "2", "3", "4"), func(*Options) {}, "nobody whom the release could publish is left: 0 records wait, and a group needs 2"},
	} {
		o := options("drasl", 2, 1)
		o.Promises = []anonymize.Promise{{Guarantee: "k", Bound: anonymize.NewRatio(2, 1)}}
		c.set(&o)
		live := liveOf(table6)
		if slices.Contains([]string{"method", "k", "gamma", "parameter"}, name) {
			// only for a printed update: a sealed one runs after any kind of release
		} else if _, err := sealed(t.Context(), live, c.changed, o); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, must be %s", name, err, c.want)
		}
		if name == "nobody" {
			continue // "no group is left"
		}
		if _, err := Printed(t.Context(), live, c.changed, o); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s, printed: the error is %v, must be %s", name, err, c.want)
		}
	}
	for name, update := range both {
		if o, err := update(t.Context(), liveOf(table6), &anonymize.Changed{}, options("drasl", 2, 1)); err != nil || o.Release.Rows != 4 {
			t.Errorf("%s of nothing, without columns: %v", name, err)
		}
		if _, err := update(t.Context(), liveOf(table6), &anonymize.Changed{Key: []int64{9}, Row: []int{0}}, options("drasl", 2, 1)); err == nil || err.Error() != "the changed record 9 is row 0 of 0" {
			t.Errorf("%s of a row without columns: %v", name, err)
		}
	}
	changed := changedOf("9 23 15 acne")
	changed.Columns[0].Name = "years"
	if _, err := sealed(t.Context(), liveOf(table6), changed, options("drasl", 2, 1)); err == nil || !strings.Contains(err.Error(), "years") {
		t.Errorf("another column: %v", err)
	}
}

func TestStartErrors(t *testing.T) {
	columns := patientColumns([][]anonymize.Value{
		{anonymize.IntegerValue(1), anonymize.IntegerValue(2), anonymize.TextValue("acne")},
		{anonymize.IntegerValue(1), anonymize.IntegerValue(2), anonymize.TextValue("acne")}})
	in := &anonymize.Input{QuasiIdentifiers: columns[:2], Sensitive: columns[2:], Rows: 2}
	for want, c := range map[string]struct {
		gidOf []uint32
		keys  []int64
	}{
		"two records have the key 7":           {[]uint32{0, 0}, []int64{7, 7}},
		"2 records have 1 gids and 2 keys":     {[]uint32{0}, []int64{7, 8}},
		"record 1 of 2 is in group 4294967295": {[]uint32{0, anonymize.Waiting}, []int64{7, 8}},
	} {
		if _, err := Start(in, c.gidOf, c.keys); err == nil || err.Error() != want {
			t.Errorf("the error is %v, must be %s", err, want)
		}
	}
	in.Sensitive = nil
	if _, err := Start(in, []uint32{0, 0}, []int64{1, 2}); err == nil {
		t.Error("no sensitive attribute is none too few")
	}
}

// Waiting values are not published, not even in a dictionary. A column whose values are all small enough for a list
// keeps its cell labels when a waiting value is too large for one.
func TestWaitingValuesAreSecret(t *testing.T) {
	live := liveOf(table6)
	before, err := sealed(t.Context(), live, changedOf(), options("drasl", 2, 1))
	if err != nil {
		t.Fatal(err)
	}
	o, err := sealed(t.Context(), live, changedOf("9 99999999 77 stroke"), options("drasl", 2, 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range o.Release.Fragments {
		for _, c := range f.Columns {
			for _, v := range c.Dictionary {
				if s := v.String(); s == "99999999" || s == "77" || s == "stroke" {
					t.Errorf("%s of %s is published and waits", v, c.Name)
				}
			}
		}
	}
	if o.Waiting != 1 || printedTable(o) != printedTable(before) {
		t.Errorf("%d wait; the release is%s", o.Waiting, printedTable(o))
	}
	o, err = sealed(t.Context(), o.Live, changedOf("10 77777777 70 malaria"), options("drasl", 2, 1))
	if err != nil {
		t.Fatal(err)
	}
	if text := printedTable(o); o.Waiting != 0 || !strings.Contains(text, "[21-22]  [12-14]  leukemia") ||
		!strings.Contains(text, "[26-28]  [18-25]  anemia") || !strings.Contains(text, "N  [77777777-99999999]  [70-77]  stroke") {
		t.Errorf("%d wait; the release is%s", o.Waiting, text)
	}
}

// A record that was published under a key 0 is a person like any other: counterfeits
// are told by their kind.
func TestKeyZero(t *testing.T) {
	live := liveOf(table6 + "\n1  22  13  acne  counterfeit")
	live.Key[1] = 0
	o, err := sealed(t.Context(), live, changedOf("0"), options("drasl", 2, 1))
	if err != nil {
		t.Fatal(err)
	}
	if o.Deleted != 1 || o.Release.Forged != 2 || o.Release.Rows != 5 {
		t.Errorf("%d deleted, %d of %d forged", o.Deleted, o.Release.Forged, o.Release.Rows)
	}
}

// With links=none a batch that has too many synonyms keeps some waiting, as few as
// can be: 3 of 7 records have a disease of the blood, and 2 groups of 3 take 2.
func TestUnlinkedBatch(t *testing.T) {
	o := options("drasl", 3, 1)
	o.Arguments["links"] = "none"
	live := liveOf("1 21 12 enteritis\n1 22 14 leukemia\n1 23 13 acne")
	out, err := sealed(t.Context(), live, changedOf("11 30 20 anemia", "12 31 21 leukemia", "13 32 22 lymphoma", "14 33 23 acne", "15 34 24 GERD", "16 35 25 stroke", "17 36 26 COPD"), o)
	if err != nil {
		t.Fatal(err)
	}
	if out.Waiting != 1 || out.Release.Groups() != 3 {
		t.Errorf("%d wait, %d groups", out.Waiting, out.Release.Groups())
	}
	checkUnlinked(t, out)
	if _, err := Printed(t.Context(), live, changedOf("11 30 20 anemia"), o); err == nil || !strings.Contains(err.Error(), "links is 'none'") {
		t.Errorf("printed: %v", err)
	}
	// Random batches, many of which fit no group as they are.
	random := rand.New(rand.NewPCG(3, 4))
	for run := range 300 {
		k := 2 + random.IntN(4)
		o := options("drasl", k, uint64(run))
		o.Arguments["links"] = "none"
		var lines []string
		for key := range random.IntN(40) {
			leaf := clustering.Diseases().Leaves()[min(random.IntN(32), random.IntN(32), random.IntN(32))]
			lines = append(lines, fmt.Sprint(key+10, " ", random.IntN(90), " ", random.IntN(90), " ", strings.Fields(leaf.String())[0]))
		}
		// Diseases of two words lose one: a taxonomy of the first words.
		o.Domains = map[string]*anonymize.Domain{"disease": {Scale: anonymize.Semantic, Taxonomy: firstWords(t)}}
		out, err := sealed(t.Context(), liveOf("1 21 12 enteritis\n1 22 14 leukemia\n1 23 13 acne"), changedOf(lines...), o)
		if err != nil {
			t.Fatalf("run %d, k = %d: %v", run, k, err)
		}
		checkUnlinked(t, out)
		if out.Waiting > len(lines)-out.Release.Rows+3 {
			t.Errorf("run %d: %d wait", run, out.Waiting)
		}
	}
}

// firstWords is the bundled catalogue with one word for every disease.
func firstWords(t *testing.T) *anonymize.Taxonomy {
	var edges []anonymize.Edge
	diseases := clustering.Diseases()
	for node := range diseases.Nodes() {
		if p := diseases.Parent(node); p == 0 {
			edges = append(edges, anonymize.Edge{Node: "class " + diseases.Label(node), Parent: "*"})
		} else if p > 0 {
			edges = append(edges, anonymize.Edge{Node: strings.Fields(diseases.Label(node))[0], Parent: "class " + diseases.Label(p)})
		}
	}
	taxonomy, err := anonymize.TaxonomyOfEdges(edges, func(text string) (anonymize.Value, error) { return anonymize.TextValue(text), nil })
	if err != nil {
		t.Fatal(err)
	}
	return taxonomy
}

// checkUnlinked checks that no group has two diseases of one class.
func checkUnlinked(t *testing.T, o *Outcome) {
	t.Helper()
	diseases := firstWords(t)
	seen := map[string]bool{}
	for i, g := range o.Live.Group {
		if g == anonymize.Waiting {
			continue
		}
		leaf := diseases.Leaf(anonymize.TextValue(strings.Fields(o.Live.Columns[2].Value(i).String())[0]))
		key := fmt.Sprint(g, " ", diseases.Parent(leaf))
		if seen[key] {
			t.Errorf("group %d has two diseases of %s", g, diseases.Label(diseases.Parent(leaf)))
		}
		seen[key] = true
	}
}
