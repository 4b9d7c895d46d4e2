// Package demand decides, by counts, whether a class may be formed: what the owner asks of
// the sensitive values of a release ([anonymize.Input].Asked) as a predicate for methods
// that form classes by looking for the smallest ones that are allowed.
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
// Which promises are looked for: distinct, entropy, recursive, t_equal, t_ordered,
// t_hierarchical, beta_likeness, enhanced_beta_likeness, delta_disclosure, of every sensitive
// attribute or of one by its name. Others, and those of tuples of attributes, are left to the
// verification.
package demand
