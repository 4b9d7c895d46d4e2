// Package texts writes what owners read: texts in result rows and notes, rounded
// figures, and ways out of mistakes that people make with our names.
//
// It promises that
//
//  1. a row with promises fits a terminal of 120 columns as clients draw it, unless its
//     names or its first promise alone do not;
//  2. a figure is rounded, never cut: what holds of two figures holds of both rounded;
//  3. a way out is added to a message, which stays as it is.
//
// It refuses nothing, and sees no session and no table.
//
// # Where things are
//
//	promises  guarantees and facts
//	rounded   figures with the digits that they deserve
//	fit       long texts as several lines, lists as far as they fit
//	names     lists of names, as options have them
//	misuse    what was meant by a name or an argument that is wrong
package texts
