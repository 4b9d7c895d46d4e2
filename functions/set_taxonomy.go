package functions

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/attributes"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/functions/options"
	"github.com/anonsql/anonsql/functions/texts"
)

var setTaxonomySchema = sql.Schema{
	{Name: "database", Type: types.LongText},
	{Name: "table", Type: types.LongText},
	{Name: "column", Type: types.LongText},
	{Name: "kind", Type: types.LongText},
	{Name: "source", Type: types.LongText},
	{Name: "nodes", Type: types.Int64},
	{Name: "leaves", Type: types.Int64},
	{Name: "height", Type: types.Int64},
	{Name: "root", Type: types.LongText, Nullable: true},
}

// CALL set_taxonomy('census.adult', 'education', 'table=census.education_tree') sets the tree over the values of a column from which
// generalizing methods take their cells. It returns the row of anonsql.taxonomies. With several columns, 'age,zip', all are checked before the
// first is stored; 'age.intervals=5,10' is an option for one of them, others apply to all. It never reads files of the server: `anonsql
// taxonomy` sends a file.
func (e *Environment) setTaxonomy(ctx *sql.Context, table, column string, arguments ...string) (sql.RowIter, error) {
	raw, _, err := e.tableFor(ctx, "set_taxonomy", table)
	if err != nil {
		return nil, err
	}
	columns, err := e.columnsOf(raw, column)
	if err != nil {
		return nil, err
	}
	given, err := options.Parse(arguments)
	if err != nil {
		return nil, err
	}
	var all []*growing
	var dropped []string
	for _, exact := range columns {
		g := &growing{environment: e, raw: raw, Taxonomy: attributes.Taxonomy{Database: raw.Database(), Table: raw.Name(), Column: exact}}
		if err := g.prepare(ctx, given.ForColumn(exact, columns)); err != nil && len(columns) > 1 {
			return nil, fmt.Errorf("%s: %w", exact, err)
		} else if err != nil {
			return nil, err
		}
		if g.Kind == options.DropTaxonomy.Name() {
			dropped = append(dropped, exact)
		} else {
			all = append(all, g)
		}
	}
	if err := e.Catalog.DropTaxonomies(ctx, raw.Database(), raw.Name(), dropped); err != nil { // before others are set: it may fail
		return nil, err
	}
	var rows []sql.Row
	for _, g := range all {
		if err := e.Catalog.SetTaxonomy(ctx, &g.Taxonomy, g.labels, g.parents); err != nil {
			return nil, err
		}
		rows = append(rows, catalog.TaxonomyRow(&g.Taxonomy))
	}
	return sql.RowsToRowIter(rows...), nil
}

// columnsOf reads the name of a column, or several, separated by commas.
func (e *Environment) columnsOf(raw source.Table, text string) ([]string, error) {
	exact, err := columnName(raw, strings.Trim(text, "`"), "column")
	if err == nil || !strings.Contains(text, ",") {
		return []string{exact}, err
	}
	names := texts.SplitNames(text)
	for i, name := range names {
		if names[i], err = columnName(raw, name, "column"); err != nil {
			return nil, err
		}
		if slices.Contains(names[:i], names[i]) {
			return nil, &anonymize.ParameterError{Parameter: "column", Value: "'" + text + "'", Rule: "has " + names[i] + " twice"}
		}
	}
	if len(names) == 0 {
		return nil, &anonymize.ParameterError{Parameter: "column", Value: "'" + text + "'", Rule: "must be a column, or several such as 'age,zip'"}
	}
	return names, nil
}

// prepare reads the options, and makes the tree.
func (g *growing) prepare(ctx *sql.Context, written options.Given) (err error) {
	if g.given, err = options.SetTaxonomy.Resolve(written); err != nil {
		return err
	}
	if g.Kind, err = sourceOf(g.given); err != nil {
		return err
	}
	for _, option := range []anonymize.Param[bool]{options.AutoTaxonomy, options.DropTaxonomy} {
		if g.Kind == option.Name() && !option.Read(g.given) {
			return &anonymize.ParameterError{Parameter: g.Kind, Value: "false", Rule: "must be true; leave it out and give a taxonomy"}
		}
	}
	if g.Kind == options.DropTaxonomy.Name() {
		return nil
	}
	progress := stages(ctx)
	columns, err := g.raw.Microdata(ctx, []string{g.Column}, reading(progress))
	progress("look at the values of "+g.Column, 0, 1)
	if err != nil {
		return err
	}
	g.column = columns.Columns[0]
	if err := g.choose(); err != nil {
		return err
	}
	return g.grow(ctx)
}

