package answer

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// String returns what EXPLAIN shows.
func (e *Estimate) String() string {
	record := e.View.Record()
	lines := []string{
		fmt.Sprintf("release: %s (method %s, version %d, %d groups)", record.Name, record.Method, record.Version, record.Groups),
	}
	touched, exact := e.Touched()
	names := "none"
	if len(touched) > 0 {
		names = strings.Join(touched, ", ")
	}
	lines = append(lines, "fragments: "+names)
	if exact {
		lines = append(lines, "answer: "+e.exactText())
	} else {
		lines = append(lines, "answer: "+e.estimatedText())
	}
	if moved := record.MovedDates(e.Reads); moved != "" {
		lines = append(lines, "dates: "+moved)
	}
	if kept := record.KeptBack(); kept != "" {
		lines = append(lines, "records: "+kept)
	}
	if correction := e.correction(); correction != "" {
		lines = append(lines, "counterfeits: "+correction)
	}
	if synthetic := e.synthetic(); synthetic != "" {
		lines = append(lines, "data: "+synthetic)
	}
	if e.path != "" {
		lines = append(lines, "path: "+e.path)
	}
	if e.Weighs {
		lines = append(lines, "weighted rows over a join")
	}
	for _, part := range []struct {
		title string
		texts []string
	}{{"aggregates", texts(e.Aggregates)}, {"where", texts(e.Where)}, {"group by", texts(e.Keys)}, {"compared with the raw table", e.compared()}} {
		if len(part.texts) > 0 {
			lines = append(lines, part.title+": "+strings.Join(part.texts, ", "))
		}
	}
	printer := sql.NewTreePrinter()
	_ = printer.WriteNode("Estimate")
	_ = printer.WriteChildren(lines...)
	return printer.String()
}

func texts[T fmt.Stringer](items []T) []string {
	list := make([]string, len(items))
	for i, item := range items {
		list[i] = item.String()
	}
	return list
}

// compared lists the outputs that read the raw table.
func (e *Estimate) compared() []string {
	var list []string
	for _, o := range e.Outputs {
		if o.Kind.ReadsRawTable() {
			list = append(list, o.Column.Name)
		}
	}
	return list
}

// estimatedText says that the answer is estimated, and which figures are exact.
func (e *Estimate) estimatedText() string {
	var exact []string
	for _, a := range e.Aggregates {
		if a.exact {
			exact = append(exact, a.String())
		}
	}
	text := "estimated"
	if e.path != "" {
		text += e.chosen.String()
	}
	if len(exact) == 0 {
		return text
	}
	return text + ", of it exact: " + strings.Join(exact, ", ")
}
