// Package comparison decides how values of different types are compared. It has the one rule for =, <=>, <, <=, >, >=, <>,
// BETWEEN, IN, NULLIF, CASE x WHEN and rows of several columns, for tables and published views alike.
//
// The rules are MySQL 8's ("Type Conversion in Expression Evaluation"); where MySQL has several, these hold:
//
//  1. A date, a DATETIME or a TIMESTAMP beside a text, or beside a constant number that is a date, is compared as a DATETIME;
//     beside another number as the number 20241231235959.
//  2. A TIME beside a text, or beside a constant number that is a time, is compared as a TIME; beside a date as a DATETIME of
//     today; beside another number as the number 235959.
//  3. A text beside a number is compared as the number that it begins with, a DOUBLE. A DECIMAL beside a DOUBLE is a DOUBLE.
//  4. An ENUM or a SET is compared as text beside texts, as number beside numbers. ENUMs are ordered by their texts.
//  5. IN compares with every value of its list as = does; BETWEEN finds one type for all three.
//  6. Rows are compared column by column; a NULL leaves the outcome unknown where it matters.
//  7. JSON beside anything else is compared as JSON: a text, a date or a time is a JSON string, and a boolean is no number. BETWEEN
//     is the engine's. JSON as a condition is true unless it is the number 0.
//  8. A text as a condition becomes a number, which is true unless it is 0.
//  9. Texts are compared by the collation of the side with the strongest coercibility; a computed text has that of its strongest argument.
//
// It rewrites a comparison into one whose sides have the same type, and leaves others alone, so that indexes are used as
// before. Constants are converted once. It knows no plans.
//
// # Where things are
//
//	kinds     kinds of values, and the common type of several
//	decide    comparisons of two and three values
//	lists     IN, of values
//	rows      rows of columns
//	row_list  IN, of rows
//	texts     collations, and binary texts
package comparison
