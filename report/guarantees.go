package report

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// A bullet is a guarantee as a bar: what is achieved, and a mark at what was
// required, or at what an attacker has without the release.
type bullet struct {
	Name, Title, Means string
	Achieved           Figure
	Required           *Figure // nil when it is only measured
	Bound              string  // "at most", "at least", ...
	Holds              bool
	Group              string // the worst group; "" for the whole release
	Detail             string
	// Places in percent of the track; Mark is "" for none.
	Bar, Mark string
	MarkMeans string
	Attack    *anonymize.AttackFigure
}

// A reportedFigure is a guarantee that nothing was promised of.
type reportedFigure struct {
	Name, Title string
	Achieved    Figure
	Group       string
}

// withoutLearning finds what an attack's detail says of an attacker who does not
// learn.
var withoutLearning = regexp.MustCompile(`(?:^|[^\d.])([01](?:\.\d+)?) without learning`)

func (v *view) guarantees() {
	broken := 0
	for _, g := range v.Guarantees {
		w := wordingOf(g.Name)
		if g.Name == OneValue {
			v.Alone = append(v.Alone, clean(g.Detail))
		}
		over := slices.ContainsFunc(v.Sequence, func(s anonymize.Guarantee) bool { return s.Name == g.Name })
		switch {
		case w.measured():
			v.Attacks = append(v.Attacks, attackBullet(g, w))
		case over:
			v.Over = append(v.Over, newBullet(g, w))
		case g.Required != nil:
			v.Promised = append(v.Promised, newBullet(g, w))
		default:
			v.Reported = append(v.Reported, reportedFigure{clean(g.Name), clean(w.title), w.figure(g.Achieved), groupOf(g)})
		}
		if g.Required != nil && !g.Holds {
			broken++
		}
	}
	v.Broken = broken > 0
	promised := len(v.Promised)
	for _, b := range v.Over {
		if b.Required != nil {
			promised++
		}
	}
	switch {
	case broken > 0:
		v.Verdict = fmt.Sprintf("%s of %d does not hold", plural(broken, "promised guarantee", "promised guarantees"), promised)
	case promised == 0:
		v.Verdict = "No guarantee was promised"
	case promised == 1:
		v.Verdict = "The promised guarantee holds"
	default:
		v.Verdict = fmt.Sprintf("All %d promised guarantees hold", promised)
	}
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
	switch {
	case w.least:
		b.Bound = "at least"
	case w.name == "recursive" || w.name == "delta_disclosure":
		b.Bound = "below"
	default:
		b.Bound = "at most"
	}
	if w.kind == ofNumber {
		whole, _ = niceTop(1.25 * max(required, g.Achieved))
	}
	b.Bar, b.Mark, b.MarkMeans = position(g.Achieved, whole), position(required, whole), "required"
	return b
}

func attackBullet(g anonymize.Guarantee, w wording) bullet {
	b := bullet{Name: clean(g.Name), Title: clean(w.title), Achieved: w.figure(g.Achieved), Holds: true, Detail: clean(g.Detail), Attack: g.Attack}
	if b.Detail == "" {
		b.Means = capital(w.means)
	}
	if w.kind == ofNumbers {
		return b
	}
	b.Bar = position(g.Achieved, 1)
	if found := withoutLearning.FindStringSubmatch(g.Detail); found != nil {
		if x, err := strconv.ParseFloat(found[1], 64); err == nil {
			b.Mark, b.MarkMeans = position(x, 1), percent(x)+" without learning"
		}
	}
	return b
}

func groupOf(g anonymize.Guarantee) string {
	if g.WorstGroup < 0 {
		return ""
	}
	return strconv.Itoa(g.WorstGroup + 1) // as the published relations number it
}

// capital begins a sentence. The words are ours, and begin with a letter of ASCII.
func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
