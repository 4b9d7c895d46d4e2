package figures

import (
	"maps"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A Thinning is what is known of counterfeits: F of the N records of a release,
// each choice of F equally likely, whatever the matchings and cells are. Answers
// are about the N-F others, the real records. All that the steps before make are
// figures of the N records; this is the only place where the real ones among them
// are told from those, except that Draw leaves out F rows.
//
// Expectations. Every record is real with probability (N-F)/N, independently of
// what it has: expected numbers and sums are that much of those of N records, and
// quotients of them (AVG, VAR of a population) stay. Least and Greatest stay too:
// a record that may have a value may be a real one, where there is one.
//
// Second moments. Given a table of N records, of which record i adds x_i to one
// figure and y_i to another, the real ones are a simple random sample of N-F: its
// sums have the expectations (N-F)/N sum x_i, and the covariance (Cochran,
// Sampling Techniques, 1977, Theorem 2.3, with n = N-F)
//
//	F (N-F) / (N (N-1)) * (sum x_i y_i - sum x_i sum y_i / N)
//
// By the law of total covariance, over the tables,
//
//	Cov = ((N-F)/N)^2 Cov(X, Y)
//	    + F (N-F) / (N (N-1)) * (E[sum x_i y_i] - (Cov(X, Y) + E[X] E[Y]) / N)
//
// with X = sum x_i and Y = sum y_i over N records, because E[X Y] is Cov(X, Y) +
// E[X] E[Y]. For x = y that is the variance. Of two numbers of records x_i^2 =
// x_i, and a record that does not count adds no value, so that x_i y_i = y_i: only
// the variance of a sum needs more than the moments of N records, the expectation
// of its squares.
type Thinning struct{ records, forged int }

func ThinningOf(r *anonymize.Release) Thinning { return Thinning{r.Rows, r.Forged} }

// IsNone reports whether all records are real.
func (t Thinning) IsNone() bool { return t.forged == 0 }

// LeavesNone reports whether all of the records are counterfeits.
func (t Thinning) LeavesNone() bool { return t.forged > 0 && t.forged == t.records }

// Expectation is the expectation over the real records of what is expected of all. It is
// in this order, so that all records are exactly the real ones.
func (t Thinning) Expectation(x float64) float64 {
	if t.IsNone() {
		return x
	}
	return x * float64(t.records-t.forged) / float64(t.records)
}

// Figure thins what the combinations of classes add up to.
func (t Thinning) Figure(f *Running) {
	f.Records, f.Sum, f.Squares = t.Expectation(f.Records), t.Expectation(f.Sum), t.Expectation(f.Squares)
}

// Moments thins second moments.
func (t Thinning) Moments(s SecondMoments) SecondMoments {
	if t.IsNone() {
		return s
	}
	n, drawn := float64(t.records), 0.0
	if t.records > 1 {
		drawn = float64(t.forged) * float64(t.records-t.forged) / (n * (n - 1))
	}
	thinned := func(covariance, products, means float64) float64 {
		return t.Expectation(t.Expectation(covariance)) + drawn*(products-(covariance+means)/n)
	}
	return SecondMoments{
		MeanN: t.Expectation(s.MeanN), MeanS: t.Expectation(s.MeanS), Squares: t.Expectation(s.Squares),
		VarN:       thinned(s.VarN, s.MeanN, s.MeanN*s.MeanN),
		VarS:       thinned(s.VarS, s.Squares, s.MeanS*s.MeanS),
		Covariance: thinned(s.Covariance, s.MeanS, s.MeanN*s.MeanS),
	}
}

// negligible is the probability from which on more records with a value change
// nothing in an expected number of values.
const negligible = 1e-18

// Absences are the probabilities that of x records none is real, by x,
//
//	F (F-1) ... (F-x+1) / (N (N-1) ... (N-x+1))
//
// up to the last that is not negligible: 1 alone without counterfeits.
func (t Thinning) Absences() []float64 {
	list := []float64{1}
	for x, p := 0, 1.0; x < t.forged; x++ {
		if p *= float64(t.forged-x) / float64(t.records-x); p < negligible {
			break
		}
		list = append(list, p)
	}
	return list
}

// values is the expected number of values that a real record has, by the number of
// records that have it.
func (t Thinning) values(records map[int]float64) float64 {
	if t.IsNone() {
		return float64(len(records))
	}
	absences := t.Absences()
	expected := 0.0
	for _, number := range slices.Sorted(maps.Keys(records)) { // so that the sum is always the same
		expected++
		if n := int(math.Round(records[number])); n < len(absences) {
			expected -= absences[n]
		}
	}
	return expected
}

// Bounds are those of a figure over the real records, of what the groups allow.
func (t Thinning) Bounds(kind question.Kind, x *Total) (low, high float64) {
	switch {
	case kind == question.Average && x.takes != nil:
		return x.takes.means()
	case x.takes != nil:
		return x.takes.sums()
	case kind == question.Average && x.Spans != nil:
		return t.leastMean(x.Spans), -t.leastMean(mirrored(x.Spans))
	case t.IsNone():
		return x.Low, x.High
	case kind == question.Count: // the F are among those that count, or as few as can be
		return max(0, x.Low-float64(t.forged)), min(x.High, float64(t.records-t.forged))
	}
	return t.leastSum(x.Spans), -t.leastSum(mirrored(x.Spans))
}

// leastSum is the least sum of N-F records. Of N records it is attained by taking
// from every group its values below 0 and what must be taken beyond. Of these the
// largest leave as counterfeits: up to F that are above 0, and more until N-F are
// left.
//
// Nothing less is possible. What is real of a group is at best its k smallest
// values, k up to what the group allows at most; k may be below what it must have,
// by F over all groups; and N-F are real. The sum of the k smallest is convex in
// k, so that the best k without the last two limits is moved towards them where it
// costs least, which is what leaving out the largest does. That F limits how many
// of those leave that the groups must have is no matter for the second step: those
// taken are at most N less the ones above 0 that left, so fewer leave than are
// left of F.
func (t Thinning) leastSum(spans []Span) float64 {
	var taken []float64
	for _, s := range spans {
		negative, _ := slices.BinarySearch(s.Least, 0)
		taken = append(taken, s.Least[:min(max(negative, s.Low), s.High)]...)
	}
	slices.Sort(taken)
	n := len(taken)
	for left := t.forged; n > 0 && (left > 0 && taken[n-1] > 0 || n > t.records-t.forged); left-- {
		n--
	}
	sum := 0.0
	for _, x := range taken[:n] {
		sum += x
	}
	return sum
}

// leastMean is the least mean of N-F records (Dinkelbach 1967): for a mean lambda,
// the best choice takes in every group the values below lambda and what must be
// taken beyond, of which the F largest leave as counterfeits; its mean is the next
// lambda. That N-F are real limits nothing: where F values left, no more than N-F
// stay; where fewer did, only values up to lambda stay, which in the end all are
// the least mean, and so is that of any of them.
func (t Thinning) leastMean(spans []Span) float64 {
	lambda := math.Inf(1)
	var beyond []float64
	for {
		sum, count := 0.0, 0
		beyond = beyond[:0]
		for _, s := range spans {
			taken, _ := slices.BinarySearch(s.Least, lambda)
			taken = min(taken, s.High)
			for _, x := range s.Least[:taken] {
				sum += x
			}
			count += taken
			if taken < s.Low {
				beyond = append(beyond, s.Least[taken:s.Low]...)
			}
		}
		if len(beyond) > t.forged {
			slices.Sort(beyond)
			for _, x := range beyond[:len(beyond)-t.forged] {
				sum += x
				count++
			}
		}
		if count == 0 {
			return lambda // nothing below the mean: it is the least
		}
		next := sum / float64(count)
		if next >= lambda {
			return lambda
		}
		lambda = next
	}
}
