package functions

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/attributes"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/functions/options"
)

// read returns the edges or the paths of a taxonomy's source.
func (g *growing) read(ctx *sql.Context) (edges []anonymize.Edge, paths [][]string, err error) {
	switch g.Kind {
	case "table":
		return g.fromTable(ctx)
	case "hierarchy":
		paths, err = g.fromText()
	default:
		g.Source = shortened(g.given.Text[g.Kind])
		paths, err = g.generate()
	}
	return nil, paths, err
}

// fromTable reads an ordinary table that the account may read: per row a node and its parent, or a value and its ancestors, level by level.
func (g *growing) fromTable(ctx *sql.Context) ([]anonymize.Edge, [][]string, error) {
	name, err := parseTableName(ctx, g.given.Text["table"])
	if err != nil {
		return nil, nil, err
	}
	from, err := g.environment.table(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	_, byLevels := options.Levels.Given(g.given)
	levels := options.Levels.Read(g.given)
	if !byLevels {
		if levels, err = g.edgeColumns(from); err != nil {
			return nil, nil, err
		}
	}
	for i, level := range levels {
		if levels[i], err = columnName(from, level, "levels"); err != nil {
			return nil, nil, err
		}
	}
	g.SourceDatabase, g.SourceTable = from.Database(), from.Name()
	g.Source = shortened(name.String() + " (" + strings.Join(levels, ", ") + ")")
	rows, err := textRows(ctx, from, levels)
	if err != nil {
		return nil, nil, err
	}
	if byLevels {
		return nil, rows, refuseGaps(rows, levels)
	}
	edges := make([]anonymize.Edge, len(rows))
	for i, row := range rows {
		edges[i] = anonymize.Edge{Node: row[0], Parent: row[1]}
	}
	return edges, nil, refuseGaps(rows, levels[:1])
}

// edgeColumns are the columns with the node and its parent: the named ones, otherwise value and parent, otherwise the only two.
func (g *growing) edgeColumns(from source.Table) ([]string, error) {
	value, named := g.given.Text["value"]
	parent, parentNamed := g.given.Text["parent"]
	if !named {
		value = "value"
	}
	if !parentNamed {
		parent = "parent"
	}
	columns := []string{strings.Trim(value, "`"), strings.Trim(parent, "`")}
	for i, option := range []string{"value", "parent"} {
		exact, err := columnName(from, columns[i], option)
		if err != nil && !named && !parentNamed && len(from.Schema()) == 2 {
			return []string{from.Schema()[0].Name, from.Schema()[1].Name}, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%w. Name the columns: 'value=...', 'parent=...', or 'levels=value,level1,level2'", err)
		}
		columns[i] = exact
	}
	return columns, nil
}

// textRows reads columns of a table as texts, NULL as "".
func textRows(ctx *sql.Context, from source.Table, columns []string) ([][]string, error) {
	table, err := from.Microdata(ctx, distinct(columns), reading(stages(ctx)))
	if err != nil {
		return nil, err
	}
	rows := make([][]string, table.Rows)
	for i := range rows {
		rows[i] = make([]string, len(columns))
	}
	for at, name := range columns {
		c := table.Column(name)
		write, err := writer(c)
		if err != nil {
			return nil, err
		}
		texts := make([]string, len(c.Dictionary))
		for code, v := range c.Dictionary {
			if !v.IsNull() {
				texts[code] = write(v)
			}
		}
		for row, code := range c.Codes {
			rows[row][at] = texts[code]
		}
	}
	return rows, nil
}

// writer writes values of a column as its type reads them.
func writer(c *anonymize.Column) (func(anonymize.Value) string, error) {
	typ, err := coding.ParseType(c.Type)
	return func(v anonymize.Value) string {
		text, err := coding.ValueText(typ, v)
		if err != nil {
			return v.String()
		}
		return text
	}, err
}

func refuseGaps(rows [][]string, columns []string) error {
	for i, row := range rows {
		for at, column := range columns {
			if row[at] == "" {
				return &anonymize.DataError{Reason: fmt.Sprintf("the taxonomy's row %d has nothing in column %s", i+1, column)}
			}
		}
	}
	return nil
}

// fromText reads lines "16;16-17;young;*": a value and its ancestors (the format of ARX's hierarchy files).
func (g *growing) fromText() ([][]string, error) {
	reader := csv.NewReader(strings.NewReader(g.given.Text["hierarchy"]))
	reader.Comma, reader.FieldsPerRecord, reader.LazyQuotes = ';', -1, true
	paths, err := reader.ReadAll()
	if err != nil {
		return nil, &anonymize.ParameterError{
			Parameter: "hierarchy",
			Value:     "'" + shortened(g.given.Text["hierarchy"]) + "'",
			Rule:      "which cannot be read: " + err.Error(),
		}
	}
	if len(paths) == 0 {
		return nil, &anonymize.ParameterError{
			Parameter: "hierarchy",
			Value:     "''",
			Rule:      "must be lines of a value and what stands above it: 'hierarchy=16;16-17;*', one line a value",
		}
	}
	g.Source = fmt.Sprintf("%d lines", len(paths))
	return paths, nil
}

// generate makes a tree from the column's values.
func (g *growing) generate() ([][]string, error) {
	write, err := writer(g.column)
	if err != nil {
		return nil, err
	}
	switch g.Kind {
	case "intervals":
		return g.intervals(write)
	case "date":
		return anonymize.DatePaths(g.column, g.list("date"), write)
	}
	numbers, err := g.numbers()
	if err != nil {
		return nil, err
	}
	switch g.Kind {
	case "prefix":
		return anonymize.PrefixPaths(g.column, numbers, write)
	case "frequent":
		return anonymize.FrequentPaths(g.column, numbers, write)
	case "equal_width":
		return anonymize.EqualWidthPaths(g.column, numbers, write)
	}
	return anonymize.EqualFrequencyPaths(g.column, numbers, write)
}

func (g *growing) intervals(write func(anonymize.Value) string) ([][]string, error) {
	typ, err := coding.ParseType(g.column.Type)
	if err != nil {
		return nil, err
	}
	if _, ok := typ.(types.TimeType); ok {
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("column %s has times of the day, intervals need numbers", g.column.Name)}
	}
	origin, explicit := g.given.Text["origin"]
	if !explicit {
		origin = "0"
	} else {
		g.Source += " from " + origin
	}
	paths, err := anonymize.IntervalPaths(g.column, g.list("intervals"), origin, write)
	if g.column.Spans() {
		g.Kind = attributes.KindSpanning
	}
	return paths, err
}

func (g *growing) numbers() ([]int, error) {
	var numbers []int
	for _, text := range g.list(g.Kind) {
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, &anonymize.ParameterError{Parameter: g.Kind, Value: "'" + text + "'", Rule: "must be whole numbers, separated by commas"}
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}
