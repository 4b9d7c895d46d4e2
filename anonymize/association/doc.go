// Package association measures attributes of microdata: how much information
// one carries and how strongly two go together. Methods that divide attributes
// into tables (SLPPA, slicing) or order them (ARP) decide by these figures.
//
//   - [Entropy] is Eq. (9) of Yao et al., "Sensitive Label Privacy Preservation
//     with Anatomization for Data Publishing" (IEEE TDSC 18(2), 2021), in bits.
//   - [PhiSquared] and [Matrix] are its Eq. (10), the mean-square contingency
//     coefficient, between 0 (independent) and 1 (one determines the other).
//
// What to know about phi^2: on a table of n rows with r and c values its
// expectation under independence is about (r-1)(c-1) / (n (min(r,c)-1)), not 0,
// and an attribute that identifies every row has phi^2 = 1 with everything. So
// numeric attributes of many values are discretized first ([Options].Bins), for
// this figure only, and [Options].Corrected subtracts the bias.
//
// Everything here counts dictionary codes: O(rows) for an entropy, O(rows +
// non-empty cells) for a phi^2, nothing allocated per row.
package association
