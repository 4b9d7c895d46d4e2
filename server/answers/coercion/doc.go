// Package coercion converts values to other types as MySQL does: numbers, texts, dates and
// times. It also finds the common type of several values.
//
// The results are MySQL 8's: a text becomes the number that it begins with; a date becomes
// a number such as 20241231; a number becomes a date if its digits form one; a day has 24
// hours of UTC. An invalid date or time is NULL with warning 1292, not an error. A number
// out of a type's range is an error where MySQL has one. The package knows no functions
// and no plans, and imports only the engine.
//
// # Where things are
//
//	numbers      values as DOUBLE, DECIMAL and integers
//	instants     values as dates, with and without a time of the day; decimals of a second
//	spans        values as TIME
//	written_times  texts as dates and times, field by field
//	conversions  values as texts, and of one type as of another
//	types        kinds of types; the common type of several values
package coercion
