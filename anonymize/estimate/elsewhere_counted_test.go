package estimate

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/testsize"
)

// rangedRelease has ranges, or other cells, in its first fragment, and points in the others.
func rangedRelease(random *rand.Rand, groups int, s sizing) *anonymize.Release {
	r := codedRelease(random, groups, 2+random.IntN(2), s.draw)
	for _, c := range r.Fragments[0].Columns {
		spread(random, c)
	}
	return r
}

// rangedQuestion is one of conjunctions, of conditions across fragments, and of every aggregate.
func rangedQuestion(random *rand.Rand, r *anonymize.Release) *Question {
	switch random.IntN(3) {
	case 0:
		q, _ := randomQuestion(random, r)
		return q
	case 1:
		return codedQuestion(random, r, true)
	}
	q := codedQuestion(random, r, true)
	for _, kind := range []Kind{Least, Greatest, Distinct} {
		q.Aggregates = append(q.Aggregates, Aggregate{Kind: kind, Argument: q.Aggregates[1].Argument})
	}
	return q
}

// Questions over ranges that are here, and points that are counted elsewhere, have the answers, standard errors and bounds of the release at hand.
func TestElsewhereBesideRanges(t *testing.T) {
	random := rand.New(rand.NewPCG(91, 92))
	counted, ways := 0, map[Path]int{}
	for _, s := range slices.DeleteFunc(slices.Clone(sizings), func(s sizing) bool { return s.name == "some empty" }) {
		for trial := range trials(45) {
			r := rangedRelease(random, testsize.Of(6, 20)+random.IntN(testsize.Of(12, 60)), s)
			here, q := Prepare(r), rangedQuestion(random, r)
			away, store := mustPrepareElsewhere(t, r)
			want, err := here.AskWithSpread(context.Background(), q)
			got, failed := away.AskWithSpread(context.Background(), q)
			if err != nil || failed != nil {
				if err == nil || failed == nil || err.Error() != failed.Error() {
					t.Fatalf("%s, trial %d: %v, want %v", s.name, trial, failed, err)
				}
				continue
			}
			if diff := different(got, want); diff != "" {
				t.Fatalf("%s, trial %d: %s", s.name, trial, diff)
			}
			gotErrors, gotBounds := mustSpreads(t, away, q, got)
			wantErrors, wantBounds := mustSpreads(t, here, q, want)
			for i := range want.Rows {
				for a := range q.Aggregates {
					if diff := spreadsDiffer(gotErrors[i][a], wantErrors[i][a], gotBounds[i][a], wantBounds[i][a], false); diff != "" {
						t.Fatalf("%s, trial %d, key %v, aggregate %d: %s", s.name, trial, want.Rows[i].Keys, a, diff)
					}
				}
			}
			counted += strings.Count(strings.Join(store.asked, " "), "groups")
			path, _, err := away.Path(context.Background(), q)
			if ways[path]++; err != nil {
				t.Fatal(err)
			}
		}
	}
	if t.Logf("%d relations were counted by group; ways %v", counted, ways); counted < atLeast(100) || ways[ElsewherePath] < atLeast(100) {
		t.Errorf("only %d relations were counted by group; ways %v", counted, ways)
	}
}

// Groups that the release does not have, records beyond those of a group, and fragments of other groups are noticed; the end of a context ends a question.
func TestElsewhereNoticesOtherGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(93, 94))
	r, other := rangedRelease(random, 40, sizings[1]), rangedRelease(random, 41, sizings[1])
	q := &Question{Leaves: []Leaf{ValueLeaf(0, 0, func(v anonymize.Value) bool { return v.Int < 3 }), ValueOf(1, 0)}, Where: []Expression{{Leaves: []int{0}}},
		Keys: []Expression{{Leaves: []int{1}}}, Aggregates: []Aggregate{{Kind: Count}}}
	for want, list := range map[string][]GroupCount{
		"in group 40 of 40":             {{Group: 40, Class: 0, Records: 1}},
		"class 9000 of":                 {{Group: 3, Class: 9000, Records: 1}},
		"0 records are of class 0":      {{Group: 3, Class: 0, Records: 0}},
		"has more than its 5 records":   {{Group: 3, Class: 0, Records: 4}, {Group: 3, Class: 0, Records: 2}},
		"group 4 has more than its 5 r": {{Group: 4, Class: 0, Records: 6}},
	} {
		shape, sizes := shapeOf(r)
		p, err := PrepareElsewhere(shape, sizes, &lying{distant{release: r}, list})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Ask(context.Background(), q); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
	shape, sizes := shapeOf(r)
	shape.Fragments[0] = other.Fragments[0]
	if _, err := PrepareElsewhere(shape, sizes, &distant{release: r}); err == nil || !strings.Contains(err.Error(), "has 41 groups, the release 40") {
		t.Errorf("a fragment of another release: %v", err)
	}
	shape, _ = shapeOf(r)
	if _, err := PrepareElsewhere(shape, []GroupSize{{Size: 4, Groups: 20}, {Size: 6, Groups: 20}}, &distant{release: r}); err == nil || !strings.Contains(err.Error(), "the release has 20 of that size") {
		t.Errorf("other sizes: %v", err)
	}
	p, _ := mustPrepareElsewhere(t, r)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Ask(ctx, q); err == nil {
		t.Error("a question does not end with its context")
	}
}

// A lying store counts by group what it was told.
type lying struct {
	distant
	told []GroupCount
}

func (l *lying) ByGroup(context.Context, Classes) ([]GroupCount, error) {
	return slices.Clone(l.told), nil
}
