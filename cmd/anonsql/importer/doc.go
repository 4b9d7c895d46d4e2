// Package importer loads a file that holds a table into a database: over the wire into a
// running server, or directly into a data directory that no server uses.
//
//  1. An import is atomic. A first pass over the file finds its types, and most errors
//     before anything changes; then one transaction loads all rows. A failed import
//     drops what it created.
//  2. Nothing is overwritten by accident. A table that exists is an error
//     unless the policy is [Append] or [Replace]. Replace renames the complete new table
//     to the old one's name. A table that a release follows, or whose columns have roles
//     or taxonomies, stays: one transaction deletes its rows and
//     loads the file's rows, or changes nothing.
//  3. Both ways run the same LOAD DATA statement on the same text: the file's
//     records, written anew in LOAD DATA's default format.
//  4. Names that SQL would have to quote become plain (education-num becomes
//     education_num), and the result says so.
//
// Over the wire CREATE TABLE, RENAME TABLE and DROP TABLE commit at once, as everywhere in MySQL. If a client is
// killed before it renames the new table, it leaves a table whose name ends in __importing, and the next import drops
// that table. A comment marks it; the import refuses an unmarked table of that name. One RENAME TABLE renames both
// the old and the new table. If a client is killed after that, it leaves the old table, whose name ends in
// __replaced, and the next Replace refuses to run and names it.
//
// Two concurrent imports into one table would drop or rename each other's tables. So, over the wire, the second one is refused (GET_LOCK).
//
// A file may also be the taxonomy of a column: [SendTaxonomy].
package importer
