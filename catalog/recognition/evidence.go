package recognition

import "math"

// A tally counts combinations of values of one set of columns: in the first
// table, in the second one, and in both. Of a combination that has i records in
// the first and j in the second one, only i and j matter.
type tally struct {
	// one, two and none, of two tables: once in each; twice in the first and not
	// in the second; the other way round.
	oneOne, twoNone, noneTwo float64
	first, second            side
	both                     float64 // combinations that both have
	counts                   counts
}

// A side is one table's part of a tally.
type side struct {
	rows   float64 // of the whole table, divided by what divides all counts
	times  int     // what divides them
	share  float64 // of all combinations that are looked at
	places float64 // combinations of the columns' values that there could be; infinite for a single column
	all    float64 // combinations that are looked at
	single float64 // of them, those of one record
	// sum and squares are of their numbers of records, divided.
	sum, squares float64
}

const (
	// minLogLikelihood is the logarithm of the likelihood ratio from which on independence
	// is given up: a chance below one in a million for each set of columns.
	minLogLikelihood = 14.0
	// crowding is how many times more of another population's records than of its
	// own may have combinations that a table has.
	crowding = 4.0
	// fewExpected new combinations must be expected at least, and next to none
	// found, for a table to be taken for a part of the other one.
	fewExpected = 40.0
	nextToNone  = 0.05
)

// common estimates the share of the smaller table's records that are records of
// the other one, 0 when it may be chance.
func (t *tally) common() float64 {
	return max(t.pairs(), t.found(&t.first, &t.second), t.found(&t.second, &t.first), t.part(&t.first, &t.second), t.part(&t.second, &t.first))
}

const (
	// maxFilled is the share of all places that records fill once each by chance, at most.
	maxFilled = 0.5
	// minSpread is the variance of numbers of records, by their mean, that records drawn
	// one by one have at least: it is one of independent draws, greater where combinations
	// differ, and not below .6 without those of no record if the mean is 2.
	minSpread  = 0.25
	fewRecords = 2.0
)

// balanced: all combinations have nearly as many records, or one each while few are
// missing. Nobody drew these records one by one: somebody filled a quota of each (ages in
// a trial, regions in a sample). Then the combinations are those of the columns' values,
// which other people have, too.
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

// filled is the share of the places that have records.
func (s *side) filled() float64 { return s.all / s.share / s.places }

// pairs looks at combinations of exactly two records. In tables of different
// people these fall like coins: if a combination has the rates x and y in the
// two, then (1,1) has the expectation xy, (2,0) x^2/2 and (0,2) y^2/2, so that by
// Cauchy and Schwarz the sums obey (1,1)^2 <= 4 (2,0) (0,2), whatever the two
// populations are. A record that both tables have makes a (1,1) and neither of
// the others. It is the test for too many heterozygotes: the most likely
// expectations under the bound are p^2, 2pq, q^2.
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

// logDeviation is n ln(n / expected).
func logDeviation(n, expected float64) float64 {
	if n == 0 || expected == 0 {
		return 0
	}
	return n * math.Log(n/expected)
}

// knownShare is the share of new records of a table's population that have a
// combination that the table has (Good 1953, Turing's estimate): at least that of all
// places that have records, for a table whose records were not drawn one by one.
func (s *side) knownShare() float64 {
	return max(0, 1-s.single/s.share/s.rows, min(1, s.filled()))
}

// found looks at how many of a table's different combinations the other one has,
// where that one's identify nearly all of its records: also when every record was
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

// part looks at whether a table has next to no combination that the other one
// does not have, while many are to be expected: for columns that do not identify
// most records.
func (t *tally) part(in, of *side) float64 {
	if expected := of.all * (1 - in.knownShare()); in.balanced() || expected < fewExpected || of.all-t.both > nextToNone*expected {
		return 0
	}
	return 1
}
