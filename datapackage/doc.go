// Package datapackage writes a release as files and reads it again: a Frictionless Data
// Package (specs.frictionlessdata.io), for data portals and spreadsheets.
//
//  1. The files have only published data: no seed, no name of a raw table, no private
//     side of a release that follows its table, no value without a published record.
//  2. The files are the complete release. Read again, it answers every question as
//     before, to the byte: values are exact, cells have their values, and tuples are in
//     the published order, by group and value.
//  3. The reader trusts nothing: paths must stay in the package, sizes and hashes must
//     match, values must be written as this package writes them, groups must add up,
//     and every guarantee that follows from fragments is recomputed. Only the publisher
//     could measure the calibration, so the reader takes his word for it.
//  4. A package is written atomically.
//  5. Completed tables, which every recipient of the release can draw again, may be
//     written beside it for analyses elsewhere. They are never read.
//
// # Files
//
// datapackage.json describes all others. For a release adult there are
//
//	adult_qi1.csv, adult_sa.csv   a fragment: gid, attributes, count
//	adult_gid.csv                 the groups: gid, size
//	adult_qi1_age_cells.csv       for a generalized attribute: what its cells stand for
//	adult_qi1_age_values.csv      and the values of the attribute, ascending
//	completed/1.csv               a completed table: a row a record; there where it was asked for
//	README.md                     what this is, for people
//
// or the same as Parquet. The model of a release, if any, is in datapackage.json at anonsql.model: categories of every
// attribute, and their weights row by row, null if pooled. In a fragment a generalized attribute has names of cells, such as
// "[16-24]". In the file of cells, a cell has one or more lines: the values from low to high, both included, in the order of
// the file of values; weight is the probability of each of them, and missing if all values of the cell are equally likely.
//
// In CSV the resource's missingValues stand for NULL; no text of the resource equals
// them. Texts that are not UTF-8 are in base64 (string, format binary).
package datapackage
