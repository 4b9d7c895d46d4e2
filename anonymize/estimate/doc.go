// Package estimate answers aggregate questions from a release alone. It has the only
// estimators of the project: no method has its own. The first takes attributes of
// different fragments as independent inside a group, and needs only the release. The
// second, [Completed], answers from completed tables of the release, drawn from a model
// of the dependence between attributes; the package does not care who drew them.
//
// The model of the first estimator: consider all microdata tables that agree with the
// release. Inside a group of m records every matching of the fragments' tuples is equally
// likely, matchings of different groups and fragments are independent, and each cell is
// drawn from its distribution. COUNT, SUM and AVG are expectations under that model. For a
// conjunction with one condition per fragment this is the estimator of Yao et al. 2021
// (SLPPA), Eq. (11),
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
// A release that follows its table has counterfeits among its records, and publishes
// only their number. Every choice of that many records is equally likely to be the
// counterfeits, and answers are about the others: figures/forged.go.
//
// The second is multiple imputation: a completed table picks one matching in every
// group, so that it agrees with the release, and any question has a plain answer
// from it. The estimate is the mean over the tables, its standard error their spread
// (Rubin 1987, Eq. (3.1.2) to (3.1.5), with no variance within a table).
//
// Relations that are too large to be read stay in a distributed engine, except those of cells:
// [PrepareElsewhere] and package elsewhere.
//
// # Where things are
//
//	door       the exported names of the rooms below
//	prepared   a release ready for many questions: answers, standard errors, bounds
//	way        which counter answers a question
//	apart      questions over cells, aggregate by aggregate
//	distant    releases whose relations another engine keeps
//	completed  answers of completed tables: figures, means and spreads
//	draw       one table drawn from the model (the row preview)
//	table      a plain table in the shape of a release (actual values)
//
// # Rooms
//
// An arrow points to the imported room: question <- figures <- groups <- planes <- completed, and figures <- cells, elsewhere; units counts over the output
// of groups.
//
//   - question: what is asked, and the classes of values
//   - figures: the interface of a counter, and its sums -> figures, standard errors, bounds
//   - groups: the counter that goes group by group and answers every question
//   - planes: the counter of bit planes, which hands other questions to groups
//   - cells: the counter for cells that stand for several values, and for values of points
//   - elsewhere: the counter that asks an engine
//   - completed: counts of completed tables
//   - units: numbers of persons
//
// # Ways
//
// Which counter answers which question: Prepared.choose (way.go) takes the first that fits. If one fragment answers a question alone, the answer is exact,
// and no completed table is read.
//
//	asked of completed tables      up to some dozen combinations, groups of up to 64 records   planes of places
//	                               SUM, AVG, COUNT(x) by keys of one fragment, no spread        pairs of tuples
//	                               all others                                                   row by row
//	asked of fragments             relations in an engine                                       elsewhere
//	                               relations there and here                                     records by group there, then as here
//	                               cells; SUM, AVG, variance, DISTINCT of one column            cells
//	                               cells, but an aggregate that these do not fit                aggregate by aggregate (apart)
//	                               few combinations of points; their spreads                    planes
//	                               conditions, keys or arguments across fragments               groups
//	hard bounds, whoever answers   COUNTs by up to some thousand pairs of keys                  planes
//	                               COUNTs by other keys                                         groups, whole numbers
//	                               else                                                         as asked of fragments
//
// # Promises
//
//  1. An answer is a function of the release, the question and the completion, if there
//     is one. It is the same on every run and for every number of cores.
//  2. The answer to a question that touches one fragment is exact, and Answer.Exact
//     says so, if the fragment's cells decide it (points always do). With counterfeits
//     only the number of all records is exact.
//  3. NULL follows SQL: a condition holds only when it is true, COUNT(x) and
//     SUM(x) skip NULL, SUM over nothing is NULL.
//  4. The end of a context is noticed within some ten milliseconds, also inside a
//     group. A question over cells that distinguishes more combinations of values than
//     fit into some hundred megabytes fails with a [TooManyCombinationsError].
//  5. An expression that fails for a value fails the question only if a record that
//     satisfies all other conditions may have that value; with completed tables, only
//     if such a record of one of them has it.
//  6. Completed tables do not change answers that one fragment gives exactly, and their
//     answers to COUNT, SUM and AVG lie inside the bounds of the first estimator. They
//     are refused for a release with counterfeits or with cells that stand for several
//     values.
//
// # Cost
//
// One pass over the touched columns of the touched fragments, plus per
// group the product of the classes present; untouched fragments cost nothing.
//
// Measurements are in bench/estimate.txt, those with ten million records in
// bench/README.md. In short, on two cores: the kernel takes as long as one to three
// passes of one core over the same bytes, and at most a fifth of the time of the join.
// Standard errors and bounds make an answer take one to four times as long, and 50 to
// 100 times where a condition across fragments is no box. A question has a fixed cost,
// most of it the evaluation of conditions per dictionary value. The first use of a
// column cuts it into planes, at the cost of some ten answers.
//
//	go test -run '^$' -bench 'Count|Shapes|Untouched|Planes|Cells|Completed' ./anonymize/estimate/...
package estimate
