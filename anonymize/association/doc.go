// Package association measures how much information an attribute of microdata carries,
// and how strongly two attributes are associated. Methods that divide attributes into
// tables (SLPPA, slicing) or order them (ARP) decide by these figures.
//
//   - [Entropy] is Eq. (9) of Yao et al., "Sensitive Label Privacy Preservation
//     with Anatomization for Data Publishing" (IEEE TDSC 18(2), 2021), in bits.
//   - [PhiSquared] and [Matrix] are its Eq. (10), the mean-square contingency
//     coefficient, between 0 (independent) and 1 (one determines the other).
//
// Beware of phi^2 for attributes with many values: for n rows and attributes of r and c
// values, its expectation under independence is about (r-1)(c-1) / (n (min(r,c)-1)),
// not 0, and an attribute that identifies every row has phi^2 = 1 with every other. So
// numeric attributes with many values are discretized first ([Options].Bins), for this
// figure only, and [Options].Corrected subtracts the bias.
//
// All figures count dictionary codes: O(rows) for an entropy, O(rows + non-empty cells)
// for a phi^2, without an allocation per row.
package association
