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
	learned := bullet{Detail: "disease: mean probability of the actual value for an attacker who completes the release, 0.200 without learning; first guess right 0.310 (as among 3 values); above 0.5 for 0.120 of the records, above 0.9 for 0.062"}
	unsure := bullet{Detail: "disease: mean probability of the actual value for an attacker, 0.200 without learning; above 0.5 for 0.120 of the records, above 0.9 for 0.000"}
	for name, c := range map[string]struct {
		view  view
		risks []Risk
		want  []string
	}{
		"nothing": {view{Promised: []bullet{{}}, Attacks: []bullet{unsure}}, []Risk{good, {Points: []RiskPoint{{.25, 1}}}}, nil},
		"all": {view{Alone: []string{"3 records have one value left."}, Attacks: []bullet{learned}}, []Risk{bad, alone}, []string{
			"3 records have one value left",
			"100 of 1,000 records: whoever knows their quasi-identifiers reads their disease from the relations with a probability of 90 percent or more",
			"10 of 1,000 records: their quasi-identifiers lead to one entry or two among the published ones",
			"62 of 1,000 records: an attacker who learns from the release finds their actual disease, and gives it a probability of more than 90 percent",
			"Nothing was promised for this release: what it hides is what it happens to hide"}},
	} {
		v := c.view
		v.Subject = &Subject{Release: &anonymize.Release{Rows: 1000}}
		if v.concerns(c.risks); !slices.Equal(v.Concerns, c.want) {
			t.Errorf("%s: %q\nwant %q", name, v.Concerns, c.want)
		}
	}
}
