// Package asking writes questions as statements.
//
//  1. [Choice.Statement] writes SQL from what somebody has chosen in fields: a measure, by what, where.
//  2. [Widen] adds to a statement the interval and the hard bounds of every figure that it asks for, so that nobody needs to know the functions for it.
//     It reads tokens and knows no grammar: what it is not sure of it leaves alone, and the server refuses what it does not understand. The
//     statement without additions is always there to be asked instead.
//
// It opens nothing: texts in, texts out.
package asking
