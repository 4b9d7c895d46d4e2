// Package tabular opens files of several formats that hold one table, as delimited text in UTF-8: plain and compressed text, a file in a zip
// archive, a sheet of an Excel workbook, Parquet.
//
//  1. The first bytes of a file decide its format, not its name; but the extensions .xlsx and .parquet must match. Other files are refused
//     with the name of their format and a way out.
//  2. Nothing is repaired: invalid encoding, or a truncated archive or workbook, is an error, never a shorter table.
//  3. The separator and the line end are inferred from the beginning of the text, and reported. Two equally good readings are an error that
//     names the flag to set.
//  4. Values are written as SQL reads them: a date as 2024-02-29, a boolean as true. A text of a workbook or of Parquet stays a text, even if it
//     looks like a number.
//  5. Files are streamed. In memory are the shared strings of a workbook and one of its rows, which are bounded, or one row group of Parquet.
//
// The package reads workbooks itself, because streaming libraries end a damaged sheet silently, or show dates in their display style.
//
// # Where things are
//
//	header          the first line
//	open            a file and its format
//	kinds           first bytes -> formats, and refusals of others
//	archive         gzip, bzip2, zstd, zip
//	encoding        UTF-16 and Latin-1 -> UTF-8
//	separators      separators of fields and ends of lines
//	rows            rows of values -> delimited text
//	parquet         columns of Parquet -> rows
//	parquet_pages   refuses pages that take too much memory
//	workbook        sheets of a workbook, and the parts it is made of
//	workbook_rows   cells of a sheet -> rows
//	workbook_dates  numbers that a workbook shows as dates
package tabular
