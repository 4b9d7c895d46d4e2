// Package documents is MySQL's JSON: paths, functions of documents, JSON_ARRAYAGG and JSON_OBJECTAGG, in the place of the engine's.
//
// It promises MySQL 8's values:
//
//  1. A path is read by MySQL's grammar: .name, .*, [3], [last-1], [0 to 2], [*] and **. What is no array is an array of itself for
//     [0] and [last]. A value is found once, in MySQL's order: leg by leg, and for ** a value before those within.
//  2. Whole numbers are exact. Numbers are equal where their values are, whatever their types.
//  3. A change makes a document of its own: what has not changed is shared with the one that was given.
//  4. A mistake in a text or a path is MySQL's error, with its place.
//
// It refuses documents of more than 100 levels that it reads from a text or makes, and paths that lead to more than 131,072 values in
// several ways. It knows no plans and no tables.
//
// # Where things are
//
//	path        the grammar of paths
//	find        what a path leads to
//	change      a document with something else there
//	compared    documents beside other values, and as keys
//	order_key   documents as texts of the same order, for windows
//	compare     order, equality, JSON_CONTAINS and JSON_OVERLAPS of values
//	read        texts and values of SQL as documents
//	functions   all functions there are
//	reading     functions that look into documents
//	texts       JSON_SEARCH
//	pretty      JSON_PRETTY
//	making      functions that make them
//	aggregates  JSON_ARRAYAGG, JSON_OBJECTAGG and CAST(x AS JSON)
package documents
