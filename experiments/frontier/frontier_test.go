package frontier

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// people are ages in bands of ten, towns, and a disease that follows both.
func people(t *testing.T, rows int) *Table {
	t.Helper()
	var attributes []Attribute
	for _, text := range []string{"age:10", "town", "sex", "disease"} {
		a, err := ParseAttribute(text)
		if err != nil {
			t.Fatal(err)
		}
		attributes = append(attributes, a)
	}
	text := strings.Builder{}
	fmt.Fprintln(&text, "sex,age,disease,town")
	for i := range rows {
		fmt.Fprintf(&text, "%s,%d,%s,%s\n", []string{"f", "m"}[i%2], 20+i%40, []string{"flu", "gout"}[i/2%2], []string{"A", "B"}[i/4%2])
	}
	table, err := ReadCSV(strings.NewReader(text.String()), attributes)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// A table answers questions about itself without error. So does half of it, with doubled counts.
func TestOwnAnswers(t *testing.T) {
	whole, half := people(t, 1600), people(t, 800)
	list := whole.questions(rand.New(rand.NewPCG(1, 1)))
	errors, err := judge(t.Context(), list, half.asked(whole.Rows))
	if err != nil {
		t.Fatal(err)
	}
	for kind, cells := range map[string]int{Pairs: 4*2 + 2*2 + 2*2, ThreeWay: drawn, TwoKeys: 4*2*2 + 4*2*2 + 2*2*2, Averages: 2 + 2*2*2} {
		if e := errors[kind]; e.Cells != cells || e.Mean > 1e-12 || e.Covered != -1 {
			t.Errorf("%s: %+v, want %d cells without error", kind, e, cells)
		}
	}
}

// A cell that an answer lacks is 0, and no interval covers it.
func TestJudge(t *testing.T) {
	q := &question{kind: Pairs, average: -1, actual: map[string]float64{"a": 40, "b": 20, "c": 100}}
	errors, err := judge(t.Context(), []*question{q}, func(context.Context, *question) (map[string]answer, error) {
		return map[string]answer{"a": {50, 39, 60}, "c": {100, math.NaN(), math.NaN()}}, nil
	})
	if e := errors[Pairs]; err != nil || e.Cells != 3 || math.Abs(e.Mean-1.25/3) > 1e-12 || e.Median != .25 || e.Covered != .5 {
		t.Errorf("%+v, %v", e, err)
	}
}

// What ANON_PRIVACY says in words is read, and what is not measured is a dash.
func TestLine(t *testing.T) {
	shares := aboveShares.FindStringSubmatch("first guess right 0.2; above 0.5 for 0.079 of the records, above 0.9 for 0.003")
	if len(shares) != 3 || shares[1] != "0.079" || shares[2] != "0.003" {
		t.Errorf("read %q", shares)
	}
	p := Point{Name: "x", Errors: map[string]Errors{Pairs: {3, .0361, .017, .98}}, Attacks: map[string]Attack{"learned": {.236, .079, .003}}, Seconds: 74}
	if got, want := p.Line(), "| x | 0.036 / 0.017 (0.98) | - | - | - | 0.236 | 0.079 | 0.003 | - / - | - / - | 74 |"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestAttributesAreRefused(t *testing.T) {
	for _, text := range []string{"age:0", "age:x", "age:-1"} {
		if _, err := ParseAttribute(text); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
	if _, err := ReadCSV(strings.NewReader("a,b\n1,2\n"), []Attribute{{"c", 0}}); err == nil {
		t.Error("a file without the column is taken")
	}
}
