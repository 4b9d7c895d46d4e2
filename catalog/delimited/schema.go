package delimited

import (
	"strings"

	"github.com/anonsql/anonsql/quoting"
)

// Schema returns the column definitions of CREATE TABLE, without the
// parentheses: one line a column. Every column takes NULL: that this file has none says
// nothing of the next.
func (inf *Inference) Schema() string {
	lines := make([]string, len(inf.Columns))
	for i, c := range inf.Columns {
		lines[i] = "  " + quoting.Name(c.Name) + " " + c.Type
	}
	return strings.Join(lines, ",\n")
}
