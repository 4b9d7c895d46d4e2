// Package regex stands in for github.com/dolthub/go-icu-regex (see go.mod of the module around it), with what the engine uses of its API.
// It matches nothing: every use is an error.
//
// The original is ICU compiled to WebAssembly. It takes exponential time for patterns such as ^(a|a)*$, nothing can interrupt it, it keeps
// Go's garbage collector and so the whole server waiting, and it is unpacked and compiled whenever a process starts, whether or not anybody
// uses it. The server's own functions (server/matching) come before those of the engine that use this package, and its parser writes REGEXP
// and RLIKE as calls of them; TestRegularExpressionsEverywhere in server holds that no statement gets here.
//
// It imports the standard library only.
package regex

import (
	"context"
	"errors"
)

// ErrPassedBy is the answer to every pattern.
var ErrPassedBy = errors.New("a regular expression came past the server's parser to the engine, which has none: write REGEXP_LIKE(text, pattern)")

// RegexFlags are ICU's.
type RegexFlags uint32

// The flags that MySQL's match_type has letters for.
const (
	RegexFlags_None             RegexFlags = 0
	RegexFlags_Unix_Lines       RegexFlags = 1
	RegexFlags_Case_Insensitive RegexFlags = 2
	RegexFlags_Multiline        RegexFlags = 8
	RegexFlags_Dot_All          RegexFlags = 32
)

// A Regex takes no pattern.
type Regex interface {
	SetRegexString(ctx context.Context, regexStr string, flags RegexFlags) error
	SetMatchString(ctx context.Context, matchStr string) error
	IndexOf(ctx context.Context, start int, occurrence int, endIndex bool) (int, error)
	Matches(ctx context.Context, start int, occurrence int) (bool, error)
	Replace(ctx context.Context, replacementStr string, position int, occurrence int) (string, error)
	Substring(ctx context.Context, start int, occurrence int) (string, bool, error)
	StringBufferSize() uint32
	Close() error
}

// SetRegexLeakHandler does nothing: there is nothing that could leak.
func SetRegexLeakHandler(func()) {}

// CreateRegex makes a Regex. It has no buffer.
func CreateRegex(uint32) Regex { return regex{} }

type regex struct{}

func (regex) SetRegexString(context.Context, string, RegexFlags) error  { return ErrPassedBy }
func (regex) SetMatchString(context.Context, string) error              { return ErrPassedBy }
func (regex) IndexOf(context.Context, int, int, bool) (int, error)      { return 0, ErrPassedBy }
func (regex) Matches(context.Context, int, int) (bool, error)           { return false, ErrPassedBy }
func (regex) Replace(context.Context, string, int, int) (string, error) { return "", ErrPassedBy }
func (regex) Substring(context.Context, int, int) (string, bool, error) {
	return "", false, ErrPassedBy
}
func (regex) StringBufferSize() uint32 { return 0 }
func (regex) Close() error             { return nil }
