// Package attack measures how far known attacks get with a release. It is for the
// owner, at publication: it needs the raw columns and the method's assignment of
// records to groups, and returns averages.
//
// Principles:
//
//  1. The attacker sees the release, and knows the quasi-identifiers and the group of
//     everybody. A release need not reveal the groups, so this assumption is
//     pessimistic. He knows no sensitive value except those that the description of an
//     attack names.
//  2. The truth is for scoring only. An attack that uses it otherwise says so.
//  3. A figure is no guarantee. These attackers are simple; package privacy has the
//     bounds that hold against all attackers of its model.
//  4. A result depends on the release, the truth and the random source, not on the
//     number of cores.
//
// [DeFinetti] learns from all groups at once, without knowing any record's sensitive
// value, how the sensitive attribute depends on the quasi-identifiers, and applies this
// inside each group: Kifer, "Attacks on Privacy and deFinetti's Theorem" (SIGMOD 2009),
// by expectation-maximization with naive Bayes. It gains where quasi-identifiers
// predict the sensitive attribute.
//
// [Learned] uses the model that completes the release (package impute) as an attack. The model
// has all pairs of attributes, not only those with the sensitive one, and considers all matchings
// of a group that put the target's quasi-identifiers into one row. It knows the quasi-identifiers
// of the target only, so a release in several fragments hides from it what DeFinetti is given:
// who else is in the group. On Adult it finds more than DeFinetti in small groups, and less where
// groups are few and large or where there are too few records to learn pairs. Look at both.
//
// [Rank] attacks groups that a method formed of neighbours in some order of the
// records. Such a method reaches farther for some values than for others, so a record
// far from the rest of its group is likely to have a value that is frequent, or rare,
// in that region. Rank learns this from half of the groups, whose sensitive values it
// is given, and attacks the other half.
//
// DeFinetti and Rank start from random worlds, in which every matching inside a group is
// equally likely, and end with posteriors that agree with the group's published
// counts. [Result].Baseline is what random worlds give.
//
// [Supervised] learns from the best external source instead of the release: statistics of the owner's own table, cross-fitted. Without
// the release they give the floor; an attacker learned from the release whatever he knows above it.
//
// [PresenceIn] asks whether a single record shows in the tables of a release's model.
//
// [RecordProbabilities] learns nothing: it counts matching records, as the breach
// probabilities of Li et al. (cross-bucket generalization) do.
//
// Where a mixed fragment links the sensitive attribute with quasi-identifiers, these
// attacks take the records of a group that agree on them as a group of their own. Where
// every record is a group with its own cell of sensitive values, its random worlds are
// that cell, and there are no counts to agree with. Sensitive cells in groups of
// several records, and generalized cells linked to the sensitive attribute, are an
// error.
//
// Learned rejects all sensitive cells and all generalized cells.
//
// DeFinetti takes time linear in the records (BenchmarkAttacks). A sample of 100,000 of a
// million records changes its figures by 0.001 to 0.002. Rank is about twenty times
// faster. Learned fits its model to at most 50,000 records.
package attack
