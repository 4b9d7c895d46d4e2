// Package shown makes the columns that readers of a published relation see: the engine's values of fragments, groups and models. Each value is
// boxed once, and rows refer to it by a code.
//
// Columns are made of published data only.
package shown
