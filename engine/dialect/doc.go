// Package dialect writes the few parts of SQL that distributed engines do not have in common: names, literals, keyed hashes, casts, and
// tables made of queries.
//
// What it writes means the same in each: a literal has one value, a cast keeps it. A keyed hash is the same for equal values under one key within
// an engine, and tells nothing without the key; two engines give different ones.
//
// It refuses numbers that no exact type holds.
//
// # Where things are
//
//	dialect  Trino and Spark
//	literal  literals
//	value    values of releases, as the engine returns and takes them
//	table    CREATE TABLE AS
//	assign   numbers of hashes, keys, lists and maps: what records are given groups and classes with
package dialect
