// Package regularexpression matches MySQL 8's regular expressions, which are
// ICU's, in time linear in the text.
//
// Principles:
//
//  1. No text and no pattern takes exponential time. A match takes at most
//     (length of the text) x (size of the program) steps; the program is what
//     Go's regexp/syntax makes, and all of its threads run side by side over the
//     text, instead of one after the other with steps back.
//  2. What needs steps back is refused, never guessed: back references,
//     look-around, atomic groups and possessive quantifiers are errors that name
//     the construct, its place and a way out.
//  3. A match that is under way ends when its context does.
//  4. Patterns are bounded: MaxPattern bytes, MaxProgram instructions after counted
//     repeats are written out, MaxNesting levels. What exceeds a bound is error 3700.
//  5. Every error has MySQL's number (Error.Number) and begins with MySQL's words.
//
// Why not regexp.Regexp itself: ICU's $ also matches before the terminator of the
// last line, its \b and \w know letters outside ASCII, its empty matches follow
// non-empty ones, and a search starts anywhere in a text and sees what is before;
// a regexp.Regexp can do none of these, and nobody can interrupt it.
//
// Positions that come from and go to SQL are characters, counted from 1; those of
// Match are bytes, counted from 0. A byte that is not UTF-8 is a character of its
// own, which only classes that have U+FFFD match.
//
// The package knows no SQL. Collations, NULL and max_allowed_packet are the
// caller's.
package regularexpression
