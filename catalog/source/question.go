package source

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
)

// An Answering table answers simple questions where it lives, without reading its rows into the product.
type Answering interface {
	Table
	// Aggregate answers a question; ok is false if the home's answer might differ from the product's.
	Aggregate(ctx *sql.Context, q *Question) (groups []Group, ok bool, err error)
	// Stamp returns a text that changes with every change of a row, "" if unknown.
	Stamp(ctx *sql.Context) (string, error)
	// AsSpelled is [Keyed]'s.
	AsSpelled(ctx *sql.Context, c, known *anonymize.Column) (*anonymize.Column, error)
}

// A Tallied table counts a column's values where it lives. This compares a table that is too large to read with its release.
type Tallied interface {
	Answering
	// Digest returns the column's current digest.
	Digest(ctx *sql.Context, column string) (string, error)
}

// A Question requests aggregates, grouped by columns, over the records that meet all conditions.
type Question struct {
	Where      []Condition
	Keys       []string
	Aggregates []Aggregate
}

// A Condition compares a column with literals, or joins conditions.
type Condition struct {
	Operator Operator
	Column   string
	Literals []Literal
	Of       []Condition
}

// An Operator is an SQL operator.
type Operator string

// The operators on which servers agree.
const (
	And            Operator = "AND"
	Or             Operator = "OR"
	Not            Operator = "NOT"
	Equal          Operator = "="
	Less           Operator = "<"
	LessOrEqual    Operator = "<="
	Greater        Operator = ">"
	GreaterOrEqual Operator = ">="
	In             Operator = "IN"
	Between        Operator = "BETWEEN"
	Like           Operator = "LIKE"
	IsNull         Operator = "IS NULL"
)

// A Literal is compared with a column.
type Literal struct {
	Class Class
	Text  string // a number in SQL's notation, or the text itself
}

// A Class is the kind of a literal.
type Class int

// The classes of literals.
const (
	NumberClass Class = iota
	TextClass
	MomentClass // YYYY-MM-DD hh:mm:ss.ffffff
)

// CountDistinct is the function that counts distinct values other than NULL. Other functions have their SQL names.
const CountDistinct = "COUNT DISTINCT"

// An Aggregate is COUNT, SUM, AVG, MIN or MAX of a column; without a column it is COUNT(*).
type Aggregate struct{ Function, Column string }

// A Group is a row of the answer. Counts, sums and averages are Real; other figures are values of their column.
type Group struct{ Keys, Figures []anonymize.Value }

// Columns returns the question's columns, possibly with duplicates.
func (q *Question) Columns() (names []string) {
	names = append(names, q.Keys...)
	for _, a := range q.Aggregates {
		if a.Column != "" {
			names = append(names, a.Column)
		}
	}
	return append(names, columnsOf(q.Where)...)
}

func columnsOf(conditions []Condition) (names []string) {
	for _, c := range conditions {
		if c.Column != "" {
			names = append(names, c.Column)
		}
		names = append(names, columnsOf(c.Of)...)
	}
	return names
}
