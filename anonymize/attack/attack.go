package attack

import (
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
)

// Truth is what the owner of a release has and others do not: the raw columns,
// and the gid of every record. All have one entry per record of the release.
type Truth struct {
	// QuasiIdentifiers are those that the attacker knows of everybody.
	QuasiIdentifiers []*anonymize.Column
	// Sensitive is the attribute that he is after.
	Sensitive *anonymize.Column
	GroupOf   []uint32
	// NotSensitive are values, as texts, that are no secret: an attack is judged by the records that have others.
	NotSensitive []string
	// Alone tells the records whose quasi-identifiers no other record has; nil where the records are all that there are.
	Alone []bool
}

// judged tells the records whose value is a secret.
func (t Truth) judged() []bool {
	harmless, judged := t.Sensitive.CodesOf(t.NotSensitive), make([]bool, t.Sensitive.Rows())
	for record, code := range t.Sensitive.Codes {
		judged[record] = !harmless[code]
	}
	return judged
}

// Options say how much work an attack is.
type Options struct {
	// Rounds of expectation-maximization. Defaults to 12.
	Rounds int
	// Sample is the number of records that are enough: whole groups are drawn
	// until they have as many. Defaults to 0, all.
	Sample int
	// Random draws the sample. Required if Sample is given.
	Random rand.Source
	// Bins is the most values that a numeric attribute keeps, in bins of
	// equal frequency. Defaults to 32.
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

// A Result is how an attack went, all but Records as shares of the records.
type Result struct {
	// Records that were attacked: fewer than the release has if there was a
	// sample, or a group too large for the attack (16 million pairs of record
	// and value).
	Records int
	// Baseline is the mean probability of a record's actual value in random
	// worlds, BaselineTop1 how often the value most frequent in the group is
	// the actual one.
	Baseline, BaselineTop1 float64
	// Mean is the mean posterior probability of the actual value, Top1 how
	// often the most probable value is the actual one; the expectation, if
	// there are ties.
	Mean, Top1 float64
	// Own50 and Own90 are the shares of records whose actual value has a posterior
	// above 0.5 and above 0.9.
	Own50, Own90 float64
	// Above90 is the share of records with a value of posterior above 0.9,
	// Above90Right in how many of these it is the actual one; 0 if there are
	// none.
	Above90, Above90Right float64
	// Alone is the same of the records that no other record shares its quasi-identifiers with.
	Alone Alone
}

// Alone is how an attack went for records that are unique by their quasi-identifiers, who are those that somebody is known to be: shares of these
// records. All figures are 0 if there are none.
type Alone struct {
	Records               int
	Baseline, Mean, Top1  float64
	Own50, Own90          float64
	Above90, Above90Right float64
}

// OfAlone is the result for the records that are unique by their quasi-identifiers.
func (r Result) OfAlone() Result {
	a := r.Alone
	return Result{Records: a.Records, Baseline: a.Baseline, Mean: a.Mean, Top1: a.Top1,
		Own50: a.Own50, Own90: a.Own90, Above90: a.Above90, Above90Right: a.Above90Right}
}

// unique tells the records that are unique by their quasi-identifiers.
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

// EffectiveL is 1/Top1: an attacker who picks one of so many equally likely
// values is as often right.
func (r Result) EffectiveL() float64 {
	if r.Top1 == 0 {
		return 0
	}
	return 1 / r.Top1
}
