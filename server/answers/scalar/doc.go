// Package scalar has functions of MySQL that the engine lacks, or answers wrongly, and that
// take the place of its own.
//
// It promises MySQL 8's values and types, NULL and a warning where MySQL has them. A
// choice (IF, COALESCE, LEAST) has the type that all its values fit; a text is the number
// that it begins with; a date is the number 20241231, and a day of 24 hours of UTC.
//
// Trees of the parser call what has no name of its own: Markers lists those names. It
// knows no plans: what is done to those is in package answers. It imports the engine, and
// the rooms sqlerror and tree.
//
// # Where things are
//
//	functions, call          all there are, and a call of one
//	types, values            the type that several share; values as numbers, texts and times
//	casts, rounding          CAST to numbers, dates and texts, DIV; FLOOR, ABS, ROUND
//	choices                  IF, COALESCE, LEAST, GREATEST, INTERVAL
//	numbers, quotients       MOD, CONV, FORMAT and the like; digits of quotients
//	texts, written, bytes    functions of texts and bits; dates and bytes among their arguments
//	places                   FIELD, FIND_IN_SET, digests and codes
//	weeks, months, intervals  calendars: WEEK, TIMESTAMPDIFF, PERIOD_ADD, TO_DAYS; DATE_ADD
//	clock                    functions of times of a day
//	parsing, formats         STR_TO_DATE and DATE_FORMAT
package scalar
