package functions

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/utility"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/functions/options"
	"github.com/anonsql/anonsql/functions/texts"
)

var classifySchema = sql.Schema{
	{Name: "target", Type: types.LongText},
	{Name: "model", Type: types.LongText},
	{Name: "accuracy", Type: types.Float64},
	{Name: "deviation", Type: types.Float64},
	{Name: "least", Type: types.Float64},
	{Name: "greatest", Type: types.Float64},
	{Name: "folds", Type: types.Int32},
	{Name: "records", Type: types.Int64},
	{Name: "classes", Type: types.Int32},
}

// CALL classify('adult', 'target=occupation') measures how well a model trained on a release predicts an attribute, beside one trained on the raw table and
// beside the most frequent value: cross-validated on the raw table. There is one row per model: majority, table, independent (tables drawn from the relations),
// imputed (completed tables, if there are any), with the accuracy and, over the folds, its standard deviation, minimum and maximum. Nothing is stored. It is
// for accounts that may read the raw table. CALL evaluate('adult', 'task=classify', ...) calls it.
func (e *Environment) classify(ctx *sql.Context, release string, arguments ...string) (sql.RowIter, error) {
	given, err := options.Classify.Read(arguments)
	if err != nil {
		return nil, err
	}
	c := &classification{environment: e}
	if err := c.read(given); err != nil {
		return nil, err
	}
	if c.view, err = e.Releases.View(ctx, releaseName(release)); err != nil {
		return nil, err
	}
	if err := c.view.CheckSourceAccess(ctx); err != nil {
		return nil, err
	}
	return rowsOf(c.perform), nil
}

// A classification is a CALL classify.
type classification struct {
	environment *Environment
	view        *catalog.PublishedView
	options     utility.ClassificationOptions
}

func (c *classification) read(given anonymize.Settings) error {
	if task, asked := options.Task.Given(given); asked && !strings.EqualFold(task, "classify") {
		return &anonymize.ParameterError{Parameter: "task", Value: "'" + task + "'", Rule: "but classify has only this one"}
	}
	c.options = utility.ClassificationOptions{Target: options.Target.Read(given), Predictors: options.Predictors.Read(given),
		Folds: options.Folds.Read(given), Seed: uint64(options.QuerySeed.Read(given))}
	if c.options.Target == "" {
		return &anonymize.ParameterError{Parameter: "target", Value: "missing", Rule: "give the attribute that is predicted, such as 'target=occupation'"}
	}
	return nil
}

func (c *classification) perform(ctx *sql.Context) (rows []sql.Row, err error) {
	err = c.environment.asJobOn(ctx, ctx.Session.Client().User, "classify", c.view.Published(), func(progress func(string, int, int)) error {
		found, err := c.measure(ctx, progress)
		if err == nil {
			rows = c.rows(found)
		}
		return err
	})
	return rows, err
}

func (c *classification) measure(ctx *sql.Context, progress func(phase string, done, total int)) (*utility.Classification, error) {
	progress("read the release and the table", 0, 1)
	record := c.view.Record()
	c.spell(record.Columns)
	release, err := c.view.Release(ctx)
	if err != nil {
		return nil, err
	}
	var completion *anonymize.Completion
	if record.Completion != nil {
		tables, err := c.view.Completed(ctx)
		if err != nil {
			return nil, err
		}
		completion = tables.Completion()
	}
	table, err := c.view.SourceMicrodata(ctx, slices.Clone(record.Columns))
	if err != nil {
		return nil, err
	}
	table.Columns = release.Recode(c.view.InClasses(table.Columns))
	progress("read the release and the table", 1, 1)
	return utility.Classify(ctx, release, completion, table, c.options, func(done, total int) { progress("train on the release", done, total) })
}

// spell writes the names of attributes as the release does.
func (c *classification) spell(columns []string) {
	exact := func(name string) string {
		for _, column := range columns {
			if strings.EqualFold(column, name) {
				return column
			}
		}
		return name
	}
	c.options.Target = exact(c.options.Target)
	for i, name := range c.options.Predictors {
		c.options.Predictors[i] = exact(name)
	}
}

func (c *classification) rows(found *utility.Classification) (rows []sql.Row) {
	for _, m := range []struct {
		name string
		*utility.Accuracy
	}{{"majority", found.Majority}, {"table", found.Truth}, {catalog.Independent, found.Independent}, {catalog.Imputed, found.Imputed}} {
		if m.Accuracy != nil {
			rows = append(
				rows,
				sql.Row{
					c.options.Target,
					m.name,
					texts.Thousandths(m.Mean),
					texts.Thousandths(m.Deviation),
					texts.Thousandths(m.Least),
					texts.Thousandths(m.Greatest),
					int32(found.Folds),
					int64(found.Records),
					int32(found.Classes),
				},
			)
		}
	}
	return rows
}
