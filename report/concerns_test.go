package report

import (
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// TestConcerns: what is bad is said with the number of records, and what is not bad is not.
func TestConcerns(t *testing.T) {
	bad := Risk{Attribute: "disease", Points: []RiskPoint{{.2, .9}, {1, .1}}}
	alone := Risk{Points: []RiskPoint{{.25, .99}, {.5, .01}}}
	good := Risk{Attribute: "disease", Points: []RiskPoint{{.2, 1}}}
	learned := bullet{Name: "learned", Title: "Attacker who completes the release",
		Attack: &anonymize.AttackFigure{Attribute: "disease", Records: 1000, Own90: .062, Above90: .07, Above90Right: .9}}
	rank := bullet{Name: "rank", Title: "Attacker who learns who is placed where",
		Attack: &anonymize.AttackFigure{Attribute: "disease", Records: 500, Above90: .125, Above90Right: 1}}
	unique := bullet{Name: "learned_unique", Title: "Attacker who completes the release, of unique people",
		Attack: &anonymize.AttackFigure{Attribute: "disease", Records: 132, Own90: .1, Above90: .117, Above90Right: .883}}
	unsure := bullet{Name: "definetti", Title: "Attacker who learns from the release",
		Attack: &anonymize.AttackFigure{Attribute: "disease", Records: 1000, Above90: .3, Above90Right: .2}}
	floor := bullet{Name: "floor", Title: "Statistics alone", Attack: learned.Attack}
	older := bullet{Name: "learned", Title: "Attacker who completes the release", Detail: "disease: above 0.9 for 0.062"}
	for name, c := range map[string]struct {
		view  view
		risks []Risk
		want  []string
	}{
		"nothing": {view{Promised: []bullet{{}}, Attacks: []bullet{unsure, older, floor}}, []Risk{good, {Points: []RiskPoint{{.25, 1}}}}, nil},
		"all": {view{Alone: []string{"3 records have one value left."}, Attacks: []bullet{learned, rank, unique}}, []Risk{bad, alone}, []string{
			"3 records have one value left",
			"100 of 1,000 records: whoever knows their quasi-identifiers reads their disease from the relations with a probability of 90 percent or more",
			"10 of 1,000 records: their quasi-identifiers lead to one entry or two among the published ones",
			"62 of 1,000 records: an attacker who completes the release finds their actual disease, and gives it a probability of more than 90 percent",
			"125 of 1,000 records: an attacker who learns who is placed where is sure of their disease to more than 90 percent, and right of 100\u00a0% of these",
			"13 of 132 records that are unique by their quasi-identifiers: an attacker who completes the release, of unique people finds their actual disease, and gives it a probability of more than 90 percent",
			"Nothing was promised for this release: what it hides is what it happens to hide"}},
	} {
		v := c.view
		v.Subject = &Subject{Release: &anonymize.Release{Rows: 1000}}
		if v.concerns(c.risks); !slices.Equal(v.Concerns, c.want) {
			t.Errorf("%s: %q\nwant %q", name, v.Concerns, c.want)
		}
	}
}
