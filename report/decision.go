package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// A decision is the first page, for the person who decides about the release.
type decision struct {
	Concerns []Concern
	// Kept describes the requested promises that hold, one sentence each; Broken the others.
	Kept, Broken []string
	// Protection, Public and Answers are sentences.
	Protection, Public, Answers []string
	// Errors are the default estimator's; nil if none were measured.
	Errors *errorChart
}

func (v *view) decide(risks []Risk) {
	d := &decision{Concerns: concerns(v.Release, risks, v.Guarantees, v.Facts, v.ownErrors())}
	for _, g := range v.Guarantees {
		switch {
		case !promises(g):
		case g.Holds:
			d.Kept = append(d.Kept, promiseSentence(g))
		default:
			d.Broken = append(d.Broken, promiseSentence(g))
		}
	}
	d.Protection = append(v.valueSentences(risks), v.presenceSentence())
	d.Public = v.publicSentences()
	for i := range d.Concerns {
		d.Concerns[i].Text = capital(d.Concerns[i].Text)
	}
	if d.Errors = newErrorChart("own-errors", v.ownErrors()); d.Errors != nil {
		for i := range d.Errors.Lines {
			d.Errors.Lines[i].By = "" // there is only one
		}
	}
	d.Answers = v.answerSentences()
	v.Decision = d
}

// promised describes promises, with a place for the bound. Others are described by their title.
var promised = map[string]string{
	"k":             "Every record looks like the others of a set of %s or more, by what is published of its quasi-identifiers",
	"size":          "Every group has %s records or more",
	"alpha":         "No combination of quasi-identifiers is more than %s of a group",
	"beta":          "No sensitive value is more than %s of a group",
	"gamma":         "No whole record can be put together with a probability above %s",
	"presence":      "That a group has its most likely record has a probability of %s at most",
	"delta":         "A sensitive value's share of a group differs from its share of the whole by %s at most",
	"l":             "No sensitive value is more than 1 in %s of a group",
	"distinct":      "Every group has %s different sensitive values or more",
	"t_equal":       "The sensitive values of a group are within a distance of %s of those of the whole",
	"breach":        "Whoever knows a person's quasi-identifiers gives no sensitive value a probability above %s",
	"k_map":         "Every record could be any of %s persons of the population or more",
	"label_epsilon": "What is published of a person's sensitive value has a privacy loss of %s at most (label epsilon)",
}

// promiseSentence says what was requested and what the worst group has.
func promiseSentence(g anonymize.Guarantee) string {
	w, required := wordingOf(g.Name), g.Required.Float()
	said := fmt.Sprintf("%s: %s %s", w.title, bound(w), w.figure(required).Text)
	if text, ok := promised[w.name]; ok {
		said = fmt.Sprintf(text, w.figure(required).Text)
		if _, attributes, _ := anonymize.SplitAbout(g.Name); len(attributes) > 0 {
			said += ", by " + strings.Join(attributes, " with ")
			if len(attributes) > 1 {
				said += ", whose values count together, not each by itself"
			}
		}
	}
	if g.Achieved != required {
		said += fmt.Sprintf(" (it is %s%s at worst)", map[string]string{"l": "1 in "}[w.name], w.figure(g.Achieved).Text)
	}
	return clean(said)
}

// valueSentences say how surely sensitive values are found: by readers of groups, by learners, and by insiders who know others' values.
func (v *view) valueSentences(risks []Risk) (said []string) {
	for _, r := range risks {
		if r.Attribute == "" {
			continue
		}
		text := fmt.Sprintf("A person's %s: whoever knows the person's quasi-identifiers and reads the group gives the actual value a probability of %s on average, and of %s at most",
			r.Attribute, percent(r.Mean), percent(r.Greatest))
		figure := func(names ...string) (most float64) {
			for _, g := range v.Guarantees {
				if g.Attack != nil && g.Attack.Attribute == r.Attribute && slices.Contains(names, g.Name) {
					most = max(most, g.Achieved)
				}
			}
			return most
		}
		if learned := figure("definetti", "learned", "supervised"); learned > 0 {
			text += fmt.Sprintf(". Whoever also learns from the whole release reaches %s on average", percent(learned))
			if floor := figure("floor"); floor > 0 {
				text += fmt.Sprintf("; the table's statistics alone, without a release, give %s", percent(floor))
			}
		}
		if rank := figure("rank"); rank > 0 {
			text += fmt.Sprintf(". Whoever knows the values of half of the people, and who is near whom, reaches %s", percent(rank))
		}
		said = append(said, clean(text))
	}
	return said
}

