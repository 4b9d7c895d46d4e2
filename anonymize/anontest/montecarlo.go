package anontest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/testsize"
)

// standardErrors: tables drawn from a release of 600 records have the estimate
// for a mean and its standard error for a standard deviation.
//
// Of K draws the mean has the standard error s/sqrt(K), the variance about
// sqrt((m4 - m2^2)/K) with the draws' own central moments m2 and m4. Both are
// near normal, a figure being a sum over many groups, and are allowed six
// standard errors: with two comparisons of each of 16 figures a false alarm is
// one seed in 1.5 10^7. AVG is a quotient, of which the standard error is that
// of the first order; what is left out is some 10^-3 of it, K = 2000 draws see
// 2 10^-2.
func (b battery) standardErrors(t *testing.T) {
	draws := testsize.Levels(150, 300, 2000)
	r := b.mustRun(t, b.easyOf(600, 11), b.Easy)
	questions := easyQuestions(r)
	drawn := make([][4]sample, len(questions))
	for i := range draws {
		table := estimate.Draw(r, rand.NewPCG(uint64(i), 5))
		for n, q := range questions {
			x := q.answerFrom(r, table)
			for j, figure := range []float64{x.records, x.present, x.sum, x.sum / x.present} {
				drawn[n][j] = append(drawn[n][j], figure)
			}
		}
	}
	varied := 0
	for n, q := range questions {
		f, err := ask(r, q.estimator(), true)
		if err != nil {
			t.Fatalf("%v: %v", q, err)
		}
		for j, figure := range f.answer.Rows[0].Figures {
			deviation := f.errors[0][j].Float
			if deviation > 0 {
				varied++
			}
			if m := drawn[n][j].moments(); m.deviates(figure.Float, deviation) {
				t.Errorf("%v, figure %d: estimate %v with standard error %v, %d draws have mean %v and standard deviation %v",
					q, j, figure.Float, deviation, draws, m.mean, math.Sqrt(m.second))
			}
		}
	}
	if varied == 0 {
		t.Error("no question has an uncertain answer: nothing was tested")
	}
}

// easyQuestions are about a release of an easy table, with q1 to add up.
func easyQuestions(r *anonymize.Release) []*question {
	about := func(name string, keep func(anonymize.Value) bool) atom {
		f, c, _ := r.Locate(name)
		a := atom{place: place{f, c}, name: name, among: map[anonymize.Value]bool{}}
		for _, v := range r.Fragments[f].Columns[c].Dictionary {
			a.among[v] = keep(v)
		}
		return a
	}
	low := about("q1", func(v anonymize.Value) bool { return v.Int < 300 })
	a := about("q2", func(v anonymize.Value) bool { return v.Text == "a" })
	u := about("s", func(v anonymize.Value) bool { return v.Text == "u" })
	half := about("s", func(v anonymize.Value) bool { return v.Text < "x" })
	return []*question{
		{shape: both, atoms: []atom{low, half}, argument: &low.place},
		{shape: either, atoms: []atom{u, a}, argument: &low.place},
		{shape: without, atoms: []atom{low, u}, argument: &low.place},
		{shape: mixed, atoms: []atom{low, u, a}, argument: &low.place},
	}
}

// answerFrom is the answer from one table that was drawn from r.
func (q *question) answerFrom(r *anonymize.Release, table *anonymize.Microdata) (t tally) {
	column := func(p place) *anonymize.Column { return table.Column(r.Fragments[p.fragment].Columns[p.column].Name) }
	truths := make([][]int, len(q.atoms)) // by atom and code
	for i, a := range q.atoms {
		for _, v := range column(a.place).Dictionary {
			truths[i] = append(truths[i], a.truth(v))
		}
	}
	argument, of := column(*q.argument), make([]int, len(q.atoms))
	for row := range table.Rows {
		for i, a := range q.atoms {
			of[i] = truths[i][column(a.place).Codes[row]]
		}
		if q.condition(of) == yes {
			x, _ := argument.Value(row).Number()
			t.records++
			t.present++
			t.sum += x
		}
	}
	return t
}

type sample []float64

// moments are the mean and the central moments of n numbers.
type moments struct{ n, mean, second, fourth float64 }

func (s sample) moments() moments {
	m := moments{n: float64(len(s))}
	for _, x := range s {
		m.mean += x / m.n
	}
	for _, x := range s {
		square := (x - m.mean) * (x - m.mean)
		m.second += square / m.n
		m.fourth += square * square / m.n
	}
	return m
}

// deviates reports whether an estimate or its standard error is not that of the draws.
func (m moments) deviates(estimated, deviation float64) bool {
	const sigmas, rounding = 6, 1e-9
	mean := sigmas*deviation/math.Sqrt(m.n) + rounding*(1+math.Abs(estimated))
	variance := sigmas*math.Sqrt(max(0, m.fourth-m.second*m.second)/m.n) + rounding*(1+m.second)
	return math.Abs(m.mean-estimated) > mean || math.Abs(m.second-deviation*deviation) > variance
}
