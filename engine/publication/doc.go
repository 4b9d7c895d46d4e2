// Package publication makes releases inside a distributed engine, where the table lives. anonsql plans on counts; the engine forms the
// groups and writes the relations; no record passes through anonsql but those of a sample of whole groups.
//
//  1. [Engine.NewPlan] reads counts, and divides the table in blocks of neighbours ([Divide]).
//  2. [Engine.Assign] has the engine give every record its group, by a closed form: in a block, records stand in the order of a keyed digest of
//     their sensitive value, and within a value of a keyed digest of the record; the record at rank r is in group r mod floor(n/l). A value fills at most floor(n/l) ranks that follow each other,
//     so no group has it twice. DEVIATIONS.md has the differences from Anatomy (Xiao, Tao 2006).
//  3. [Attempt.Verify] recomputes guarantees from the relations, as SQL in the engine and, on a sample of whole groups, here.
//  4. [Attempt.Close] drops the key and the assignment; [Attempt.Discard] everything.
//
// The key of the digest is made in the engine and stands in no statement. Whole or not at all: relations have names of their attempt until the
// caller commits to them, and [Engine.Sweep] drops what no commit names.
//
// It refuses tables in which a sensitive value has more than one in l records, and columns whose values it cannot write as a literal. It imports anonymize,
// privacy, engine and engine/dialect.
//
// # Where things are
//
//	table   a raw table: columns, values, counts
//	bins    ranges of an attribute's values
//	blocks  cells of bins, cut into blocks of neighbours
//	plan    what is read, and what is planned with it
//	assign  the statements that form groups and write relations
//	verify  guarantees, from the relations alone
//	pull    whole groups of a relation
//	sweep   what attempts have left
package publication
