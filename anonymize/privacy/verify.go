package privacy

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A checker recomputes some guarantees. Its error says why it cannot do so for this release;
// Verify returns it only if one of them was promised.
type checker struct {
	names []string
	check func(r *anonymize.Release) ([]figure, error)
}

// checkers is the only list of checkers; a new guarantee is a line here and one in reported.
// The promises determine the l of recursive, and whether the figures that need a promise exist.
func checkers(promised map[string]anonymize.Promise) []checker {
	return []checker{
		{[]string{"k"}, anonymity},
		{[]string{"size"}, whenPromised(promised, "size", groupSize)},
		{[]string{"alpha"}, recordAssociation},
		{[]string{"beta", "delta", "lift"}, sensitiveAssociation(promised["beta"].NotSensitive)},
		{[]string{"gamma", "presence"}, presence},
		{[]string{"l", "distinct", "entropy"}, diversity(promised["l"].NotSensitive)},
		{[]string{anonymize.LThreshold}, whenPromised(promised, anonymize.LThreshold, closeDiversity(promised[anonymize.LThreshold]))},
		{[]string{anonymize.LSets}, whenPromised(promised, anonymize.LSets, closeDiversity(promised[anonymize.LSets]))},
		{[]string{"recursive"}, ofOneValue(recursive(lengthOfTail(promised)))},
		{[]string{"t_equal"}, ofOneValue(equalDistance)},
		{[]string{"t_ordered"}, ofOneValue(orderedDistance)},
		{[]string{"t_hierarchical"}, ofOneValue(hierarchicalDistance(promised["t_hierarchical"]))},
		{[]string{"beta_likeness"}, whenPromised(promised, "beta_likeness", basicLikeness)},
		{[]string{"enhanced_beta_likeness"}, whenPromised(promised, "enhanced_beta_likeness", enhancedLikeness)},
		{[]string{"delta_disclosure"}, whenPromised(promised, "delta_disclosure", disclosure)},
		{[]string{"range"}, whenPromised(promised, "range", ofOneValue(valueRange))},
		{[]string{"background"}, background},
		{[]string{"breach"}, breach},
		{[]string{"label_epsilon"}, labelEpsilon},
		{[]string{"least_cell"}, leastCell},
	}
}

// whenPromised omits a figure without a promise: it repeats another, or seldom exists.
func whenPromised(
	promised map[string]anonymize.Promise,
	name string,
	check func(*anonymize.Release) ([]figure, error),
) func(*anonymize.Release) ([]figure, error) {
	if _, ok := promised[name]; ok {
		return check
	}
	return func(*anonymize.Release) ([]figure, error) { return nil, errors.New("it is not promised") }
}

// A direction says on which side of its bound a guarantee holds.
type direction string

const (
	atMost     direction = "at most"
	belowLimit direction = "below"
	atLeast    direction = "at least"
)

// reported is the order of the report, with the direction of each bound.
var reported = []struct {
	name string
	direction
}{
	{"k", atLeast}, {"size", atLeast}, {"alpha", atMost}, {"beta", atMost}, {"gamma", atMost}, {"presence", atMost},
	{"delta", atMost}, {"lift", atMost},
	{"l", atLeast}, {anonymize.LThreshold, atLeast}, {anonymize.LSets, atLeast}, {"distinct", atLeast}, {"entropy", atLeast}, {"recursive", belowLimit},
	{"t_equal", atMost}, {"t_ordered", atMost}, {"t_hierarchical", atMost},
	{"beta_likeness", atMost}, {"enhanced_beta_likeness", atMost}, {"delta_disclosure", belowLimit}, {"range", atLeast},
	{"background", atMost}, {"breach", atMost},
	{"label_epsilon", atMost}, {"least_cell", atLeast},
}

// place returns the position of a guarantee in reported, whatever its attributes; -1 if there
// is none.
func place(name string) int {
	name, _, _ = anonymize.SplitAbout(name)
	for i, line := range reported {
		if line.name == name {
			return i
		}
	}
	return -1
}

// Recomputable reports whether the relations of a release suffice to compute the guarantee of
// that name. It is false for what was measured with the raw table, and for guarantees of a
// sequence of versions, which need the link.
func Recomputable(name string) bool { return place(name) >= 0 }

// ofPopulations are promises that compare a release with a table of the population, so that the
// relations alone do not suffice to recompute them (package risk).
var ofPopulations = []string{"k_map", "delta_presence_min", "delta_presence_max"}

// NeedsPopulation reports whether a promise of that name involves a population. It was verified
// at publication; nobody can recompute it without the population's table.
func NeedsPopulation(name string) bool { return slices.Contains(ofPopulations, name) }

// ofShares are guarantees that are shares of a whole: a bound of 1 promises nothing.
var ofShares = []string{"alpha", "beta", "gamma", "delta"}

