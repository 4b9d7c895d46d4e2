// Package frontier measures the error of answers against the success of attacks, for methods,
// sizes of groups and models, on any table of a running server.
//
//  1. The package publishes releases through SQL, as owners do, and queries them through SQL, as
//     analysts do. It counts the truth from the table's rows.
//
//  2. Every release of a table gets the same questions, and so does a synthetic table of
//     another tool, whose counts are scaled to the number of records.
//
//  3. The server measures attacks (ANON_PRIVACY), except rank, which it measures only for groups
//     of neighbours. The package measures rank itself, on a release with the same
//     arguments.
//
// It writes no file.
//
// # Where things are
//
//	table      the rows, numbers in bands; counts and sums by columns
//	questions  pairs, three-way conjunctions, groups by two keys, averages
//	release    publish, ask, read the attacks, drop
//	rank       an attacker who knows half of the records
//	synthetic  another tool's table as an answer
//	plot       points as a picture
//	figures    errors, coverage, and the line that is printed
package frontier
