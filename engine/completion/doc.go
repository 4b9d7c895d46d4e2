// Package completion makes a distributed engine draw completed tables (see package impute) of a release whose relations it keeps; no record passes
// through anonsql.
//
//  1. anonsql fits the model to a sample of whole groups ([impute.CompleteSample]); the engine gets its weights as a table,
//     and draws the matchings of all groups.
//  2. It draws from the relations alone. Random numbers are digests of the seed, the draw and the group, so that the same
//     relations, model and seed give the same tables, in whatever order the engine works.
//  3. The result is one table, a row a record: gid, the columns of fragment 0, and those of every other fragment in every
//     draw ([estimates.CompletedColumn]).
//  4. Temporary tables are in a schema that the caller names, and are dropped at the end, also after an error.
//
// # How matchings are drawn
//
// A group is a row: the tuples of every fragment as arrays, in the order of digests. Its records are cut into chunks of at most eight,
// and a chunk's energies, of every tuple of one fragment with every tuple of another, are computed once: columns of a fragment are
// looked up jointly, as in package impute. From there a Gibbs sampler exchanges the tuples of two records with probability
// 1 / (1 + e^loss), through all pairs of the chunk. Two fragments in one round: six times over; then the distribution of a record's tuple is within
// .02 of the exact one, in total variation, for energies with a standard deviation of up to 2. (Metropolis' rule, min(1, e^-loss),
// would always exchange what is alike, which mixes nothing.) More fragments take turns, two times over all pairs each, given the
// others. A permutation of eight and the state of the generator (Park and Miller, "Random number generators: good ones are
// hard to find", 1988) are one BIGINT.
//
// Groups of at most eight need one round. In larger groups a round with random chunks keeps 1/8 of the deviation, so there are four
// rounds, each with other chunks, and six in groups of more than 32. A chunk's pairs have two turns there, since the next round has other
// pairs. A group stays one row, so that memory does not grow with the square of its size. Everything is one statement, and only the
// weights are written as an intermediate table.
//
// It writes Trino's SQL.
//
// # Where things are
//
//	request  a request for draws
//	weights  theta, as a table
//	joint    columns whose categories are looked up together, and energies
//	start    groups, before anything is drawn
//	round    the statement: rounds, and levels of columns
//	swaps    the sampler as expressions
package completion
