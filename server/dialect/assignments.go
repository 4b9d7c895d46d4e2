package dialect

import (
	"strings"

	"github.com/anonsql/anonsql/quoting"
	"github.com/anonsql/anonsql/server/gate"
)

// Assignment is the function that @x := value becomes, of the name and the value, and
// Variable the one that the same variable becomes elsewhere in the statement, of the name
// and the variable, whose type is otherwise the one that it had before the statement.
const (
	Assignment = "__anon_assign"
	Variable   = "__anon_variable"
)

// maxAssignments bounds them in one statement: each is looked for an end of its own.
const maxAssignments = 256

// assignments writes @x := value as a function within an expression; in SET it is the
// grammar's. The value goes as far as an expression can: := binds the least.
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

// readVariables marks the variables that are read where they are assigned, too.
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

// sets tells whether a variable is one of those that a SET statement sets.
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
