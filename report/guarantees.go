package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// A bullet is a guarantee as a bar of what is achieved, with a mark at what was required or at
// what an attacker has without the release.
type bullet struct {
	Name, Title, Means string
	Achieved           Figure
	Required           *Figure // nil if it is only measured
	Bound              string  // "at most", "at least", ...
	Holds              bool
	Group              string // the worst group; "" for the whole release
	Detail             string
	// Positions in percent of the track; Mark is "" for none.
	Bar, Mark string
	MarkMeans string
}

// A reportedFigure is a measured guarantee without a promise.
type reportedFigure struct {
	Name, Title string
	Achieved    Figure
	Group       string
}

func (v *view) guarantees() {
	for _, g := range v.Guarantees {
		w := wordingOf(g.Name)
		over := slices.ContainsFunc(v.Sequence, func(s anonymize.Guarantee) bool { return s.Name == g.Name })
		switch {
		case w.measured():
			v.Attacks = append(v.Attacks, attackBullet(g, w))
		case over:
			v.Over = append(v.Over, newBullet(g, w))
		case promises(g):
			v.Promised = append(v.Promised, newBullet(g, w))
		default:
			v.Reported = append(v.Reported, reportedFigure{clean(g.Name), clean(w.title), w.figure(g.Achieved), groupOf(g)})
		}
	}
}

// promises reports whether the release has a requirement that could be broken.
func promises(g anonymize.Guarantee) bool {
	return g.Required != nil && wordingOf(g.Name).breakable(g.Required.Float())
}

// breakable reports whether a release could break a bound: no share exceeds 1, and every group has a record.
func (w wording) breakable(required float64) bool {
	switch {
	case w.kind == ofShare && w.least:
		return required > 0
	case w.kind == ofShare:
		return required < 1
	case w.least && w.name != "range":
		return required > 1
	}
	return true
}

func newBullet(g anonymize.Guarantee, w wording) bullet {
	b := bullet{
		Name:     clean(g.Name),
		Title:    clean(w.title),
		Means:    capital(w.means),
		Achieved: w.figure(g.Achieved),
		Holds:    g.Holds,
		Group:    groupOf(g),
		Detail:   clean(g.Detail),
	}
	whole := 1.0
	if g.Required == nil {
		if w.kind == ofNumber {
			whole = max(1, 1.25*g.Achieved)
		}
		b.Bar = position(g.Achieved, whole)
		return b
	}
	required := g.Required.Float()
	f := w.figure(required)
	b.Required = &f
	b.Bound = bound(w)
	if w.kind == ofNumber {
		whole, _ = niceTop(1.25 * max(required, g.Achieved))
	}
	b.Bar, b.Mark, b.MarkMeans = position(g.Achieved, whole), position(required, whole), "required"
	return b
}

// bound returns the side of its bound on which a promise lies.
func bound(w wording) string {
	switch {
	case w.least:
		return "at least"
	case w.name == "recursive" || w.name == "delta_disclosure":
		return "below"
	}
	return "at most"
}

func attackBullet(g anonymize.Guarantee, w wording) bullet {
	b := bullet{Name: clean(g.Name), Title: clean(w.title), Achieved: w.figure(g.Achieved), Holds: true, Detail: clean(g.Detail)}
	if said := attackSentence(g); said != "" {
		b.Detail, b.Means = "", said
	} else if b.Detail == "" {
		b.Means = capital(w.means)
	}
	if w.kind == ofNumbers {
		return b
	}
	b.Bar = position(g.Achieved, 1)
	if x := g.Attack; x != nil {
		b.Mark, b.MarkMeans = position(x.Baseline, 1), percent(x.Baseline)+" without learning"
	}
	return b
}

// attackSentence describes an attack's success; "" if there are no figures, or an older version of the program kept none.
func attackSentence(g anonymize.Guarantee) string {
	x := g.Attack
	if x == nil {
		return ""
	}
	whom := "the person's group alone gives"
	if strings.HasPrefix(g.Name, "floor") {
		whom = "how frequent values are gives"
	}
	said := fmt.Sprintf("On average over %s records the attacker gives a person's actual %s a probability of %s; %s %s",
		count(x.Records).Text, clean(x.Attribute), percent(g.Achieved), whom, percent(x.Baseline))
	switch sure := people(x.Above90, float64(x.Records)); {
	case sure == 0:
		said += ". Of nobody's is the attacker more than 90 percent sure"
	default:
		said += fmt.Sprintf(". The attacker is more than 90 percent sure of %s of these records, and right in %s of the cases", count(sure).Text, percent(x.Above90Right))
	}
	return said
}

func groupOf(g anonymize.Guarantee) string {
	if g.WorstGroup < 0 {
		return ""
	}
	return strconv.Itoa(g.WorstGroup + 1) // as the published relations number it
}

// capital capitalizes a sentence of ours, which begins with an ASCII letter.
func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
