// Package delimited reads delimited text: MySQL's LOAD DATA format and
// RFC 4180 CSV as its special case.
//
//  1. A record is all or nothing. A record with too few or too many fields,
//     with bytes that are not UTF-8, with an enclosed field that never ends or
//     with a field beyond [MaxField] is an [*Error] that names row, line and
//     column; the reader stops there. Nothing is repaired and nothing skipped.
//  2. Enclosed fields may hold any delimiter, line ends included.
//  3. A reader allocates per file, not per field: the fields of a record are
//     slices of its buffer, valid until the next record.
//  4. Memory is bounded by the buffer (256 KiB) or the longest record.
//
// [Reader] finds records, [Infer] finds SQL types for a CSV with a header, and
// [Inference.Schema] says them as SQL.
//
// Where LOAD DATA's manual leaves room: the line terminator "\n" also ends
// lines at "\r\n"; a byte order mark at the start is skipped; an empty line, or
// one of blanks where they are trimmed, carries no record, except where one field
// is expected, which a text without a header says with its first record.
package delimited
