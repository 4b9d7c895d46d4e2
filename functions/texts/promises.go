package texts

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// Terminal is how many columns a row has room in.
const Terminal = 120

// WithPromises puts what was promised into a column of a row, each as achieved and
// required: "k 6 >= 5, l 3 >= 3". What does not fit beside the other columns is counted;
// ANON_PRIVACY has it.
func WithPromises(schema sql.Schema, row sql.Row, at int, guarantees []anonymize.Guarantee) sql.Row {
	room := Terminal - 1 // the frame of a client: "| cell | cell |"
	for i, c := range schema {
		room -= len("|  ")
		if i != at {
			room -= max(len(c.Name), len(fmt.Sprint(row[i])))
		}
	}
	row[at] = promises(guarantees, max(room, len(schema[at].Name)))
	return row
}

// promises is what was promised in a width, the first promise whatever its width.
func promises(guarantees []anonymize.Guarantee, width int) string {
	var lines []string
	for _, g := range guarantees {
		if line, promised := privacy.Line(g); promised {
			lines = append(lines, line)
		}
	}
	return List("", lines, width)
}

// Guarantees is every guarantee: name, achieved, required.
func Guarantees(guarantees []anonymize.Guarantee) string {
	lines := make([]string, len(guarantees))
	for i, g := range guarantees {
		lines[i] = fmt.Sprintf("%s %.4g", g.Name, g.Achieved)
		if g.Required != nil {
			lines[i] += fmt.Sprintf(" (required %s)", g.Required)
		}
	}
	return strings.Join(lines, "; ")
}

// warning is the name of facts that warn.
const warning = "warning"

// Facts is every fact that does not warn: name and value.
func Facts(facts []anonymize.Fact) string {
	var lines []string
	for _, f := range facts {
		if f.Name != warning {
			lines = append(lines, f.Name+" "+f.Value)
		}
	}
	return strings.Join(lines, "; ")
}

// Warnings are the facts that warn.
func Warnings(facts []anonymize.Fact) (said []string) {
	for _, f := range facts {
		if f.Name == warning {
			said = append(said, f.Value)
		}
	}
	return said
}
