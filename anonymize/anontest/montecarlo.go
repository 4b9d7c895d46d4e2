package anontest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/testsize"
)

// standardErrors: over tables drawn from a release of 600 records, the mean of a figure is the estimate, and its
// standard deviation is the standard error.
//
// Over K draws, the mean has the standard error s/sqrt(K), and the variance about sqrt((m4 - m2^2)/K), where m2 and
// m4 are the draws' central moments. Both are near normal, because a figure is a sum over many groups. The test
// allows six standard errors: with two comparisons for each of 16 figures, one seed in 1.5 10^7 is a false alarm. AVG
// is a quotient with a first-order standard error; the neglected terms are some 10^-3 of it, and K = 2000 draws
// resolve 2 10^-2.
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

// easyQuestions returns questions about a release of an easy table; they sum q1.
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

// answerFrom computes the answer from one table drawn from r.
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

// deviates reports whether an estimate or its standard error differs from the draws.
func (m moments) deviates(estimated, deviation float64) bool {
	const sigmas, rounding = 6, 1e-9
	mean := sigmas*deviation/math.Sqrt(m.n) + rounding*(1+math.Abs(estimated))
	variance := sigmas*math.Sqrt(max(0, m.fourth-m.second*m.second)/m.n) + rounding*(1+m.second)
	return math.Abs(m.mean-estimated) > mean || math.Abs(m.second-deviation*deviation) > variance
}
