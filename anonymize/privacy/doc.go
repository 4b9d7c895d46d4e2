// Package privacy recomputes what a release guarantees, from the release alone,
// and asks whether it is complete. It imports no method and trusts none.
//
// Principles:
//
//  1. Only the fragments are looked at: what can be published can be verified
//     by whoever gets it.
//  2. Bounds are compared exactly, as whole numbers. No float decides.
//  3. A promise that cannot be recomputed is an error, never "holds".
//  4. Every guarantee is reported with its worst group and with what is in it,
//     promised or not.
//
// The guarantees, with the names of their promises, for groups g of m records:
//
//	alpha     greatest count/m of a QI fragment's tuple            SLPPA Eq. (3)
//	beta      greatest share of a sensitive value                  SLPPA Eq. (5)
//	gamma     product over all fragments of the greatest count/m   SLPPA Eq. (7)
//	presence  min(1, m gamma_g): how likely some record of the group has the
//	          most frequent combination, at most
//	delta     greatest difference between a sensitive value's share of the
//	          group and of the release, also for values absent from the group
//	          SLPPA Eq. (8)
//	lift      greatest quotient of these two shares
//
// SLPPA is Yao et al., "Sensitive Label Privacy Preservation with Anatomization
// for Data Publishing", IEEE TDSC 18(2), 2021. Why presence stands beside gamma:
// Eq. (6) multiplies probabilities at one position of the group, and there are m.
//
// What it cannot check: alpha, gamma and presence where cells are generalized,
// for they count tuples; beta, delta and lift where the sensitive attribute has
// no fragment of its own, or has weighted cells. Sets and intervals of the
// sensitive attribute are checked: each record counts in equal parts for the
// values of its cell.
//
// Cost: [Verify] is one pass over the tuples and O(groups x fragments), with
// arrays as long as the sensitive dictionaries. [Complete] is O(rows x columns).
package privacy
