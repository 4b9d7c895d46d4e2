// Package dialect writes the few parts of SQL in which distributed engines differ: names, literals, keyed hashes, casts, and tables
// made of queries.
//
// Its output means the same in each: a literal has one value, and a cast keeps it. Within an engine and under one key, equal values have equal
// keyed hashes, which reveal nothing without the key. Two engines compute different hashes.
//
// It refuses numbers that no exact type holds.
//
// # Where things are
//
//	dialect  Trino and Spark
//	literal  literals
//	value    values of releases, as the engine returns and takes them
//	table    CREATE TABLE AS
//	assign   numbers of hashes, keys, lists and maps, for assigning records to groups and classes
package dialect
