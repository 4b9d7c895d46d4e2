package estimate

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
)

// A sum of two fragments tells what has canceled, and so do completed tables.
func TestSumsOfSeveralFragmentsTellWhatCanceled(t *testing.T) {
	b := newReleaseBuilder([]string{"x"}, []string{"s"})
	b.group([]string{"1000", "-1000"}, []string{"a", "b"})
	r := b.release()
	q := &Question{Leaves: []Leaf{ValueOf(0, 0), ValueLeaf(1, 0, func(v anonymize.Value) bool { return v.Text != "c" })}, Where: []Expression{{Leaves: []int{1}}}}
	argument := &Expression{Leaves: []int{0}}
	q.Aggregates = []Aggregate{{Kind: Count}, {Kind: Sum, Argument: argument}, {Kind: Average, Argument: argument}}
	c := mustComplete(t, r, randomCompletion(rand.New(rand.NewPCG(91, 92)), r, 3))
	for name, ask := range map[string]func(context.Context, *Question) (*Answer, error){
		"weighted join": Prepare(r).Ask, "completed tables": c.AskWithSpread, "pairs of records": c.Ask,
	} {
		answer, err := ask(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if sum, mean := answer.Rows[0].Size(1), answer.Rows[0].Size(2); sum != 2000 || mean != 1000 {
			t.Errorf("%s: of %v the sizes are %v and %v", name, answer.Rows[0].Figures, sum, mean)
		}
	}
}

// A stored answer is a counter's only one.
type storedAnswer struct {
	figures.Counter
	row AnswerRow
}

func (s storedAnswer) Rows(context.Context, bool) ([]AnswerRow, error) {
	return []AnswerRow{s.row}, nil
}

// What has canceled of a figure does not hang on what is asked beside it.
func TestPortionsTellWhatCanceled(t *testing.T) {
	row := AnswerRow{Figures: []anonymize.Value{anonymize.RealValue(1)}}
	row.SetCanceled(0, 1e20)
	a := &apart{
		question: &Question{Aggregates: []Aggregate{{Kind: Count}, {Kind: Sum}}},
		portions: []portion{{&way{Counter: storedAnswer{row: row}}, []int{1}}},
	}
	rows, err := a.Rows(t.Context(), false)
	if err != nil || rows[0].Size(1) != 1e20 {
		t.Errorf("%v, %v", rows, err)
	}
}
