package sequence

import (
	"context"
	"errors"
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// A Transition is a refresh of a release that follows its table: the versions before and after,
// with their private sides and the origins of groups.
type Transition struct {
	Before, After         *anonymize.Release
	BeforeLive, AfterLive *anonymize.Live
	// From has, by gid of After, its gid in Before; -1 for a new group.
	From []int
	// K is the promised number of real persons of a new group, at least 1.
	K int
}

// Verify checks that t is a refresh, recomputes its guarantees and what an observer of this
// version and all earlier ones can infer, and returns the history including t. It changes
// neither t nor h. h is nil for a release's first refresh, else the result of the refresh
// before t. With sealed, the promises of sealed updates are required; otherwise only k_real is:
//
//	k_real             least number of persons in a new group       at least K
//	m_invariance       share of continuing groups whose published cells and
//	                   multiset of sensitive values are as before   sealed: 1
//	moved              unchanged persons who left their group       sealed: 0
//	disclosed_inserted share of the persons inserted since the first version
//	                   about whom an observer of all versions is left with
//	                   exactly one sensitive value
//	disclosed_deleted  the same of the persons deleted since the first version
//	disclosed_unchanged the same of the persons of the first version who are
//	                   still published as they were
//	disclosed_updated  the same of the persons whose quasi-identifiers changed
//	                   and whose sensitive value did not, for an observer who
//	                   knows the latter
//	sequence_gain      number of records about which the sequence leaves fewer
//	                   values than the groups in which they were published
//	                   have, each taken alone                       sealed: 0
//
// The first three are figures of t, the others of all versions so far, including persons who
// have left; their details have the numbers, and how many persons are left with two values. A
// person whose sensitive value changed counts as one deleted and another inserted. See
// observation for what the observer knows, infers and overlooks. The shares are therefore lower
// bounds, unless sequence_gain is 0 under m_invariance and nothing moved: then they are exact
// (the theorem there).
//
// For a release by units these are figures of units. sealed is implied, and disclosed_updated
// must be 0: it counts the changed units for which an observer who knows the records that they
// kept is sure of a value (verifyUnits).
//
// Verify returns an error if t does not fit together: a private side that does not match the
// release in one of its relations, or a history that ends at another version. A broken promise
// is no error: see [privacy.FirstBroken].
//
// Cost: O(records log records), or O(records) if they are sorted by key, taking the attributes
// and a group's distinct sensitive values as constants.
func Verify(ctx context.Context, t *Transition, h *History, sealed bool) ([]anonymize.Guarantee, *History, error) {
	if err := t.check(); err != nil {
		return nil, nil, err
	}
	if h == nil {
		h = newHistory(t.Before)
	}
	if err := h.endsAt(t.Before); err != nil {
		return nil, nil, err
	}
	verify := verifyRecords
	if t.AfterLive.UnitColumns > 0 {
		verify = func(ctx context.Context, t *Transition, h *History, _ bool) ([]anonymize.Guarantee, *History, error) {
			return verifyUnits(ctx, t, h)
		}
	}
	guarantees, next, err := verify(ctx, t, h, sealed)
	if err == nil && privacy.FirstBroken(guarantees) == nil { // a broken promise is itself the explanation
		err = matchRecords(t.After, t.AfterLive)
	}
	if err != nil {
		return nil, nil, err
	}
	return guarantees, next, nil
}

// verifyRecords is [Verify] for a release whose records are persons.
func verifyRecords(ctx context.Context, t *Transition, h *History, sealed bool) ([]anonymize.Guarantee, *History, error) {
	o, err := observe(ctx, t)
	if err != nil {
		return nil, nil, err
	}
	next, living, err := o.remember(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	invariance, err := invariance(t, sealed)
	if err != nil {
		return nil, nil, err
	}
	guarantees := []anonymize.Guarantee{realPersons(t, countPersons(t)), invariance, moved(t, o, sealed)}
	return append(guarantees, disclosures(next, living, sealed)...), next, ctx.Err()
}

// check verifies that the parts of t belong together, as far as observe does not.
func (t *Transition) check() error {
	if t == nil || t.Before == nil || t.After == nil || t.BeforeLive == nil || t.AfterLive == nil {
		return errors.New("a refresh needs two versions and their private sides")
	}
	if t.K < 1 {
		return fmt.Errorf("k is %d, must be at least 1", t.K)
	}
	for i, r := range []*anonymize.Release{t.Before, t.After} {
		if err := privacy.WellFormed(r); err != nil {
			return fmt.Errorf("the version %s the refresh is malformed: %w", versionNames[i], err)
		}
	}
	if len(t.From) != t.After.Groups() {
		return fmt.Errorf("the refresh says of %d groups where they come from, the version after it has %d", len(t.From), t.After.Groups())
	}
	taken := make([]bool, t.Before.Groups())
	for g, from := range t.From {
		switch {
		case from < -1 || from >= len(taken):
			return fmt.Errorf("group %d comes from group %d, the version before has %d groups", g, from, len(taken))
		case from >= 0 && taken[from]:
			return fmt.Errorf("two groups come from group %d", from)
		case from >= 0:
			taken[from] = true
		}
	}
	return t.checkColumns()
}

// versionNames name the versions of a transition in messages.
var versionNames = []string{"before", "after"}

func (t *Transition) checkColumns() error {
	before, after := t.BeforeLive.Columns, t.AfterLive.Columns
	if len(before) != len(after) || len(after) == 0 {
		return fmt.Errorf("the private sides have %d and %d columns", len(before), len(after))
	}
	if t.BeforeLive.UnitColumns != t.AfterLive.UnitColumns {
		return fmt.Errorf("%d columns named the unit, %d do", t.BeforeLive.UnitColumns, t.AfterLive.UnitColumns)
	}
	for i, c := range after {
		if before[i].Name != c.Name {
			return fmt.Errorf("column %s was column %s before the refresh", c.Name, before[i].Name)
		}
	}
	for i, live := range []*anonymize.Live{t.BeforeLive, t.AfterLive} {
		n := live.Records()
		if len(live.Group) != n || len(live.Kind) != n {
			return fmt.Errorf("the private side %s the refresh has %d keys, %d groups and %d kinds", versionNames[i], n, len(live.Group), len(live.Kind))
		}
		for _, c := range live.Columns {
			if c.Rows() != n {
				return fmt.Errorf("column %s %s the refresh has %d values for %d records", c.Name, versionNames[i], c.Rows(), n)
			}
		}
	}
	return nil
}

// require makes a guarantee of a sequence; if bound is nil, it is only reported.
func require(g anonymize.Guarantee, bound *anonymize.Ratio, holds bool) anonymize.Guarantee {
	g.Required, g.Holds = bound, bound == nil || holds
	return g
}

// onlyIf returns the bound n if it is promised, else nil.
func onlyIf(promised bool, n uint64) *anonymize.Ratio {
	if !promised {
		return nil
	}
	return &anonymize.Ratio{Num: n, Den: 1}
}

// realPersons computes k_real. Without a new group nothing can break: K. It ignores continuing
// groups, whose numbers of counterfeits are not published.
func realPersons(t *Transition, persons []int) anonymize.Guarantee {
	least, worst, fresh := t.K, -1, 0
	for g, n := range persons {
		if t.From[g] >= 0 {
			continue
		}
		if fresh++; worst < 0 || n < least {
			least, worst = n, g
		}
	}
	detail := "no group is new"
	if fresh > 0 {
		size, what := t.After.GroupSizes[worst], "records"
		if t.After.Units != nil {
			size, what = t.After.Units[worst], "units"
		}
		detail = fmt.Sprintf("%d of the %d %s are persons, least of %s", least, size, what, plural(fresh, "new group", "new groups"))
	}
	return require(anonymize.Guarantee{Name: "k_real", Achieved: float64(least), WorstGroup: worst, Detail: detail},
		onlyIf(true, uint64(t.K)), least >= t.K)
}

// countPersons counts the persons of the groups after the refresh.
func countPersons(t *Transition) []int {
	persons := make([]int, t.After.Groups())
	for i, g := range t.AfterLive.Group {
		if g != anonymize.Waiting && t.AfterLive.Kind[i] == anonymize.Person {
			persons[g]++
		}
	}
	return persons
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}

// moved counts the persons whose record is equal in both versions but whose group does not
// continue their previous one, or who are no longer published. The worst group is the current
// group of one of them.
func moved(t *Transition, o *observation, sealed bool) anonymize.Guarantee {
	count, stayed, worst := 0, 0, -1
	for _, p := range o.persons {
		if p.before < 0 || p.after < 0 || !o.sameRecord(p) {
			continue
		}
		before, after := t.BeforeLive.Group[p.before], t.AfterLive.Group[p.after]
		switch {
		case before == anonymize.Waiting:
		case after == anonymize.Waiting:
			count++
		case t.From[after] != int(before):
			count, worst = count+1, int(after)
		default:
			stayed++
		}
	}
	return require(anonymize.Guarantee{Name: "moved", Achieved: float64(count), WorstGroup: worst,
		Detail: fmt.Sprintf("%s in their group", plural(stayed, "unchanged person stayed", "unchanged persons stayed"))},
		onlyIf(sealed, 0), count == 0)
}

// disclosures returns the figures of what the observer infers.
func disclosures(h *History, living livingTallies, sealed bool) []anonymize.Guarantee {
	updated := living.updated.plus(h.GoneUpdated)
	gain := living.gained + h.GoneGained
	return []anonymize.Guarantee{
		living.inserted.plus(h.GoneInserted).guarantee("disclosed_inserted", "inserted"),
		h.Deleted.guarantee("disclosed_deleted", "deleted"),
		living.unchanged.guarantee("disclosed_unchanged", "unchanged"),
		updated.guarantee("disclosed_updated", "updated"),
		require(anonymize.Guarantee{Name: "sequence_gain", Achieved: float64(gain), WorstGroup: -1,
			Detail: fmt.Sprintf("%s, %d of them published now, in %s",
				plural(gain, "record", "records"), living.gained, plural(h.Transitions, "refresh", "refreshes"))},
			onlyIf(sealed, 0), gain == 0),
	}
}

func (t Tally) guarantee(name, who string) anonymize.Guarantee {
	share := func(n int) float64 {
		if t.Persons == 0 {
			return 0
		}
		return float64(n) / float64(t.Persons)
	}
	return require(anonymize.Guarantee{Name: name, Achieved: share(t.One), WorstGroup: -1,
		Detail: fmt.Sprintf("of %s %d are left with one value and %d (%.4g) with two",
			plural(t.Persons, who+" person", who+" persons"), t.One, t.Two, share(t.Two))}, nil, true)
}
