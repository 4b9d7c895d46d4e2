// Package units runs methods on units: on persons, or households, that have several records each (docs/units.md).
//
// Any method will do, and none knows of it. [Run]
//
//  1. divides the units into strata of equally many records, since only units of one stratum are alike to who knows all
//     records of one;
//  2. gives the method a table with one row a unit, stratum by stratum: of an attribute that varies in a unit it sees one value;
//  3. merges groups in which a value belongs to too many units, which it may where a unit has several values;
//  4. publishes all records of the groups in the fragments that the method chose, with numbers of units beside numbers of
//     records.
//
// A stratum that the method cannot divide loses records: its units keep as many as those of the next stratum below. The units of the
// lowest are left out. [Run] says which records are published, and refuses to leave out more than it may.
//
// What cannot be kept by units is refused by name: levels of whole columns (fulldomain), classes across groups (cross_bucket) and sets
// of sensitive values (nonhomogeneous), where these columns vary in a unit; also several sensitive attributes of which one varies.
//
// Package privacy recomputes every promise from the release. It does not trust this package.
//
// Cost: the method's of as many rows as there are units, and O(records) a fragment. Merging is O(records of a group) for each of some
// dozen groups that a group is tried with.
package units
