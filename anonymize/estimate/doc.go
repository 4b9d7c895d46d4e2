// Package estimate answers aggregate questions from a release and from nothing
// else. Its estimators are the only ones of the project: no method has one of its
// own. The first takes attributes of different fragments as independent inside a
// group, and needs nothing but the release. The second, [Completed], answers from
// completed tables of the release, which somebody drew from a model of how the
// attributes go together; where these come from is no matter here.
//
// The model of the first. Consider all microdata tables that agree with the release. Inside
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
// A release that follows its table has counterfeits among its records, of which
// only the number is published. Every choice of that many is equally likely, and
// answers are about the others: forged.go.
//
// The second is multiple imputation: a completed table picks one matching in every
// group, so that it agrees with the release, and any question has a plain answer
// from it. The estimate is the mean over the tables, its standard error their spread
// (Rubin 1987, Eq. (3.1.2) to (3.1.5), with no variance within a table).
//
// The relations may be where they are too large to be read, in a distributed engine:
// [PrepareElsewhere], but for those of cells, which are here. Classes of tuples are found here, from the values of columns; the
// engine counts records by class, group by group, and returns sums over groups of one size.
// These are whole numbers, so that the same question has the same answer, whatever the
// engine does first.
//
// # Where things are
//
//	question         what is asked: leaves over one fragment, expressions over leaves
//	classify         which columns of a fragment are looked at together
//	evaluate         fragment tuples -> classes, one look-up per touched column
//	cells            columns with cells: values -> classes, cells -> shares of classes
//	cells_axes       what an expression over several columns makes of one's values
//	cells_side       fragments with cells: combinations of columns' classes
//	cells_occurring  those that occur, where there are many
//	cells_shares     tuples -> shares of classes
//	join             groups -> weight of every combination of classes
//	join_worker      the groups of one core
//	linear           the same for COUNT, SUM and AVG of single columns: moments instead of classes
//	linear_keyed     where one fragment has the keys: what a record of it stands for, group by group
//	linear_tuples    the loops over tuples: sums by group, and by key
//	prepared         a release ready for many questions, with what kernels need
//	layout           which bit of which word is a record: 64 groups side by side
//	planes           a column of points, cut into the bits of its codes
//	program          classes of codes -> operations on planes
//	kernel           when a kernel fits, and what it is made of
//	kernel_total     the sums over all groups, split over the cores
//	kernel_worker    the weights of all combinations, 64 groups at a time
//	kernel_boxes     the records that count for an aggregate and a key, as a product of sets of classes
//	kernel_lanes     groups one by one: moments and bounds of their numbers
//	kernel_sums      moments and bounds of their sums
//	kernel_distinct  the probability that they have no record
//	kernel_spread    standard errors and bounds, from the sums
//	cells_kernel     the same for fragments with cells: what a question must be
//	cells_moments    moments of an argument over the members of cells
//	cells_profile    the same over stretches of members, as differences
//	cells_tuples     the sums of a group, over its tuples
//	cells_worker     what they say of the group's records, and all groups
//	cells_bounds     least and greatest sums
//	cells_distinct   numbers of values: by stretches of equally likely ones
//	cells_presence   the other fragments' classes in a group
//	cells_places     cells -> stretches of an argument's values
//	chances          how many records have something: distributions
//	cells_answer     sums -> answers, standard errors and bounds
//	elsewhere        a release whose relations another engine keeps, and what it is asked
//	elsewhere_weights  its sums of counts -> weights of combinations
//	elsewhere_linear   sums of arguments with many values, for a linear join
//	elsewhere_boxes  its numbers of groups by their counts -> standard errors, bounds, numbers of values
//	elsewhere_sums   the same of SUM and AVG: what records are worth, as whole numbers
//	elsewhere_counted  relations of cells are here, the others' records are counted there, by group
//	apart            questions over cells, aggregate by aggregate
//	path             which way a question takes
//	kinds            the kinds of aggregates
//	intern           tuples of values numbered densely
//	aggregate        weights -> COUNT, SUM, AVG per key
//	terms            what a record with a combination of classes adds to the figures
//	moments          standard errors: variances and covariances over all tables
//	moments_pairs    numbers of pairs of records, never written out
//	bounds           the least and the greatest figure over all tables
//	bounds_counts    those of COUNTs by keys, as integers on all cores
//	forged           counterfeits: figures of all records -> of the real ones
//	distinct         numbers of values: who has none of them
//	decided          what one fragment knows of all records
//	draw             one table drawn from the model (the row preview)
//	table            a plain table in the shape of a release (actual values)
//	completed        answers of completed tables: figures, means and spreads
//	paired           their COUNT, SUM and AVG of single columns, without spreads: no table by itself
//	paired_counts    how many rows of all tables have a tuple of a fragment and one of another
//	paired_meet      what rows meet, eight tuples at a time, block by block
//	completed_scan   completed tables -> the records of every combination of classes, block by block
//	completed_scatter  residuals of their figures, and quotients of sums
//	completed_rows   loops over the rows of a block and a table, and counters
//	units            how many units have a record that counts: expectations and bounds by group
//	units_joined     the same across fragments, and over cells
//	units_alike      tuples that are of different units
//	completed_units  the same of completed tables
//	checkpoint       the context, looked at every few milliseconds of work
//
// # Promises
//
//  1. An answer is a function of the release and the question, and of the
//     completion where there is one; the same on every run and for every number of
//     cores.
//  2. A question that touches one fragment, whose cells leave nothing open that
//     it asks (points never do), is answered exactly, and Answer.Exact says so;
//     with counterfeits only the number of all records is.
//  3. NULL follows SQL: a condition holds only when it is true, COUNT(x) and
//     SUM(x) skip NULL, SUM over nothing is NULL.
//  4. The end of a context is noticed within some ten milliseconds, also inside a
//     group. Over cells, what would tell apart more combinations of values than
//     some hundred megabytes hold is refused, by a [TooManyCombinationsError].
//  5. An expression that fails for a value fails the question only where a
//     record that satisfies all other conditions may have that value; of completed
//     tables, where a record of one of them does.
//  6. What one fragment answers exactly, completed tables do not change, and every
//     answer of theirs to COUNT, SUM and AVG is inside the bounds of the first
//     estimator. They are refused for a release with counterfeits or with cells that
//     stand for several values.
//
// # Cost
//
// One pass over the touched columns of the touched fragments, plus per
// group the product of the classes present; untouched fragments cost nothing.
//
// # Kernels
//
// A [Prepared] answers questions whose conditions, keys and
// arguments read columns of points, with at most maxKernelClasses combinations
// of classes, without looking at single records; all others take the weighted
// join, as does what the join would do with fewer operations. An expression over
// several columns of a fragment is no exception where their dictionaries have at
// most some ten thousand combinations. What the kernels share is that a word
// holds one bit of 64 groups:
//
//   - Groups are ordered by size and taken 64 at a time. Record j of the 64 is
//     word j of the block, so that a fragment's records need no group starts.
//     Tuples are repeated by their count, which puts the records of all
//     fragments at the same places. (layout.go)
//   - A column of d values is held as ceil(log2 d) bit planes. A class of codes,
//     of one column or of several, is a decision diagram over these bits, run
//     over about 256 words at a time: "age > 30" costs at most 14 operations
//     for 64 records. This is the vertical layout of BitWeaving (Li and Patel,
//     SIGMOD 2013). (program.go)
//   - The words of a block are added up lane by lane with full adders. That
//     gives a_i of 64 groups as bit planes, and the sum over groups of prod(a_i)
//     is a sum of populations of their conjunctions, as in the bit-sliced
//     aggregates of O'Neil and Quass (SIGMOD 1997). (kernel_worker.go)
//   - The fragment with the fewest records is counted first, and blocks without
//     a match in it are left where enough of them are together.
//   - Where the records that count for a key are a box, a product of sets of
//     classes, one a fragment, standard errors, bounds and numbers of values
//     are functions of the counts (m, a_1, ..., a_f) of each group. The counts
//     are unpacked from the planes that the estimate is made of, in the same
//     pass. Boxes are all conjunctions of conditions inside fragments, whatever
//     their keys; a condition across fragments mostly is none and takes the
//     general path of moments.go, bounds.go and distinct.go.
//   - The sums are integers per group size. They are divided by m^(f-1) at the
//     end, so that neither order nor number of cores shows in an answer.
//
// Cells that stand for several values are never expanded. Conditions, keys and
// arguments are evaluated once per value of a column; a cell's share in an outcome
// is a sum over its members, for a stretch of neighbours the difference of two
// sums; inside a tuple the columns are independent, so that shares multiply. An
// expression over several columns is best given as leaves over one each: then it
// is evaluated per combination of outcomes. Where conditions and keys are inside
// fragments and arguments read one column, a pass over the codes of the touched
// columns finds per group and fragment the sums of the tuples' p, p^2, E[X], E[X]^2
// and E[X^2], from which all figures follow.
//
// What one question asks besides costs nothing more than itself: no combination of
// the values of several arguments is formed, except where one expression reads them.
// With n tuples, g groups, v values of a column, wide intervals of up to v of them,
// and K keys: MIN, MAX, SUM, AVG and VARIANCE cost v for the column and n; COUNT(DISTINCT x)
// v log v, n and K v, and with several fragments per group the records that may have
// a value; keys of v different values, or an expression over columns of v and w, cost
// n v and n v w, and are refused beyond some ten million combinations.
//
// # Completed tables
//
// The classes of a question are found as for the weighted join, but per slot of a
// block of some groups: the records of a fragment, tuples repeated by their counts. A
// table says which slot of a fragment belongs to which of the first one, so that a
// row costs a look-up per touched fragment beyond the first, in an array that the
// nearest cache holds, and an increment of a counter. Where the question has one
// combination of classes the counter is a register, and several tables are read side
// by side; where it has up to half as many as there are records, each has a counter;
// else they are numbered as they occur. Rows whose tuple of the first fragment fails
// a condition are left out once for all tables, as are groups without a tuple that
// meets the most selective one.
//
// The mean over all tables of COUNT, SUM and AVG by keys of one fragment needs no table: the
// number of rows of all tables with a tuple of the keys' fragment and one of another says as
// much. There are as many numbers as pairs of tuples in a group, made when two fragments are
// first asked for together, at about the cost of an answer from the tables. An answer from them
// takes a multiplication for every four pairs. Standard errors come from the tables.
//
// On two virtual cores of an AMD EPYC COUNT over three columns took .6 to 1.3 ms at
// 50,000 records and 12 tables, 7 to 12 ms at a million and 12, and 70 to 90 ms at ten
// million and 8; GROUP BY two columns of different fragments 160 ms at ten million.
// The fixed part is 10 to 15 ns of one core a record for the classes of two
// fragments, a row of a table 1 to 3 ns.
//
// What was measured is in bench/estimate.txt, with the ten million records and the
// comparison with SQLite in bench/README.md. In short, on two cores: the kernel takes
// the time of one to three passes of one core over the same bytes, and a fifth or less
// of that of the join. An answer with standard errors and bounds takes one to four times
// that of the answer alone, and where a condition across fragments is no box, 50 to 100
// times. A question has a fixed cost, most of it the evaluation of conditions per
// dictionary value. The first touch of a column cuts it into planes, at the cost of some
// ten answers.
//
//	go test -run '^$' -bench 'Count|Shapes|Untouched|Planes|Cells|Completed' ./anonymize/estimate
package estimate
