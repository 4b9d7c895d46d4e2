package texts

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// Terminal is the width of a terminal, in columns.
const Terminal = 120

// WithPromises writes promises into column at of a row, each as achieved and required:
// "k 6 >= 5, l 3 >= 3". It counts those that do not fit a terminal; ANON_PRIVACY lists
// them all. It changes row.
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

// promises formats promises within a width, but at least the first.
func promises(guarantees []anonymize.Guarantee, width int) string {
	var lines []string
	for _, g := range guarantees {
		if line, promised := privacy.Line(g); promised {
			lines = append(lines, line)
		}
	}
	return List("", lines, width)
}

// Guarantees formats all guarantees: name, achieved, required.
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

// warning is the name of facts that are warnings.
const warning = "warning"

// Facts formats all facts except warnings: name and value.
func Facts(facts []anonymize.Fact) string {
	var lines []string
	for _, f := range facts {
		if f.Name != warning {
			lines = append(lines, f.Name+" "+f.Value)
		}
	}
	return strings.Join(lines, "; ")
}

// Warnings returns the values of the warnings among facts.
func Warnings(facts []anonymize.Fact) (said []string) {
	for _, f := range facts {
		if f.Name == warning {
			said = append(said, f.Value)
		}
	}
	return said
}
