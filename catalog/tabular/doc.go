// Package tabular opens files that hold one table, whatever they are, as delimited text in UTF-8: plain and compressed text, a file in a zip
// archive, a sheet of an Excel workbook, Parquet.
//
//  1. A file is known by its first bytes, not by its name, but a name in .xlsx or .parquet must be true. What is not a table, or cannot be
//     read here, is refused by what it is, with a way out.
//  2. Nothing is repaired: a text that is not valid in its encoding, an archive or a workbook that ends too soon, is an error, never a shorter
//     table.
//  3. What separates fields and ends lines is recognised in the beginning of the text, and told. Two readings that are equally good are an error
//     that names the flag.
//  4. Values are written as SQL reads them: a date as 2024-02-29, a boolean as true. A text of a workbook or of Parquet stays a text, even if it
//     looks like a number.
//  5. Files are read in streams. Of a workbook the list of its texts is in memory, of Parquet a row group.
//
// Workbooks are read here: libraries that stream them end a damaged sheet without a word, or show dates as their style does.
//
// # Where things are
//
//	header          what the first line has
//	open            a file, and what it is
//	kinds           first bytes -> kinds, and what is said of those that are refused
//	archive         gzip, bzip2, zstd, zip
//	encoding        UTF-16 and Latin-1 -> UTF-8
//	separators      what separates fields, and what ends lines
//	rows            rows of values -> delimited text
//	parquet         columns of Parquet -> rows
//	workbook        sheets of a workbook, and the parts it is made of
//	workbook_rows   cells of a sheet -> rows
//	workbook_dates  numbers that a workbook shows as dates
package tabular
