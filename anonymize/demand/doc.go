// Package demand decides, by counts, whether a class meets the promises that the owner
// demands for the sensitive values of a release ([anonymize.Input].Asked). Methods that
// search for the smallest admissible classes use it as a predicate ([Demand.Admits]). For
// other methods it merges groups until they meet the demand ([Keep], [KeepNear]).
//
// Principles:
//
//  1. A demand is a promise of package privacy, with the same name and meaning. It is no
//     verdict on a release: package privacy recomputes the promise from the relations and
//     uses no code of this package.
//  2. Demands are closed under union: if two classes meet one, so does their union. So if the
//     whole table as one class does not meet a demand, no division does, and the error says so.
//  3. Shares are compared as integers. Where a logarithm decides, a class within a few
//     rounding errors of its bound is rejected.
//
// Supported promises: size, distinct, entropy, recursive, t_equal, t_ordered, t_hierarchical, beta_likeness,
// enhanced_beta_likeness, delta_disclosure, range, l_threshold, l_sets, for every sensitive attribute or for a named one;
// Keep also supports tuples of attributes. Only the verification checks other promises: k_map and delta_presence concern
// cells and a population, not groups.
//
// A method may merge groups if the result is still a release of that method. Shares in a
// union are means of shares, so k, l, alpha, beta, delta and the breach of whole lots
// survive a merge; gamma does not, and is repaired afterwards. These methods do not merge:
// drasl, whose later versions must have the groups of earlier ones; methods whose records
// have sensitive cells of their own (nonhomogeneous, arp with over=randomization); slicing
// with sa_column=grouped, where a demand concerns the records that agree in other columns.
//
// The steps, a file each:
//
//	demand.go     the demands on an attribute, and whether the table meets them
//	diversity.go, distance.go, likeness.go, range.go, closeness.go  the promises: a verdict, and how far off a class is
//	keep.go       groups in an order in which they may be merged
//	keeper.go     which groups are merged
package demand
