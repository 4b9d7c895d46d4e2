package figures

import (
	"math"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// SecondMoments are sums over groups, for one aggregate and key, of moments of the number of
// records N and the sum S. Squares is the expected sum of the squares of S's summands.
type SecondMoments struct{ MeanN, MeanS, VarN, VarS, Covariance, Squares float64 }

func (s *SecondMoments) Add(other SecondMoments) {
	s.MeanN += other.MeanN
	s.MeanS += other.MeanS
	s.VarN += other.VarN
	s.VarS += other.VarS
	s.Covariance += other.Covariance
	s.Squares += other.Squares
}

// Deviation returns the standard deviation of a figure.
func (s SecondMoments) Deviation(kind question.Kind) float64 {
	switch {
	case kind == question.Count:
		return math.Sqrt(max(0, s.VarN))
	case kind == question.Sum:
		return math.Sqrt(max(0, s.VarS))
	case s.MeanN == 0:
		return 0
	}
	// Delta method: Var(S/N) = (Var S - 2 R Cov + R^2 Var N) / N^2, R = S/N.
	ratio := s.MeanS / s.MeanN
	return math.Sqrt(max(0, s.VarS-2*ratio*s.Covariance+ratio*ratio*s.VarN)) / s.MeanN
}

// Deviations returns the standard errors of an answer.
func (t Thinning) Deviations(q *question.Question, answer *question.Answer, of MomentsOf) [][]anonymize.Value {
	return question.SpreadOf(q, answer, func(row question.AnswerRow, a int) anonymize.Value {
		return anonymize.RealValue(t.Moments(of(row, a)).Deviation(q.Aggregates[a].Kind))
	})
}

// AllBounds returns the hard bounds of an answer.
func (t Thinning) AllBounds(q *question.Question, answer *question.Answer, of TotalOf) [][]question.Bound {
	return question.SpreadOf(q, answer, func(row question.AnswerRow, a int) question.Bound {
		low, high := t.Bounds(q.Aggregates[a].Kind, of(row, a))
		return question.Bound{Low: anonymize.RealValue(low), High: anonymize.RealValue(high)}
	})
}
