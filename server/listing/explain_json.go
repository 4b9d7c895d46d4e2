package listing

import (
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
)

// AsJSON answers EXPLAIN FORMAT=JSON: it turns the lines of the tree into one document. Every node has its name, its
// attributes, such as the path of an estimate, and its inputs.
func AsJSON(ctx *sql.Context, tree sql.RowIter) (sql.RowIter, error) {
	root := &planNode{}
	open := []*planNode{root} // the last node of every depth
	for {
		row, err := tree.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		line, _ := row[0].(string)
		depth, text := depthOf(line)
		depth = min(depth, len(open)-1)
		parent := open[depth]
		if said := attribute.FindStringSubmatch(text); said != nil && depth > 0 {
			parent.addText(said[1], said[2])
			continue
		}
		n := &planNode{Node: text}
		parent.Inputs = append(parent.Inputs, n)
		open = append(open[:depth+1], n)
	}
	if err := tree.Close(ctx); err != nil {
		return nil, err
	}
	var document strings.Builder
	encoder := json.NewEncoder(&document)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(map[string]any{"query_block": map[string]any{"select_id": 1, "plan": root.Inputs}})
	return sql.RowsToRowIter(sql.NewRow(strings.TrimSpace(document.String()))), err
}

type planNode struct {
	Node   string            `json:"node"`
	Said   map[string]string `json:"attributes,omitempty"`
	Inputs []*planNode       `json:"inputs,omitempty"`
}

// addText adds an attribute of a node. It joins several attributes of one name.
func (n *planNode) addText(name, value string) {
	if n.Said == nil {
		n.Said = map[string]string{}
	}
	if before, ok := n.Said[name]; ok {
		value = before + "; " + value
	}
	n.Said[name] = value
}

var attribute = regexp.MustCompile(`^([a-z][a-z ]*): (.*)$`)

// depthOf removes the branches from the beginning of a line; each has four characters.
func depthOf(line string) (depth int, text string) {
	text = strings.TrimLeft(line, " │├└─")
	return utf8.RuneCountInString(line[:len(line)-len(text)]) / 4, text
}
