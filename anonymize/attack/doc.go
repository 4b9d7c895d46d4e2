// Package attack measures how far known attackers get with a release. It is for
// the owner, at publication: it needs the raw columns and which record the
// method put into which group, and what it returns are averages.
//
// Principles:
//
//  1. The attacker sees the release, knows the quasi-identifiers of everybody
//     and the group of everybody: a release need not tell the latter, so this
//     is the pessimistic assumption. He knows no sensitive value but those that
//     an attack names.
//  2. The truth is for scoring. What uses it otherwise says so.
//  3. A figure is no guarantee. These attackers are simple ones; package privacy
//     has what holds against all attackers of its model.
//  4. The result depends on the release, the truth and the random source, not
//     on the number of cores.
//
// [DeFinetti] learns, without any sensitive value, how the quasi-identifiers go
// with the sensitive attribute, from all groups at once, and applies it inside
// each: Kifer, "Attacks on Privacy and deFinetti's Theorem" (SIGMOD 2009), by
// expectation-maximization with naive Bayes. It gains where quasi-identifiers
// predict the sensitive attribute.
//
// [Learned] is the model that completes the release (package impute), as an attack: all pairs of
// attributes instead of each with the sensitive one, and all matchings of a group, with
// the target's quasi-identifiers in one row. It knows those of the target only, so a
// release in several fragments hides from it what DeFinetti is given: who else is in
// the group. On Adult it finds more than DeFinetti in small groups, and less where
// groups are few and large, or records too few to learn pairs from. Look at both.
//
// [Rank] is for groups that were formed of neighbours in some order of the
// records. Such a method reaches farther for some values than for others: a
// record that stands out of its group's place is likely to have a value that is
// frequent, or rare, around there. It learns that from half of the groups, whose
// sensitive values it is given, and attacks the other half.
//
// DeFinetti and Rank start from random worlds, in which every matching inside a group is
// equally likely, and end with posteriors that agree with the group's published
// counts. [Result].Baseline is what random worlds give.
//
// [Supervised] has what the others learn from a release from elsewhere, at its best: statistics of the owner's own table, cross-fitted.
// Without the release they give the floor. What an attacker has above it, the release told him.
//
// [PresenceIn] asks whether a single record shows in the tables of a release's model.
//
// [RecordProbabilities] is no attack that learns: it counts what matches, as the
// breach probabilities of Li et al. (cross-bucket generalization) do.
//
// Where a mixed fragment links the sensitive attribute with quasi-identifiers,
// the records of a group that agree on these are a group of their own here.
// Where every record is a group, with a cell of sensitive values for itself, its
// random worlds are the cell, and there are no counts to agree with. Sensitive
// cells in groups of several, and generalized cells linked to the sensitive
// attribute, are an error: these attackers do not know what to do with them.
//
// Sensitive cells, and generalized ones, are an error of Learned in every case.
//
// The time of DeFinetti grows in proportion to the records (BenchmarkAttacks). A
// sample of 100,000 of a million records changes its figures by a thousandth or
// two. Rank is some twenty times faster. Learned fits its model to 50,000 records at most.
package attack
