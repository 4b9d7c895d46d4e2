package delimited

import (
	"strings"

	"github.com/anonsql/anonsql/quoting"
)

// Schema returns the column definitions of CREATE TABLE without parentheses, one per line.
// Every column is nullable: the next file may have NULLs even if this one has none.
func (inf *Inference) Schema() string {
	lines := make([]string, len(inf.Columns))
	for i, c := range inf.Columns {
		lines[i] = "  " + quoting.Name(c.Name) + " " + c.Type
	}
	return strings.Join(lines, ",\n")
}
