// Package coding encodes values of SQL types in SQLite ([Codec]), in microdata
// ([ValueOf]) and as leaves of taxonomies ([ValueText]), and types as texts
// ([TypeText]).
//
//  1. Every value of every supported type survives a round trip through each encoding
//     ([SQLValue] decodes microdata).
//  2. Equal values are written alike: decimals with all their places, documents with
//     sorted keys.
//  3. Texts that are equal under a column's collation are one value of microdata, with
//     their most frequent spelling ([UnifySpellings]).
//  4. A stored value that does not belong to its type is fault.ErrDamaged.
//  5. A TIMESTAMP is stored as an instant, and read and written in the time zone of the session ([Clock]).
//
// It refuses spatial and vector types, and all types whose values do not survive a
// round trip ([CheckType]). It opens no file and runs no statement. It may import
// anonymize (values, columns), fault, and sqlite (collations).
package coding
