// Package estimate answers aggregate questions from a release and from nothing
// else. It is the only estimator of the project: no method has one of its own.
//
// The model. Consider all microdata tables that agree with the release. Inside
// a group of m records every matching of the fragments' tuples is equally
// likely, matchings of different groups and fragments are independent, and
// each cell is drawn from its distribution. COUNT, SUM and AVG are
// expectations under that model. For a conjunction with one condition per
// fragment this is the estimator of Yao et al. 2021 (SLPPA), Eq. (11),
//
//	sum over groups of  m * prod_i (a_i / m),
//
// a_i being the records of the group whose tuple in fragment i satisfies the
// condition on fragment i.
//
// The general case is the weighted join of the fragments that the question
// touches: every combination of one tuple per fragment inside a group stands
// for prod_i(count_i) / m^(f-1) records. It is computed by classes: two tuples
// of a fragment that look alike to the question (same truth of its conditions,
// same key, same argument) are one class, so a group costs the product of the
// few classes present in it and never more than its distinct tuples.
//
// Steps, a file each:
//
//	question.go   what is asked: leaves over one fragment, expressions over leaves
//	classify.go   which columns of a fragment are looked at together
//	evaluate.go   fragment tuples -> classes, one look-up per touched column
//	join.go       groups -> weight of every combination of classes
//	aggregate.go  weights -> COUNT, SUM, AVG per key
//	terms.go      what a record with a combination of classes adds to the figures
//	moments.go    standard errors: variances and covariances over all tables
//	bounds.go     the least and the greatest figure over all tables
//	draw.go       one table drawn from the model (the row preview)
//	table.go      a plain table in the shape of a release (actual values)
//
// Promises:
//
//  1. An answer is a function of the release and the question; the same on
//     every run and for every number of cores.
//  2. A question that touches one fragment with point cells is answered
//     exactly, and Answer.Exact says so.
//  3. NULL follows SQL: a condition holds only when it is true, COUNT(x) and
//     SUM(x) skip NULL, SUM over nothing is NULL.
//  4. An expression that fails for a value fails the question only where a
//     record that satisfies all other conditions may have that value.
//
// Cost: one pass over the touched columns of the touched fragments, plus per
// group the product of the classes present; untouched fragments cost nothing.
package estimate
