// Package demand decides, by counts, whether a class may be formed: what the owner asks of
// the sensitive values of a release ([anonymize.Input].Asked) as a predicate for methods
// that form classes by looking for the smallest ones that are allowed ([Demand.Admits]); and
// groups united until they keep it, for those that form them otherwise ([Keep], [KeepNear]).
//
// Principles:
//
//  1. A demand is a promise of package privacy by the name of its guarantee, and means the
//     same. It is no verdict on a release: package privacy recomputes the promise from the
//     relations, and nothing here is used there.
//  2. What is asked keeps in unions: if two classes meet it, so does their union. So a table
//     that does not meet it as one class has no division that does, and the error says so.
//  3. Shares are compared as whole numbers. Where a logarithm decides, a class that is within
//     some roundings of its bound is not allowed.
//
// Which promises are looked for: size, distinct, entropy, recursive, t_equal, t_ordered,
// t_hierarchical, beta_likeness, enhanced_beta_likeness, delta_disclosure, range, l_threshold, l_sets, of every sensitive
// attribute or of one by its name, and by Keep of tuples of attributes. Others are left to the
// verification: k_map and delta_presence are of cells beside a population, not of groups.
//
// Which methods unite groups: those whose release stays one of theirs. Shares in a union are
// means of shares, so k, l, beta, delta and the breach of whole lots keep in unions; alpha
// too; gamma does not, and is repaired after. Not drasl, whose later versions must have the
// groups of earlier ones; nor methods whose records have sensitive cells of their own
// (nonhomogeneous, arp with over=randomization), nor slicing with sa_column=grouped, where
// what is asked is asked of the records that agree in other columns.
//
// The steps, a file each:
//
//	demand.go     what is asked of an attribute, and whether the table keeps it
//	diversity.go, distance.go, likeness.go, range.go, closeness.go  the promises: a verdict, and how far off a class is
//	keep.go       groups in an order in which they may be united
//	keeper.go     who is united with whom
package demand
