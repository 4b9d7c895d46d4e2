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
//	prepared.go   a release ready for many questions, with what kernels need
//	layout.go     which bit of which word is a record: 64 groups side by side
//	planes.go     a column of points, cut into the bits of its codes
//	program.go    classes of codes -> operations on planes
//	kernel.go     when a kernel fits, and the sum over all groups
//	kernel_worker.go   the weights of all combinations, 64 groups at a time
//	kernel_profile.go  standard error and bounds of a COUNT, from its counts
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
//
// The kernels. A [Prepared] answers questions whose conditions, keys and
// arguments read one column of points each, with at most maxKernelClasses
// combinations of classes, without looking at single records; all others take
// the weighted join, as does what the join would do with fewer operations. What
// they share is that a word holds one bit of 64 groups:
//
//   - Groups are ordered by size and taken 64 at a time. Record j of the 64 is
//     word j of the block, so that a fragment's records need no group starts.
//     Tuples are repeated by their count, which puts the records of all
//     fragments at the same places. (layout.go)
//   - A column of d values is held as ceil(log2 d) bit planes. A class of codes
//     is a decision diagram over these bits, run over about 256 words at a time:
//     "age > 30" costs at most 14 operations for 64 records. This is the
//     vertical layout of BitWeaving (Li and Patel, SIGMOD 2013). (program.go)
//   - The words of a block are added up lane by lane with full adders. That
//     gives a_i of 64 groups as bit planes, and the sum over groups of prod(a_i)
//     is a sum of populations of their conjunctions, as in the bit-sliced
//     aggregates of O'Neil and Quass (SIGMOD 1997). (kernel_worker.go)
//   - The fragment with the fewest records is counted first, and blocks without
//     a match in it are left.
//   - The sums are integers per group size. They are divided by m^(f-1) at the
//     end, so that neither order nor number of cores shows in an answer.
//
// Measured: nanoseconds per record, groups of 7, two conditions per fragment on
// columns of 100 and 10 values, each fragment's conditions together of the given
// selectivity; 2 cores of an AMD EPYC under other load, one run, which
// others differ from by up to a factor 2. The loop is the straightforward one over
// byte codes on one core; the pass reads the same bytes once, 8 at a time, on
// one core (15 GB/s); +spread asks the standard error and the bounds as well.
//
//	records     fragments  selectivity  kernel  +spread   join   loop   pass
//	  1,000,000         1          10%    0.17     0.19    4.6    4.2   0.20
//	  1,000,000         3         0.1%    0.50     1.2     2.4    4.3   0.39
//	  1,000,000         3          10%    0.44     1.4     6.3     11   0.39
//	  1,000,000         3          50%    0.60     3.4      14     16   0.39
//	 10,000,000         1          10%    0.07     0.07    2.3    3.5   0.13
//	 10,000,000         3         0.1%    0.80     2.2     3.6    4.9   0.40
//	 10,000,000         3           1%    0.74     2.2     5.8     11   0.40
//	 10,000,000         3          10%    0.82     2.5     9.0     12   0.40
//	 10,000,000         3          50%    0.96     4.7      21     18   0.40
//	 10,000,000         4          50%     1.7     7.6      30     22   0.53
//
// A question costs some 50 to 100 microseconds before the first record, most of
// it the evaluation of conditions per dictionary value. SQLite takes 260 to 390
// ns per record for the plain SQL of the third line. A column's first touch
// costs 6 to 9 ns per record. Re-run, without -short for ten million records:
//
//	go test -run '^$' -bench 'Count|Planes' ./anonymize/estimate
//	go test -run '^$' -bench CountAgainstSQLite ./server
package estimate
