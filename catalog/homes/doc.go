// Package homes is what the homes of raw tables have in common that are asked in SQL: an owner's own server, and a distributed engine.
//
//  1. A question becomes one SELECT (Table.Aggregate), or is not asked. What the home compares, adds up or groups in another way than the
//     product is not asked of it: its columns say so (Column).
//  2. A value is converted to the type in which it is kept, or is an error (Convert). No value is rounded silently.
//  3. A table here is the mirror of the home's, under the name by which the session knows its database (Mirror).
//
// It knows no dialect: expressions, names and literals are the home's.
package homes
