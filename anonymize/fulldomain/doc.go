// Package fulldomain publishes equivalence classes of at least k records by
// full-domain generalization: every value of an attribute is generalized to the
// same level of the attribute's hierarchy, and at most a given share of the
// records is suppressed. Of all choices of levels it takes the best one:
//
//	P. Samarati: Protecting Respondents' Identities in Microdata Release. IEEE
//	TKDE 13(6), 2001 (the lattice of levels, suppression);
//	K. LeFevre, D. J. DeWitt, R. Ramakrishnan: Incognito: Efficient Full-Domain
//	K-Anonymity. SIGMOD 2005 (counts of a node from those of a finer one);
//	F. Kohlmayer, F. Prasser, C. Eckert, A. Kemper, K. A. Kuhn: Flash: Efficient,
//	Stable and Optimal K-Anonymity. PASSAT 2012 (binary search on paths).
//
// What it promises for every class, that of the suppressed records included: at least k
// records; no sensitive value in more than floor(m/l) of m records, hence at least l
// values; a distance of its sensitive values to the table's of at most t (the ordered
// distance for a numeric sensitive attribute, else the equal one). And no other levels
// have a better figure by the chosen measure.
//
// Levels are those of generalization.Attribute.Levels: the nodes of one depth of a
// taxonomy; intervals of round widths, each twice as wide as the one before, for
// numbers without one; the value or "*" for everything else.
//
// Suppressed records stay in the release as one class whose cells stand for every
// value: their sensitive values are exact, and the release is complete. If that class
// would break k, l or t, further classes join it; see pool.go.
//
// What it refuses: k above the number of records, an l that the whole table does
// not have, several sensitive attributes, a lattice of more than maxNodes nodes.
// Any t can be met, by one class.
//
// What it does not promise: that the choice of levels reveals nothing. An attacker who
// knows that it is the best one knows that better levels break k, l or t.
//
// The steps, a file each:
//
//	lattice.go     nodes: a level for every attribute; which node is finer than which
//	tuples.go      the classes of a node, counted from those of a finer node
//	condition.go   k, l, t and other demands on a class, in integers; what any finer node
//	               must at least suppress
//	pool.go        the class of the suppressed records
//	objective.go   the measures, and their lower bounds on coarser nodes
//	verdict.go     whether a node is feasible
//	search.go      the best node; memory.go: tuples that are kept for coarser nodes
//	fulldomain.go  the method
//
// What is pruned, and why this is correct: (1) A class of a node is a union of classes
// of any finer node. l-diverse multisets are closed under union (shares in a union are
// means of shares), so the records that a finer node keeps of a class are a subset that
// is empty, or has at least k records and is l-diverse. The least number of records
// outside such a subset (condition.least), summed over the classes, is thus a lower
// bound of what every finer node suppresses: above the limit, all finer nodes fail. The
// number of records in violating classes is not such a bound: with l it may fall on the
// way to finer nodes, since {a,b} keeps l = 2 where its union with {a,a,a} does not.
// Without suppression a violating class means that some finer class violates, for t as
// well (the distance to the table is convex), and all finer nodes fail. (2) All
// measures grow with the levels when nothing is suppressed, and with the records
// suppressed; so a node's measure without suppression is a lower bound for all coarser
// nodes.
//
// Cost: the records are numbered by tuple once, O(n m). A node costs O(tuples of the
// nearest finer node in memory). How many nodes are visited depends on the data; the
// size of the lattice is the product of the numbers of levels.
package fulldomain
