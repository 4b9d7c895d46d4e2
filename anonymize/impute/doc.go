// Package impute completes a release: it learns from all groups at once how the
// attributes of different fragments go together, and draws, inside every group,
// which tuples belong to one record. What it draws are completed tables
// ([anonymize.Completion]); package estimate answers from them.
//
// It is what an attacker could do, done for everybody: a release goes in and nothing
// else. The package imports package anonymize and what needs no more, so it cannot see a raw table.
// Everything random is drawn from a source that a digest of the release seeds
// ([Digest]): whoever has the release can compute every completed table again,
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
// pairs inside one fragment cancel, since every completed table has the
// release's fragments. Numbers enter in quantile bins; the completed table has the
// exact values.
//
// # The fit
//
// theta maximizes the pseudo-likelihood (Besag, "Statistical Analysis of
// Non-Lattice Data", 1975) by stochastic expectation-maximization (Celeux and
// Diebolt, "The SEM algorithm", 1985): draw the matchings given theta, then a step
// along the gradient given the matchings. Every pair of attributes has a prior
// variance of its own, by empirical Bayes: shrinkage.go. Every completed table comes
// from a chain of its own, fitted to groups weighted by the Bayesian bootstrap
// (Rubin, 1981), so that the tables differ by what the release does not tell.
//
// # Guesses
//
// [Learn] fits one model, and [Learned.Posterior] says what it tells of single records of
// which somebody knows the group and some values: what an attacker could know who does
// the same. Package attack scores it with the truth.
//
// # What it refuses
//
// Cells that are not points, counterfeits, a single fragment (nothing is open), and
// groups of more than 65,536 records: a [RefusedError] says which.
//
// # What it does not promise
//
// That the model is right. Where the records of a group were chosen by what the model
// wants to learn (homogeneous groups, bounds on a fragment's own values), and where
// three or more fragments go together in more than pairs, pairs are missed by more than
// the tables differ: on Adult in three tables and one of the sensitive attribute, "sex"
// by "occupation" has an error of 0.14, and a half width that covers 11 of its 25 cells.
//
// # Promises
//
//  1. Every table agrees with the release: [anonymize.Completion.Check].
//  2. The same release gives the same tables, on any number of cores, and on any
//     architecture: sums have a fixed order, no product is fused with a sum, and no
//     function of the standard library that may differ is called.
//  3. The end of the context stops it: every core looks at it between pieces of work of
//     some 2,048 records, inside large groups too.
//
// # Cost
//
// Attributes are looked up jointly, as many in one as a table of 65,536 numbers lets
// them (joint.go): a joint attributes. A step along the gradient costs O(n a c) products
// for n records, c being the categories of all fragments but the largest; no
// exponential. A round of matchings costs O(n f (f m + 2^m)) for f fragments and groups of
// m <= 7, in larger ones O(n f a), and the odds of a group's tuples are computed once a step,
// O(n f a m); where fragments have one attribute each, that is left out (singles.go).
// Fragments whose tuples in a group are all alike cost nothing.
//
// The fit looks at no more than 50,000 records: 450 steps, most of them on chains
// that share nothing and run beside each other; where a step costs much, each looks at
// a half, a third or a quarter of the records, in turn. The tables are then drawn for all
// records: one round where there are two fragments, else seven. Memory: O(c^2) a table,
// some 2 MB a core, and two bytes a record, table and fragment beyond the first while they are drawn.
package impute
