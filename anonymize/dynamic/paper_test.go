package dynamic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/clustering"
)

// The examples of Yan et al., as printed; of zip codes, the two digits that the paper
// leaves.

const table6 = `
1  21  12  enteritis
1  22  14  leukemia
2  26  18  bronchitis
2  28  25  anemia`

const table7 = `
1  [21-23]  [12-15]  bronchitis
1  [21-23]  [12-15]  enteritis
1  [21-23]  [12-15]  leukemia
1  [21-23]  [12-15]  pneumonia
2  [26-28]  [18-25]  anemia
2  [26-28]  [18-25]  bronchitis`

const table8 = `
1  [21-23]  [12-15]  acne
1  [21-23]  [12-15]  bronchitis
1  [21-23]  [12-15]  enteritis
1  [21-23]  [12-15]  leukemia
2  [26-28]  [18-25]  anemia
2  [26-28]  [18-25]  bronchitis`

// liveOf reads lines of gid, age, zip code and disease; the gids from 1, the keys
// by line from 1, "counterfeit" where a disease is not a person's.
func liveOf(text string) *anonymize.Live {
	live := &anonymize.Live{}
	var rows [][]anonymize.Value
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		f := strings.Fields(line)
		key, kind := int64(i+1), anonymize.Person
		if len(f) > 4 && f[4] == "counterfeit" {
			key, kind = 0, anonymize.ForgedByInsertion
		}
		group := anonymize.Waiting
		if f[0] != "-" {
			group = uint32(anontest.Value(f[0]).Int) - 1
		}
		live.Group = append(live.Group, group)
		live.Key, live.Kind = append(live.Key, key), append(live.Kind, kind)
		rows = append(rows, []anonymize.Value{anontest.Value(f[1]), anontest.Value(f[2]), anonymize.TextValue(f[3])})
	}
	live.Columns = patientColumns(rows)
	return live
}

func patientColumns(rows [][]anonymize.Value) []*anonymize.Column {
	var columns []*anonymize.Column
	for i, name := range []string{"age", "zipcode", "disease"} {
		values := make([]anonymize.Value, len(rows))
		for r := range rows {
			values[r] = rows[r][i]
		}
		columns = append(columns, anonymize.NewColumn(name, "", values))
	}
	return columns
}

// changedOf reads "key age zip disease", or "key" alone for a deletion.
func changedOf(lines ...string) *anonymize.Changed {
	c := &anonymize.Changed{}
	var rows [][]anonymize.Value
	for _, line := range lines {
		f := strings.Fields(line)
		c.Key = append(c.Key, anontest.Value(f[0]).Int)
		if len(f) == 1 {
			c.Row = append(c.Row, -1)
			continue
		}
		c.Row = append(c.Row, len(rows))
		rows = append(rows, []anonymize.Value{anontest.Value(f[1]), anontest.Value(f[2]), anonymize.TextValue(f[3])})
	}
	c.Columns = patientColumns(rows)
	return c
}

func options(method string, k int, seed uint64) Options {
	return Options{Method: methodOf(method), Arguments: anonymize.Arguments{"k": fmt.Sprint(k)}, Random: rand.NewPCG(seed, 1)}
}

// printedTable lays a release out as the paper does, with the gids of before,
// from 1; new groups are N.
func printedTable(o *Outcome) string {
	var lines []string
	qi, sa := o.Release.Fragments[0], o.Release.Fragments[1]
	for g, from := range o.From {
		cells := fmt.Sprint(from + 1)
		if from < 0 {
			cells = "N"
		}
		for _, c := range qi.Columns {
			cells += "  " + c.Cells[c.Codes[qi.GroupStart[g]]].Label
		}
		for t := sa.GroupStart[g]; t < sa.GroupStart[g+1]; t++ {
			for range sa.Count[t] {
				lines = append(lines, cells+"  "+sa.Columns[0].Dictionary[sa.Columns[0].Codes[t]].String())
			}
		}
	}
	slices.Sort(lines)
	return "\n" + strings.Join(lines, "\n")
}

