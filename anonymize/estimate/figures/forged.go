package figures

import (
	"maps"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A Thinning describes counterfeits: F of the N records of a release, where every choice of F
// is equally likely, whatever the matchings and cells. Answers cover the N-F real records. All
// earlier steps compute figures of the N records. Only Thinning separates real records from
// counterfeits, except that Draw leaves out F rows.
//
// Expectations. Every record is real with probability (N-F)/N, independently of its values. So
// expected numbers and sums shrink by this factor, and quotients of them (AVG, VAR of a
// population) stay. Least and Greatest stay, too: a record that may have a value may be real,
// if any record is.
//
// Second moments. Given a table of N records, in which record i adds x_i to one figure and y_i
// to another, the real ones are a simple random sample of N-F. Its sums have the expectations
// (N-F)/N sum x_i, and the covariance (Cochran, Sampling Techniques, 1977, Theorem 2.3, with n
// = N-F)
//
//	F (N-F) / (N (N-1)) * (sum x_i y_i - sum x_i sum y_i / N)
//
// By the law of total covariance, over the tables,
//
//	Cov = ((N-F)/N)^2 Cov(X, Y)
//	    + F (N-F) / (N (N-1)) * (E[sum x_i y_i] - (Cov(X, Y) + E[X] E[Y]) / N)
//
// with X = sum x_i and Y = sum y_i over N records, because E[X Y] is Cov(X, Y) + E[X] E[Y]. For
// x = y it is the variance. For numbers of records, x_i^2 = x_i; a record that does not count
// adds no value, so x_i y_i = y_i. Only the variance of a sum therefore needs more than the
// moments of N records: the expected sum of squares.
type Thinning struct{ records, forged int }

func ThinningOf(r *anonymize.Release) Thinning { return Thinning{r.Rows, r.Forged} }

// IsNone reports whether all records are real.
func (t Thinning) IsNone() bool { return t.forged == 0 }

// LeavesNone reports whether all of the records are counterfeits.
func (t Thinning) LeavesNone() bool { return t.forged > 0 && t.forged == t.records }

// Expectation thins an expectation. Without counterfeits it returns x unchanged.
func (t Thinning) Expectation(x float64) float64 {
	if t.IsNone() {
		return x
	}
	return x * float64(t.records-t.forged) / float64(t.records)
}

// Figure thins the sums of a running figure.
func (t Thinning) Figure(f *Running) {
	f.Records, f.Sum, f.Squares = t.Expectation(f.Records), t.Expectation(f.Sum), t.Expectation(f.Squares)
	f.absolute = t.Expectation(f.absolute)
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

// negligible is the probability from which on further records with a value do not change an
// expected number of values.
const negligible = 1e-18

// Absences returns, by x, the probability that none of x records is real,
//
//	F (F-1) ... (F-x+1) / (N (N-1) ... (N-x+1))
//
// up to the last that is not negligible; only 1 without counterfeits.
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

// values returns the expected number of values with a real record. records has the number of
// records by value.
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

// Bounds returns the bounds of a figure over the real records, given what the groups allow.
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
	case kind == question.Count: // all counterfeits count, or as few as possible
		return max(0, x.Low-float64(t.forged)), min(x.High, float64(t.records-t.forged))
	}
	return t.leastSum(x.Spans), -t.leastSum(mirrored(x.Spans))
}

// leastSum returns the least sum of N-F records. To attain it with N records, take the negative
// values of every group and as few others as the group requires. The counterfeits are the
// largest of these: up to F positive ones, and more until N-F records are left.
//
// No sum is smaller. At best, the real records of a group are its k smallest values. k is at
// most what the group allows; it may be less than the group requires, by F over all groups; and
// N-F records are real. The sum of the k smallest values is convex in k. So start with the best
// k without the last two limits, and move it where that costs least, which is what removing the
// largest values does. The limit F on removed required values does not affect the second step:
// at most N less the removed positive values were taken, so fewer are removed than remain of F.
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

// leastMean returns the least mean of N-F records (Dinkelbach 1967). Given a mean lambda, the
// best choice takes in every group the values below lambda and as few others as required, of
// which the F largest are counterfeits; its mean is the next lambda. That N-F records are real
// restricts nothing: if F values were removed, at most N-F remain. If fewer were, only values
// up to lambda remain; in the end they all equal the least mean, as does the mean of any of
// them.
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
			return lambda // no value is below the mean: it is the least
		}
		next := sum / float64(count)
		if next >= lambda {
			return lambda
		}
		lambda = next
	}
}
