package delimited

import (
	"fmt"
	"strings"
)

// A Kind classifies an error of a record.
type Kind uint8

const (
	Ragged   Kind = iota + 1 // too few or too many fields
	Encoding                 // bytes that are not UTF-8
	Quoting                  // text after a closing quote
	TooLong                  // beyond MaxField or the limit of a record
	Unclosed                 // an enclosed field that does not end before the text
)

// An Error is a record that cannot be read, with its place.
type Error struct {
	Kind   Kind
	Row    int64  // number of the record, from 1; ignored lines and the header do not count
	Line   int64  // line of the text on which the record begins, from 1
	Column int    // field, from 1; 0 when the record as a whole is meant
	Name   string // name of the column, where known
	Text   string // what is wrong

	Expected, Found int // number of fields, for Ragged
}

// Error returns for instance: row 3 (line 4), column 2 (age): not valid UTF-8.
func (e *Error) Error() string {
	var b strings.Builder
	switch {
	case e.Row > 0:
		fmt.Fprintf(&b, "row %d (line %d)", e.Row, e.Line)
	default:
		fmt.Fprintf(&b, "header (line %d)", e.Line)
	}
	if e.Column > 0 {
		fmt.Fprintf(&b, ", column %d", e.Column)
	}
	if e.Name != "" {
		fmt.Fprintf(&b, " (%s)", e.Name)
	}
	b.WriteString(": ")
	b.WriteString(e.Text)
	return b.String()
}
