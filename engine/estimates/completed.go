package estimates

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/engine/dialect"
)

// Completed tables are one table with a row per record: gid, the columns of fragment 0, and those of
// every other fragment in every draw ([CompletedColumn]). So one scan counts all of them.

// CompletedColumn names a fragment's column in the table of completed tables, for a draw from 1; fragment 0 has one column for all draws.
func CompletedColumn(fragment, column, draw int) string {
	if fragment == 0 {
		return fmt.Sprintf("f%dc%d", fragment, column)
	}
	return fmt.Sprintf("f%dc%dd%d", fragment, column, draw)
}

// drawnColumn names such a column where draws are rows.
func drawnColumn(fragment, column int) string { return fmt.Sprintf("f%dc%d", fragment, column) }

// A classed has a fragment's classes as columns of a query of completed tables.
type classed struct {
	*counted
	list, names []string // expressions, and the columns' names
	conditions  []string
	outer       []string // conditions on the names
}

// classed writes the classes of a fragment whose columns have these names.
func (s *Store) classed(c *chooser, classes *estimate.Classes, name func(column int) string) (*classed, error) {
	if classes.Of != nil {
		return nil, fmt.Errorf("classes of fragment %d are combinations that no completed table is asked for", classes.Fragment)
	}
	q := &classed{counted: &counted{store: s, classes: classes, raw: make([]map[anonymize.Value]uint32, len(classes.Units))}}
	for i := range classes.Units {
		unit := &classes.Units[i]
		variables := s.variables(classes.Fragment, unit)
		for v, column := range unit.Columns {
			of := variables[v].column
			of.Name = name(column)
			variables[v].expression = of.read(s.Dialect)
		}
		lives, err := c.lives(variables, unit)
		if err != nil {
			return nil, err
		}
		if lives != "" {
			q.conditions = append(q.conditions, lives)
		}
		if unit.Classes == 1 {
			continue
		}
		expression := variables[0].expression
		if q.raw[i] = rawClasses(unit); q.raw[i] == nil {
			if expression, err = c.choose(variables, unit.Class, classText); err != nil {
				return nil, err
			}
		}
		class := fmt.Sprintf("k%d_%d", classes.Fragment, i)
		if len(unit.Columns) > 1 && slices.Contains(unit.Class, estimate.NoClass) {
			q.outer = append(q.outer, class+" IS NOT NULL")
		}
		q.columns = append(q.columns, class)
		q.list, q.names = append(q.list, expression+" AS "+class), append(q.names, class)
	}
	return q, nil
}

// Tables implements [estimate.Elsewhere].
func (s *Store) Tables(ctx context.Context, fragments []estimate.Classes, tables int) ([]estimate.TableCount, error) {
	if s.Completed == nil {
		return nil, fmt.Errorf("the release has no completed tables in the engine")
	}
	c := &chooser{s.Dialect}
	apart, err := s.sameClasses(c, fragments, tables)
	if err != nil {
		return nil, err
	}
	if len(apart) > 0 {
		return s.countApart(ctx, fragments, apart)
	}
	counted, text, err := s.countDraws(c, fragments, tables)
	if err != nil {
		return nil, err
	}
	var list []estimate.TableCount
	err = s.ask(ctx, text, combinations, func(row []any) error {
		n := estimate.TableCount{Classes: make([]uint32, len(counted))}
		rest, err := classesOf(row[1:], n.Classes, counted)
		if err != nil {
			return err
		}
		draw, err := readCount(row[0])
		if err == nil {
			n.Table = int(draw) - 1
			n.Records, err = readCount(rest[0])
		}
		list = append(list, n)
		return err
	})
	return list, err
}

// sameClasses returns by draw the condition of the only combination of classes, "" for none;
// nil if there are more combinations or the conditions are long.
func (s *Store) sameClasses(c *chooser, fragments []estimate.Classes, tables int) (conditions []string, err error) {
	length := 0
	for draw := 1; draw <= tables; draw++ {
		var all []string
		for i := range fragments {
			f := &fragments[i]
			q, err := s.classed(c, f, func(column int) string { return CompletedColumn(f.Fragment, column, draw) })
			if err != nil || len(q.names) > 0 {
				return nil, err
			}
			if f.Fragment > 0 {
				all = append(all, q.conditions...)
			}
		}
		text := strings.Join(all, " AND ")
		if length += len(text); length > dialect.LongestStatement/2 {
			return nil, nil
		}
		conditions = append(conditions, text)
	}
	return conditions, nil
}

