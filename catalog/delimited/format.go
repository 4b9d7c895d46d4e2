package delimited

import (
	"fmt"
	"strings"
)

// MaxField is the maximum length of a field, in bytes.
const MaxField = 64 << 20

// maxRecord bounds the memory of one record, in bytes.
const maxRecord = 256 << 20

// maxFields is the most fields of a record where fewer columns are expected: MySQL's tables have at most as many.
const maxFields = 4096

// maxTerminator is the greatest length of a terminator and of LINES STARTING BY, in bytes: they are compared at every place.
const maxTerminator = 64

// A Format is the syntax of a delimited text, in the terms of LOAD DATA.
type Format struct {
	// FieldsTerminatedBy separates fields. Required; may have several bytes.
	FieldsTerminatedBy string
	// EnclosedBy may enclose a field; inside, it is written twice. 0: none.
	EnclosedBy byte
	// EscapedBy starts an escape sequence (\0 \b \n \r \t \Z, \N for NULL, any
	// other character for itself). 0 or EnclosedBy: none.
	EscapedBy byte
	// LinesStartingBy is skipped with everything before it; lines without it
	// are skipped altogether. Defaults to none.
	LinesStartingBy string
	// LinesTerminatedBy ends a record. Required; may have several bytes. "\n"
	// also accepts "\r\n".
	LinesTerminatedBy string
	// NullWord makes the bare, not enclosed word NULL a NULL, as LOAD DATA does
	// where ENCLOSED BY is given.
	NullWord bool
	// StrictQuotes refuses text after a closing quote, as RFC 4180 does. Otherwise such a quote
	// belongs to the field, as in LOAD DATA.
	StrictQuotes bool
	// TrimSpace drops blanks and tabs around bare fields and before an opening quote, as in
	// "39, Private, Bachelors". SQL has no such option.
	TrimSpace bool
	// IgnoreLines is the number of lines before the first record.
	IgnoreLines int64
}

// CSV is RFC 4180: commas, optional double quotes, no escapes, no NULL.
func CSV() Format {
	return Format{
		FieldsTerminatedBy: ",",
		EnclosedBy:         '"',
		LinesTerminatedBy:  "\n",
		StrictQuotes:       true,
	}
}

// check returns an error for an unreadable format.
func (f Format) check() error {
	switch {
	case max(len(f.FieldsTerminatedBy), len(f.LinesTerminatedBy), len(f.LinesStartingBy)) > maxTerminator:
		return fmt.Errorf("a terminator, or the beginning of lines, is longer than %d bytes: use a shorter one", maxTerminator)
	case f.FieldsTerminatedBy == "":
		return fmt.Errorf("the field terminator is empty: fixed-width rows are not supported")
	case f.LinesTerminatedBy == "":
		return fmt.Errorf("the line terminator is empty")
	case f.FieldsTerminatedBy == f.LinesTerminatedBy:
		return fmt.Errorf("fields and lines are both terminated by %q", f.LinesTerminatedBy)
	case f.LinesStartingBy != "" && f.LinesStartingBy == f.LinesTerminatedBy:
		return fmt.Errorf("lines start with and are terminated by %q", f.LinesTerminatedBy)
	case f.EnclosedBy != 0 && strings.IndexByte(f.FieldsTerminatedBy, f.EnclosedBy) == 0:
		return fmt.Errorf("fields are enclosed and terminated by %q", f.EnclosedBy)
	case f.EnclosedBy != 0 && strings.IndexByte(f.LinesTerminatedBy, f.EnclosedBy) == 0:
		return fmt.Errorf("fields are enclosed and lines terminated by %q", f.EnclosedBy)
	}
	return nil
}