// Examples 4 and 5: the new record joins group 1. DPP's counterfeit may have a synonym of its value (Table 7).
// Algorithm 3's may not (Table 8): it has any of the other 28 diseases.
func TestExamples4And5(t *testing.T) {
	seen := map[string]map[string]bool{"dpp": {}, "drasl": {}}
	values := map[string]map[string]bool{"dpp": {}, "drasl": {}}
	for seed := range uint64(400) {
		for method := range seen {
			o, err := Printed(t.Context(), liveOf(table6), changedOf("9 23 15 bronchitis"), options(method, 2, seed))
			if err != nil {
				t.Fatal(err)
			}
			if o.Forged != [4]int{0, 1, 0, 0} || o.Inserted != 1 {
				t.Fatalf("%s: counterfeits are %v", method, o.Forged)
			}
			seen[method][printedTable(o)] = true
			last := o.Live.Records() - 1
			values[method][o.Live.Columns[2].Value(last).String()] = true
		}
	}
	if !seen["dpp"][table7] || seen["drasl"][table7] {
		t.Error("Table 7 is not DPP's, or DRASL's")
	}
	if !seen["dpp"][table8] || !seen["drasl"][table8] {
		t.Error("Table 8 does not come out")
	}
	if len(values["dpp"]) != 31 || values["dpp"]["bronchitis"] {
		t.Errorf("DPP forges %d diseases: %v", len(values["dpp"]), values["dpp"])
	}
	if len(values["drasl"]) != 28 || values["drasl"]["pneumonia"] || values["drasl"]["COPD"] {
		t.Errorf("DRASL forges %d diseases: %v", len(values["drasl"]), values["drasl"])
	}
}

// Situation 2 of Section 5.2, Algorithm 3, lines 3-4: a group's counterfeit gets a new value, and the group gets no
// second counterfeit.
func TestSituation2(t *testing.T) {
	values := map[string]bool{}
	for seed := range uint64(50) {
		o, err := Printed(t.Context(), liveOf(table6+"\n1  22  13  acne  counterfeit"), changedOf("9 23 15 bronchitis"), options("drasl", 2, seed))
		if err != nil {
			t.Fatal(err)
		}
		if o.Release.Forged != 1 || o.Release.Rows != 6 {
			t.Fatalf("%d of %d records are forged", o.Release.Forged, o.Release.Rows)
		}
		for i, kind := range o.Live.Kind {
			if kind != anonymize.Person {
				values[o.Live.Columns[2].Value(i).String()] = true
			}
		}
	}
	if len(values) < 10 {
		t.Errorf("the values that are drawn are %v", values)
	}
}

// Algorithm 4: if K records are left, a group stays and gets a counterfeit with a value other than the deleted one.
// If fewer are left, the others go to other groups, each of which gets a counterfeit.
func TestAlgorithm4(t *testing.T) {
	live := liveOf(table6 + "\n1  23  13  acne")
	for seed := range uint64(50) {
		o, err := Printed(t.Context(), live, changedOf("2"), options("drasl", 2, seed))
		if err != nil {
			t.Fatal(err)
		}
		if o.Release.Groups() != 2 || o.Deleted != 1 || o.Forged != [4]int{0, 0, 1, 0} {
			t.Fatalf("%d groups, counterfeits %v", o.Release.Groups(), o.Forged)
		}
		if v := o.Live.Columns[2].Value(o.Live.Records() - 1).String(); slices.Contains([]string{"leukemia", "anemia", "lymphoma", "myeloma"}, v) {
			t.Fatalf("the counterfeit has %s, a synonym of leukemia", v)
		}
		o, err = Printed(t.Context(), live, changedOf("4"), options("drasl", 2, seed))
		if err != nil {
			t.Fatal(err)
		}
		if o.Release.Groups() != 1 || o.Release.Rows != 5 || o.From[0] != 0 || o.Release.Forged != 1 {
			t.Fatalf("dissolved: %s", printedTable(o))
		}
	}
}

