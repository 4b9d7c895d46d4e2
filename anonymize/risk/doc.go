// Package risk says how likely persons are found in a release by their
// quasi-identifiers: by who knows that they are in it, by who has a register of the
// population, and in a population of which only the size is known.
//
// Principles:
//
//  1. A class is all records that the release shows with the same quasi-identifiers, in
//     whichever groups. A release that does not show records whole, because it divides
//     their quasi-identifiers among fragments or links them to sensitive cells, has none:
//     that is an error, and no figure.
//  2. The release is all that is read of the table, but for [OfTable], which measures a table as it is. What else is needed, a population or
//     its size, the owner gives.
//  3. An estimate of what nobody can count, how many are unique in the population, comes
//     from a model; where the model does not fit the error says so, and no figure stands in.
//
// Figures, for n records in J classes, f_j of class j, and F_j records of the population
// that its cells cover:
//
//	prosecutor  1/f_j        the attacker knows that the person is in the release
//	journalist  1/F_j        and does not know it
//	marketer    (1/n) sum f_j/F_j   the expected share of right matches, if everybody is matched
//	k-map       least F_j
//	delta-presence  f_j/F_j of the population's records, 0 of those that no class covers
//
// The three risks are El Emam and Dankar, "Protecting Privacy Using k-Anonymity" (JAMIA
// 15(5), 2008) and El Emam, "Guide to the De-Identification of Personal Health Information"
// (2013); k-map is Sweeney, "k-Anonymity" (2002), delta-presence Nergiz, Atzori and
// Clifton, "Hiding the Presence of Individuals from Shared Databases" (SIGMOD 2007).
//
// With the weights of a survey, F_j is estimated by their sum over the class, and 1/F_j by [MeanInverse] (Benedetti and Franconi
// 1998, Franconi and Polettini 2004).
//
// Estimators of population uniques, from the sizes of the classes: [Pitman] (Hoshino
// 2001), [Zayatz] (1991), [SlideNegativeBinomial] (Chen and Keller-McNulty 1998), and
// [Dankar], which takes one of them by the rule of Dankar et al. (2012). All of them take the release for a
// simple random sample of the population; none knows how far it is one.
package risk
