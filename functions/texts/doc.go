// Package texts writes texts for owners: in result rows and notes, rounded figures, and
// hints for mistakes with our names.
//
// It promises that
//
//  1. a row with promises fits a terminal of 120 columns as clients draw it, unless its
//     names or its first promise alone do not;
//  2. a figure is rounded, never truncated, so that rounding preserves the order of figures;
//  3. a hint is appended to a message, which stays unchanged.
//
// It refuses nothing, and reads no session and no table.
//
// # Where things are
//
//	promises  guarantees and facts
//	rounded   figures with their significant digits
//	fit       long texts as several lines, lists as far as they fit
//	names     lists of names, as options have them
//	misuse    suggestions for wrong names and arguments
package texts
