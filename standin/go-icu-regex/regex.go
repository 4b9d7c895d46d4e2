// Package regex stands in for github.com/dolthub/go-icu-regex (see go.mod of the
// module around it), with what the engine uses of its API.
//
// The original is ICU compiled to WebAssembly. It takes exponential time for patterns
// such as ^(a|a)*$, nothing can interrupt it, it keeps Go's garbage collector and so
// the whole server waiting, and it is unpacked and compiled whenever a process starts,
// whether or not anybody uses it. Here package regularexpression matches, in linear
// time.
//
// The server's own functions come before those of the engine that use this package
// (package matching), so only what no parser of the server sees gets here.
//
// go test ./... does not enter this module. server/regexp_standin_test.go tests it.
package regex

import (
	"context"
	"errors"

	"github.com/anonsql/anonsql/server/regularexpression"
)

// Errors of a Regex that is used before it is complete.
var (
	ErrRegexNotYetSet = errors.New("SetRegexString must be called before any other function")
	ErrMatchNotYetSet = errors.New("SetMatchString must be called as there is nothing to match against")
)

// RegexFlags are ICU's; others than these are ignored.
type RegexFlags uint32

// The flags that MySQL's match_type has letters for.
const (
	RegexFlags_None             RegexFlags = 0
	RegexFlags_Unix_Lines       RegexFlags = 1
	RegexFlags_Case_Insensitive RegexFlags = 2
	RegexFlags_Multiline        RegexFlags = 8
	RegexFlags_Dot_All          RegexFlags = 32
)

// A Regex is a pattern and the text that it is matched against. Positions count from
// 1, in characters; what is below 1 is 1.
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
func CreateRegex(uint32) Regex { return &regex{} }

type regex struct {
	pattern *regularexpression.Pattern
	text    *string
}

// SetRegexString implements Regex.
func (r *regex) SetRegexString(_ context.Context, pattern string, flags RegexFlags) (err error) {
	r.pattern, err = regularexpression.Compile(pattern, regularexpression.Flags{
		IgnoreCase: flags&RegexFlags_Case_Insensitive != 0,
		Multiline:  flags&RegexFlags_Multiline != 0,
		DotAll:     flags&RegexFlags_Dot_All != 0,
		UnixLines:  flags&RegexFlags_Unix_Lines != 0,
	})
	return err
}

// SetMatchString implements Regex.
func (r *regex) SetMatchString(_ context.Context, text string) error {
	if r.pattern == nil {
		return ErrRegexNotYetSet
	}
	r.text = &text
	return nil
}

func (r *regex) find(ctx context.Context, start, occurrence int) ([]int, bool, error) {
	if r.pattern == nil {
		return nil, false, ErrRegexNotYetSet
	}
	if r.text == nil {
		return nil, false, ErrMatchNotYetSet
	}
	return r.pattern.Find(ctx, *r.text, int64(max(start, 1)), int64(occurrence), 0)
}

// IndexOf implements Regex.
func (r *regex) IndexOf(ctx context.Context, start, occurrence int, endIndex bool) (int, error) {
	places, found, err := r.find(ctx, start, occurrence)
	if !found || err != nil {
		return 0, err
	}
	if endIndex {
		return int(regularexpression.Position(*r.text, places[1])), nil
	}
	return int(regularexpression.Position(*r.text, places[0])), nil
}

// Matches implements Regex.
func (r *regex) Matches(ctx context.Context, start, occurrence int) (bool, error) {
	_, found, err := r.find(ctx, start, occurrence)
	return found, err
}

// maxReplaced bounds the result of Replace, in bytes: the default of
// max_allowed_packet.
const maxReplaced = 64 << 20

// Replace implements Regex.
func (r *regex) Replace(ctx context.Context, replacement string, position, occurrence int) (string, error) {
	if r.pattern == nil {
		return "", ErrRegexNotYetSet
	}
	if r.text == nil {
		return "", ErrMatchNotYetSet
	}
	out, fits, err := r.pattern.Replace(ctx, *r.text, replacement, int64(max(position, 1)), int64(occurrence), maxReplaced)
	if err == nil && !fits {
		err = &regularexpression.Error{Number: regularexpression.TooBig, Message: "The result string is larger than the result buffer"}
	}
	return out, err
}

// Substring implements Regex.
func (r *regex) Substring(ctx context.Context, start, occurrence int) (string, bool, error) {
	places, found, err := r.find(ctx, start, occurrence)
	if !found || err != nil {
		return "", false, err
	}
	return (*r.text)[places[0]:places[1]], true, nil
}

// StringBufferSize implements Regex.
func (r *regex) StringBufferSize() uint32 { return 0 }

// Close implements Regex.
func (r *regex) Close() error { return nil }
