// Package score groups records whose sensitive values are equally likely, so that an
// attacker who knows how sensitive values depend on quasi-identifiers learns little
// from the group. It is the option homogeneous=score of package locality.
//
// Even in a group of similar records, an attacker may guess which value is whose: of a
// farmer and a nurse in one group, everybody knows who the farmer is. The score of a
// record is P(v|q), the probability of every sensitive value given its
// quasi-identifiers, by a model fitted to other records. In a group of records of equal
// scores all matchings of records and values are equally likely.
//
// Principles:
//
//  1. A record is scored by a model that did not see it: five folds, each scored by
//     the model of the other four.
//  2. Groups come from a sweep along an order (package locality). Exchanges keep the
//     counts of values in groups, and with them the sweep's promises.
//  3. An exchange is judged by the records and the values of two groups, as sets. The
//     matching of records and values, which the release hides, enters no objective,
//     bound or stopping rule, so nobody can infer it from the groups. It does determine
//     which exchanges keep counts; so exchanges are drawn at random, for the bound,
//     too, and never chosen as the best of several.
//  4. The grouping depends on the source of randomness, not on the number of cores.
//
// What it refuses: more than 256 sensitive values, since a score has an entry for each; a bound
// on the posterior in groups of more than ten records, or one that exchanges do not reach. The
// error names the bound that they reach.
//
// What it does not promise: that no attacker learns more. The posterior is that of the
// model fitted to this table. No group of l hides a score that is itself above 1/l; the
// facts report the share of such scores.
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
//	group.go      the objective of a group
//	exchange.go   exchanges of records between groups
//	bound.go      the bound on the posterior
//
// The method is not from the papers. The posterior in a group is the random-worlds reading of
// Anatomy with unequal weights; Hellinger's distance between scores is the distance of their
// square roots. Departures are tested, by number, in exchange_test.go and adult_test.go.
//
// Cost, for n records, q quasi-identifiers and M values: 150 n q M for each fold of
// the model, on at most 50,000 records; n log^2 n for the order; for each of
// score_steps steps a posterior of 2^m m operations for two groups of m records.
package score
