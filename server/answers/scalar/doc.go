// Package scalar has functions of MySQL that the engine lacks, or answers wrongly, and that
// take the place of its own: of numbers, texts and bits, and choices. Those of dates and
// times are in room calendar.
//
// It promises MySQL 8's values and types, NULL and a warning where MySQL has them. A
// choice (IF, COALESCE, LEAST) has the type that all its values fit.
//
// Trees of the parser call what has no name of its own: the constants of casts list those
// names. It knows no plans: what is done to those is in package answers.
//
// # Where things are
//
//	functions           all there are
//	casts, rounding     CAST to numbers, dates and texts, DIV; FLOOR, ABS, ROUND
//	choices             IF, COALESCE, LEAST, GREATEST, INTERVAL
//	numbers             MOD, CONV, logarithms and the like
//	format              FORMAT, and the signs of locales
//	texts, written      functions of texts; dates among their arguments
//	bytes               functions of bytes
//	random              RAND(seed)
//	places, aes         FIELD, FIND_IN_SET, digests and codes; AES_ENCRYPT
//	addresses           IS_IPV4, INET6_ATON and the like
//	compression         UNCOMPRESS
package scalar
