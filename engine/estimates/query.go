package estimates

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// A counted counts a fragment's tuples by group and class. Its inner query has, by tuple, gid, columns that determine the class, and n.
type counted struct {
	inner   string
	columns []string // c and the unit's number, for units with several classes
	classes *estimate.Classes
	// raw maps values to classes for units whose column replaces their class; nil for columns that have the class.
	raw []map[anonymize.Value]uint32
	// whole says that the only column is the class of all units together.
	whole bool
	// worth says that the inner query has the column w, the worth of a record.
	worth bool
	// grouped replaces byGroup's query unless it is "".
	grouped string
	store   *Store
}

// count writes the inner query of a fragment. worth is an SQL expression, or "".
func (s *Store) count(c *chooser, classes estimate.Classes, worth string) (*counted, error) {
	classes = reduced(classes)
	q := &counted{store: s, classes: &classes, raw: make([]map[anonymize.Value]uint32, len(classes.Units)), worth: worth != ""}
	apart := classes.Of == nil || isInjective(classes.Of) // the query returns the units' classes, combined here
	list, conditions, outer := []string{"gid"}, []string(nil), []string(nil)
	if q.worth {
		list = append(list, worth+" AS w")
	}
	for i := range classes.Units {
		unit, name := &classes.Units[i], fmt.Sprintf("c%d", i)
		variables := s.variables(classes.Fragment, unit)
		lives, err := c.lives(variables, unit)
		if lives != "" {
			conditions = append(conditions, lives)
		}
		if err == nil && unit.Classes == 1 {
			continue // the condition suffices
		}
		expression := variables[0].expression
		if apart {
			q.raw[i] = rawClasses(unit)
		}
		if err == nil && q.raw[i] == nil {
			expression, err = c.choose(variables, unit.Class, classText)
		}
		if err != nil {
			return nil, err
		}
		if len(unit.Columns) > 1 && slices.Contains(unit.Class, estimate.NoClass) {
			outer = append(outer, name+" IS NOT NULL")
		}
		q.columns, list = append(q.columns, name), append(list, expression+" AS "+name)
	}
	relation := s.Relations[classes.Fragment]
	q.inner = fmt.Sprintf(
		"SELECT %s, %s AS n FROM %s%s",
		strings.Join(list, ", "),
		s.Dialect.Name("count"),
		s.Dialect.Name(relation.Path...),
		whereClause(conditions),
	)
	if len(outer) > 0 {
		q.inner = fmt.Sprintf("SELECT * FROM (%s) AS t%s", q.inner, whereClause(outer))
	}
	if apart {
		return q, nil
	}
	return q, q.mergeClasses(c)
}

// mergeClasses merges several columns into one if different combinations of the units' classes are one class.
func (q *counted) mergeClasses(c *chooser) error {
	var variables []variable
	for i, unit := range q.classes.Units {
		variables = append(variables, belowVariable(fmt.Sprintf("c%d", i), unit.Classes)) // units with one class are in no expression
	}
	class, err := c.choose(variables, q.classes.Of, classText)
	if err != nil {
		return err
	}
	w := ""
	if q.worth {
		w = "w, "
	}
	q.inner = fmt.Sprintf("SELECT * FROM (SELECT gid, %s AS c0, %sn FROM (%s) AS t) AS u WHERE c0 IS NOT NULL", class, w, q.inner)
	q.columns, q.whole = []string{"c0"}, true
	return nil
}

