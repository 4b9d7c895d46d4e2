package source

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
)

// An Answering table answers plain questions where it lives, so that its rows need not be read.
type Answering interface {
	Table
	// Aggregate answers a question; false for one that the home may answer in another way than the product does.
	Aggregate(ctx *sql.Context, q *Question) (groups []Group, ok bool, err error)
	// Stamp is a text that changes when a row does, "" where that is not known.
	Stamp(ctx *sql.Context) (string, error)
	// AsSpelled is that of Keyed.
	AsSpelled(ctx *sql.Context, c, known *anonymize.Column) (*anonymize.Column, error)
}

// A Tallied table counts the values of a column where it lives: one whose rows are too many to read is compared with its release by that.
type Tallied interface {
	Answering
	// Digest is that of the column as it is now.
	Digest(ctx *sql.Context, column string) (string, error)
}

// A Question asks for aggregates over the records that meet all conditions, by the values of columns.
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

// An Operator is SQL's.
type Operator string

// The operators that servers agree on.
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

// A Literal is what a column is compared with.
type Literal struct {
	Class Class
	Text  string // a number as SQL writes it, or the text itself
}

// A Class is what kind of value a literal is.
type Class int

// The classes of literals.
const (
	NumberClass Class = iota
	TextClass
	MomentClass // YYYY-MM-DD hh:mm:ss.ffffff
)

// CountDistinct is the function that counts different values but NULL. The other functions are called as in SQL.
const CountDistinct = "COUNT DISTINCT"

// An Aggregate is COUNT, SUM, AVG, MIN or MAX of a column; of no column it is COUNT(*).
type Aggregate struct{ Function, Column string }

// A Group is a row of the answer. Counts, sums and averages are Real; others are values of their column.
type Group struct{ Keys, Figures []anonymize.Value }

// Columns are the columns that are asked for, some more than once.
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
