// Package publication makes releases inside a distributed engine, where the table lives. anonsql plans on counts; the engine forms the
// groups and writes the relations; no record passes through anonsql but those of a sample of whole groups.
//
//  1. [Engine.NewPlan] reads counts, divides the quasi-identifiers into fragments and the table into blocks of
//     neighbours ([Divide]) or classes ([Classes]), and says how large groups are.
//  2. [Engine.Assign] has the engine give every record its group, by a closed form: in a block, records stand in the
//     order of a keyed digest of their sensitive value, and within a value of a keyed digest of the record; the
//     record at rank r is in group r mod G, G = floor(n / size). The ranks of a value follow each other, so every
//     group has floor or ceil of its records / G: once at most where size is l. Groups that break alpha or gamma of
//     slppa, which ranks do not decide, are merged with others. DEVIATIONS.md has the differences from Anatomy
//     (Xiao, Tao 2006) and SLPPA (Yao et al. 2021).
//  3. [Attempt.Verify] recomputes guarantees from the relations, as SQL in the engine and, on a sample of whole
//     groups, here. [Attempt.Linked] has the records of such a sample, each with its group: attacks are measured with them.
//  4. [Attempt.Close] drops the key and the assignment; [Attempt.Discard] everything.
//
// The key of the digest is made in the engine and stands in no statement. Whole or not at all: relations have names of their attempt until the
// caller commits to them, and [Engine.Sweep] drops what no commit names.
//
// It refuses bounds that the closed form does not keep, by name, and columns whose values it cannot write as a literal.
//
// # Where things are
//
//	table      a raw table: columns, values, counts
//	request    what is asked for, and what it defaults to
//	bins       ranges of an attribute's values
//	spend      how many bins attributes have
//	blocks     cells of bins, cut into blocks of neighbours
//	classes    cells of bins, put into classes of little loss: those of mondrian
//	cuts       cells cut into parts, where the loss falls most
//	part       cells that are compared with each other
//	grow       classes of a part, grown cell by cell
//	adopt      cells that are left over join classes
//	trade      what classes of a part lose by trading cells
//	rule       how often a group may have a sensitive value
//	size       how large groups are, by the bounds of slppa
//	fragments  which quasi-identifiers are in which relation
//	plan       what is read, and what is planned with it
//	buckets    values whose records are sorted in parts
//	formed     groups of a table that is here, as the engine forms them
//	pools      parts of a table that is one block, each with its own order of sensitive values
//	assign     the statements that form groups and write relations
//	merge      groups that break alpha or gamma, merged with others
//	relation   the relations, and how they are written
//	ranges     relations of ranges: k, and whether records lie in them
//	span       ranges -> cells
//	verify     guarantees, from the relations alone
//	greatest   l, alpha, beta and gamma, from the greatest counts of groups
//	delta      shares of groups beside those of the release
//	pull       whole groups of a relation, and their records
//	sweep      what attempts have left
package publication
