// Package matching is REGEXP_LIKE, REGEXP_INSTR, REGEXP_SUBSTR and REGEXP_REPLACE as
// the engine's expressions; the parser makes a call of the first of REGEXP and RLIKE.
// Package regularexpression matches.
//
// Principles:
//
//  1. A pattern is compiled once for a statement, however it came (a literal, a
//     parameter, a column). A call keeps its last pattern if it is small; a server
//     keeps the others that it met last, within bounds.
//  2. An answer is kept for a text while all other arguments stay the same, within
//     bounds, so a scan of a column pays for its distinct values.
//  3. Case counts unless the collation of text and pattern together ends in _ci;
//     match_type overrides it. Accents always count.
//  4. NULL in, NULL out; but a wrong pattern is an error even where the text is NULL.
//  5. No result is longer than max_allowed_packet.
package matching
