// Package score groups records whose sensitive values are equally likely, so that
// who knows how quasi-identifiers and sensitive values go together learns little
// from being told the group. It is the option homogeneous=score of package locality.
//
// A group of records that are alike has values that one can tell apart all the
// same: of a farmer and a nurse in one group, everybody knows who the farmer is.
// The score of a record is P(v|q), the probability of every sensitive value given
// its quasi-identifiers, by a model fitted to other records. In a group of records
// of equal scores all matchings of records and values are equally likely.
//
// Principles:
//
//  1. A record is scored by a model that did not see it: five folds, each scored by
//     the model of the other four.
//  2. Groups are those of a sweep along an order (package locality), and exchanges
//     keep how often a value is in groups: so what the sweep promises of counts,
//     they promise.
//  3. An exchange is judged by the records and the values of two groups, as sets.
//     Whose value is whose, which the release hides, has no part in any objective,
//     bound or stopping rule: nobody can read it backwards. It has a part in which
//     exchanges there are, since counts are kept; so exchanges are drawn, for the
//     bound, too, and none is chosen for being the best of them.
//  4. One source of randomness, one grouping, on any number of cores.
//
// What it refuses: more than 256 sensitive values, since a score has an entry for each; a bound
// on the posterior in groups of more than ten records, or one that exchanges do not
// reach. The error says what they reach.
//
// What it does not promise: that nobody learns more. The posterior is that of the
// model fitted to this table. Where a score is above 1/l itself, no group of l
// hides it: the facts have how much of the scores that is.
//
// The steps, a file each:
//
//	features.go   quasi-identifiers as features of the model
//	logistic.go   multinomial logistic regression
//	model.go      five folds; how much of the scores lies above 1/l
//	components.go scores as points: square roots, principal components
//	space.go      scores and quasi-identifiers in one space, by score_weight
//	order.go      the kd tree along which the sweep goes
//	matching.go   the posterior inside a group: sums over all matchings
//	group.go      what a group is worth
//	exchange.go   exchanges of records between groups
//	bound.go      the bound on the posterior
//
// Not from the papers. The posterior in a group is the random-worlds reading of
// Anatomy with unequal weights; Hellinger's distance between scores is the distance
// of their square roots. Departures are tested, by number, in exchange_test.go and adult_test.go.
//
// Cost, for n records, q quasi-identifiers and M values: 150 n q M for each fold of
// the model, on at most 50,000 records; n log^2 n for the order; for each of
// score_steps steps a posterior of 2^m m operations for two groups of m records.
package score
