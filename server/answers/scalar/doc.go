// Package scalar has those of MySQL's functions of numbers, texts and bits, and choices,
// that the engine lacks or computes wrongly. They replace the engine's. Functions of dates
// and times are in package calendar.
//
// Values, types, NULLs and warnings are MySQL 8's. A choice (IF, COALESCE, LEAST) has a
// type that fits all its values.
//
// Rewritten trees call some operations, such as casts, by internal names; the constants
// in casts.go list them. The package knows no plans; package answers rewrites those.
//
// # Where things are
//
//	functions           the list of functions
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
