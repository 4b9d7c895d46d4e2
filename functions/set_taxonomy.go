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

// taxonomySources are the options of set_taxonomy that say where the tree comes
// from, one of which must be given, each with the options that go with it.
var taxonomySources = map[string][]string{
	"table":              {"value", "parent", "levels"},
	"hierarchy":          nil,
	"intervals":          {"origin"},
	"equal_frequency":    nil,
	"equal_width":        nil,
	"frequent":           nil,
	"auto":               nil,
	"prefix":             nil,
	"date":               nil,
	attributes.KindOrder: nil,
	"drop":               nil,
}

// CALL set_taxonomy('census.adult', 'education', 'table=census.education_tree')
// puts a tree over the values of a column, from which generalizing methods take
// their cells, in the place of the one that it had. It returns the row of
// anonsql.taxonomies. Of several columns, 'age,zip', every one is checked before the first
// is stored; 'age.intervals=5,10' is an option of one of them, others are of all. Files of
// the server are never read: `anonsql taxonomy` sends a file.
func (e *Environment) setTaxonomy(ctx *sql.Context, table, column string, arguments ...string) (sql.RowIter, error) {
	name, err := parseTableName(ctx, table)
	if err != nil {
		return nil, err
	}
	raw, err := e.tableFor(ctx, "set_taxonomy", name)
	if err != nil {
		return nil, err
	}
	columns, err := e.columnsOf(raw, column)
	if err != nil {
		return nil, err
	}
	given, err := parseOptions(arguments)
	if err != nil {
		return nil, err
	}
	var all []*growing
	for _, exact := range columns {
		g := &growing{environment: e, raw: raw, given: given.of(exact, columns),
			Taxonomy: attributes.Taxonomy{Database: raw.Database(), Table: raw.Name(), Column: exact}}
		if err := g.prepare(ctx); err != nil && len(columns) > 1 {
			return nil, fmt.Errorf("%s: %w", exact, err)
		} else if err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	var rows []sql.Row
	for _, g := range all {
		if g.Kind == "drop" {
			err = e.dropTaxonomy(ctx, raw, g.Column, g.given)
		} else if err = e.Catalog.SetTaxonomy(ctx, &g.Taxonomy, g.labels, g.parents); err == nil {
			rows = append(rows, catalog.TaxonomyRow(&g.Taxonomy))
		}
		if err != nil {
			return nil, err
		}
	}
	return sql.RowsToRowIter(rows...), nil
}

// columnsOf reads the name of a column, or several, separated by commas.
func (e *Environment) columnsOf(raw source.Table, text string) ([]string, error) {
	exact, err := columnName(raw, strings.Trim(text, "`"), "column")
	if err == nil || !strings.Contains(text, ",") {
		return []string{exact}, err
	}
	names, _ := options{"column": text}.takeList("column")
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

// of are the options of one of several columns: its own, and those of all.
func (o options) of(column string, columns []string) options {
	own := options{}
	for name, value := range o {
		at := slices.IndexFunc(columns, func(c string) bool { return strings.HasPrefix(name, strings.ToLower(c)+".") })
		switch {
		case at < 0:
			own[name] = value
		case columns[at] == column:
			own[strings.TrimPrefix(name, strings.ToLower(column)+".")] = value
		}
	}
	return own
}

// prepare reads the options, and makes the tree.
func (g *growing) prepare(ctx *sql.Context) (err error) {
	if g.Kind, err = readTaxonomyOptions(g.given); err != nil || g.Kind == "drop" {
		return err
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

// choose puts what the column's values call for in the place of auto.
func (g *growing) choose() error {
	switch {
	case g.Kind == "auto":
		wanted, err := g.given.takeBool("auto")
		if err != nil {
			return err
		}
		if !wanted {
			return &anonymize.ParameterError{Parameter: "auto", Value: "false", Rule: "must be true; leave it out and give a taxonomy"}
		}
		suggested, err := anonymize.SuggestTaxonomy(g.column)
		if err != nil {
			return err
		}
		g.Kind, g.given[suggested.Kind] = suggested.Kind, suggested.Levels
	case g.Kind == "intervals" && strings.EqualFold(g.given["intervals"], "auto"):
		widths, err := anonymize.RoundWidths(g.column)
		if err != nil {
			return err
		}
		g.given["intervals"] = strings.Join(widths, ",")
	}
	return nil
}

// readTaxonomyOptions returns the source that is given, and refuses none, two,
// and options that do not go with it.
func readTaxonomyOptions(given options) (kind string, err error) {
	known := slices.Sorted(maps.Keys(taxonomySources))
	all := slices.Clone(known)
	for _, with := range taxonomySources {
		all = append(all, with...)
	}
	if err := given.refuseUnknown(all...); err != nil {
		return "", err
	}
	for _, source := range known {
		if _, ok := given[source]; !ok {
			continue
		}
		if kind != "" {
			return "", &anonymize.ParameterError{Parameter: source, Value: "'" + given[source] + "'",
				Rule: "but " + kind + " is given too: a column has one taxonomy"}
		}
		kind = source
	}
	if kind == "" {
		return "", &anonymize.ParameterError{Parameter: "taxonomy", Value: "missing", Rule: "give one of " + strings.Join(known, ", ") +
			", such as 'table=census.education_tree' or 'intervals=5,10,20'"}
	}
	for _, option := range slices.Sorted(maps.Keys(given)) {
		if option != kind && !slices.Contains(taxonomySources[kind], option) {
			return "", &anonymize.ParameterError{Parameter: option, Value: "'" + given[option] + "'", Rule: "which does not go with " + kind}
		}
	}
	return kind, nil
}

func (e *Environment) dropTaxonomy(ctx *sql.Context, raw source.Table, column string, given options) error {
	wanted, err := given.takeBool("drop")
	if err != nil {
		return err
	}
	if !wanted {
		return &anonymize.ParameterError{Parameter: "drop", Value: "false", Rule: "must be true; leave it out and give a taxonomy"}
	}
	dropped, err := e.Catalog.DropTaxonomy(ctx, raw.Database(), raw.Name(), column)
	if err == nil && !dropped {
		err = &anonymize.DataError{Reason: fmt.Sprintf("column %s of %s.%s has no taxonomy", column, raw.Database(), raw.Name())}
	}
	return err
}

// A growing taxonomy is one that set_taxonomy makes of its options.
type growing struct {
	attributes.Taxonomy
	environment *Environment
	raw         source.Table
	column      *anonymize.Column
	given       options

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
	var leaves []string // what may be one
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
func (g *growing) list(option string) []string { return texts.SplitNames(g.given[option]) }

// longestSource is the number of characters of a source that is shown.
const longestSource = 200

func shortened(source string) string {
	if runes := []rune(source); len(runes) > longestSource {
		return string(runes[:longestSource-1]) + "…"
	}
	return source
}
