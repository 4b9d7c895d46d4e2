// Package asking writes questions as statements.
//
//  1. [Choice.Statement] writes SQL from the fields of a form: a measure, keys to group by, conditions.
//  2. [Widen] adds to a statement the interval and the hard bounds of every figure in it, so that users need not know these functions. It reads tokens
//     and knows no grammar: it leaves alone what it is not sure of, and the caller can always run the original statement instead.
//
// The package is pure: texts in, texts out.
package asking
