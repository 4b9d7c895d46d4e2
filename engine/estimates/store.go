package estimates

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/engine/dialect"
)

// A Store has the relations of one release in an engine. It caches nothing and is safe for concurrent use.
type Store struct {
	// Query calls row for each row of a statement, like [engine.Conn]. Required.
	Query func(ctx context.Context, text string, row func(values []any) error) error
	// Dialect is the engine's. Required.
	Dialect *dialect.Dialect
	// Relations are the fragments, in the order of the release. Required.
	Relations []Relation
	// Sizes are the release's group sizes. Required.
	Sizes []estimate.GroupSize
	// Numbers are the gids of all groups, ascending, if some of the release's fragments are read here instead: their groups have this order.
	Numbers []int64
	// Completed is the table of completed tables (catalog, schema and name), nil for none.
	Completed []string
}

// A Relation is a table of gid BIGINT, its columns, and count BIGINT.
type Relation struct {
	Path    []string // catalog, schema and table
	Columns []Column // those of the fragment
}

var _ estimate.Elsewhere = (*Store)(nil)

// maxRows bounds the rows of an answer: values of a column, or combinations of classes.
const maxRows = 1 << 20

// Values implements [estimate.Elsewhere].
func (s *Store) Values(ctx context.Context, fragment, column int) (values []anonymize.Value, records []uint64, err error) {
	relation := s.Relations[fragment]
	c := relation.Columns[column]
	text := fmt.Sprintf(
		"SELECT %s AS v, sum(%s) FROM %s GROUP BY %s",
		c.read(s.Dialect),
		s.Dialect.Name("count"),
		s.Dialect.Name(relation.Path...),
		c.read(s.Dialect),
	)
	err = s.ask(ctx, text, fmt.Sprintf("column %s, which has", c.Name), func(row []any) error {
		v, err := c.value(row[0])
		if err != nil {
			return err
		}
		n, err := readCount(row[1])
		values, records = append(values, v), append(records, n)
		return err
	})
	return values, records, err
}

// Weights implements [estimate.Elsewhere].
func (s *Store) Weights(ctx context.Context, fragments []estimate.Classes, of *estimate.Worth) (list []estimate.Weight, err error) {
	counted, err := s.countAll(fragments, of)
	if err != nil {
		return nil, err
	}
	text, sums, asked := "", "sum(n)", ""
	switch {
	case of != nil:
		sums, asked = "sum(n), sum(r), sum(s)", s.weighted(counted, *of)
	case len(counted) == 1:
		text = s.singleFragmentQuery(counted[0])
	default:
		s.tuples(counted)
		asked = "f0.n"
		for i := range counted[1:] {
			asked += fmt.Sprintf(" * f%d.n", i+1)
		}
		asked += " AS n"
	}
	if text == "" {
		by := strings.Join(append([]string{"m"}, classNames(counted)...), ", ")
		text = fmt.Sprintf("SELECT %s, %s FROM (%s) AS j GROUP BY %s", by, sums, s.joined(counted, asked), by)
	}
	err = s.ask(ctx, text, combinations, func(row []any) error {
		w := estimate.Weight{Classes: make([]uint32, len(counted))}
		rest, err := head(row, &w.Size, w.Classes, counted)
		if err == nil {
			w.Products, err = readCount(rest[0])
		}
		if err == nil && of != nil {
			if w.Records, err = readCount(rest[1]); err == nil {
				w.Sum, err = readSum(rest[2])
			}
		}
		list = append(list, w)
		return err
	})
	return list, err
}

// Profiles implements [estimate.Elsewhere].
func (s *Store) Profiles(ctx context.Context, fragments []estimate.Classes, of *estimate.Worth) (list []estimate.Profile, err error) {
	counted, err := s.countAll(fragments, of)
	if err != nil {
		return nil, err
	}
	by, asked, sums := append([]string{"m"}, classNames(counted)...), []string(nil), ""
	if of != nil {
		asked, sums = append(asked, fmt.Sprintf("f%d.s AS s, f%d.q AS q", of.Fragment, of.Fragment)), s.addUp(counted[of.Fragment], *of)
	}
	for i := range counted {
		asked = append(asked, fmt.Sprintf("f%d.n AS n%d", i, i))
		by = append(by, fmt.Sprintf("n%d", i))
	}
	names := strings.Join(by, ", ")
	text := fmt.Sprintf("SELECT %s, count(*)%s FROM (%s) AS j GROUP BY %s", names, sums, s.joined(counted, strings.Join(asked, ", ")), names)
	err = s.ask(ctx, text, combinations, func(row []any) error {
		p := estimate.Profile{}
		rest, err := profile(row, &p, counted)
		for i, to := range []**big.Int{&p.Sum, &p.SquaredSums, &p.Squares} {
			if err == nil && of != nil {
				*to, err = readSum(rest[i])
			}
		}
		list = append(list, p)
		return err
	})
	return list, err
}

