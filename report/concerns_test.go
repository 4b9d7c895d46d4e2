package report

import (
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// TestConcerns: what is bad is said with the number of records, severe where somebody can know it for sure, and what is not bad is not.
func TestConcerns(t *testing.T) {
	bad := Risk{Attribute: "disease", Points: []RiskPoint{{.2, .9}, {1, .1}}, Records: 1000, Unit: "records"}
	entries := Risk{Points: []RiskPoint{{.25, .99}, {.5, .01}}, Records: 1000, Unit: "records"}
	good := Risk{Attribute: "disease", Points: []RiskPoint{{.2, 1}}, Records: 1000, Unit: "records"}
	attack := func(name string, x anonymize.AttackFigure) anonymize.Guarantee {
		x.Attribute = "disease"
		return anonymize.Guarantee{Name: name, Attack: &x}
	}
	promise := func(name string, required uint64) anonymize.Guarantee {
		bound := anonymize.NewRatio(required, 1)
		return anonymize.Guarantee{Name: name, Required: &bound, Holds: true}
	}
	learned := attack("learned", anonymize.AttackFigure{Records: 1000, Own90: .062, Above90: .07, Above90Right: .9})
	weaker := attack("definetti", anonymize.AttackFigure{Records: 1000, Own90: .01, Above90: .02, Above90Right: .5})
	unsure := attack("definetti", anonymize.AttackFigure{Records: 1000, Own90: .06, Above90: .3, Above90Right: .2})
	rank := attack("rank", anonymize.AttackFigure{Records: 500, Above90: .125, Above90Right: 1})
	unique := attack("rank_unique", anonymize.AttackFigure{Records: 132, Own90: .1, Above90: .117, Above90Right: .883})
	floor := attack("floor", anonymize.AttackFigure{Records: 1000, Own90: .0615, Above90: .07, Above90Right: .9})
	const (
		byReader  = "a reader who completes the release by all that it tells names the actual disease of 62 of 1,000 records with a probability above 90 percent, and is right in 90\u00a0% of the cases where it is so sure"
		byInsider = "somebody who knows the sensitive values of half of the people and who is near whom names the actual disease of 125 of 1,000 records with a probability above 90 percent"
	)
	for name, c := range map[string]struct {
		risks      []Risk
		guarantees []anonymize.Guarantee
		facts      []anonymize.Fact
		measured   []Evaluation
		want       []string // severe ones begin with "!"
	}{
		"nothing":          {[]Risk{good, {Points: []RiskPoint{{.25, 1}}, Records: 1000, Unit: "records"}}, []anonymize.Guarantee{promise("l", 5), unsure}, nil, []Evaluation{{Aggregate: "COUNT(*)", Queries: 500, Low: 1, High: 3, Median: .5}}, nil},
		"nothing promised": {nil, []anonymize.Guarantee{promise("alpha", 1), promise("k", 1)}, nil, nil, []string{"!nothing was promised for this release: what it hides is what it happens to hide"}},
		"read": {[]Risk{bad, entries}, []anonymize.Guarantee{promise("l", 5)}, []anonymize.Fact{{Name: "warning", Value: "so."}, {Name: "groups", Value: "3"}}, nil, []string{
			"!whoever knows the quasi-identifiers of 100 of 1,000 records reads their disease off the relations, since one value is left for each of them",
			"!the quasi-identifiers of 10 of 1,000 records lead to one published entry or two",
			"so"}},
		"of little use": {nil, []anonymize.Guarantee{promise("l", 5), rank}, nil, []Evaluation{{Aggregate: "COUNT(*)", Queries: 520, Answered: 500, Low: 1, High: 3, Median: .92}, {Median: .1}}, []string{
			"!answers are of little use: of 500 random questions with an answer (COUNT(*) on 1 to 3 quasi-identifiers) half were wrong by 92\u00a0% or more", "!" + byInsider}},
		"attacked": {nil, []anonymize.Guarantee{promise("l", 5), weaker, learned, rank, unique}, nil, nil, []string{"!" + byReader,
			"!" + byInsider + "; among them are 13 of the 132 attacked records that are unique by their quasi-identifiers"}},
		"not beyond statistics": {nil, []anonymize.Guarantee{promise("l", 5), learned, floor}, nil, nil, []string{
			"statistics of the table alone, without a release, name the actual disease of 62 of 1,000 records almost surely, since it follows from their quasi-identifiers: no release changes that",
			byReader + "; beyond what statistics alone name, that is less than 1 in 1,000 records, or fewer than five"}},
	} {
		var got []string
		for _, concern := range concerns(&anonymize.Release{Rows: 1000}, c.risks, c.guarantees, c.facts, c.measured) {
			mark := ""
			if concern.Severe {
				mark = "!"
			}
			got = append(got, mark+concern.Text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q\nwant %q", name, got, c.want)
		}
	}
}

// TestUnique: records that nobody shares quasi-identifiers with are severe from 1 in 1,000 on, where these are published as they are.
func TestUnique(t *testing.T) {
	for _, c := range []struct {
		unique int
		severe bool
	}{{0, false}, {1, false}, {2, true}} {
		bound := anonymize.NewRatio(5, 1)
		r := oneColumn(c.unique, 2000)
		found := concerns(r, nil, []anonymize.Guarantee{{Name: "l", Required: &bound, Holds: true}}, nil, nil)
		if severe := len(found) == 1 && found[0].Severe; severe != c.severe || len(found) > 1 {
			t.Errorf("%d of 2,000: %v", c.unique, found)
		}
	}
}

// oneColumn is a group in which some records have a value of their own, and all others one together.
func oneColumn(unique, rows int) *anonymize.Release {
	column := &anonymize.FragmentColumn{Name: "age"}
	f := &anonymize.Fragment{Name: "qi1", Role: anonymize.QuasiIdentifying, Columns: []*anonymize.FragmentColumn{column}}
	for code := range unique + 1 {
		column.Dictionary = append(column.Dictionary, anonymize.IntegerValue(int64(code)))
		column.Codes = append(column.Codes, uint32(code))
		f.Count = append(f.Count, 1)
	}
	f.Count[unique] = uint32(rows - unique)
	f.GroupStart = []uint32{0, uint32(unique + 1)}
	return &anonymize.Release{Rows: rows, GroupSizes: []uint32{uint32(rows)}, Fragments: []*anonymize.Fragment{f}}
}

// TestRemedyIsAnother: who has large groups with a model already is told of something else.
func TestRemedyIsAnother(t *testing.T) {
	bound := anonymize.NewRatio(50, 1)
	read := anonymize.Guarantee{Name: "learned", Attack: &anonymize.AttackFigure{Attribute: "disease", Records: 1000, Own90: .5, Above90: .5, Above90Right: 1}}
	large := anonymize.Guarantee{Name: "size", Required: &bound, Holds: true}
	model := anonymize.Guarantee{Name: "least_cell", Required: &bound, Holds: true}
	for want, guarantees := range map[string][]anonymize.Guarantee{
		"Large groups with a model (anatomy, size=50, model=counts) tell a reader less": {read, large},
		"Fewer or coarser quasi-identifiers tell a reader less":                         {read, large, model},
	} {
		if found := OfAttacks(Situation{Rows: 1000, Sensitive: 1}, guarantees); len(found) != 1 || found[0].Remedy != want {
			t.Errorf("%v, want the remedy %q", found, want)
		}
	}
}

// What is public of a sensitive value: beside which quasi-identifiers it stands, or which set has it.
func TestPublicValues(t *testing.T) {
	column := func(name string, cells ...anonymize.Cell) *anonymize.FragmentColumn {
		return &anonymize.FragmentColumn{Name: name, Cells: cells}
	}
	set := anonymize.Cell{Label: "{cold, flu}"}
	sets := "with each record, or each group of them, a set of values, one of which is its own"
	for _, c := range []struct {
		role    anonymize.FragmentRole
		columns []*anonymize.FragmentColumn
		want    string
	}{
		{anonymize.Sensitive, []*anonymize.FragmentColumn{column("disease")}, "how many records of each group have which value, not whose it is"},
		{anonymize.Mixed, []*anonymize.FragmentColumn{column("age"), column("town"), column("disease")},
			"how many records of each group have which value, each value beside the age, town of its record"},
		{anonymize.Sensitive, []*anonymize.FragmentColumn{column("disease", set)}, sets},
	} {
		r := &anonymize.Release{Fragments: []*anonymize.Fragment{{Name: "qi1", Role: anonymize.QuasiIdentifying}, {Name: "sa", Role: c.role, Columns: c.columns}}}
		v := &view{Subject: &Subject{Release: r, Sensitive: []string{"disease"}}}
		if got := v.publicSentences(); !slices.Contains(got, "disease: "+c.want) {
			t.Errorf("%s of %d columns: %q, want %q", c.role, len(c.columns), got, c.want)
		}
	}
}

// TestRemedyCanBeFollowed: no remedy is one that the release has, or that anonymize would refuse for it.
func TestRemedyCanBeFollowed(t *testing.T) {
	bound := anonymize.NewRatio(5, 1)
	diverse := []anonymize.Guarantee{{Name: "l", Required: &bound, Holds: true}}
	const ask = "Ask for diversity (l, beta or breach, as the method has them)"
	for _, c := range []struct {
		share      float64
		guarantees []anonymize.Guarantee
		want       string
	}{
		{.3, nil, ask}, {.3, diverse, ""}, {.96, diverse, ""}, // negative is no secret
		{.6, nil, "60\u00a0% of the records have one value, so that no group can hold it to a half: larger groups (size= or k=) help, or not_sensitive= if that value is no secret"},
		{.96, nil, "96\u00a0% of the records have one value, which no group can hide: if it is no secret, take a method with l or beta, and name it in not_sensitive="},
	} {
		if got := (Situation{Share: map[string]float64{"result": c.share}}).diversity("result", c.guarantees); got != c.want {
			t.Errorf("%v: %q, want %q", c.share, got, c.want)
		}
	}
	const coarser, modeled = "Fewer or coarser quasi-identifiers tell a reader less", "Large groups with a model (anatomy, size=50, model=counts) tell a reader less"
	for want, situations := range map[string][]Situation{
		modeled: {{Sensitive: 1}},
		coarser: {{Sensitive: 1, Model: true}, {Sensitive: 2}, {Sensitive: 1, Share: map[string]float64{"result": .96}}},
	} {
		for _, s := range situations {
			if got := s.againstReaders("result", false); got != want {
				t.Errorf("%+v: %q, want %q", s, got, want)
			}
		}
	}
}

// TestBetterAnswers: a release is told of a model and of smaller groups where it has none, and can have them.
func TestBetterAnswers(t *testing.T) {
	secret := &anonymize.FragmentColumn{Name: "result", Codes: []uint32{0, 1, 0}}
	age := &anonymize.FragmentColumn{Name: "age", Codes: []uint32{0}}
	release := func(size uint32, model *anonymize.Model, secrets int) *anonymize.Release {
		f := &anonymize.Fragment{Role: anonymize.Sensitive, Count: []uint32{size - 3, 2, 1}}
		for range secrets {
			f.Columns = append(f.Columns, secret)
		}
		return &anonymize.Release{Rows: int(size), GroupSizes: []uint32{size}, Model: model, Fragments: []*anonymize.Fragment{
			{Role: anonymize.QuasiIdentifying, Columns: []*anonymize.FragmentColumn{age}}, f}}
	}
	for want, r := range map[string]*anonymize.Release{
		"A model (model=counts) or smaller groups may give better ones": release(20, nil, 1),
		"A model (model=counts) may give better ones":                   release(5, nil, 1),
		"Smaller groups may give better ones":                           release(20, &anonymize.Model{}, 1),
		"":                                                              release(5, &anonymize.Model{}, 1),
		"Fewer sensitive attributes or smaller groups may give better ones": release(20, nil, 2),
	} {
		now := situationOf(r)
		if got := now.betterAnswers(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if want := float64(r.Rows-2) / float64(r.Rows); now.Share["result"] != want {
			t.Errorf("the most frequent has %v, want %v", now.Share["result"], want)
		}
	}
}
