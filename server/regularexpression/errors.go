package regularexpression

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MySQL's error numbers for regular expressions.
const (
	WrongArguments   = 1210
	WrongParameters  = 1583
	IllegalArgument  = 3685
	OutOfBounds      = 3686
	RuleSyntax       = 3688
	BadEscape        = 3689
	Unimplemented    = 3690
	MismatchedParen  = 3691
	BadInterval      = 3692
	MaxLessThanMin   = 3693
	InvalidReference = 3694
	MissingBracket   = 3696
	InvalidRange     = 3697
	TooBig           = 3700
	InvalidGroupName = 3887
	InvalidFlag      = 3900
)

// words are MySQL's messages, without the full stop.
var words = map[int]string{
	IllegalArgument:  "Illegal argument to a regular expression",
	OutOfBounds:      "Index out of bounds in regular expression search",
	RuleSyntax:       "Syntax error in regular expression",
	BadEscape:        "Unrecognized escape sequence in regular expression",
	Unimplemented:    "The regular expression contains a feature that is not implemented in this library version",
	MismatchedParen:  "Mismatched parenthesis in regular expression",
	BadInterval:      "Incorrect description of a {min,max} interval",
	MaxLessThanMin:   "The maximum is less than the minimum in a {min,max} interval",
	InvalidReference: "Invalid back-reference in regular expression",
	MissingBracket:   "The regular expression contains an unclosed bracket expression",
	InvalidRange:     "The regular expression contains an [x-y] character range where x comes after y",
	TooBig:           "The regular expression pattern exceeds limits on size or complexity",
	InvalidGroupName: "A capture group has an invalid name",
	InvalidFlag:      "Invalid match mode flag in regular expression",
}

// An Error describes an error in a pattern or an argument. Its SQLSTATE is HY000, or 42000 for WrongParameters.
type Error struct {
	Number  int
	Message string
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

func wrong(number int, format string, arguments ...any) *Error {
	return &Error{number, words[number] + ": " + fmt.Sprintf(format, arguments...)}
}

// place describes the position of a byte in a pattern: line and character, both counted from 1.
func place(pattern string, at int) string {
	before := pattern[:min(at, len(pattern))]
	line := 1 + strings.Count(before, "\n")
	character := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	return fmt.Sprintf("on line %d, character %d", line, character)
}
