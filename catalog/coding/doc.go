// Package coding says how values of SQL types are written: in SQLite ([Codec]), in
// microdata ([ValueOf]), as leaves of taxonomies ([ValueText]); and how types are
// ([TypeText]).
//
//  1. Every value of every supported type comes back as it went in, on each of these
//     ways ([SQLValue] is the way back from microdata).
//  2. Equal values are written alike: decimals with all their places, documents with
//     sorted keys.
//  3. Texts that a column's collation holds equal are one value of microdata, under
//     their most frequent spelling ([UnifySpellings]).
//  4. A stored value that is none of its type is fault.ErrDamaged.
//  5. A TIMESTAMP is stored as a moment, and read and written as the clock of the session shows it ([Clock]).
//
// Types that it refuses ([CheckType]): spatial and vector ones, and whatever does not
// read back as it was written. It opens no file and runs no statement. It may import
// anonymize, for values and columns, fault and sqlite, for collations.
package coding
