package asking

import (
	"fmt"
	"slices"
	"strings"
)

// An Item is an expression of a SELECT list.
type Item struct {
	// Figure says that the item aggregates. Items without it are the keys.
	Figure bool
	// Interval are the positions, in the answer, of its interval's ends, Bounds those of its hard bounds; 0 for none.
	Interval, Bounds [2]int
}

// A Widened is a statement that also requests the errors of its figures.
type Widened struct {
	Statement string
	// Items are those of the original statement, whose columns come first.
	Items []Item
	// Columns is the expected number of the answer's columns; 0 if Items are unknown.
	Columns int
}

// maxWidened is the greatest length of a statement that is parsed here, in bytes, the same as the field's.
const maxWidened = 100_000

// Widen returns ways to run a statement, most informative first. The last one is the original
// statement; its items are nil if they are unknown.
func Widen(statement string) (ways []Widened) {
	plain := Widened{Statement: statement}
	var list [][]token
	var end int
	if len(statement) <= maxWidened && !strings.Contains(statement, "/*!") { // the server executes the text of such a comment
		list, end = selectList(tokensOf(statement))
	}
	if list == nil {
		return []Widened{plain}
	}
	plain.Columns = len(list)
	var figures []figure
	for _, item := range list {
		f := figureOf(statement, item)
		figures = append(figures, f)
		plain.Items = append(plain.Items, Item{Figure: f.aggregates})
	}
	for _, quotients := range []bool{true, false} {
		way := add(statement, end, figures, quotients)
		if way.Statement != statement && (len(ways) == 0 || ways[0].Statement != way.Statement) {
			ways = append(ways, way)
		}
	}
	return append(ways, plain)
}

// add inserts the additions at the end of the list.
func add(statement string, end int, figures []figure, quotients bool) Widened {
	var way Widened
	var added strings.Builder
	column := len(figures)
	for i, f := range figures {
		item := Item{Figure: f.aggregates}
		if f.expression != "" && (f.alone || quotients) {
			fmt.Fprintf(&added, ", ANON_INTERVAL_LOW(%s) AS anon_low_%d, ANON_INTERVAL_HIGH(%[1]s) AS anon_high_%[2]d", f.expression, i+1)
			item.Interval = [2]int{column, column + 1}
			column += 2
		}
		if f.expression != "" && f.alone {
			fmt.Fprintf(&added, ", ANON_LOW(%s) AS anon_least_%d, ANON_HIGH(%[1]s) AS anon_most_%[2]d", f.expression, i+1)
			item.Bounds = [2]int{column, column + 1}
			column += 2
		}
		way.Items = append(way.Items, item)
	}
	way.Columns = column
	way.Statement = statement[:end] + added.String() + statement[end:]
	return way
}

// selectList returns the items of the outermost SELECT and where its list ends; nil unless it is a plain SELECT ... FROM.
func selectList(tokens []token) (items [][]token, end int) {
	if len(tokens) == 0 || !tokens[0].is("SELECT") && !tokens[0].is("WITH") {
		return nil, 0
	}
	first, from := -1, -1
	for i, t := range tokens {
		switch {
		case t.depth > 0:
		case t.is("SELECT") && first < 0:
			first = i + 1
		case t.is("FROM") && first >= 0 && from < 0:
			from = i
		case t.is("UNION"), t.is("INTERSECT"), t.is("EXCEPT"), t.is("INTO"), t.is("SELECT"), t.text == ";" && i < len(tokens)-1:
			return nil, 0
		}
	}
	if from <= first || first < 0 || tokens[first].is("DISTINCT") {
		return nil, 0
	}
	begin := first
	for i := first; i <= from; i++ {
		if i == from || tokens[i].depth == 0 && tokens[i].text == "," {
			items = append(items, tokens[begin:i])
			begin = i + 1
		}
	}
	if slices.ContainsFunc(items, func(item []token) bool { return len(item) == 0 || item[len(item)-1].text == "*" }) {
		return nil, 0 // the number of columns is unknown
	}
	return items, tokens[from-1].end
}

// A figure is an item that aggregates. Its expression may have an interval, "" for none; alone says that it is a single aggregate.
type figure struct {
	aggregates bool
	expression string
	alone      bool
}

var (
	estimated  = []string{"COUNT", "SUM", "AVG"}
	aggregates = append([]string{"MIN", "MAX", "MEDIAN", "STD", "STDDEV", "STDDEV_POP", "STDDEV_SAMP", "VARIANCE", "VAR_POP", "VAR_SAMP", "GROUP_CONCAT",
		"BIT_AND", "BIT_OR", "BIT_XOR", "ANY_VALUE", "PERCENTILE_CONT", "PERCENTILE_DISC"}, estimated...)
)

func figureOf(statement string, item []token) (f figure) {
	others := false
	for i, t := range item {
		called := i+1 < len(item) && item[i+1].text == "("
		switch {
		case called && t.isAmong(estimated):
			f.aggregates = true
		case called && t.isAmong(aggregates), strings.HasPrefix(strings.ToUpper(t.text), "ANON_"):
			f.aggregates, others = true, true
		case t.is("SELECT"), t.is("OVER"), t.is("DISTINCT"):
			others = true
		}
	}
	if !f.aggregates || others {
		return f
	}
	expression := withoutRound(withoutAlias(item))
	if len(expression) == 0 {
		return f
	}
	f.expression = statement[expression[0].start:expression[len(expression)-1].end]
	f.alone = expression[0].isAmong(estimated) && len(expression) > 2 && closes(expression[1:])
	return f
}

// withoutAlias removes an alias from the end.
func withoutAlias(item []token) []token {
	for i, t := range item {
		if t.depth == item[0].depth && t.is("AS") {
			return item[:i]
		}
	}
	if last := len(item) - 1; last > 0 && item[last].name && item[last-1].text == ")" {
		return item[:last]
	}
	return item
}

// withoutRound replaces ROUND(x) and ROUND(x, n) by x.
func withoutRound(item []token) []token {
	if len(item) < 4 || !item[0].is("ROUND") || !closes(item[1:]) {
		return item
	}
	inside := item[2 : len(item)-1]
	for i, t := range inside {
		if t.text == "," && t.depth == inside[0].depth {
			return inside[:i]
		}
	}
	return inside
}

// closes reports whether the leading parenthesis closes at the last token.
func closes(tokens []token) bool {
	if len(tokens) == 0 || tokens[0].text != "(" {
		return false
	}
	return slices.IndexFunc(tokens, func(t token) bool { return t.text == ")" && t.depth == tokens[0].depth }) == len(tokens)-1
}
