package figures

import (
	"context"
	"math/big"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A Counter counts the records of a release for one question: here, in bit planes, group by group or by the shares of cells; or where another engine
// keeps them, an [Elsewhere]. The functions of this package make its sums figures. It serves one caller at a time.
type Counter interface {
	// Rows are those of the answer. spreads says that Moments or Totals will be asked for: where the pass that answers finds
	// these too, they take none.
	Rows(ctx context.Context, spreads bool) ([]question.AnswerRow, error)
	// Moments and Totals are what groups add up to, for standard errors and for hard bounds.
	Moments(ctx context.Context) (MomentsOf, error)
	Totals(ctx context.Context) (TotalOf, error)
}

// A MomentsOf and a TotalOf have what groups add up to for a figure of a row, zero where no record counts.
type (
	MomentsOf func(row question.AnswerRow, a int) SecondMoments
	TotalOf   func(row question.AnswerRow, a int) *Total
)

// TableCounts are what is counted of completed tables, here or where an engine has them: how many records of each have a combination of classes, one a side.
type TableCounts interface {
	// VisitCombinations visits the combinations that some table has, in an order that depends on nothing else. visit must not keep the slices.
	VisitCombinations(ctx context.Context, visit func(classes, records []uint32) error) error
}

// An Elsewhere keeps the relations of a release where they are too large to be read: a
// distributed engine. It counts; every division is done here. What it returns are whole
// numbers, so that its own order of work shows in no answer. It is safe for concurrent use.
//
// A class of a fragment's tuples is a number that [Classes] gives them by their values.
type Elsewhere interface {
	// Values returns the values of a column, each once, and how many records have each.
	Values(ctx context.Context, fragment, column int) (values []anonymize.Value, records []uint64, err error)
	// Weights returns, for every combination of one class a fragment and every size m of
	// groups, the sum over the groups of that size of the products of the numbers of records
	// that the classes have in the group; and of these what their records are worth, where of is not nil. Of a single fragment sizes are not told
	// apart: m is 0. Sums of 0 may be left out, and a sum may come in several parts.
	Weights(ctx context.Context, fragments []Classes, of *Worth) ([]Weight, error)
	// Profiles returns, for every combination of one class a fragment, how many groups have
	// which size and which numbers of records of the classes, all of them positive; and where of is not nil sums over the groups of what their
	// records of one fragment's class are worth.
	Profiles(ctx context.Context, fragments []Classes, of *Worth) ([]Profile, error)
	// Takes returns, for every combination of one class a fragment and every number that a record
	// of one of them is worth, how many records are taken where a group's low or high least or greatest are.
	Takes(ctx context.Context, fragments []Classes, of Worth) ([]Take, error)
	// ByGroup returns how many records of every group have which class of a fragment, all of them positive. Only a release that has
	// fragments here is asked it: they number the groups.
	ByGroup(ctx context.Context, fragment Classes) ([]GroupCount, error)
	// Tables returns, for every combination of one class a fragment and each of the completed tables, how many of its records have it. Numbers of 0
	// may be left out, and a number may come in several parts. Only a release with completed tables there is asked it.
	Tables(ctx context.Context, fragments []Classes, tables int) ([]TableCount, error)
}

// A TableCount says how many records of a completed table, counted from 0, have a combination of classes, one a fragment asked.
type TableCount struct {
	Classes []uint32
	Table   int
	Records uint64
}

// Classes give the tuples of one fragment their classes. A tuple has a class of every unit;
// together they are a number, that of the first unit counting fastest.
type Classes struct {
	Fragment int // index into Release.Fragments
	Units    []ClassUnit
	// Of has the class of every such number; nil: the number is the class.
	Of []uint32
}

// A ClassUnit is a column, or several that are looked at together.
type ClassUnit struct {
	Columns      []int               // indexes into the fragment's Columns
	Dictionaries [][]anonymize.Value // of every column, ascending
	// Class has the class of every combination of values, the first column's counting fastest:
	// below Classes, or NoClass.
	Class   []uint32
	Classes int
}

// A Weight is a sum over the groups of a size. Where it is asked what records are worth, it has the same sum where the records of one fragment are those
// that are worth something, and where their number is the sum of what they are worth.
type Weight struct {
	Classes  []uint32 // one a fragment asked
	Size     uint32
	Products uint64
	Records  uint64
	Sum      *big.Int
}

// A Profile says how many groups of Size records have Counts records of the classes, one a
// fragment asked. Where it is asked what records are worth, it has sums over these groups: of S, the sum of what a group's records are worth,
// of S^2, and of the sum of the squares of what they are worth.
type Profile struct {
	Classes                   []uint32
	Size                      uint32
	Counts                    []uint32
	Groups                    uint64
	Sum, SquaredSums, Squares *big.Int
}

// A Worth says what a record is worth: a whole number, by its values of one unit of one fragment.
type Worth struct {
	Fragment, Unit int     // of the fragments asked, and of its units
	Of             []int64 // as the unit's Class: by combination of values
	None           []bool  // records that are worth nothing, not even 0; nil: all are worth something
}

// A Take is how many records that are worth Worth are among certain ones of their group, added up over all
// groups. Of f fragments whose classes have a_1, ..., a_f records in a group of m, at least
// low = max(0, sum a_i - (f-1) m) and at most high = min a_i records have all classes.
type Take struct {
	Classes []uint32
	Worth   int64
	// LeastOfLow are among the low records that are worth least, LeastOfHigh among the high ones;
	// GreatestOfLow and GreatestOfHigh likewise.
	LeastOfLow, LeastOfHigh, GreatestOfLow, GreatestOfHigh uint64
}

// A GroupSize says how many groups have how many records.
type GroupSize struct {
	Size   uint32
	Groups uint64
}

// A relation whose cells stand for several values has a row a group or few more: it is here whole,
// where relations of points are elsewhere. A question that reads both has the records of points
// counted there, by group and class, and is answered here from these whole numbers, with the
// estimator of all releases.

// A GroupCount says how many records of a group have a class. Groups are numbered as in the fragments that are here.
type GroupCount struct{ Group, Class, Records uint32 }

// Asked are the classes of a side of a fragment, as its store is asked for them.
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
