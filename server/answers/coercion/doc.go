// Package coercion reads values as MySQL does where it wants another type: numbers, texts,
// dates and times, and the type that several values share.
//
// It promises MySQL 8's values: a text is the number that it begins with; a date is the
// number 20241231; a number is a date where its digits are one; a day has 24 hours of UTC.
// What is no date or time is NULL with a warning (1292), and no error. A number out of a
// type's range is an error where MySQL has one. It knows no functions and no plans, and
// imports the engine alone.
//
// # Where things are
//
//	numbers      values as DOUBLE, DECIMAL and whole numbers
//	instants     values as dates, with and without a time of the day; decimals of a second
//	spans        values as TIME
//	written_times  texts as dates and times, field by field
//	conversions  values as texts, and of one type as of another
//	types        kinds of types; the type that several share
package coercion
