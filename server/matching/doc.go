// Package matching has REGEXP_LIKE, REGEXP_INSTR, REGEXP_SUBSTR and REGEXP_REPLACE as
// expressions of the engine; the parser turns REGEXP and RLIKE into REGEXP_LIKE.
// Package regularexpression does the matching.
//
// Principles:
//
//  1. A pattern is compiled once per statement, whether it is a literal, a parameter or
//     a column. A call caches its last pattern if it is small; a server caches the latest
//     patterns of all calls, within bounds.
//  2. Answers are cached by text while all other arguments stay the same, within
//     bounds, so a scan of a column costs only its distinct values.
//  3. Case counts unless the collation of text and pattern together ends in _ci;
//     match_type overrides it. Accents always count.
//  4. NULL in, NULL out; but a wrong pattern is an error even if the text is NULL.
//  5. No result is longer than max_allowed_packet.
package matching
