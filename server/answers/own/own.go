// Package own lists the names that the server adds to the engine's, for which trees are
// rewritten, and turns calls with tasks into calls of the tasks' procedures.
//
// The engine asks for the columns of a procedure by its name and the number of its
// arguments, before it reads them. A task that has other rows than the procedure that
// takes it is therefore a procedure, too: CALL evaluate('r', 'task=classify') is called
// as CALL classify('r', 'task=classify').
//
// It changes only the name of a call, and the privileges that the engine checks for it.
package own

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Names are in lower case.
type Names struct {
	TableFunctions map[string]bool
	// Tasks maps a task, which is a procedure, to the procedure that takes the task as an argument.
	Tasks map[string]string
}

// CallTask turns a CALL with a task into a CALL of the task's procedure, in place.
func (n Names) CallTask(node any) {
	call, ok := node.(*sqlparser.Call)
	if !ok {
		return
	}
	taker := strings.ToLower(call.ProcName.Name.String())
	for _, argument := range call.Params {
		if task := taskOf(argument); task != "" && n.Tasks[task] == taker {
			call.ProcName.Name = sqlparser.NewColIdent(task)
			// As the engine's grammar has them: database, procedure, number of arguments.
			call.Auth.TargetNames = []string{call.ProcName.Qualifier.String(), task, strconv.Itoa(len(call.Params))}
			return
		}
	}
}

// taskOf returns the task that an argument names, as 'task=name' or in a JSON object,
// in lower case; "" if there is none.
func taskOf(argument sqlparser.Expr) string {
	value, ok := argument.(*sqlparser.SQLVal)
	if !ok || value.Type != sqlparser.StrVal {
		return ""
	}
	text := strings.TrimSpace(string(value.Val))
	if strings.HasPrefix(text, "{") {
		var given struct{ Task string }
		if json.Unmarshal([]byte(text), &given) != nil {
			return "" // the procedure reports what is wrong with it
		}
		return strings.ToLower(strings.TrimSpace(given.Task))
	}
	name, task, _ := strings.Cut(text, "=")
	if !strings.EqualFold(strings.TrimSpace(name), "task") {
		return ""
	}
	return strings.ToLower(strings.TrimSpace(task))
}
