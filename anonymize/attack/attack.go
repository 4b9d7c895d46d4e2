package attack

import (
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
)

// Truth is what only the owner of a release has: the raw columns, and the gid of every record.
// All have one entry per record of the release.
type Truth struct {
	// QuasiIdentifiers are those that the attacker knows about everyone.
	QuasiIdentifiers []*anonymize.Column
	// Sensitive is the attribute under attack.
	Sensitive *anonymize.Column
	GroupOf   []uint32
	// NotSensitive lists values, as texts, that need no protection: only records with other values count in the results.
	NotSensitive []string
	// Alone marks the records whose quasi-identifiers no other record has. It is nil if the records are complete, so that this can be computed.
	Alone []bool
	// Most limits the records of RecordProbabilities: it takes so many, spread over the table, 0 for all.
	Most int
}

// judged marks the records whose value needs protection.
func (t Truth) judged() []bool {
	harmless, judged := t.Sensitive.CodesOf(t.NotSensitive), make([]bool, t.Sensitive.Rows())
	for record, code := range t.Sensitive.Codes {
		judged[record] = !harmless[code]
	}
	return judged
}

// Options limit the work of an attack.
type Options struct {
	// Rounds of expectation-maximization; 12 by default.
	Rounds int
	// Sample is the number of records that suffice: whole groups are drawn until they have as
	// many. The default 0 means all.
	Sample int
	// Random draws the sample. Required if Sample is given.
	Random rand.Source
	// Bins is the greatest number of values that a numeric attribute keeps, in bins of equal
	// frequency; 32 by default.
	Bins int
}

func (o Options) withDefaults() Options {
	if o.Rounds <= 0 {
		o.Rounds = 12
	}
	if o.Bins <= 0 {
		o.Bins = 32
	}
	return o
}

// A Result is the outcome of an attack; all figures except Records are shares of the records.
type Result struct {
	// Records is the number of attacked records. It is below that of the release after
	// sampling, or if a group is too large for the attack (16 million pairs of record and
	// value).
	Records int
	// Baseline is the mean probability of a record's actual value in random worlds.
	// BaselineTop1 is how often the most frequent value of the group is the actual one.
	Baseline, BaselineTop1 float64
	// Mean is the mean posterior probability of the actual value. Top1 is how often the most
	// probable value is the actual one; with ties, its expectation.
	Mean, Top1 float64
	// Own50 and Own90 are the shares of records whose actual value has a posterior above 0.5
	// and above 0.9.
	Own50, Own90 float64
	// Above90 is the share of records with any value of posterior above 0.9. Above90Right is
	// how often that value is the actual one; 0 if there is none.
	Above90, Above90Right float64
	// Alone has the same figures for the records with unique quasi-identifiers.
	Alone Alone
}

// Alone is the outcome for records with unique quasi-identifiers, which can be linked to known
// persons, as shares of these records. All figures are 0 if there are none.
type Alone struct {
	Records               int
	Baseline, Mean, Top1  float64
	Own50, Own90          float64
	Above90, Above90Right float64
}

// OfAlone returns the result for the records with unique quasi-identifiers.
func (r Result) OfAlone() Result {
	a := r.Alone
	return Result{Records: a.Records, Baseline: a.Baseline, Mean: a.Mean, Top1: a.Top1,
		Own50: a.Own50, Own90: a.Own90, Above90: a.Above90, Above90Right: a.Above90Right}
}

// unique marks the records with unique quasi-identifiers.
func (t Truth) unique() []bool {
	if t.Alone != nil {
		return t.Alone
	}
	if len(t.QuasiIdentifiers) == 0 {
		return make([]bool, t.Sensitive.Rows())
	}
	codes := make([][]uint32, len(t.QuasiIdentifiers))
	for i, c := range t.QuasiIdentifiers {
		codes[i] = c.Codes
	}
	number, distinct := anonymize.NumberRows(codes, t.Sensitive.Rows())
	records := make([]int, distinct)
	for _, n := range number {
		records[n]++
	}
	alone := make([]bool, len(number))
	for record, n := range number {
		alone[record] = records[n] == 1
	}
	return alone
}

// EffectiveL returns 1/Top1: the number of equally likely values among which a guess would be
// right as often.
func (r Result) EffectiveL() float64 {
	if r.Top1 == 0 {
		return 0
	}
	return 1 / r.Top1
}
