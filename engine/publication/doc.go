// Package publication makes releases inside a distributed engine, where the table lives. anonsql plans on counts; the engine forms the
// groups and writes the relations; no record passes through anonsql but those of a sample of whole groups.
//
//  1. [Plan] reads counts, and divides the table in blocks of neighbours ([Divide]).
//  2. [Plan.Assign] has the engine give every record its group, by a closed form: in a block, records stand in the order of sensitive value, and
//     by a keyed digest within a value; the record at rank r is in group r mod floor(n/l). A value fills at most floor(n/l) ranks that follow each other,
//     so no group has it twice. DEVIATIONS.md has the differences from Anatomy (Xiao, Tao 2006).
//  3. [Attempt.Verify] recomputes guarantees from the relations, as SQL in the engine and, on a sample of whole groups, here.
//  4. [Attempt.Keep] drops the key and the assignment; [Attempt.Discard] everything.
//
// The key of the digest is made in the engine and stands in no statement. Whole or not at all: relations have names of their attempt until the
// caller commits to them, and [Sweep] drops what no commit names.
//
// It imports anonymize, privacy, engine and engine/dialect.
package publication
