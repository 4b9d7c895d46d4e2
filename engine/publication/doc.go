// Package publication makes releases inside the distributed engine that has the table. anonsql plans on counts; the engine forms the
// groups and writes the relations. Only the records of a sample of whole groups pass through anonsql.
//
//  1. [Engine.NewPlan] reads counts, divides the quasi-identifiers into fragments and the table into blocks of
//     neighbours ([Divide]) or classes ([Classes]), and decides how large groups are.
//  2. [Engine.Assign] makes the engine assign every record to a group, by a closed form: the records of a block are
//     ordered by a keyed digest of their sensitive value, then by a keyed digest of the record; the record at rank r
//     is in group r mod G, G = floor(n / size). The ranks of a value are consecutive, so of its c records every
//     group has floor(c/G) or ceil(c/G): at most one if size is l. Groups that break slppa's alpha or gamma, which
//     ranks do not ensure, are merged with others. DEVIATIONS.md has the differences from Anatomy (Xiao, Tao 2006)
//     and SLPPA (Yao et al. 2021).
//  3. [Attempt.Verify] recomputes guarantees from the relations, as SQL in the engine and, on a sample of whole groups,
//     here. [Attempt.Linked] returns the records of such a sample with their groups, for measuring attacks.
//  4. [Attempt.Close] drops the key and the assignment; [Attempt.Discard] everything. [Attempt.Publish] moves the relations to where readers
//     of the engine may read them: until then they are as hidden as the key.
//
// The engine makes the key of the digest, and no statement contains it. A publication is atomic: relations have the names of their attempt
// until the caller commits to them, and [Engine.Sweep] drops relations that no commit names.
//
// It refuses, by name, bounds that the closed form does not keep, and columns whose values cannot be written as literals.
//
// # Where things are
//
//	table      a raw table: columns, values, counts
//	request    a request and its defaults
//	bins       ranges of an attribute's values
//	spend      how many bins each attribute gets
//	blocks     cells of bins, cut into blocks of neighbours
//	classes    cells of bins, put into classes of little loss: those of mondrian
//	cuts       cells cut into parts, where the loss falls most
//	part       sets of cells compared with each other
//	grow       classes of a part, grown cell by cell
//	adopt      cells that are left over join classes
//	trade      the loss of classes of a part after trading cells
//	rule       how often a group may have a sensitive value
//	size       how large groups are, by the bounds of slppa
//	fragments  which quasi-identifiers are in which relation
//	plan       the counts read, and the plan made of them
//	buckets    values whose records are sorted in parts
//	formed     groups of a local table, as the engine would form them
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
//	sweep      remains of failed attempts
package publication
