package report

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/risk"
)

// A Concern warns the person who decides about a release. The page and CALL anonymize show the
// same concerns with the same severity.
type Concern struct {
	// Severe marks a red line of the page and a warning of the CALL; others are remarks and notes.
	Severe bool
	// Text describes the concern; Remedy, if not "", what helps.
	Text, Remedy string
}

// Sentence returns text and remedy.
func (c Concern) Sentence() string {
	if c.Remedy == "" {
		return c.Text
	}
	return c.Text + ". " + c.Remedy
}

const (
	// severeShare is the share of the records, beyond those that statistics alone identify, that an attacker
	// must identify for a severe concern, and severeRecords the least number. Attacks guess, so a few of their
	// confident guesses are right by chance. What the relations reveal for certain is always severe.
	severeShare   = 0.001
	severeRecords = 5
	// minRight is the least success rate of a confident attacker worth mentioning: one of two guesses is right by chance.
	minRight = .5
)

// uselessError is the median error at which answers are of little use.
const uselessError = .5

// Concerns returns concerns, severe ones first. measured are the errors of the default answers, nil if there are none.
func Concerns(
	ctx context.Context,
	r *anonymize.Release,
	sensitive []string,
	guarantees []anonymize.Guarantee,
	facts []anonymize.Fact,
	measured []Evaluation,
) ([]Concern, error) {
	risks, err := RiskOf(ctx, r, sensitive)
	if err != nil {
		return nil, err
	}
	return concerns(r, risks, guarantees, facts, measured), nil
}

func concerns(r *anonymize.Release, risks []Risk, guarantees []anonymize.Guarantee, facts []anonymize.Fact, measured []Evaluation) (found []Concern) {
	severe := func(remedy, text string, values ...any) {
		found = append(found, Concern{true, clean(fmt.Sprintf(text, values...)), remedy})
	}
	now := situationOf(r)
	for _, risk := range risks {
		sure, identified := risk.AtLeast(.9), risk.AtLeast(.5)
		switch {
		case r.Model.Hides(risk.Attribute): // noisy counts leave nobody sure of a value
		case risk.Attribute != "" && people(sure, risk.Records) > 0:
			severe(now.diversity(risk.Attribute, guarantees),
				"whoever knows the quasi-identifiers of %s reads their %s off the relations, %s",
				risk.count(sure), risk.Attribute, certainty(&risk, sure))
		case risk.Attribute == "" && people(identified, risk.Records) > 0:
			severe("Larger groups (size= or k=) lead to more", "the quasi-identifiers of %s lead to one published entry or two", risk.count(identified))
		}
	}
	if share, unique := unshared(r); share >= severeShare {
		severe("", "quasi-identifiers are published as they are, and nobody shares those of %s: "+
			"whoever knows them of a person sees for sure whether that person is in the table, and in which group", unique)
	}
	if !slices.ContainsFunc(guarantees, promises) {
		severe("", "nothing was promised for this release: what it hides is what it happens to hide")
	}
	if len(measured) > 0 && measured[0].Median > uselessError {
		e := measured[0]
		severe(now.betterAnswers(r),
			"answers are of little use: of %s random questions with an answer (%s on %s) half were wrong by %s or more",
			count(e.Answered).Text, e.Aggregate, quasiIdentifiers(e.Low, e.High), percent(e.Median))
	}
	found = append(found, OfAttacks(now, guarantees)...)
	for _, f := range facts {
		if f.Name == "warning" {
			found = append(found, Concern{false, clean(strings.TrimSuffix(f.Value, ".")), ""})
		}
	}
	slices.SortStableFunc(found, func(a, b Concern) int {
		switch {
		case a.Severe == b.Severe:
			return 0
		case a.Severe:
			return -1
		}
		return 1
	})
	return found
}

// count describes a share of the counted units in words.
func (r *Risk) count(share float64) string {
	return fmt.Sprintf("%s of %s %s", count(people(share, r.Records)).Text, grouped(math.Round(r.Records)), r.Unit)
}

// certainty says for how many of those whose value is found with 90 percent or more only one value is left.
func certainty(r *Risk, sure float64) string {
	switch one := r.AtLeast(1); {
	case people(one, r.Records) == people(sure, r.Records):
		return "since one value is left for each of them"
	case people(one, r.Records) == 0:
		return "with a probability of 90 percent or more"
	default:
		return fmt.Sprintf("with a probability of 90 percent or more; one value is left for %s of them", count(people(one, r.Records)).Text)
	}
}

