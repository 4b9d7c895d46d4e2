package report

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// ofSure finds what the attack of a learner says of the records that it is sure of, and the attribute that it is about.
var ofSure = regexp.MustCompile(`^(.*): mean probability .*, above 0\.9 for ([01](?:\.\d+)?)`)

// concerns are what is bad, for the top of the page: who decides whether a release may go out reads them first.
func (v *view) concerns(risks []Risk) {
	v.Concerns = append(v.Concerns, v.Alone...)
	for _, r := range risks {
		switch {
		case r.Attribute != "" && v.people(r.AtLeast(.9)) > 0:
			v.Concerns = append(
				v.Concerns,
				fmt.Sprintf(
					"%s: whoever knows their quasi-identifiers reads their %s from the relations with a probability of 90 percent or more",
					v.share(r.AtLeast(.9)),
					r.Attribute,
				),
			)
		case r.Attribute == "" && v.people(r.AtLeast(.5)) > 0:
			v.Concerns = append(
				v.Concerns,
				fmt.Sprintf("%s: their quasi-identifiers lead to one entry or two among the published ones", v.share(r.AtLeast(.5))),
			)
		}
	}
	for _, a := range v.Attacks {
		found := ofSure.FindStringSubmatch(a.Detail)
		if found == nil {
			continue
		}
		if share, err := strconv.ParseFloat(found[2], 64); err == nil && v.people(share) > 0 {
			v.Concerns = append(
				v.Concerns,
				fmt.Sprintf(
					"%s: an attacker who learns from the release finds their actual %s, and gives it a probability of more than 90 percent",
					v.share(share),
					found[1],
				),
			)
		}
	}
	if len(v.Promised)+len(v.Over) == 0 {
		v.Concerns = append(v.Concerns, "Nothing was promised for this release: what it hides is what it happens to hide")
	}
	for i, c := range v.Concerns {
		v.Concerns[i] = strings.TrimSuffix(clean(c), ".")
	}
}

// people is a share of the records as a number of them.
func (v *view) people(share float64) int { return int(math.Round(share * float64(v.Release.Rows))) }

// share says a share of the records in words.
func (v *view) share(share float64) string {
	return fmt.Sprintf("%s of %s records", count(v.people(share)).Text, count(v.Release.Rows).Text)
}
