package estimate

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// The path that is told is the one that is taken, and telling it builds nothing.
func TestPathIsTheOneTaken(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	told := map[Path]int{}
	for _, s := range sizings {
		for trial := range trials(40) {
			r := codedRelease(random, 150+random.IntN(400), 1+trial%4, s.draw)
			r.Forged = trial % 3 * r.Rows / 10
			p := Prepare(r)
			for question := range 4 {
				q := codedQuestion(random, r, question >= 2)
				if question == 3 {
					joinColumns(random, r, q)
				}
				if question == 2 && len(r.Fragments) > 1 {
					joinFragments(random, q)
				}
				before := p.Bytes()
				path, reason, err := p.Path(context.Background(), q)
				if err != nil {
					t.Fatal(err)
				}
				if p.Bytes() != before {
					t.Fatalf("telling the path took %d bytes", p.Bytes()-before)
				}
				told[path]++
				if (path == JoinPath) != (reason != "") {
					t.Fatalf("path %s with the reason %q", path, reason)
				}
				answer := mustAskPrepared(t, p, q)
				if answer.Exact != (path == ExactPath) {
					t.Fatalf("path %s, an answer that is exact: %v", path, answer.Exact)
				}
				if runs := p.planes.NewCounter(r, q, mustSides(t, r, q)).Reason() == "" || kept(answer).cells != nil; path != ExactPath && runs != (path == KernelPath) {
					t.Fatalf("path %s (%s), a kernel runs: %v", path, reason, runs)
				}
			}
		}
	}
	for _, path := range []Path{ExactPath, KernelPath, JoinPath} {
		if told[path] < atLeast(20) {
			t.Errorf("path %s was told %d times only", path, told[path])
		}
	}
}

// joinFragments adds a condition over two fragments.
func joinFragments(random *rand.Rand, q *Question) {
	at := len(q.Leaves)
	q.Leaves = append(q.Leaves, ValueOf(0, 0), ValueOf(1, 0))
	limit := random.Int64N(8)
	q.Where = append(q.Where, Expression{Leaves: []int{at, at + 1}, Combine: func(v []anonymize.Value) (anonymize.Value, error) {
		return truthOf(v[0].Int+v[1].Int > limit), nil
	}})
}

// joinColumns adds a condition over all columns of a fragment.
func joinColumns(random *rand.Rand, r *anonymize.Release, q *Question) {
	f := random.IntN(len(r.Fragments))
	leaf := Leaf{Fragment: f, Eval: func(values []anonymize.Value) (anonymize.Value, error) {
		return anonymize.IntegerValue(values[0].Int % 3), nil
	}}
	for c := range r.Fragments[f].Columns {
		leaf.Columns = append(leaf.Columns, c)
	}
	q.Leaves = append(q.Leaves, leaf)
	q.Where = append(q.Where, Expression{Leaves: []int{len(q.Leaves) - 1}})
}

// A question that does not fit has no path.
func TestPathOfAnUnfitQuestion(t *testing.T) {
	p := Prepare(printedTable3())
	if _, _, err := p.Path(context.Background(), &Question{Leaves: []Leaf{{Fragment: 7}}}); err == nil {
		t.Error("a question of fragment 7 has a path")
	}
}
