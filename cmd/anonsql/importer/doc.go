// Package importer loads a file that holds a table into a database: over the wire into a
// running server, or directly into a data directory that no server uses.
//
//  1. An import is atomic. A first pass over the file finds its types, and most errors
//     before anything changes; then one transaction loads all rows. A failed import
//     drops what it created.
//  2. Nothing is overwritten by accident. A table that exists is an error
//     unless the policy is [Append] or [Replace]. Replace puts the new table in
//     the old one's place after it is complete. A table that a release follows,
//     or whose columns have roles or taxonomies, stays: its rows are deleted and
//     the file's are loaded in one transaction, or nothing is done.
//  3. Both ways run the same LOAD DATA statement on the same text: the file's
//     records, written anew in LOAD DATA's default format.
//  4. Names that SQL would have to quote are made plain (education-num becomes
//     education_num) and the result says so.
//
// Over the wire CREATE TABLE, RENAME TABLE and DROP TABLE commit at once, as everywhere
// in MySQL. A client that is killed before the new table has its name leaves one whose
// name ends in __importing, which the next import drops. A comment marks it; the import
// refuses another table of that name. One RENAME TABLE gives the new table its name and
// takes it from the old one. A client that is killed after that leaves the old one,
// whose name ends in __replaced, and which the next Replace refuses by name.
//
// Two concurrent imports into one table would take each other's rows for their own: over the wire the second one is refused (GET_LOCK).
//
// A file may also be the taxonomy of a column: [SendTaxonomy].
package importer