// singleFragmentQuery returns the query of a single fragment's classes over all groups.
func (s *Store) singleFragmentQuery(q *counted) string {
	if len(q.columns) == 0 {
		return fmt.Sprintf("SELECT 0 AS m, coalesce(sum(n), 0) FROM (%s) AS t", q.inner)
	}
	by := strings.Join(q.columns, ", ")
	return fmt.Sprintf("SELECT 0 AS m, %s, sum(n) FROM (%s) AS t GROUP BY %s", by, q.inner, by)
}

// countAll writes the queries of fragments, including the worth of records if of is not nil.
func (s *Store) countAll(fragments []estimate.Classes, of *estimate.Worth) (list []*counted, err error) {
	c := &chooser{s.Dialect}
	for i, f := range fragments {
		worth := ""
		if of != nil && i == of.Fragment {
			if worth, err = s.worthExpression(c, f.Fragment, *of, &f.Units[of.Unit]); err != nil {
				return nil, err
			}
		}
		q, err := s.count(c, f, worth)
		if err != nil {
			return nil, err
		}
		list = append(list, q)
	}
	return list, nil
}

// profile reads a profile and returns the values after it.
func profile(row []any, p *estimate.Profile, fragments []*counted) (rest []any, err error) {
	p.Classes, p.Counts = make([]uint32, len(fragments)), make([]uint32, len(fragments))
	if rest, err = head(row, &p.Size, p.Classes, fragments); err != nil {
		return nil, err
	}
	for i := range p.Counts {
		if err = number(rest[i], &p.Counts[i]); err != nil {
			return nil, err
		}
	}
	p.Groups, err = readCount(rest[len(fragments)])
	return rest[len(fragments)+1:], err
}

// head reads the size and the classes of a row and returns its other values.
func head(row []any, size *uint32, classes []uint32, fragments []*counted) (rest []any, err error) {
	if err = number(row[0], size); err != nil {
		return nil, err
	}
	return classesOf(row[1:], classes, fragments)
}

// classesOf reads the classes of a row and returns its other values.
func classesOf(rest []any, classes []uint32, fragments []*counted) (_ []any, err error) {
	for i, q := range fragments {
		if classes[i], err = q.read(rest[:len(q.columns)]); err != nil {
			return nil, err
		}
		rest = rest[len(q.columns):]
	}
	return rest, nil
}

// combinations describes an answer with too many rows of classes.
const combinations = "a question of more than a million combinations of keys, arguments and conditions' outcomes: it has"

// ask runs a statement and reads at most maxRows of its rows.
func (s *Store) ask(ctx context.Context, text, what string, row func([]any) error) error {
	if len(text) > dialect.LongestStatement {
		return &estimate.UnansweredError{
			What: fmt.Sprintf(
				"a question whose statement would have %d characters, must have at most %d: its conditions list too many values",
				len(text),
				dialect.LongestStatement,
			),
		}
	}
	rows := 0
	return s.Query(ctx, fmt.Sprintf("%s LIMIT %d", text, maxRows+1), func(values []any) error {
		if rows++; rows > maxRows {
			return &estimate.UnansweredError{What: fmt.Sprintf("%s more than %d. Ask with fewer or coarser keys", what, maxRows)}
		}
		return row(values)
	})
}

// readCount converts a number of records or groups, or their sum.
func readCount(v any) (uint64, error) {
	switch v := v.(type) {
	case int64:
		if v >= 0 {
			return uint64(v), nil
		}
	case string: // an exact number beyond BIGINT
		if n, err := strconv.ParseUint(v, 10, 64); err == nil {
			return n, nil
		}
	}
	return 0, fmt.Errorf("the engine returned %v (%T) for a whole number", v, v)
}

// number converts a number of records of a group.
func number(v any, to *uint32) error {
	n, err := readCount(v)
	if err == nil && n > math.MaxUint32 {
		err = fmt.Errorf("the engine returned %d for a number of the records of a group", n)
	}
	*to = uint32(n)
	return err
}
