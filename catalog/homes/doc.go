// Package homes has the common parts of homes of raw tables that speak SQL: an owner's own server, and a distributed engine.
//
//  1. A question becomes one SELECT (Table.Aggregate), or the home does not get it. The home does not get questions about columns that it
//     compares, adds up or groups in another way than the product (Column).
//  2. A value is converted to its column's type, or is an error (Convert). No value is rounded silently.
//  3. A table of this package is the mirror of the home's table, under the name by which the session knows its database (Mirror).
//
// It knows no dialect: the home writes expressions, names and literals.
package homes
