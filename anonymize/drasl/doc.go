// Package drasl publishes groups of at least K records whose sensitive values are
// as little synonymous as can be, with generalized quasi-identifiers:
//
//	Y. Yan, E. A. Herman, A. Mahmood, J. Li, Z. Dong, F. Xu: Privacy Preserving
//	Dynamic Data Release Against Synonymous Linkage Based on Micro Aggregation.
//	Research Square preprint rs-828185, 2021.
//
// A group whose values are anemia, leukemia and lymphoma tells that its people
// have a disease of the blood, though their values are different. Which values are
// synonyms is said by a catalogue: the taxonomy of the sensitive attribute, or
// where it has none, the paper's Table 5 of 32 diseases in 8 classes. Where neither
// fits, only equal values are synonymous; the fact synonyms says so.
//
// What it promises: k, at least K records with the same published
// quasi-identifiers. With links=none also that no group has two records with equal
// or synonymous values, checked on what is to be published, and so l, no value
// above 1/K of a group.
//
// What it does not promise without links=none: that a group has different values,
// or several classes. Linkage is minimized, not bounded: groups made last choose
// among few records. The facts say the greatest share of a value in a group.
//
// What it refuses: fewer than K records, several sensitive attributes, and with
// links=none a class of synonyms of more than n/K of the n records, for then there
// are no such groups.
//
// This package is the static release, Algorithm 1; distance, metric and search are
// shared with its rivals in package clustering, which has the map of the paper's
// symbols. Departures from the paper are tested, by number, in
// deviations_test.go.
//
// Cost: see clustering.Grow. With improve=true an annealing follows: see
// clustering.GrowImproved.
package drasl
