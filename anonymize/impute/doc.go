// Package impute completes a release: it learns from all groups at once how the
// attributes of different fragments depend on each other, and draws inside every group
// which tuples belong to one record. The results are completed tables
// ([anonymize.Completion]), from which package estimate answers.
//
// An attacker could do the same: the only input is a release. The package imports package anonymize
// and packages that need no more, so it cannot see a raw table. A digest of the release ([Digest])
// seeds the source of randomness, so anybody with the release can recompute every completed table
// to the byte.
//
// # The model
//
// A completed table has the probability
//
//	p(table) ~ product over rows x of exp( sum over pairs of attributes (a, b)
//	           of different fragments of theta_ab[x_a, x_b] ),
//
// a log-linear model of pairs over categories (a Markov random field). Main effects and
// pairs inside one fragment cancel, since every completed table has the release's
// fragments. Numbers enter as quantile bins; the completed table has the exact values.
//
// # The fit
//
// theta maximizes the pseudo-likelihood (Besag, "Statistical Analysis of Non-Lattice
// Data", 1975) by stochastic expectation-maximization (Celeux and Diebolt, "The SEM
// algorithm", 1985): draw the matchings given theta, then a step along the gradient
// given the matchings. Every pair of attributes has a prior variance of its own, by
// empirical Bayes: shrinkage.go. Every completed table comes from a chain of its own,
// fitted to groups weighted by the Bayesian bootstrap (Rubin, 1981), so that the
// differences between tables reflect what the release leaves open.
//
// # Guesses
//
// [Learn] fits one model. [Learned.Posterior] is its posterior for a single record, given
// the group and some values of the record: what an attacker with the same model could
// know. Package attack scores it with the truth.
//
// # What it refuses
//
// Cells that are not points, counterfeits, a single fragment (which leaves nothing
// open), and groups of more than 65,536 records. A [RefusedError] names the reason.
//
// # What it does not promise
//
// That the model is right. Its errors exceed the differences between tables in two cases: if a
// method chose the records of a group by the dependence that the model learns (homogeneous
// groups, bounds on a fragment's own values), and if three or more fragments depend on each
// other beyond pairs. On Adult in three tables and one of the sensitive attribute, "sex" by
// "occupation" has an error of 0.14, and intervals whose half width covers 11 of its 25 cells.
//
// # Promises
//
//  1. Every table agrees with the release: [anonymize.Completion.Check].
//  2. The same release gives the same tables, on any number of cores, and on any
//     architecture: sums have a fixed order, no product is fused with a sum, and no
//     function of the standard library that may differ is called.
//  3. The end of the context stops it: every core checks the context after pieces of
//     work of some 2,048 records, inside large groups too.
//
// # Cost
//
// Several attributes are looked up as one joint attribute, as far as a table of 65,536 numbers
// holds their combinations (joint.go); let a be the number of joint attributes. A step along
// the gradient costs O(n a c) products for n records, c being the categories of all fragments
// but the largest; no exponential. A round of matchings costs O(n f (f m + 2^m)) for f
// fragments and groups of m <= 7, in larger ones O(n f a), and the odds of a group's tuples
// are computed once a step, O(n f a m); where fragments have one attribute each, that is left
// out (singles.go). Fragments whose tuples in a group are all alike cost nothing.
//
// The fit uses at most 50,000 records. It has 450 steps, most of them on chains that share nothing
// and run in parallel. If a step is expensive, each step uses a half, a third or a quarter of the
// records, in turn. The tables are then drawn for all records: one round where there are two
// fragments, else seven. Memory: O(c^2) a table, some 2 MB a core, and two bytes a record, table and
// fragment beyond the first while they are drawn.
package impute
