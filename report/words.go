package report

import (
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// A kind of guarantee determines where and how it is shown.
type kind int

const (
	ofShare   kind = iota // a share or a probability, 0 to 1
	ofNumber              // anything else
	ofAttack              // a measured probability of an attack
	ofNumbers             // a measured number of an attack
)

// A wording has the name and the meaning of a guarantee.
type wording struct {
	name  string
	title string
	means string
	kind  kind
	// least says that the promise is a lower bound.
	least bool
}

// OneValue names the share of the records for which an attacker with their quasi-identifiers
// finds only one possible sensitive value in the release.
const OneValue = "one_value"

// wordings are those of package privacy and of the attacks.
var wordings = []wording{
	{OneValue, "Records left with one value", "whoever knows their quasi-identifiers knows their sensitive value", ofShare, false},
	{"k", "Records that look alike", "at least this many records have the same published quasi-identifiers", ofNumber, true},
	{"size", "Size of groups", "every group has at least this many records, or persons", ofNumber, true},
	{"alpha", "Share of one combination of quasi-identifiers", "of a group, in any one table of quasi-identifiers", ofShare, false},
	{"beta", "Share of one sensitive value", "of a group: how surely its most frequent value can be guessed", ofShare, false},
	{"gamma", "Probability of one whole record", "product of the greatest shares over all tables of a group", ofShare, false},
	{"presence", "Probability that a combination is present", "that some record of a group has its most likely combination", ofShare, false},
	{"delta", "Skew of a sensitive value", "difference between its share of a group and of the whole release", ofShare, false},
	{"lift", "Lift of a sensitive value", "its share of a group, divided by its share of the whole release", ofNumber, false},
	{"l", "Diversity (l)", "no sensitive value has more than 1/l of a group", ofNumber, true},
	{"l_threshold", "Diversity of numbers that are close", "all that are within the threshold of each other count as one value", ofNumber, true},
	{"l_sets", "Diversity of codes", "all cells that share a code count as one value", ofNumber, true},
	{"distinct", "Different sensitive values", "in every group", ofNumber, true},
	{"entropy", "Entropy diversity", "this many equally frequent values would be as uncertain", ofNumber, true},
	{"recursive", "Recursive (c, l)-diversity, c", "most frequent value against the rarer ones; must stay below", ofNumber, false},
	{"t_equal", "Distance from the whole (t, equal)", "total variation between a group's sensitive values and all", ofShare, false},
	{"t_ordered", "Distance from the whole (t, ordered)", "the same along the order of the values", ofShare, false},
	{"t_hierarchical", "Distance from the whole (t, hierarchical)", "the same along the taxonomy of the values", ofShare, false},
	{"beta_likeness", "Gain of a sensitive value (beta-likeness)", "by how much its share of a group exceeds its share of the whole release, as a part of the latter", ofNumber, false},
	{"enhanced_beta_likeness", "Gain of a sensitive value (enhanced beta-likeness)", "the same, and never above the logarithm of one over its share of the whole release", ofNumber, false},
	{"range", "Span of the sensitive numbers of a group", "from the least to the greatest; at least", ofNumber, true},
	{"delta_disclosure", "Skew of a sensitive value in bits (delta-disclosure)", "logarithm of its share of a group over its share of the whole release; must stay below", ofNumber, false},
	{"background", "With knowledge of one other person", "share of a value for an attacker who knows that one other record lacks it", ofShare, false},
	{"breach", "Breach probability", "of a sensitive value, over all groups that a person may be in", ofShare, false},
	{"label_epsilon", "Privacy loss of a sensitive value (label epsilon)",
		"the release changes the odds between two sensitive values of a person by at most e to this power", ofNumber, false},
	{"least_cell", "Least count that the model shows", "it pools smaller ones", ofNumber, true},
	{"prosecutor", "Found by an attacker who knows who is in it (prosecutor)",
		"greatest probability that a record is the person with its quasi-identifiers, for an attacker who knows that the person is in the release", ofShare, false},
	{"journalist", "Found with a register of the population (journalist)", "the same for an attacker who does not know this and has a register of the population", ofShare, false},
	{"journalist_estimated", "Found by an attacker who does not know who is in it, by the weights",
		"greatest probability that a record is the person with its quasi-identifiers, where weights say how many persons have them", ofShare, false},
	{"marketer", "Right matches with a register (marketer)", "expected share of right matches if an attacker matches all records with the population", ofShare, false},
	{"k_map", "Persons who look alike (k-map)", "at least this many persons of the population have the quasi-identifiers of each record", ofNumber, true},
	{"delta_presence_min", "Least probability of presence", "that a person of the population is in the release", ofShare, true},
	{"delta_presence_max", "Greatest probability of presence", "that a person of the population is in the release", ofShare, false},
	{"population_uniques", "Unique persons of the population", "share of the persons whose quasi-identifiers nobody else has", ofShare, false},
	{"population_uniques_estimated", "Unique persons, estimated", "share of a population of known size whose quasi-identifiers, as the release shows them, nobody else has", ofShare, false},
	{"k_real", "Real records in a group", "persons in a new group, counterfeits not counted", ofNumber, true},
	{"m_invariance", "Groups that stay as they were", "share of the continuing groups with the same cells and sensitive values", ofShare, true},
	{"moved", "Persons who left their group", "though nothing about them changed", ofNumber, false},
	{"sequence_gain", "Records that the sequence tells more of", "than each version does by itself", ofNumber, false},
	{"definetti", "Attacker who learns from the release", "mean probability given to a record's own sensitive value", ofAttack, false},
	{"learned", "Attacker who completes the release", "mean probability given to a record's own sensitive value", ofAttack, false},
	{"rank", "Attacker who learns who is placed where", "mean probability given to a record's own sensitive value", ofAttack, false},
	{"definetti_unique", "Attacker who learns from the release, of unique people", "mean probability given to the own sensitive value of a record that is unique by its quasi-identifiers", ofAttack, false},
	{"learned_unique", "Attacker who completes the release, of unique people", "the same for an attacker who completes the release", ofAttack, false},
	{"rank_unique", "Attacker who learns who is placed where, of unique people", "the same for an attacker who knows where records stand", ofAttack, false},
	{"floor", "Statistics alone, without a release",
		"mean probability that an attacker who knows how this table's quasi-identifiers go with the sensitive value gives to a record's own", ofAttack, false},
	{"floor_unique", "Statistics alone, of unique people", "the same for a record that is unique by its quasi-identifiers", ofAttack, false},
	{"supervised", "Attacker who has the statistics and the groups", "mean probability given to a record's own sensitive value", ofAttack, false},
	{"supervised_unique", "Attacker who has the statistics and the groups, of unique people", "the same for a record that is unique by its quasi-identifiers", ofAttack, false},
	{"membership", "What presence in the model adds", "to the mean probability given to a record's own sensitive value", ofAttack, false},
	{"matching", "Attacker who counts what matches", "mean probability given to a record's own sensitive value", ofAttack, false},
	{"unit_values", "Values left of a unit", "least number of sensitive values left after an attacker intersects the groups of all records of a person", ofNumbers, true},
	{"intersection_one", "Attacker who reads every public release", "share of the records left with one candidate value", ofAttack, false},
	{"intersection_candidates", "Candidates left by every public release", "mean number of sensitive values that a record may still have", ofNumbers, true},
}

// wordingOf returns the wording of a guarantee; an unknown name stands for itself and is a
// number.
func wordingOf(name string) wording {
	base, attributes, ok := anonymize.SplitAbout(name)
	if !ok {
		base = name
	}
	found := wording{name: base, title: base, kind: ofNumber}
	for _, w := range wordings {
		if w.name == base {
			found = w
		}
	}
	if strings.HasPrefix(base, "disclosed_") {
		found.title, found.kind = "Disclosed: "+strings.ReplaceAll(strings.TrimPrefix(base, "disclosed_"), "_", " "), ofShare
		found.means = "share of the persons whom all versions together give away"
	}
	if len(attributes) > 0 {
		found.title += " of " + strings.Join(attributes, " with ")
	}
	return found
}

// figure shows a value in its guarantee's unit.
func (w wording) figure(x float64) Figure {
	if w.kind == ofShare || w.kind == ofAttack {
		return share(x)
	}
	return number(x)
}

func (w wording) measured() bool { return w.kind == ofAttack || w.kind == ofNumbers }

// A Line is a guarantee in words, for other pages.
type Line struct {
	Name, Title, Means, Detail string
	Required                   string // "at most 20 %"; "" if nothing breakable was required
	Achieved                   Figure
	Holds                      bool
}

// LineOf describes a row of ANON_PRIVACY in words; required is nil for NULL.
func LineOf(name string, required *float64, achieved float64, holds bool, detail string) Line {
	w := wordingOf(name)
	line := Line{name, w.title, capital(w.means), detail, "", w.figure(achieved), holds}
	if required != nil && w.breakable(*required) {
		line.Required = bound(w) + " " + w.figure(*required).Text
	}
	return line
}
