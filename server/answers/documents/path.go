package documents

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/anonsql/anonsql/server/sqlerror"
)

// A path leads from a document to values in it, leg by leg.
type path []leg

// A leg is a step of a path.
type leg struct {
	kind legKind
	name string // of member
	// first and last belong to cell, where they are equal, and to cells.
	first, last index
}

type legKind int

const (
	member    legKind = iota // .name
	anyMember                // .*
	cell                     // [3], [last-1]
	cells                    // [0 to 2]
	anyCell                  // [*]
	anyDepth                 // **
)

// An index counts cells from 0, or backwards from the last one.
type index struct {
	n        int
	backward bool
}

// position returns the index in an array of the given length. It may be out of range.
func (i index) position(length int) int {
	if i.backward {
		return length - 1 - i.n
	}
	return i.n
}

// bounds returns the range [from, before) of cells that a leg takes of an array.
func (l leg) bounds(length int) (from, before int) {
	switch l.kind {
	case cell, cells:
		return max(l.first.position(length), 0), min(l.last.position(length)+1, length)
	case anyCell:
		return 0, length
	}
	return 0, 0
}

// wraps recognises a leg that treats a value that is no array as an array of that value.
func (l leg) wraps() bool {
	from, before := l.bounds(1)
	return l.kind != anyCell && from < before
}

// mayYieldSeveral recognises a path that may lead to several values.
func (p path) mayYieldSeveral() bool {
	for _, l := range p {
		if l.kind != member && l.kind != cell {
			return true
		}
	}
	return false
}

// readPath parses a path by MySQL's grammar. Its error has MySQL's number and text.
func readPath(text string) (path, error) {
	r := &reader{text: text}
	legs, ok := r.path()
	if !ok {
		return nil, sqlerror.New(invalidPath, fmt.Sprintf("Invalid JSON path expression. The error is around character position %d.", r.at))
	}
	return legs, nil
}

// A reader parses a path. at is the offset of the next byte.
type reader struct {
	text string
	at   int
}

const longestPath = 100 // legs

func (r *reader) path() (legs path, ok bool) {
	r.spaces()
	if !r.take("$") {
		return nil, false
	}
	for r.spaces(); r.at < len(r.text); r.spaces() {
		l, ok := r.leg()
		if !ok || l.kind == anyDepth && len(legs) > 0 && legs[len(legs)-1].kind == anyDepth || len(legs) == longestPath {
			return nil, false
		}
		legs = append(legs, l)
	}
	return legs, len(legs) == 0 || legs[len(legs)-1].kind != anyDepth
}

func (r *reader) leg() (l leg, ok bool) {
	switch {
	case r.take("**"):
		return leg{kind: anyDepth}, true
	case r.take("["):
		return r.cell()
	case !r.take("."):
		return leg{}, false
	}
	if r.spaces(); r.take("*") {
		return leg{kind: anyMember}, true
	}
	name, ok := r.name()
	return leg{kind: member, name: name}, ok
}

// name reads an ECMAScript identifier, or a text in quotes.
func (r *reader) name() (name string, ok bool) {
	rest := r.text[r.at:]
	if strings.HasPrefix(rest, `"`) {
		for i := 1; i < len(rest); i++ {
			if rest[i] == '\\' {
				i++
			} else if rest[i] == '"' {
				if ok = json.Unmarshal([]byte(rest[:i+1]), &name) == nil; ok {
					r.at += i + 1
				}
				return name, ok
			}
		}
		return "", false
	}
	end := strings.IndexAny(rest, " \t\r\n.[*")
	if end < 0 {
		end = len(rest)
	}
	for i, c := range rest[:end] {
		begins := unicode.IsLetter(c) || unicode.Is(unicode.Nl, c) || c == '_' || c == '$'
		if !begins && (i == 0 || !unicode.In(c, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc)) {
			return "", false
		}
	}
	r.at += end
	return rest[:end], end > 0
}

// cell reads what follows [.
func (r *reader) cell() (l leg, ok bool) {
	if r.spaces(); r.take("*") {
		r.spaces()
		return leg{kind: anyCell}, r.take("]")
	}
	if l.first, ok = r.index(); !ok {
		return l, false
	}
	l.kind, l.last = cell, l.first
	if r.spaces() && r.take("to") {
		l.kind = cells
		if !r.spaces() {
			return l, false
		}
		if l.last, ok = r.index(); !ok {
			return l, false
		}
		if l.first.backward == l.last.backward && l.first.position(0) > l.last.position(0) { // no array has them
			return l, false
		}
		r.spaces()
	}
	return l, r.take("]")
}

func (r *reader) index() (i index, ok bool) {
	if !r.take("last") {
		i.n, ok = r.number()
		return i, ok
	}
	i.backward = true
	here := r.at
	if r.spaces(); !r.take("-") {
		r.at = here
		return i, true
	}
	r.spaces()
	i.n, ok = r.number()
	return i, ok
}

func (r *reader) number() (n int, ok bool) {
	digits := len(r.text[r.at:]) - len(strings.TrimLeft(r.text[r.at:], "0123456789"))
	wide, err := strconv.ParseUint(r.text[r.at:r.at+digits], 10, 32)
	if err != nil {
		return 0, false
	}
	r.at += digits
	return int(wide), true
}

func (r *reader) take(s string) bool {
	if !strings.HasPrefix(r.text[r.at:], s) {
		return false
	}
	r.at += len(s)
	return true
}

// spaces skips white space and reports whether there was any.
func (r *reader) spaces() bool {
	before := r.at
	r.at = len(r.text) - len(strings.TrimLeft(r.text[r.at:], " \t\r\n"))
	return r.at > before
}