// Line returns a promise and what the release achieves, to four digits: "beta 0.1667 <= 0.2".
// promised is false if there is no promise, or only that a share is at most 1.
func Line(g anonymize.Guarantee) (line string, promised bool) {
	if g.Required == nil {
		return "", false
	}
	about, _, _ := anonymize.SplitAbout(g.Name)
	if slices.Contains(ofShares, about) && g.Required.Float() >= 1 {
		return "", false
	}
	sign := map[direction]string{atMost: "<=", belowLimit: "<", atLeast: ">="}[directionOf(g.Name)]
	return fmt.Sprintf("%s %.4g %s %.4g", g.Name, g.Achieved, sign, g.Required.Float()), true
}

func directionOf(name string) direction {
	if i := place(name); i >= 0 {
		return reported[i].direction
	}
	if slices.Contains(ofSequences, name) || name == "k_map" || name == "delta_presence_min" {
		return atLeast
	}
	return atMost
}

// ofSequences are the lower bounds among the guarantees of a sequence of versions (package
// sequence). They are not in reported: no single release can keep them, so Verify refuses a
// release that promises one.
var ofSequences = []string{"k_real", "m_invariance"}

// Verify checks that r is well-formed and recomputes every guarantee that its fragments
// determine. A promised guarantee has Required, and Holds says whether it is met; the others
// are reported and hold. With several sensitive attributes in one fragment, the bare name has
// the worst figure; beta, delta, l and distinct are also reported for each attribute and for
// their tuple.
//
// If records belong to units, all figures count units (docs/units.md).
//
// It returns an error for a malformed release; for a promise without a checker or a bound, or
// made twice; and for a promise that cannot be checked on this release (*[CannotCheckError]). A
// broken promise is no error: see [FirstBroken].
func Verify(r *anonymize.Release) ([]anonymize.Guarantee, error) {
	if err := WellFormed(r); err != nil {
		return nil, fmt.Errorf("the release is malformed: %w", err)
	}
	promised, err := promises(r)
	if err != nil {
		return nil, err
	}
	r = r.PerUnit()
	var guarantees []anonymize.Guarantee
	for _, c := range checkers(promised) {
		figures, err := c.check(r)
		if err != nil {
			for _, name := range c.names {
				if _, ok := promised[name]; ok {
					return nil, &CannotCheckError{Guarantee: name, Reason: err.Error()}
				}
			}
			continue
		}
		for _, f := range figures {
			guarantees = append(guarantees, f.guarantee(promised))
		}
	}
	for _, attributes := range subjects(r, r.Promises) {
		about, err := guaranteesAbout(r, attributes, promised)
		if err != nil {
			return nil, err
		}
		guarantees = append(guarantees, about...)
	}
	slices.SortStableFunc(guarantees, func(a, b anonymize.Guarantee) int {
		return place(a.Name) - place(b.Name)
	})
	return guarantees, nil
}

// promises returns the release's promises by name.
func promises(r *anonymize.Release) (map[string]anonymize.Promise, error) {
	bounds := make(map[string]anonymize.Promise, len(r.Promises))
	for _, p := range r.Promises {
		if place(p.Guarantee) < 0 {
			return nil, &CannotCheckError{Guarantee: p.Guarantee, Reason: "no checker knows it"}
		}
		if _, twice := bounds[p.Guarantee]; twice {
			return nil, fmt.Errorf("%s is promised twice", p.Guarantee)
		}
		if p.Bound.Den == 0 { // everything would compare as equal to it
			return nil, fmt.Errorf("%s is promised without a bound", p.Guarantee)
		}
		bounds[p.Guarantee] = p
	}
	return bounds, nil
}

// A CannotCheckError says why a promised guarantee cannot be recomputed from the release. Such
// a release must not be published.
type CannotCheckError struct {
	Guarantee, Reason string
}

func (e *CannotCheckError) Error() string {
	return fmt.Sprintf("%s was promised and cannot be checked: %s", e.Guarantee, e.Reason)
}

// A BrokenError reports a promise that the release, or the refresh, breaks.
type BrokenError struct {
	anonymize.Guarantee
}

func (e *BrokenError) Error() string {
	where := ""
	if e.WorstGroup >= 0 {
		where = fmt.Sprintf(" in group %d", e.WorstGroup+1)
	}
	return fmt.Sprintf("%s is %.6g%s, promised was %s %s: %s",
		e.Name, e.Achieved, where, directionOf(e.Name), e.Required, e.Detail)
}

// Keeps is [Verify] for a release that must keep all promises: a broken one is a *[BrokenError].
func Keeps(r *anonymize.Release) ([]anonymize.Guarantee, error) {
	guarantees, err := Verify(r)
	if err == nil {
		err = FirstBroken(guarantees)
	}
	return guarantees, err
}

// Promised returns the promises among a release's guarantees that another release can be checked against.
func Promised(guarantees []anonymize.Guarantee) (promises []anonymize.Promise) {
	for _, g := range guarantees {
		if promise, ok := g.Promise(); ok && Recomputable(g.Name) {
			promises = append(promises, promise)
		}
	}
	return promises
}

// FirstBroken returns a *[BrokenError] for the first guarantee that does not
// hold, or nil.
func FirstBroken(guarantees []anonymize.Guarantee) error {
	for _, g := range guarantees {
		if !g.Holds {
			return &BrokenError{g}
		}
	}
	return nil
}
