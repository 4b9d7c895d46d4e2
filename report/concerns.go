package report

import (
	"fmt"
	"math"
	"strings"
)

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
		if said := v.ofAttack(a); said != "" {
			v.Concerns = append(v.Concerns, said)
		}
	}
	if len(v.Promised)+len(v.Over) == 0 {
		v.Concerns = append(v.Concerns, "Nothing was promised for this release: what it hides is what it happens to hide")
	}
	for i, c := range v.Concerns {
		v.Concerns[i] = strings.TrimSuffix(clean(c), ".")
	}
}

// minRight is how often a sure attacker must be right to be worth a line: a guess of two is right half of the time.
const minRight = .5

// ofAttack says what an attacker is rightly sure of, "" for nothing.
func (v *view) ofAttack(a bullet) string {
	x := a.Attack
	if x == nil || a.Name == "floor" || a.Name == "floor_unique" { // which no release changes
		return ""
	}
	whom := "records"
	if strings.HasSuffix(a.Name, "_unique") {
		whom = "records that are unique by their quasi-identifiers"
	}
	// A sample was attacked of large releases: shares are of it, and records that are unique are counted in it.
	records := v.Release.Rows
	if whom != "records" {
		records = x.Records
	}
	people := func(share float64) int { return int(math.Round(share * float64(records))) }
	switch {
	case people(x.Own90) > 0:
		return fmt.Sprintf("%s of %s %s: %s finds their actual %s, and gives it a probability of more than 90 percent",
			count(people(x.Own90)).Text, count(records).Text, whom, lower(a.Title), x.Attribute)
	case people(x.Above90) > 0 && x.Above90Right >= minRight:
		return fmt.Sprintf("%s of %s %s: %s is sure of their %s to more than 90 percent, and right of %s of these",
			count(people(x.Above90)).Text, count(records).Text, whom, lower(a.Title), x.Attribute, percent(x.Above90Right))
	}
	return ""
}

// lower is a title inside a sentence.
func lower(title string) string { return "an " + strings.ToLower(title[:1]) + title[1:] }

// people is a share of the records as a number of them.
func (v *view) people(share float64) int { return int(math.Round(share * float64(v.Release.Rows))) }

// share says a share of the records in words.
func (v *view) share(share float64) string {
	return fmt.Sprintf("%s of %s records", count(v.people(share)).Text, count(v.Release.Rows).Text)
}
