// Package units runs methods on units: persons or households with several records each (docs/units.md).
//
// It works with any method, and no method knows of it. [Run]
//
//  1. divides the units into strata with equally many records each, since an attacker who knows all records of a unit
//     can distinguish units of different strata;
//  2. gives the method a table with one row per unit, stratum by stratum, which has one value of an attribute that varies in a unit;
//  3. merges groups in which a value belongs to too many units, as it may if units have several values;
//  4. publishes all records of the groups in the fragments that the method chose, with counts of units beside counts of
//     records.
//
// A stratum that the method cannot divide loses records: its units keep as many as units of the next lower stratum have. Units of
// the lowest stratum are left out. [Run] returns which records are published, and refuses to leave out more than its limit.
//
// Run refuses by name what units cannot have: levels of whole columns (fulldomain), classes across groups (cross_bucket) and sets of
// sensitive values (nonhomogeneous), if these columns vary in a unit; levels of groups that would be merged; and several sensitive
// attributes of which one varies. Methods refuse promises of the one row that they see ([anonymize.Input.Varying]).
//
// Package privacy recomputes every promise from the release. It does not trust this package.
//
// Cost: the method's for one row per unit, plus O(records) per fragment. Merging tries a group with some dozen others, each in
// O(records of a group).
package units