// countApart counts the records of one combination of classes, in one column per draw.
func (s *Store) countApart(ctx context.Context, fragments []estimate.Classes, conditions []string) (list []estimate.TableCount, err error) {
	var counts []string
	for _, condition := range conditions {
		if condition == "" {
			condition = s.Dialect.Boolean(true)
		}
		counts = append(counts, fmt.Sprintf("count(CASE WHEN %s THEN 1 END)", condition))
	}
	where := ""
	if fragments[0].Fragment == 0 {
		q, err := s.classed(&chooser{s.Dialect}, &fragments[0], func(column int) string { return CompletedColumn(0, column, 0) })
		if err != nil {
			return nil, err
		}
		where = whereClause(q.conditions)
	}
	text := fmt.Sprintf("SELECT %s FROM %s%s", strings.Join(counts, ", "), s.Dialect.Name(s.Completed...), where)
	err = s.ask(ctx, text, combinations, func(row []any) error {
		for i, v := range row {
			n, err := readCount(v)
			if err != nil || n > math.MaxUint32 {
				return fmt.Errorf("the engine returned %v for a number of records", v)
			}
			list = append(list, estimate.TableCount{Classes: make([]uint32, len(fragments)), Table: i, Records: n})
		}
		return nil
	})
	return list, err
}

// countDraws writes a query of draw, from 1, its classes, and the number of their records.
func (s *Store) countDraws(c *chooser, fragments []estimate.Classes, tables int) (all []*counted, text string, err error) {
	text, kept, columns := s.Dialect.Name(s.Completed...), []string(nil), []string(nil)
	var conditions, outer []string
	var arrays, names []string
	var later []*classed
	for i := range fragments {
		f := &fragments[i]
		q, err := s.classed(c, f, func(column int) string { return drawnColumn(f.Fragment, column) })
		if err != nil {
			return nil, "", err
		}
		all, outer, columns = append(all, q.counted), append(outer, q.outer...), append(columns, q.names...)
		if f.Fragment == 0 {
			kept, conditions = q.list, q.conditions
			continue
		}
		later = append(later, q)
		for _, column := range columnsRead(f) {
			var list []string
			for draw := 1; draw <= tables; draw++ {
				list = append(list, CompletedColumn(f.Fragment, column, draw))
			}
			arrays, names = append(arrays, "ARRAY["+strings.Join(list, ", ")+"]"), append(names, drawnColumn(f.Fragment, column))
			kept = append(kept, list...)
		}
	}
	text = fmt.Sprintf("SELECT %s FROM %s%s", strings.Join(kept, ", "), text, whereClause(conditions))
	list, conditions := []string{"draw"}, []string(nil)
	for _, q := range all {
		if q.classes.Fragment == 0 {
			list = append(list, q.columns...)
		}
	}
	for _, q := range later {
		list, conditions = append(list, q.list...), append(conditions, q.conditions...)
	}
	text = fmt.Sprintf("SELECT %s FROM (%s) AS records CROSS JOIN UNNEST(%s) WITH ORDINALITY AS draws(%s, draw)%s",
		strings.Join(list, ", "), text, strings.Join(arrays, ", "), strings.Join(names, ", "), whereClause(conditions))
	by := strings.Join(append([]string{"draw"}, columns...), ", ")
	return all, fmt.Sprintf("SELECT %s, count(*) FROM (%s) AS classed%s GROUP BY %s", by, text, whereClause(outer), by), nil
}

// columnsRead returns the distinct columns that a fragment's classes read.
func columnsRead(f *estimate.Classes) (columns []int) {
	for i := range f.Units {
		for _, column := range f.Units[i].Columns {
			if !slices.Contains(columns, column) {
				columns = append(columns, column)
			}
		}
	}
	return columns
}