// unshared returns the share of the records whose unmodified quasi-identifiers are in one row and unique, and
// their number in words. For a release by units, a unit's records with equal quasi-identifiers count once.
func unshared(r *anonymize.Release) (share float64, words string) {
	classes, err := risk.ClassesOf(r)
	if err != nil || !allPoints(classes.Fragment) {
		return 0, "" // no record is shown whole, or none unmodified
	}
	unique := 0
	for _, n := range classes.Records {
		if n == 1 {
			unique++
		}
	}
	what := "records"
	if r.Units != nil {
		what = "combinations of a person and quasi-identifiers"
	}
	return float64(unique) / float64(classes.Rows), fmt.Sprintf("%s of %s %s", count(unique).Text, count(classes.Rows).Text, what)
}

func allPoints(f *anonymize.Fragment) bool {
	return !slices.ContainsFunc(f.Columns, func(c *anonymize.FragmentColumn) bool { return !c.IsPoint() })
}

// An attacker is one of the measured ones.
type attacker struct {
	name, who string
	// insider says that the attacker also knows other people's sensitive values.
	insider bool
}

var attackers = []attacker{
	{"definetti", "a reader who learns from all groups together", false},
	{"learned", "a reader who completes the release by all that it tells", false},
	{"supervised", "somebody who has the statistics of the table and knows each person's group", false},
	{"rank", "somebody who knows the sensitive values of half of the people and who is near whom", true},
}

// OfAttacks returns concerns about what the strongest reader and the strongest insider rightly are sure of, by sensitive attribute.
func OfAttacks(now Situation, guarantees []anonymize.Guarantee) (found []Concern) {
	records := float64(now.Rows)
	promised := func(name string) bool {
		return slices.ContainsFunc(guarantees, func(g anonymize.Guarantee) bool { return g.Name == name && g.Required != nil })
	}
	var attributes []string
	for _, g := range guarantees {
		if g.Attack != nil && !slices.Contains(attributes, g.Attack.Attribute) {
			attributes = append(attributes, g.Attack.Attribute)
		}
	}
	for _, attribute := range attributes {
		figure := func(name string) *anonymize.AttackFigure {
			for _, g := range guarantees {
				if g.Name == name && g.Attack != nil && g.Attack.Attribute == attribute {
					return g.Attack
				}
			}
			return &anonymize.AttackFigure{}
		}
		floor := named(figure("floor"))
		if n := people(floor, records); floor >= severeShare {
			found = append(found, Concern{false, clean(fmt.Sprintf("statistics of the table alone, without a release, name the actual %s of %s almost surely, "+
				"since it follows from their quasi-identifiers: no release changes that", attribute, ofRecords(floor, records))), ""})
		} else if n > 0 {
			floor = 0 // too few to tell from chance
		}
		for _, insider := range []bool{false, true} {
			var strongest attacker
			var x *anonymize.AttackFigure
			for _, a := range attackers {
				if at := figure(a.name); a.insider == insider && named(at) > 0 && (x == nil || named(at) > named(x)) {
					strongest, x = a, at
				}
			}
			if x != nil {
				found = append(found, strongest.concern(now, x, figure(strongest.name+"_unique"), named(x)-floor, promised("size") && promised("least_cell")))
			}
		}
	}
	return found
}

// concern says how many records an attacker identifies and how many of them have unique quasi-identifiers.
// Attacks on large releases use a sample. large says that the release already has large groups and a model.
func (a attacker) concern(now Situation, x, unique *anonymize.AttackFigure, beyond float64, large bool) Concern {
	rows := float64(now.Rows)
	text := fmt.Sprintf("%s names the actual %s of %s with a probability above 90 percent", a.who, x.Attribute, ofRecords(named(x), rows))
	if x.Above90Right < 1 {
		text += fmt.Sprintf(", and is right in %s of the cases where it is so sure", percent(x.Above90Right))
	}
	if n := people(named(unique), float64(unique.Records)); n > 0 {
		text += fmt.Sprintf("; among them are %s of the %s attacked records that are unique by their quasi-identifiers", count(n).Text, count(unique.Records).Text)
	}
	c := Concern{Severe: beyond >= severeShare && people(beyond, rows) >= severeRecords, Text: clean(text)}
	switch {
	case !c.Severe:
		c.Text += "; beyond what statistics alone name, that is less than 1 in 1,000 records, or fewer than five"
	case a.insider:
		c.Remedy = "Groups drawn at random (homogeneous=false), or jitter=, tell such a person less"
	default:
		c.Remedy = now.againstReaders(x.Attribute, large)
	}
	return c
}

// named returns the share of the records of which an attacker is rightly sure; 0 for one whose certainty is wrong.
func named(x *anonymize.AttackFigure) float64 {
	switch {
	case x.Above90 > 0 && x.Above90Right < minRight:
		return 0
	case x.Own90 > 0:
		return x.Own90
	}
	return x.Above90 * x.Above90Right
}

// people returns a share of records as a number.
func people(share, records float64) int { return int(math.Round(share * records)) }

// ofRecords describes a share of records in words.
func ofRecords(share, records float64) string {
	return fmt.Sprintf("%s of %s records", count(people(share, records)).Text, grouped(math.Round(records)))
}
