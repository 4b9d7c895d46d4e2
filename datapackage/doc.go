// Package datapackage writes a release as files and reads it again: a
// Frictionless Data Package (specs.frictionlessdata.io), which data portals,
// and people with a spreadsheet, know what to do with.
//
//  1. The files have what is published and nothing else: no seed, no name of a
//     raw table, no private side of a release that follows its table, no value
//     that no published record has.
//  2. They are the release. Read again, it answers every question as it did
//     before, to the byte: values are written exactly, cells with what they
//     stand for, tuples in the published order, by group and value.
//  3. Nothing that is read is believed: paths stay in the package, sizes and
//     hashes are compared, values must be written as this package writes them,
//     groups must add up, and every guarantee that fragments can tell is
//     recomputed. What only the publisher could measure (calibration) is taken as
//     the publisher's word.
//  4. A package is written whole or not at all.
//  5. Completed tables, which whoever has the release can draw again, may be written
//     beside it for those who analyse them elsewhere. They are never read.
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
// or the same as Parquet. The model of a release that has one is in datapackage.json, at anonsql.model: categories of every
// attribute, and their weights row by row, null where they are pooled. In a fragment a generalized attribute has names of
// cells, "[16-24]". A cell is one line or more of cells: values low to high,
// among those of values, both ends included; weight is the probability of each of
// them, and missing where all values of the cell are equally likely.
//
// In CSV a missing value is written as the resource's missingValues say, which is
// no text of the resource. Texts that are no UTF-8 are in base64 (string, format
// binary).
package datapackage
