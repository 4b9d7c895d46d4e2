package console

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// refusal begins the note of a dry run whose real run would be refused.
const refusal = "without dry_run=true this is refused: "

// A tried is the result of a trial run, in words, with the form that publishes it.
type tried struct {
	Refused string // why the server would refuse it, "" if it would not
	Words   []riskFact
	Fields  []hidden
}

// A hidden is a hidden field that repeats a form's value.
type hidden struct{ Name, Value string }

// newTried reads a trial run; nil for other works and failed ones.
func newTried(w *work) *tried {
	if w.fields.Get("action") != "dry_run" || w.answer.Result == nil || len(w.answer.Result.Rows) != 1 {
		return nil
	}
	t := &tried{}
	for _, name := range slices.Sorted(maps.Keys(w.fields)) {
		for _, value := range w.fields[name] {
			if name != "action" {
				t.Fields = append(t.Fields, hidden{name, value})
			}
		}
	}
	notes := ""
	if w.answer.Notes != nil {
		for _, c := range w.answer.Notes.column("Message") {
			if reason, refused := strings.CutPrefix(c.Value, refusal); refused {
				t.Refused = reason
			}
			notes += c.Value + "; "
		}
	}
	if groups := w.answer.Result.column("groups"); len(groups) == 1 {
		t.Words = append(t.Words, riskFact{showCount(numberOr(groups[0])), "groups of records are published"})
	}
	for _, f := range triedFigures {
		var figures []float64 // by sensitive attribute
		for _, found := range regexp.MustCompile(`(?:^|[;:] )(?:`+f.name+`) ([0-9]+(?:[.][0-9]+)?(?:e[+-]?[0-9]+)?)`).FindAllStringSubmatch(notes, -1) {
			figures = append(figures, numberOr(cell{Value: found[1]}))
		}
		if len(figures) > 0 {
			x := slices.Min(figures)
			if f.share {
				x = slices.Max(figures)
			}
			figure := showCount(x)
			if x >= 10_000 { // notes have four digits
				figure = "about " + figure
			}
			if f.share {
				figure = percent(x)
			}
			t.Words = append(t.Words, riskFact{figure, f.words})
		}
	}
	return t
}

// triedFigures are the notes of a trial run, in words.
var triedFigures = []struct {
	name, words string
	share       bool
}{
	{"size", "records at least are in every group", false},
	{"greatest probability", "is the greatest share that one sensitive value has of a group", true},
	{"mean probability", "is what a group tells of a record's own value, on average", true},
	{"learned|definetti|supervised", "is what an attacker who learns from the release believes of a record's own value, on average", true},
	{"unique tuples", "records have quasi-identifiers that nobody shares: who knows these finds their group", false},
}
