// Package comparison decides how values of different types are compared: the one rule of =, <=>, <, <=, >, >=, <>, BETWEEN,
// IN, NULLIF, CASE x WHEN and rows of several columns, for tables and published views alike.
//
// It promises MySQL 8's rules ("Type Conversion in Expression Evaluation"), and says here where MySQL has several:
//
//  1. A date, a DATETIME or a TIMESTAMP beside a text, or beside a constant number that is a date, is compared as a DATETIME;
//     beside another number as the number 20241231235959.
//  2. A TIME beside a text, or beside a constant number that is a time, is compared as a TIME; beside a date as a DATETIME of
//     today; beside another number as the number 235959.
//  3. A text beside a number is the number that it begins with, a DOUBLE. A DECIMAL beside a DOUBLE is a DOUBLE.
//  4. An ENUM or a SET is its text beside texts, its number beside numbers. ENUMs are ordered by their texts.
//  5. IN compares with every value of its list as = does; BETWEEN finds one type for all three.
//  6. Rows are compared column by column; a NULL leaves the outcome unknown where it matters.
//  7. JSON beside anything else is compared as JSON: a text, a date or a time is a JSON string, a truth is no number. BETWEEN is the
//     engine's. JSON that is a condition is true where it is not the number 0.
//  8. A text that is a condition is a number, which is true where it is not 0.
//  9. Texts are compared by the collation of the strongest; a computed one has that of its strongest argument.
//
// It rewrites a comparison into one whose sides have one type, and leaves alone what has already, so that an index is asked as
// before. Constants are converted once. It knows no plans.
//
// # Where things are
//
//	kinds     what values are, and the type in which several meet
//	decide    comparisons of two and three
//	lists     IN, of values
//	rows      rows of columns
//	row_list  IN, of rows
//	texts     collations, and texts that are binary
package comparison
