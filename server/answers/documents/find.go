package documents

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/anonsql/anonsql/server/sqlerror"
)

// find returns the values at a path, each once, in MySQL's order: leg by leg, and for ** a value before its descendants.
func (p path) find(doc any) (found []any, err error) {
	err = p.walk(doc, false, func(v any, _ []any) bool {
		found = append(found, v)
		return true
	})
	return found, err
}

// exists reports whether a path leads anywhere.
func (p path) exists(doc any) (exists bool, err error) {
	err = p.walk(doc, false, func(any, []any) bool {
		exists = true
		return false
	})
	return exists, err
}

// walk calls found with every value at a path and the member names and indexes that lead there, until found returns false. A strict
// walk treats no value as an array of itself.
func (p path) walk(doc any, strict bool, found func(v any, way []any) (more bool)) error {
	s := &search{legs: p, strict: strict, found: found}
	if p.repeats(strict) {
		s.known, s.visited = map[place]int{}, map[[2]int]bool{}
	}
	s.visit(doc, 0, 0)
	if len(s.visited) > maxVisited {
		return sqlerror.New(sqlerror.Capacity, "JSON path: ** before another ** or an index leads to too many values; name the members on the way")
	}
	return nil
}

// repeats recognises a path that may lead to a value in several ways.
func (p path) repeats(strict bool) bool {
	first := slices.IndexFunc(p, func(l leg) bool { return l.kind == anyDepth })
	return first >= 0 && slices.ContainsFunc(p[first+1:], func(l leg) bool { return l.kind == anyDepth || !strict && l.wraps() })
}

// maxVisited bounds the number of states that a search remembers.
const maxVisited = 1 << 17

type search struct {
	legs   path
	strict bool
	found  func(v any, way []any) (more bool)
	way    []any // member names and indexes that lead to the value
	// known numbers the values met so far. visited holds pairs of a value's number and the index of the next leg. Both are nil if
	// the path reaches each value in only one way.
	known   map[place]int
	visited map[[2]int]bool
}

// A place is a member or cell (to) of the value with a number (above).
type place struct {
	above int
	to    any
}

// visit continues the search from a value with leg number at.
func (s *search) visit(v any, number, at int) (more bool) {
	if s.visited != nil {
		state := [2]int{number, at}
		if s.visited[state] {
			return true
		}
		if s.visited[state] = true; len(s.visited) > maxVisited {
			return false
		}
	}
	if at == len(s.legs) {
		return s.found(v, s.way)
	}
	l := s.legs[at]
	list, isList := v.([]any)
	members, isObject := v.(map[string]any)
	switch {
	case l.kind == anyDepth:
		return s.visitAll(v, number, at)
	case isList:
		from, before := l.bounds(len(list))
		for i := from; i < before; i++ {
			if !s.step(i, list[i], number, at+1, s.visit) {
				return false
			}
		}
	case !s.strict && l.wraps():
		return s.visit(v, number, at+1)
	case isObject && l.kind == member:
		if within, ok := members[l.name]; ok {
			return s.step(l.name, within, number, at+1, s.visit)
		}
	case isObject && l.kind == anyMember:
		for _, name := range names(members) {
			if !s.step(name, members[name], number, at+1, s.visit) {
				return false
			}
		}
	}
	return true
}

// visitAll continues after a ** leg from a value and all its descendants.
func (s *search) visitAll(v any, number, at int) bool {
	if !s.visit(v, number, at+1) {
		return false
	}
	switch own := v.(type) {
	case []any:
		for i, within := range own {
			if !s.step(i, within, number, at, s.visitAll) {
				return false
			}
		}
	case map[string]any:
		for _, name := range names(own) {
			if !s.step(name, own[name], number, at, s.visitAll) {
				return false
			}
		}
	}
	return true
}

func (s *search) step(to, v any, number, at int, next func(v any, number, at int) bool) bool {
	s.way = append(s.way, to)
	if s.known != nil {
		key := place{number, to}
		if s.known[key] == 0 {
			s.known[key] = len(s.known) + 1
		}
		number = s.known[key]
	}
	more := next(v, number, at)
	s.way = s.way[:len(s.way)-1]
	return more
}

// names returns the member names of an object in MySQL's order: by length, then by bytes.
func names(members map[string]any) []string {
	return slices.SortedFunc(maps.Keys(members), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
}

// written formats a way as a path.
func written(way []any) string {
	text := "$"
	for _, to := range way {
		switch to := to.(type) {
		case int:
			text += "[" + strconv.Itoa(to) + "]"
		case string:
			if name, ok := (&reader{text: to}).name(); !ok || name != to {
				quoted, _ := json.Marshal(to)
				to = string(quoted)
			}
			text += "." + to
		}
	}
	return text
}
