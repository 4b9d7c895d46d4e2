package recognition

import "math"

// A tally counts combinations of values of one set of columns in the first table, in the
// second, and in both. For a combination with i records in the first and j in the second, only
// i and j matter.
type tally struct {
	// The combinations with one record in each table; with two in the first and none in the
	// second; and the reverse.
	oneOne, twoNone, noneTwo float64
	first, second            side
	both                     float64 // combinations that both have
	counts                   counts
}

// A side is one table's part of a tally.
type side struct {
	rows   float64 // of the whole table, divided by times
	times  int     // greatest common divisor of all counts
	share  float64 // of all combinations that are looked at
	places float64 // possible combinations of the columns' values; infinite for a single column
	all    float64 // examined combinations
	single float64 // those of them with one record
	// sum and squares are of the combinations' record counts, divided.
	sum, squares float64
}

const (
	// minLogLikelihood is the log-likelihood ratio at which independence is rejected: a chance
	// below one in a million per set of columns.
	minLogLikelihood = 14.0
	// crowding is the greatest ratio of another population's share of records with a table's
	// combinations to its own population's.
	crowding = 4.0
	// A table counts as part of another one if at least fewExpected new combinations are
	// expected and next to none are found.
	fewExpected = 40.0
	nextToNone  = 0.05
)

// common estimates the share of the smaller table's records that the other table has, 0 if that
// may be chance.
func (t *tally) common() float64 {
	return max(t.pairs(), t.found(&t.first, &t.second), t.found(&t.second, &t.first), t.part(&t.first, &t.second), t.part(&t.second, &t.first))
}

const (
	// maxFilled is the greatest share of all places that single records fill by chance.
	maxFilled = 0.5
	// minSpread is the least variance-to-mean ratio of record counts when records are drawn one
	// by one: it is 1 for independent draws, more if combinations differ, and at least .6
	// without empty combinations if the mean is 2.
	minSpread  = 0.25
	fewRecords = 2.0
)

// balanced reports whether all combinations have nearly equally many records, or one each with
// few missing. Such records were not drawn one by one: somebody filled quotas (ages in a trial,
// regions in a sample). Then other people have the same combinations.
func (s *side) balanced() bool {
	if s.all == 0 {
		return false
	}
	times := float64(s.times)
	mean := times * s.sum / s.all
	if variance := times*times*s.squares/s.all - mean*mean; mean >= fewRecords {
		return variance < minSpread*mean
	}
	return s.single == s.all && s.filled() > maxFilled
}

// filled returns the share of places with records.
func (s *side) filled() float64 { return s.all / s.share / s.places }

// pairs examines combinations with exactly two records. In tables of different people these
// fall like coins: with rates x and y in the tables, (1,1) has the expectation xy, (2,0) x^2/2
// and (0,2) y^2/2, so by Cauchy and Schwarz the sums obey (1,1)^2 <= 4 (2,0) (0,2) for any two
// populations. A record in both tables adds only to (1,1). This is the test for too many
// heterozygotes; the most likely expectations under the bound are p^2, 2pq, q^2.
func (t *tally) pairs() float64 {
	n := t.oneOne + t.twoNone + t.noneTwo
	if n == 0 || t.first.balanced() || t.second.balanced() {
		return 0
	}
	p, q := 2*t.twoNone+t.oneOne, 2*t.noneTwo+t.oneOne
	ratio := logDeviation(t.oneOne, p*q/(2*n)) + logDeviation(t.twoNone, p*p/(4*n)) + logDeviation(t.noneTwo, q*q/(4*n))
	single := min(t.first.single, t.second.single)
	if t.oneOne <= p*q/(2*n) || ratio < minLogLikelihood || single == 0 {
		return 0
	}
	return min(1, (t.oneOne-2*math.Sqrt(t.twoNone*t.noneTwo))/single)
}

// logDeviation returns n ln(n / expected).
func logDeviation(n, expected float64) float64 {
	if n == 0 || expected == 0 {
		return 0
	}
	return n * math.Log(n/expected)
}

// knownShare estimates the share of new records of a table's population whose combination the
// table has (Good 1953, Turing's estimate). For a table whose records were not drawn one by one
// it is at least the share of filled places.
func (s *side) knownShare() float64 {
	return max(0, 1-s.single/s.share/s.rows, min(1, s.filled()))
}

// found examines how many of a table's distinct combinations the other table has, if the
// other's combinations identify nearly all of its records. It works even if every record was
// joined with several others.
func (t *tally) found(in, of *side) float64 {
	if in.single == 0 || of.all == 0 || in.balanced() {
		return 0
	}
	chance := crowding * (in.knownShare() + 3*math.Sqrt((in.all+1)*max(in.knownShare(), 1/in.all))/in.all)
	seen := t.both / of.all
	if chance > 0.5 || seen <= chance {
		return 0
	}
	ratio := logDeviation(t.both, of.all*chance) + logDeviation(of.all-t.both, of.all*(1-chance))
	if ratio < minLogLikelihood {
		return 0
	}
	return (seen - chance) / (1 - chance)
}

// part examines whether a table has next to no combination that the other lacks although many
// are expected. It is for columns that do not identify most records.
func (t *tally) part(in, of *side) float64 {
	if expected := of.all * (1 - in.knownShare()); in.balanced() || expected < fewExpected || of.all-t.both > nextToNone*expected {
		return 0
	}
	return 1
}
