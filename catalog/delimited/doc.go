// Package delimited reads delimited text: MySQL's LOAD DATA format and
// RFC 4180 CSV as its special case.
//
//  1. A record is all or nothing. A record with too few or too many fields, with bytes
//     that are not UTF-8, with an enclosed field that never ends or with a field beyond
//     [MaxField] is an [*Error] that names row, line and column; the reader stops
//     there. It repairs nothing and skips nothing.
//  2. Enclosed fields may hold any delimiter, line ends included.
//  3. A reader allocates per file, not per field: the fields of a record are
//     slices of its buffer, valid until the next record.
//  4. Memory is bounded by the buffer (256 KiB) or the longest record.
//
// [Reader] finds records, [Infer] finds SQL types for a CSV with a header, and
// [Inference.Schema] writes them as SQL.
//
// Where LOAD DATA's manual is silent: the line terminator "\n" also ends lines at
// "\r\n"; a byte order mark at the start is skipped; an empty line (or a blank one, if
// blanks are trimmed) is no record, except where records have one field, which in a
// text without a header the first record decides.
package delimited
