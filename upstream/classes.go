package upstream

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/quoting"
)

// maxNamed is the greatest number of texts that are sent upstream to be compared; for more, upstream reads the table itself.
const maxNamed = 500

// classes returns equal numbers for texts that are equal under the column's collation. Upstream
// sorts the distinct texts. It needs window functions: MySQL 8, MariaDB 10.2.
func (t *table) classes(ctx *sql.Context, c *column, texts []string) (map[string]int64, error) {
	if len(texts) <= maxNamed && c.collation != "" {
		return t.classesOf(ctx, c, texts)
	}
	query := fmt.Sprintf(
		"SELECT b, DENSE_RANK() OVER (ORDER BY v) FROM (SELECT %[1]s AS b, MIN(%[2]s) AS v FROM %[3]s.%[4]s WHERE %[2]s IS NOT NULL GROUP BY %[1]s) AS texts",
		c.ask,
		quoting.Name(c.name),
		quoting.Name(t.schema),
		quoting.Name(t.Name()),
	)
	classes := make(map[string]int64)
	err := t.home.Asker.Query(ctx, query, func(v [][]byte) error {
		if len(v) != 2 {
			return fmt.Errorf("a class of texts has %d values, must have 2", len(v))
		}
		class, err := strconv.ParseInt(string(v[1]), 10, 64)
		classes[string(v[0])] = class
		return err
	})
	return classes, err
}

// classesOf is classes for given texts, without reading the table again.
func (t *table) classesOf(ctx *sql.Context, c *column, texts []string) (map[string]int64, error) {
	classes := make(map[string]int64, len(texts))
	if len(texts) == 0 {
		return classes, nil
	}
	set, _, _ := strings.Cut(c.collation, "_")
	var query strings.Builder
	for i, text := range texts {
		if i > 0 {
			query.WriteString(" UNION ALL ")
		}
		fmt.Fprintf(&query, "SELECT %d AS n, CONVERT(%s USING %s) COLLATE %s AS v", i, quoting.Hex(text), set, c.collation)
	}
	err := t.home.Asker.Query(ctx, "SELECT n, DENSE_RANK() OVER (ORDER BY v) FROM ("+query.String()+") AS texts", func(v [][]byte) error {
		if len(v) != 2 {
			return fmt.Errorf("a class of texts has %d values, must have 2", len(v))
		}
		n, err := strconv.Atoi(string(v[0]))
		if err != nil || n < 0 || n >= len(texts) {
			return fmt.Errorf("the class of text number %q is none", v[0])
		}
		class, err := strconv.ParseInt(string(v[1]), 10, 64)
		classes[texts[n]] = class
		return err
	})
	return classes, err
}

// tellsApart refuses a column in which the engine treats texts as equal that differ upstream:
// questions about the release would count them together.
func (c *column) tellsApart(read *anonymize.Column) error {
	collation, ok := coding.Spellings(read.Type)
	if !ok {
		return nil
	}
	different := len(read.Dictionary)
	unified := &anonymize.Column{Name: read.Name, Type: read.Type, Dictionary: slices.Clone(read.Dictionary), Codes: anonymize.Indices(different)}
	coding.UnifySpellings(unified, collation)
	if len(unified.Dictionary) == different {
		return nil
	}
	return &anonymize.DataError{
		Reason: fmt.Sprintf("column %s has texts that are different under its collation, %s, and equal under %s, by which a release would compare them: "+
			"publish a view with %s COLLATE utf8mb4_bin AS %s", c.name, c.collation, collation.Name(), quoting.Name(c.name), quoting.Name(c.name)),
	}
}
