// Package regularexpression matches MySQL 8's regular expressions, which are
// ICU's, in time linear in the text.
//
// Principles:
//
//  1. No text and no pattern takes exponential time. A match takes at most (length of
//     the text) x (size of the program) steps: regexp/syntax compiles the program, and
//     all of its threads run side by side over the text, without backtracking.
//  2. Constructs that need backtracking are refused: back references, look-around,
//     atomic groups and possessive quantifiers are errors that name the construct, its
//     position and a way out.
//  3. A running match ends with its context.
//  4. Patterns are bounded: MaxPattern bytes, MaxProgram instructions after expanding
//     counted repeats, MaxNesting levels. A pattern beyond a bound is error 3700.
//  5. Every error has MySQL's number (Error.Number) and begins with MySQL's words.
//
// Why not regexp.Regexp itself: ICU's $ also matches before the terminator of the last line, its \b and \w know
// letters outside ASCII, its empty matches follow non-empty ones, and a search may start anywhere in a text and still
// sees the text before. A regexp.Regexp does none of these, and cannot be interrupted.
//
// SQL's positions are characters, counted from 1; those of Match are bytes, counted from 0. A byte that is not UTF-8
// is a character of its own; only classes with U+FFFD match it.
//
// The package knows no SQL. The caller handles collations, NULL and max_allowed_packet.
package regularexpression