func whereClause(conditions []string) string {
	if len(conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(conditions, " AND ")
}

// byGroup returns the query of a fragment's classes in every group.
func (q *counted) byGroup() string {
	if q.grouped != "" {
		return q.grouped
	}
	list := strings.Join(append([]string{"gid"}, q.columns...), ", ")
	return fmt.Sprintf("SELECT %s, sum(n) AS n FROM (%s) AS t GROUP BY %s", list, q.inner, list)
}

// read returns the class of a row's values.
func (q *counted) read(values []any) (class uint32, err error) {
	if q.whole {
		n, err := readCount(values[0])
		return uint32(n), err
	}
	stride := uint32(1)
	for i := range q.classes.Units {
		unit := &q.classes.Units[i]
		if unit.Classes == 1 {
			continue
		}
		of, err := q.unit(i, values[0])
		if err != nil {
			return 0, err
		}
		values = values[1:]
		class += of * stride
		stride *= uint32(unit.Classes)
	}
	if q.classes.Of != nil {
		return q.classes.Of[class], nil
	}
	return class, nil
}

// unit returns a unit's class by the value of its column.
func (q *counted) unit(i int, value any) (class uint32, err error) {
	unit := &q.classes.Units[i]
	if q.raw[i] == nil {
		n, err := readCount(value)
		if err != nil || n >= uint64(unit.Classes) {
			return 0, fmt.Errorf("the engine returned %v for one of %d classes", value, unit.Classes)
		}
		return uint32(n), nil
	}
	v, err := q.store.Relations[q.classes.Fragment].Columns[unit.Columns[0]].value(value)
	if err != nil {
		return 0, err
	}
	class, ok := q.raw[i][v]
	if !ok {
		return 0, fmt.Errorf("the relations are not those of the release: value %s is new", v)
	}
	return class, nil
}

// fewAlike is about the number of records of a class in a group from which on aggregating a fragment's
// tuples before the join pays; below it the join of plain tuples takes half the time.
const fewAlike = 8

// tuples leaves fragments whose groups have few records per class unaggregated. Sums of products are the same either way.
func (s *Store) tuples(fragments []*counted) {
	records, groups := uint64(0), uint64(0)
	for _, at := range s.Sizes {
		records, groups = records+uint64(at.Size)*at.Groups, groups+at.Groups
	}
	for _, q := range fragments {
		classes := uint64(1)
		for _, unit := range q.classes.Units {
			classes *= uint64(unit.Classes)
		}
		if records <= fewAlike*classes*groups {
			q.grouped = q.inner
		}
	}
}

// joined writes a query of m and of every fragment's class and n, in the groups that all fragments share; of is its select list.
func (s *Store) joined(fragments []*counted, of string) string {
	list, from, m, sizes := []string(nil), "", s.groupSize(), ""
	switch {
	case len(fragments) == 1: // a single fragment needs no separate sizes
		m = "0"
	case len(s.Sizes) > 1:
		relation := s.Relations[fragments[len(fragments)-1].classes.Fragment]
		sizes = fmt.Sprintf(
			" JOIN (SELECT gid, sum(%s) AS m FROM %s GROUP BY gid) AS s ON s.gid = f0.gid",
			s.Dialect.Name("count"),
			s.Dialect.Name(relation.Path...),
		)
	}
	for i, q := range fragments {
		for _, name := range q.columns {
			list = append(list, fmt.Sprintf("f%d.%s AS f%d%s", i, name, i, name))
		}
		if i == 0 {
			from = fmt.Sprintf("(%s) AS f0", q.byGroup())
			continue
		}
		from += fmt.Sprintf(" JOIN (%s) AS f%d ON f%d.gid = f0.gid", q.byGroup(), i, i)
	}
	return fmt.Sprintf("SELECT %s FROM %s%s", strings.Join(append(append([]string{m + " AS m"}, list...), of), ", "), from, sizes)
}

// groupSize returns the group size in joined's query: s.m, or a number if all groups have one size.
func (s *Store) groupSize() string {
	if len(s.Sizes) == 1 {
		return fmt.Sprint(s.Sizes[0].Size)
	}
	return "s.m"
}

// classNames returns the class columns of all fragments in joined's query.
func classNames(fragments []*counted) (list []string) {
	for i, q := range fragments {
		for _, name := range q.columns {
			list = append(list, fmt.Sprintf("f%d%s", i, name))
		}
	}
	return list
}

// variables returns a unit's columns.
func (s *Store) variables(fragment int, unit *estimate.ClassUnit) (list []variable) {
	for i, c := range unit.Columns {
		column := s.Relations[fragment].Columns[c]
		list = append(list, variable{column.read(s.Dialect), column, unit.Dictionaries[i]})
	}
	return list
}
