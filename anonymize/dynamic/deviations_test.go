package dynamic

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/slppa"
)

// printerOf is an update at work.
func printerOf(t *testing.T, live *anonymize.Live, method string, k int, lines ...string) *printer {
	t.Helper()
	m, err := readMetric(options(method, k, 1))
	if err != nil {
		t.Fatal(err)
	}
	s, err := begin(live, changedOf(lines...), options(method, k, 1), k, leaves(live, Options{}))
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.print(live, m)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// 100. Algorithm 2, lines 1 and 4: H has the insertions of one update. With a release for every insertion it never
// has K records, so no group is ever new.
func TestDeviation100_TheCacheIsOfOneUpdate(t *testing.T) {
	live := liveOf(table6)
	for i := range 6 {
		o, err := Printed(t.Context(), live, changedOf(strings.Fields("11 12 13 14 15 16")[i]+" 60 90 "+strings.Fields("acne malaria stroke GERD COPD rosacea")[i]), options("drasl", 2, 1))
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(o.From, -1) {
			t.Fatalf("insertion %d makes a new group", i)
		}
		live = o.Live
	}
	p := printerOf(t, liveOf(table6), "drasl", 2)
	if len(p.cache) > 0 {
		t.Errorf("the cache begins with %v", p.cache)
	}
}

// 101. Algorithm 2, lines 13-16, leave groups of fewer than K records, and leave r out if the best group in H is not
// its own. Ours puts r into the group, and dissolves what is left of the others by Algorithm 4.
func TestDeviation101_GroupsThatLoseRecordsAreRepaired(t *testing.T) {
	p := printerOf(t, liveOf(table6+"\n3  40  40  acne\n3  42  41  stroke\n-  27  21  malaria"), "drasl", 2)
	p.kind = anonymize.ForgedByInsertion
	if err := p.exchange([]int{1, 3}, 6); err != nil { // one of group 1 and one of group 2
		t.Fatal(err)
	}
	if got := p.gid[3].persons(p); !slices.Contains(got, 1) || !slices.Contains(got, 3) || !slices.Contains(got, 6) {
		t.Errorf("the new group has %v", got)
	}
	if n := len(p.gid[3].members) - len(p.gid[3].persons(p)); n != 1 {
		t.Errorf("the new group has %d counterfeits", n)
	}
	for g := range p.gid {
		if p.gid[g] != nil && p.isTooSmall(uint32(g)) {
			t.Errorf("group %d has %v", g, p.gid[g].members)
		}
	}
	for _, r := range p.recordsWhere(func(r *record) bool { return r.kind == anonymize.Person && !r.published() }) {
		t.Errorf("record %d is in no group", r)
	}
}

// 102. Algorithm 4, lines 8-18, move counterfeits as if they were persons, and give
// the group where they come a counterfeit to protect them. Here they are dropped.
func TestDeviation102_CounterfeitsOfADissolvedGroupAreDropped(t *testing.T) {
	o, err := Printed(t.Context(), liveOf(table6+"\n2  27  20  acne  counterfeit"), changedOf("3", "4 28 25 anemia"), options("drasl", 3, 1))
	if err != nil {
		t.Fatal(err)
	}
	if o.Release.Rows != 4 || o.Release.Forged != 1 || o.Unchanged != 1 {
		t.Errorf("%d of %d records are counterfeits, must be 1 of 4%s", o.Release.Forged, o.Release.Rows, printedTable(o))
	}
}

// 103. Algorithm 3 has no value to draw if all are synonyms. Ours then takes any different value, or if there is only
// one value, that one.
func TestDeviation103_NothingToForge(t *testing.T) {
	for _, values := range []string{"low high", "low"} {
		leaf := strings.Fields(values)
		live := liveOf("1 21 12 low\n1 22 14 low\n1 23 14 low")
		o := options("drasl", 2, 1)
		o.Domains = map[string]*anonymize.Domain{"disease": {Scale: anonymize.Semantic, Taxonomy: anontest.Tree(t, "pressure: "+values)}}
		out, err := Printed(t.Context(), live, changedOf("3"), o)
		if err != nil {
			t.Fatal(err)
		}
		if v := out.Live.Columns[2].Value(2).String(); v != leaf[len(leaf)-1] {
			t.Errorf("of %s, the counterfeit has %s", values, v)
		}
	}
}

// 104. Algorithm 5's two cases exclude each other: a record with new
// quasi-identifiers and a new value is in neither, and would stay as it was. Here it
// is deleted and inserted. Its inner "while" is "if": r stays changed for ever.
func TestDeviation104_BothChange(t *testing.T) {
	live := liveOf(table6 + "\n1  23  13  acne\n2  27  20  stroke")
	o, err := Printed(t.Context(), live, changedOf("2 28 24 malaria"), options("drasl", 2, 1))
	if err != nil {
		t.Fatal(err)
	}
	if text := printedTable(o); !strings.Contains(text, "2  [26-28]  [18-25]  malaria") || strings.Contains(text, "leukemia") {
		t.Errorf("the record is not what it is now%s", text)
	}
}

// 105. Algorithm 4 removes the last group and has none for its records. Here that is
// an error, and the release stays.
func TestDeviation105_NoGroupIsLeft(t *testing.T) {
	_, err := Printed(t.Context(), liveOf("1  21  12  enteritis\n1  22  14  leukemia"), changedOf("1"), options("drasl", 2, 1))
	if data := (*anonymize.DataError)(nil); !errors.As(err, &data) || err.Error() != "no group of 2 records is left for 1 persons" {
		t.Errorf("the error is %v", err)
	}
}

// 106. A counterfeit's value "must differ" from the deleted person's, and is drawn anew: comparing two versions shows
// which value left. Sealed updates leave the same value, so a comparison shows nothing. TestPrintedUpdatesDisclose
// has the shares on Adult.
func TestDeviation106_CounterfeitsKeepTheValue(t *testing.T) {
	live := liveOf(table6 + "\n1  23  13  acne")
	before, err := sealed(t.Context(), live, changedOf(), options("drasl", 2, 1))
	if err != nil {
		t.Fatal(err)
	}
	gone := 0
	for seed := range uint64(20) {
		sealed, err := sealed(t.Context(), live, changedOf("2"), options("drasl", 2, seed))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := printedTable(sealed), printedTable(before); got != want {
			t.Fatalf("the sealed release is%s, was%s", got, want)
		}
		printed, err := Printed(t.Context(), live, changedOf("2"), options("drasl", 2, seed))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(printedTable(printed), "leukemia") {
			gone++
		}
	}
	if gone != 20 {
		t.Errorf("the printed release shows that leukemia went in %d of 20 runs", gone)
	}
}

// 163. A refresh of a static method is the method over the waiting records: it makes the groups that a release of these records alone would
// have, and the relations stay those of the first version.
func TestDeviation163_NewGroupsStandBesideTheOld(t *testing.T) {
	records := func(ages ...int64) []*anonymize.Column {
		var all [4][]anonymize.Value
		for _, age := range ages {
			all[0], all[1] = append(all[0], anonymize.IntegerValue(age)), append(all[1], anonymize.IntegerValue(age%7))
			all[2], all[3] = append(all[2], anonymize.IntegerValue(age%5)), append(all[3], anonymize.IntegerValue(age%4))
		}
		var columns []*anonymize.Column
		for i, name := range []string{"age", "zip", "floor", "disease"} {
			columns = append(columns, anonymize.NewColumn(name, "INT", all[i]))
		}
		return columns
	}
	first, fresh := records(20, 21, 22, 23, 24, 25, 26, 27), records(40, 41, 42, 43)
	o := Options{Method: slppa.Method(), Arguments: anonymize.Arguments{"beta": "0.25", "tables": "2"}, Random: rand.NewPCG(1, 2)}
	in := &anonymize.Input{QuasiIdentifiers: first[:3], Sensitive: first[3:], Rows: 8, Random: o.Random}
	var live *anonymize.Live
	in.Assigned = func(gidOf []uint32) { live, _ = Start(in, gidOf, []int64{1, 2, 3, 4, 5, 6, 7, 8}) }
	var err error
	if o.Before, err = o.Method.Run(t.Context(), in, o.Arguments); err != nil {
		t.Fatal(err)
	}
	o.Promises = o.Before.Promises
	out, err := Sealed(t.Context(), live, &anonymize.Changed{Key: []int64{9, 10, 11, 12}, Row: []int{0, 1, 2, 3}, Columns: fresh}, o)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := o.Method.Run(t.Context(), &anonymize.Input{QuasiIdentifiers: fresh[:3], Sensitive: fresh[3:], Rows: 4, Random: o.Random, Layout: o.Before.Layout()}, o.Arguments)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := published(out.New), published(alone); !slices.Equal(got, want) {
		t.Errorf("the new groups are %q, alone they are %q", got, want)
	}
	old, now := published(o.Before), published(out.Release)
	for g, from := range out.From {
		if from >= 0 && now[g] != old[from] {
			t.Errorf("group %d was %s and is %s", g, old[from], now[g])
		}
	}
	if !reflect.DeepEqual(out.Release.Layout(), o.Before.Layout()) || len(out.Release.Layout()) != 2 {
		t.Errorf("the relations are %v, they were %v", out.Release.Layout(), o.Before.Layout())
	}
}
