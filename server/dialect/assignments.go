package dialect

import (
	"strings"

	"github.com/anonsql/anonsql/quoting"
	"github.com/anonsql/anonsql/server/gate"
)

// @x := value becomes Assignment(name, value). Elsewhere in the statement the variable
// becomes Variable(name, @x), since @x alone would have its type from before the
// statement.
const (
	Assignment = "__anon_assign"
	Variable   = "__anon_variable"
)

// maxAssignments bounds the assignments of a statement: each one's end is searched for.
const maxAssignments = 256

// assignments rewrites @x := value within an expression as a function; the grammar supports
// it in SET. The value extends as far as possible, since := has the lowest precedence.
func (s *statement) assignments() {
	assigned, targets := map[string]bool{}, map[int]bool{}
	setting := map[int]bool{} // whether the last clause at a depth is SET
	depth := 0
	for i, t := range s.tokens {
		switch {
		case t.Kind == gate.Open:
			depth++
			delete(setting, depth)
		case t.Kind == gate.Close:
			depth--
		case s.isWord(i, "set"):
			setting[depth] = true
		case s.ends(i), s.isWord(i, "select", "begin"):
			setting[depth] = false
		case t.Kind == gate.Variable && s.textOf(i+1) == ":=" && !s.sets(i, setting[depth]):
			if len(targets) >= maxAssignments {
				return
			}
			name, ok := variableName(s.textOf(i))
			stop := s.endOf(i + 2)
			if !ok || stop == i+2 {
				continue
			}
			assigned[name], targets[i] = true, true
			s.replace(t.From, s.tokens[i+1].To, Assignment+"("+quoting.Text(name)+",")
			s.replace(s.tokens[stop-1].To, s.tokens[stop-1].To, ")")
		}
	}
	s.readVariables(assigned, targets)
}

// readVariables rewrites reads of variables that the statement also assigns.
func (s *statement) readVariables(assigned map[string]bool, targets map[int]bool) {
	if len(assigned) == 0 {
		return
	}
	for i, t := range s.tokens {
		if t.Kind != gate.Variable || targets[i] || s.textOf(i+1) == ":=" || s.isWord(i-1, "into") {
			continue
		}
		if name, ok := variableName(s.textOf(i)); ok && assigned[name] {
			s.replace(t.From, t.From, Variable+"("+quoting.Text(name)+",")
			s.replace(t.To, t.To, ")")
		}
	}
}

// sets reports whether a variable is a target of a SET statement.
func (s *statement) sets(i int, setting bool) bool {
	return s.isWord(i-1, "set") || setting && s.textOf(i-1) == "," && s.isWord(0, "set", "create", "begin")
}

// variableName is the name in @name or @`name`, in lower case; not of @@name.
func variableName(written string) (string, bool) {
	name, ok := strings.CutPrefix(written, "@")
	if !ok || strings.HasPrefix(name, "@") {
		return "", false
	}
	return strings.ToLower(strings.ReplaceAll(name, "`", "")), name != ""
}
