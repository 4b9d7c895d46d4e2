// Package comparison decides how values of different types are compared. It has the one rule for =, <=>, <, <=, >, >=, <>,
// BETWEEN, IN, NULLIF, CASE x WHEN and rows of several columns, for tables and published views alike.
//
// The rules are MySQL 8's ("Type Conversion in Expression Evaluation"); where MySQL has several, these hold:
//
//  1. Dates, DATETIMEs and TIMESTAMPs are compared with texts, and with constant numbers that are dates, as DATETIMEs,
//     with other numbers as the number 20241231235959.
//  2. A TIME is compared with texts, and with constant numbers that are times, as a TIME; with a date as a DATETIME of
//     today; with other numbers as the number 235959.
//  3. A text is compared with a number as the DOUBLE that it begins with. A DECIMAL is compared with a DOUBLE as a DOUBLE.
//  4. An ENUM or a SET is compared with texts as a text, with numbers as a number. ENUMs are ordered by their texts.
//  5. IN compares with every value of its list as = does; BETWEEN finds one type for all three.
//  6. Rows are compared column by column; a NULL leaves the outcome unknown where it matters.
//  7. JSON is compared with anything else as JSON: a text, a date or a time is a JSON string, and a boolean is no number. BETWEEN
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
//	kept      the value of x in CASE x WHEN
//	lists     IN, of values
//	rows      rows of columns
//	row_list  IN, of rows
//	texts     collations, and binary texts
package comparison
