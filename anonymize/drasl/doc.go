// Package drasl publishes groups of at least K records whose sensitive values are
// as little synonymous as can be, with generalized quasi-identifiers:
//
//	Y. Yan, E. A. Herman, A. Mahmood, J. Li, Z. Dong, F. Xu: Privacy Preserving
//	Dynamic Data Release Against Synonymous Linkage Based on Micro Aggregation.
//	Research Square preprint rs-828185, 2021.
//
// A group with the values anemia, leukemia and lymphoma reveals that its people have a
// disease of the blood, although their values differ. A catalogue says which values are
// synonyms: the taxonomy of the sensitive attribute or, if it has none, the paper's
// Table 5 of 32 diseases in 8 classes. If neither fits, only equal values are synonyms,
// and the fact synonyms says so.
//
// What it promises: k, at least K records with the same published quasi-identifiers.
// With links=none, also that no group has two records with equal or synonymous values,
// which the method checks on the finished release; hence l: no value has more than 1/K
// of a group.
//
// What it does not promise without links=none: that a group has different values, or
// several classes. Linkage is minimized, not bounded: the last groups choose among few
// records. The facts report the greatest share of a value in a group.
//
// What it refuses: fewer than K records, several sensitive attributes, and with
// links=none, a class of synonyms that more than n/K of the n records have, for then no
// such groups exist.
//
// This package has the static release, Algorithm 1. Package clustering has the
// distance, metric and search that it shares with its rivals, and the table of the
// paper's symbols. Departures from the paper are tested, by number, in
// deviations_test.go.
//
// Cost: see clustering.Grow. With improve=true an annealing follows: see
// clustering.GrowImproved.
package drasl
