// Package risk measures how likely an attacker finds persons in a release by their
// quasi-identifiers: if he knows that they are in it, if he has a register of the
// population, and if only the size of the population is known.
//
// Principles:
//
//  1. A class is all records that the release shows with the same quasi-identifiers,
//     across groups. A release that divides the quasi-identifiers of records among
//     fragments, or links them to sensitive cells, has no classes: that is an error, not
//     a figure.
//  2. Only the release is read, not the table; [OfTable] measures a raw table. The owner provides the population or its size.
//  3. The number of records that are unique in the population cannot be counted, so it is estimated
//     by a model. If the model does not fit, the result is an error, not a substitute figure.
//
// Figures, for n records in J classes, f_j of class j, and F_j persons of the population
// that its cells cover:
//
//	prosecutor  1/f_j        the attacker knows that the person is in the release
//	journalist  1/F_j        the attacker does not know it
//	marketer    (1/n) sum f_j/F_j   the expected share of right matches, if everybody is matched
//	k-map       least F_j
//	delta-presence  f_j/F_j of the population's persons, 0 of those with quasi-identifiers that no class covers
//
// The three risks are El Emam and Dankar, "Protecting Privacy Using k-Anonymity" (JAMIA
// 15(5), 2008) and El Emam, "Guide to the De-Identification of Personal Health Information"
// (2013); k-map is Sweeney, "k-Anonymity" (2002), delta-presence Nergiz, Atzori and
// Clifton, "Hiding the Presence of Individuals from Shared Databases" (SIGMOD 2007).
//
// With the weights of a survey, F_j is estimated by their sum over the class, and 1/F_j by [MeanInverse] (Benedetti and Franconi
// 1998, Franconi and Polettini 2004).
//
// Estimators of population uniques, from the sizes of the classes: [Pitman] (Hoshino 2001), [Zayatz]
// (1991), [SlideNegativeBinomial] (Chen and Keller-McNulty 1998), and [Dankar], which chooses one of them
// by the rule of Dankar et al. (2012). All of them assume that the release is a simple random sample of the
// population, and cannot check it.
package risk