// Algorithm 5: if only the sensitive value changes, it changes in place; a record with new quasi-identifiers moves to
// a fitting group.
func TestAlgorithm5(t *testing.T) {
	live := liveOf(table6 + "\n1  23  13  acne\n2  27  20  stroke")
	o, err := Printed(t.Context(), live, changedOf("2 22 14 malaria"), options("drasl", 2, 1))
	if err != nil {
		t.Fatal(err)
	}
	if o.Modified != 1 || o.Forged != [4]int{0, 0, 0, 1} || !strings.Contains(printedTable(o), "1  [21-23]  [12-14]  malaria") || strings.Contains(printedTable(o), "leukemia") {
		t.Errorf("in place: %v%s", o.Forged, printedTable(o))
	}
	if o, err = Printed(t.Context(), live, changedOf("2 28 24 leukemia"), options("drasl", 2, 1)); err != nil {
		t.Fatal(err)
	}
	if o.Modified != 1 || o.Forged != [4]int{0, 0, 0, 2} || !strings.Contains(printedTable(o), "2  [26-28]  [18-25]  leukemia") {
		t.Errorf("moved: %v%s", o.Forged, printedTable(o))
	}
}

// Who waits since a sealed update is inserted, as she was or as she is now.
func TestPrintedAfterSealed(t *testing.T) {
	live := liveOf(table6 + "\n-  27  20  acne\n-  22  13  stroke")
	o, err := Printed(t.Context(), live, changedOf("6 22 13 malaria"), options("drasl", 2, 1))
	if err != nil {
		t.Fatal(err)
	}
	text := printedTable(o)
	if o.Waiting != 0 || o.Modified != 1 || o.Inserted != 0 || !strings.Contains(text, "acne") || !strings.Contains(text, "malaria") {
		t.Errorf("%d wait, %d modified%s", o.Waiting, o.Modified, text)
	}
	if o.Forged[anonymize.ForgedByInsertion]+o.Forged[anonymize.ForgedByModification] != o.Release.Forged {
		t.Errorf("counterfeits are %v", o.Forged)
	}
}

// A group at hand is scored as the definitions have it, slowly.
func TestWorthIsTheMetric(t *testing.T) {
	live := liveOf(table6 + "\n1  23  13  acne\n2  27  20  stroke\n2  25  21  anemia\n-  24  16  anemia")
	for _, method := range []string{"drasl", "dpp"} {
		m, err := readMetric(options(method, 2, 1))
		if err != nil {
			t.Fatal(err)
		}
		s, err := begin(live, changedOf(), options(method, 2, 1), 2, leaves(live, Options{}))
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.print(live, m)
		if err != nil {
			t.Fatal(err)
		}
		r := live.Records() - 1
		for i, g := range p.gid {
			var values, rows []uint32
			for _, m := range g.members {
				values, rows = append(values, p.records[m].value), append(rows, p.records[m].row)
			}
			distance := p.space.Distance(p.space.Centroid(rows), p.space.Coordinates(uint32(r)))
			joins := p.weights.Metric(p.catalogue, values, p.records[r].value, distance)
			// Algorithm 2: the gain of {r}, whose entropy is 0.
			union := joins + p.weights.Alpha*clustering.Entropy(values)
			if got := g.gainOf(p, r, false); math.Abs(got-joins) > 1e-12 {
				t.Errorf("%s, group %d: worth %v, the metric is %v", method, i, got, joins)
			}
			if got := g.gainOf(p, r, true); math.Abs(got-union) > 1e-12 {
				t.Errorf("%s, group %d: worth to {r} is %v, must be %v", method, i, got, union)
			}
			// Joining and leaving again leaves no trace.
			before := g.gainOf(p, r, false)
			g.add(p, r)
			g.remove(p, r)
			if after := g.gainOf(p, r, false); math.Abs(after-before) > 1e-12 || g.links < 0 {
				t.Errorf("%s, group %d: worth was %v and is %v", method, i, before, after)
			}
		}
	}
}
