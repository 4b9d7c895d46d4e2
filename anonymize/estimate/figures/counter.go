package figures

import (
	"context"
	"math/big"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A Counter counts the records of a release for one question: in bit planes, group by group or by the shares of cells, or through
// an [Elsewhere] in another engine. This package turns its sums into figures. It is not safe for concurrent use.
type Counter interface {
	// Rows returns the rows of the answer. spreads announces calls of Moments or Totals: if the
	// same pass can find these, they need no further one.
	Rows(ctx context.Context, spreads bool) ([]question.AnswerRow, error)
	// Moments and Totals return the sums over groups for standard errors and for hard bounds.
	Moments(ctx context.Context) (MomentsOf, error)
	Totals(ctx context.Context) (TotalOf, error)
}

// A MomentsOf and a TotalOf return the sums over groups for a figure of a row; zero if no record counts.
type (
	MomentsOf func(row question.AnswerRow, a int) SecondMoments
	TotalOf   func(row question.AnswerRow, a int) *Total
)

// TableCounts are the counts of completed tables, here or in an engine: records by table and combination of classes, one class per side.
type TableCounts interface {
	// VisitCombinations visits the combinations that some table has, in a deterministic order. visit must not keep the slices.
	VisitCombinations(ctx context.Context, visit func(classes, records []uint32) error) error
}

// An Elsewhere is a distributed engine that keeps the relations of a release which are too
// large to read. It only counts; all divisions happen here. It returns whole numbers, so that
// its order of work does not affect answers. It is safe for concurrent use.
//
// A class of a fragment's tuples is a number that [Classes] assigns by their values.
type Elsewhere interface {
	// Values returns the distinct values of a column and the number of records with each.
	Values(ctx context.Context, fragment, column int) (values []anonymize.Value, records []uint64, err error)
	// Weights returns, for every combination of one class per fragment and every group size m, the sum
	// over the groups of that size of the products of the classes' numbers of records. If of is not
	// nil, it also returns these sums for what the records are worth. For a single fragment it does not
	// distinguish sizes: m is 0. It may omit sums of 0 and may split a sum into several parts.
	Weights(ctx context.Context, fragments []Classes, of *Worth) ([]Weight, error)
	// Profiles returns, for every combination of one class per fragment, the number of groups by their
	// size and by their numbers of records of the classes, all positive. If of is not nil, it also
	// returns sums over the groups of what their records of one fragment's class are worth.
	Profiles(ctx context.Context, fragments []Classes, of *Worth) ([]Profile, error)
	// Takes returns, for every combination of one class per fragment and every worth of a record of one
	// of them, how many such records are among a group's low or high least or greatest ones.
	Takes(ctx context.Context, fragments []Classes, of Worth) ([]Take, error)
	// ByGroup returns the positive numbers of records by group and class of a fragment. It is
	// called only for a release with fragments here, which number the groups.
	ByGroup(ctx context.Context, fragment Classes) ([]GroupCount, error)
	// Tables returns the number of records by combination of one class per fragment and by completed table. It may omit zeros and
	// may split a number into several parts. It is called only for a release whose completed tables are there.
	Tables(ctx context.Context, fragments []Classes, tables int) ([]TableCount, error)
}

// A TableCount is the number of records of a completed table, numbered from 0, with a combination of one class per fragment.
type TableCount struct {
	Classes []uint32
	Table   int
	Records uint64
}

// Classes assign classes to the tuples of one fragment. A tuple has a class in every unit;
// together they form a number, with the first unit as the fastest digit.
type Classes struct {
	Fragment int // index into Release.Fragments
	Units    []ClassUnit
	// Of has the class of every such number; if nil, the number is the class.
	Of []uint32
}

// A ClassUnit is a column, or several that are classified together.
type ClassUnit struct {
	Columns      []int               // indexes into the fragment's Columns
	Dictionaries [][]anonymize.Value // by column, ascending
	// Class has the class of every combination of values, with the first column as the fastest
	// digit: below Classes, or NoClass.
	Class   []uint32
	Classes int
}

// A Weight is a sum of products over the groups of a size. If a worth is asked for, Records counts only the
// fragment's records that are worth something, and Sum replaces their number by what they are worth.
type Weight struct {
	Classes  []uint32 // one per fragment
	Size     uint32
	Products uint64
	Records  uint64
	Sum      *big.Int
}

// A Profile says that Groups groups of Size records have Counts records of the classes, one per
// fragment. If a worth is asked for, it has sums over these groups: of S, what a group's
// records are worth together; of S^2; and of the squares of what single records are worth.
type Profile struct {
	Classes                   []uint32
	Size                      uint32
	Counts                    []uint32
	Groups                    uint64
	Sum, SquaredSums, Squares *big.Int
}

// A Worth says what a record is worth: a whole number that depends on its values in one unit of one fragment.
type Worth struct {
	Fragment, Unit int     // indexes of the fragment asked, and of its unit
	Of             []int64 // like the unit's Class, by combination of values
	None           []bool  // worth nothing, not even 0; nil: all are worth something
}

// A Take counts, over all groups, the records of this Worth among extreme records of their
// groups. If the classes of f fragments have a_1, ..., a_f records in a group of m, then at
// least low = max(0, sum a_i - (f-1) m) and at most high = min a_i records have all classes.
type Take struct {
	Classes []uint32
	Worth   int64
	// LeastOfLow counts those among the low records that are worth least, LeastOfHigh those among the
	// high ones; GreatestOfLow and GreatestOfHigh count among the records that are worth most.
	LeastOfLow, LeastOfHigh, GreatestOfLow, GreatestOfHigh uint64
}

// A GroupSize says how many groups have a size.
type GroupSize struct {
	Size   uint32
	Groups uint64
}

// A relation with cells that stand for several values has few rows per group, so it is
// completely here while relations of points are elsewhere. For a question that reads both, the
// engine counts the records of the points by group and class. The estimator for ordinary
// releases answers from these whole numbers.

// A GroupCount is the number of records of a class in a group. Groups are numbered as in the fragments that are here.
type GroupCount struct{ Group, Class, Records uint32 }

// Asked returns the classes of a fragment's side in the form in which an Elsewhere is asked.
func Asked(s *question.Side, fragment int) Classes {
	c := Classes{Fragment: fragment}
	for _, u := range s.Units {
		unit := ClassUnit{Columns: u.Columns, Class: u.ClassOf, Classes: u.Classes}
		for _, column := range u.Columns {
			unit.Dictionaries = append(unit.Dictionaries, s.Fragment.Columns[column].Dictionary)
		}
		c.Units = append(c.Units, unit)
	}
	return c
}