// presenceSentence says whether it stays secret that somebody is in the table.
func (v *view) presenceSentence() string {
	share, unique := unshared(v.Release)
	switch shown, several := v.shownAs(); {
	case shown == generalized:
		return "That a person is in the table is not told by name: each looks like others, who share ranges and sets of quasi-identifiers. Somebody who knows that the person is in it finds the group"
	case several:
		return "That a person is in the table can be guessed: quasi-identifiers are published as they are, divided among relations that only the group connects"
	case share == 0:
		return "That a person is in the table is no secret: quasi-identifiers are published as they are, though everybody shares them with others"
	default:
		return fmt.Sprintf("That a person is in the table is no secret: quasi-identifiers are published as they are, and nobody shares those of %s", unique)
	}
}

const (
	asTheyAre   = "as they are"
	generalized = "generalized"
)

// shownAs says how quasi-identifiers are published, and whether several relations have them.
func (v *view) shownAs() (how string, several bool) {
	how, relations := asTheyAre, 0
	for _, f := range v.Release.Fragments {
		if f.Role == anonymize.Sensitive {
			continue
		}
		relations++
		if slices.ContainsFunc(f.Columns, func(c *anonymize.FragmentColumn) bool {
			return !c.IsPoint() && slices.Contains(v.QuasiIdentifiers, c.Name)
		}) {
			how = generalized
		}
	}
	return how, relations > 1
}

func (v *view) publicSentences() (said []string) {
	quasi := clean(strings.Join(v.QuasiIdentifiers, ", "))
	switch how, several := v.shownAs(); {
	case how == generalized:
		said = append(said, quasi+": ranges and sets of values, which records of a class share")
	case several:
		said = append(said, quasi+": all values as they are, divided among relations that only the group connects")
	default:
		said = append(said, quasi+": all values of a person as they are, in one row")
	}
	said = append(said, v.publicValues()...)
	if m := v.Release.Model; m != nil {
		text := fmt.Sprintf("a model: how many records have each value of a quasi-identifier and each %s", clean(m.Sensitive))
		switch {
		case m.Epsilon.Num > 0:
			text += ", with noise"
		case m.Least > 1:
			text += fmt.Sprintf("; fewer than %d are told together", m.Least)
		}
		said = append(said, text)
	}
	if v.Release.Forged > 0 {
		said = append(said, plural(v.Release.Forged, "record", "records")+" of nobody among the others (counterfeits)")
	}
	if v.Tables > 0 {
		said = append(said, fmt.Sprintf("%d completed tables, whose rows are guesses that were drawn from the above", v.Tables))
	}
	return said
}

// publicValues says how sensitive values are published, grouped by the way.
func (v *view) publicValues() (said []string) {
	names := make(map[string][]string)
	var kinds []string
	for _, name := range v.Sensitive {
		kind := v.publicAs(name)
		if names[kind] == nil {
			kinds = append(kinds, kind)
		}
		names[kind] = append(names[kind], name)
	}
	for _, kind := range kinds {
		said = append(said, clean(strings.Join(names[kind], ", ")+": "+kind))
	}
	return said
}

// publicAs says how the values of a sensitive attribute are published.
func (v *view) publicAs(attribute string) string {
	const byGroup = "how many records of each group have which value"
	at, column, ok := v.Release.Locate(attribute)
	if !ok {
		return byGroup + ", not whose it is"
	}
	switch f := v.Release.Fragments[at]; {
	case !f.Columns[column].IsPoint():
		return "with each record, or each group of them, a set of values, one of which is its own"
	case f.Role == anonymize.Mixed:
		var beside []string
		for _, c := range f.Columns {
			if c.Name != attribute {
				beside = append(beside, c.Name)
			}
		}
		return byGroup + ", each value beside the " + strings.Join(beside, ", ") + " of its record"
	}
	return byGroup + ", not whose it is"
}

// ownErrors returns the default estimator's errors.
func (v *view) ownErrors() []Evaluation {
	return slices.DeleteFunc(slices.Clone(v.Evaluations), func(e Evaluation) bool { return e.Estimator != v.Estimator })
}

func (v *view) answerSentences() []string {
	own := v.ownErrors()
	if len(own) == 0 {
		if !v.Owner {
			return []string{"Answers are estimates with intervals; how wrong they were, measured with the table, is in the report of its owner"}
		}
		return []string{"Nobody has measured how wrong answers are: " + EvaluateStatement(v.Subject) + " does"}
	}
	e := own[0]
	if e.Answered == 0 {
		return []string{"None of the random questions had an answer to compare with"}
	}
	said := fmt.Sprintf("Of %s random questions with an answer (%s on %s) half were wrong by %s or less, and 19 in 20 by %s or less", count(e.Answered).Text,
		clean(e.Aggregate), quasiIdentifiers(e.Low, e.High), percent(e.Median), percent(e.P95))
	if e.Coverage != nil {
		of := "the answers"
		if e.Estimates > 0 {
			of = "the " + count(e.Estimates).Text + " answers"
		}
		said += fmt.Sprintf(". The 95 percent interval had the actual value of %s of %s that are estimates", percent(*e.Coverage), of)
	}
	return []string{said}
}
