// Package documents has MySQL's JSON instead of the engine's: paths, functions of documents, JSON_ARRAYAGG and JSON_OBJECTAGG.
//
// Its values are MySQL 8's:
//
//  1. A path is read by MySQL's grammar: .name, .*, [3], [last-1], [0 to 2], [*] and **. For [0] and [last] a value that is not an array
//     counts as an array of itself. A value is found once, in MySQL's order: leg by leg, and for ** a value before its descendants.
//  2. Integers are exact. Numbers compare by value, whatever their types.
//  3. A change returns a new document, which shares unchanged parts with the argument.
//  4. A syntax error in a text or a path is MySQL's error, with its position.
//
// It refuses to parse or make documents of more than 100 levels, and paths that lead to more than 131,072 values in several ways. It
// knows no plans and no tables.
//
// # Where things are
//
//	path        the grammar of paths
//	find        the values that a path leads to
//	change      a document with other values at a path
//	compared    documents beside other values, and as keys
//	order_key   documents as texts of the same order, for windows
//	compare     order, equality, JSON_CONTAINS and JSON_OVERLAPS of values
//	read        texts and values of SQL as documents
//	functions   the list of functions
//	reading     functions that look into documents
//	texts       JSON_SEARCH
//	pretty      JSON_PRETTY
//	making      functions that make them
//	aggregates  JSON_ARRAYAGG, JSON_OBJECTAGG and CAST(x AS JSON)
package documents