// choose replaces auto by the source that fits the column's values.
func (g *growing) choose() error {
	switch {
	case g.Kind == "auto":
		suggested, err := anonymize.SuggestTaxonomy(g.column)
		if err != nil {
			return err
		}
		g.Kind, g.given.Text[suggested.Kind] = suggested.Kind, suggested.Levels
	case g.Kind == "intervals" && strings.EqualFold(g.given.Text["intervals"], "auto"):
		widths, err := anonymize.RoundWidths(g.column)
		if err != nil {
			return err
		}
		g.given.Text["intervals"] = strings.Join(widths, ",")
	}
	return nil
}

// sourceOf returns the given source, and refuses none, two, and options that do not apply to it.
func sourceOf(given anonymize.Settings) (kind string, err error) {
	var known []string
	var chosen options.Source
	for _, source := range options.Sources {
		known = append(known, source.Name())
		if _, ok := given.Text[source.Name()]; !ok {
			continue
		}
		if kind != "" {
			return "", &anonymize.ParameterError{Parameter: source.Name(), Value: "'" + given.Text[source.Name()] + "'",
				Rule: "but " + kind + " is given too: a column has one taxonomy"}
		}
		kind, chosen = source.Name(), source
	}
	if kind == "" {
		return "", &anonymize.ParameterError{Parameter: "taxonomy", Value: "missing", Rule: "give one of " + strings.Join(known, ", ") +
			", such as 'table=census.education_tree' or 'intervals=5,10,20'"}
	}
	for _, option := range slices.Sorted(maps.Keys(given.Text)) {
		if !chosen.Takes(option) {
			return "", &anonymize.ParameterError{Parameter: option, Value: "'" + given.Text[option] + "'", Rule: "which does not go with " + kind}
		}
	}
	return kind, nil
}

// A growing taxonomy is one that set_taxonomy makes from its options.
type growing struct {
	attributes.Taxonomy
	environment *Environment
	raw         source.Table
	column      *anonymize.Column
	given       anonymize.Settings

	labels  []string
	parents []int
}

// grow reads the source, builds the tree, and checks it against the column.
func (g *growing) grow(ctx *sql.Context) error {
	if g.Kind == attributes.KindOrder {
		return g.order()
	}
	edges, paths, err := g.read(ctx)
	if err != nil {
		return err
	}
	var leaves []string // possible leaves
	for _, e := range edges {
		leaves = append(leaves, e.Node)
	}
	for _, path := range paths {
		if len(path) > 0 {
			leaves = append(leaves, path[0])
		}
	}
	tree, err := attributes.NewTaxonomy(g.column, leaves, func(read func(string) (anonymize.Value, error)) (*anonymize.Taxonomy, error) {
		if edges != nil {
			return anonymize.TaxonomyOfEdges(edges, read)
		}
		tree, err := anonymize.TaxonomyOfPaths(paths, read)
		if err == nil && g.Kind == attributes.KindSpanning {
			tree = tree.Spanning()
		}
		return tree, err
	})
	if err != nil {
		return err
	}
	for node := range tree.Nodes() {
		g.labels, g.parents = append(g.labels, tree.Label(node)), append(g.parents, tree.Parent(node))
	}
	g.Nodes, g.Leaves, g.Height, g.Root = tree.Nodes(), len(tree.Leaves()), tree.Height(), tree.Label(0)
	return nil
}

// order is the source of an ordinal attribute: its values, ascending.
func (g *growing) order() error {
	g.labels = g.list(g.Kind)
	if len(g.labels) == 0 {
		return &anonymize.ParameterError{Parameter: "order", Value: "''", Rule: "must be the values from the least to the greatest, such as low,mid,high"}
	}
	g.parents = slices.Repeat([]int{-1}, len(g.labels))
	g.Nodes, g.Leaves = len(g.labels), len(g.labels)
	g.Source = shortened(strings.Join(g.labels, ","))
	return attributes.CheckOrder(g.column, g.labels)
}

// list reads a comma separated option.
func (g *growing) list(option string) []string { return texts.SplitNames(g.given.Text[option]) }

// longestSource bounds the shown characters of a source.
const longestSource = 200

func shortened(source string) string {
	if runes := []rune(source); len(runes) > longestSource {
		return string(runes[:longestSource-1]) + "…"
	}
	return source
}
