// Package privacy recomputes what a release guarantees, from the release alone,
// and asks whether it is complete. It imports no method and trusts none.
//
// Principles:
//
//  1. Only the fragments are read, so every recipient of a release can verify it.
//     Package sequence finds what several versions of a release reveal together, and
//     about whom.
//  2. Bounds are compared exactly, as integers. No float decides a case that rounding
//     could have decided otherwise.
//  3. A promise that cannot be recomputed is an error, never "holds".
//  4. Every guarantee is reported with its worst group and that group's content,
//     promised or not.
//
// The guarantees, with the names of their promises, for groups g of m records:
//
//	k         least number of records shown with the same quasi-identifiers
//	size      least m
//	alpha     greatest count/m of a QI fragment's tuple            SLPPA Eq. (3)
//	beta      greatest share of a sensitive value                  SLPPA Eq. (5)
//	gamma     product over all fragments of the greatest count/m   SLPPA Eq. (7)
//	presence  min(1, m gamma_g): how likely some record of the group has the
//	          most frequent combination, at most
//	delta     greatest difference between a sensitive value's share of the
//	          group and of the release, also for values absent from the group
//	          SLPPA Eq. (8)
//	lift      greatest quotient of these two shares
//	l         least floor(m/c), c the count of the group's most frequent
//	          sensitive value                              ARP Definition 1
//	l_threshold m/c, c being the most records of a group that have numbers within the promise's threshold
//	          of each other: of any interval of that width
//	l_sets    the same of records whose cells share a code
//	distinct  least number of sensitive values
//	entropy   least exp(entropy of the sensitive values): so many equally
//	          frequent values have it
//	recursive greatest r_1 / (r_l + ... + r_m), the r_i being the counts of the
//	          values in descending order: (c, l)-diverse for every c above it
//	t_equal   greatest total variation between the sensitive values of a group
//	          and of the release
//	t_ordered the same with the ordered distance, for numeric attributes
//	t_hierarchical the same with the distances of the promise's hierarchy
//	beta_likeness greatest (q - p)/p, q being a value's share of the group and p
//	          that of the release: lift less 1
//	enhanced_beta_likeness the same, where none is above -ln p
//	delta_disclosure greatest |log2(q/p)|, also for values absent from the group
//	background greatest share of a sensitive value for who knows that one other
//	          record of the group does not have it: c/(m - min(1, m - c)); the
//	          detail has it for 2, 3 and 4 others
//	label_epsilon, of a model with noise and nothing beside it: how much, as a power of
//	          e, the release changes the odds between two sensitive values of a record
//	least_cell, of a model without noise: the least count that it tells
//	breach    greatest probability of a sensitive value for the records shown with
//	          the same quasi-identifiers, over all groups that they are in
//
// A promise of k, size, l, l_threshold, l_sets, distinct or entropy is a lower bound; a promise of recursive
// or delta_disclosure is a strict upper bound; all others are upper bounds that may be reached. The l of
// recursive is that of its promise, else the promised l, rounded up, else 2. A group of fewer values has no
// c; then the figure is left out, and a promise of it is an error. The same holds for enhanced_beta_likeness
// if a value gains more than -ln p in a group, and for delta_disclosure if a group lacks a value of the
// release. The figures size and t_hierarchical to delta_disclosure are reported only if they are promised.
//
// If a fragment has several sensitive attributes, l is the least of all of them,
// l(race) is that of one, and l(race,disease) that of the pair as one value, which is
// no less than either and implies nothing about them. The same holds for beta, delta,
// distinct, and all other promises of attributes by name (anonymize.About).
//
// SLPPA is Yao et al., "Sensitive Label Privacy Preservation with Anatomization
// for Data Publishing", IEEE TDSC 18(2), 2021. Why presence stands beside gamma:
// Eq. (6) multiplies probabilities at one position of the group, and there are m.
// The bounds of ASN are among these: its presence, the product over all
// attributes, is gamma, since every attribute is a fragment; its bound for the
// sensitive attribute is beta. ARP is Zhu et al., "Anonymization on Refining
// Partition: Same Privacy, More Utility"; its Definition 1 is one reading of the
// l-diversity of Machanavajjhala et al. (TKDD 1(1), 2007), and distinct, entropy
// and recursive are the others.
// Beta-likeness is Cao and Karras (PVLDB 5(11), 2012), delta-disclosure privacy
// Brickell and Shmatikov (KDD 2008).
// The distances are those of t-closeness, Li et al. (ICDE 2007). NULL is a value
// of its own; in t_ordered it ranks below the numbers, as ORDER BY has it.
//
// Which records a sensitive value is counted among:
//
//   - In a sensitive fragment, all records of the group.
//   - In a mixed fragment, where the last column is the sensitive attribute and the
//     others are linked to it, the records of the group whose other cells are equal. So
//     a pair of women with one disease has l = 1, whatever the men of their group have.
//     An attacker who does not know the cells of his victim gets a mean of such shares,
//     which is at most the greatest of them.
//   - Where sensitive cells are sets or weighted, l, distinct, entropy, recursive, both beta-likenesses and
//     delta_disclosure are figures of single records, in their cells: l is then floor(1/greatest weight).
//     Again the share in a group is a mean, and at most the greatest. The other figures take the mean;
//     background is undefined.
//
// A weight is taken as the simplest fraction within 2^-50 of it: 0.1 + 0.9/9 is
// 1/5, though not as a float64.
//
// What it cannot check: alpha, gamma and presence with generalized cells, since they
// count tuples; alpha with a mixed fragment; means over weighted cells whose weights
// have no common denominator of at most 2^20; t_ordered without a numeric sensitive
// attribute.
//
// The logarithms of beta-likeness and delta-disclosure are irrational, except those of
// powers of two. A gain within 10^-12 of -ln p counts as above it. If the float64 is
// near delta, integers decide where delta's fraction has a small denominator; otherwise
// the verdict is against the release.
//
// Entropy is irrational, so its float64 decides only if it is clear of the bound;
// otherwise integers of some million bits do. For a group of more than 65,536 records
// (counts in lowest terms) within a part in 10^9 of its bound, the promise does not
// hold.
//
// If records belong to units (persons with several records), every figure counts units: m is the number of units of a group, and
// c the number of units with the value in any of their records. The shares of a group may then sum to more than 1, so entropy,
// recursive and the distances are defined only if no unit has two values. docs/units.md has definitions and proofs.
//
// Cost: [Verify] is a few passes over the tuples and O(groups x fragments), with
// arrays as long as the sensitive dictionaries. [Complete] is O(rows x columns).
package privacy
