package fulldomain

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/demand"
)

func declared() []anonymize.Parameter {
	return []anonymize.Parameter{
		{Name: "k", Form: anonymize.WholeForm(1, 1<<30), Positional: true, Doc: "least number of records of an equivalence class, at least 1"},
		{Name: "l", Form: anonymize.WholeForm(1, 1<<30), Default: "1", Positional: true,
			Doc: "l-diversity: no sensitive value in more than floor(m/l) of the m records of a class; 1 is not asked"},
		{Name: "t", Form: anonymize.Share(true), Default: "1",
			Doc: "t-closeness: greatest distance of a class's sensitive values to the table's, 0 to 1; 1 is not asked"},
		{Name: "suppress", Form: anonymize.Share(true), Default: "0",
			Doc: "greatest share of the records that may be suppressed, 0 to 1: they become one class that tells no quasi-identifier"},
		{Name: "optimize", Default: loss, Choices: []string{loss, discernibility, classSize, precision},
			Doc: "what the chosen levels are best at: the normalized loss (NCP), the discernibility (C_DM), the average class size, or the precision (levels over heights)"},
	}
}

// readParameters checks the arguments against the declaration and the table.
func readParameters(in *anonymize.Input, given anonymize.Arguments) (c condition, measure string, err error) {
	m := Method()
	arguments, err := m.Resolve(given)
	if err != nil {
		return c, "", err
	}
	if c.k, err = arguments.Integer("k", 1, 1<<30); err != nil {
		return c, "", err
	}
	if c.l, err = arguments.Integer("l", 1, 1<<30); err != nil {
		return c, "", err
	}
	if c.t, err = arguments.Ratio("t", true); err != nil {
		return c, "", err
	}
	share, err := arguments.Ratio("suppress", true)
	if err != nil {
		return c, "", err
	}
	if err := bucketization.CheckInput("fulldomain", in); err != nil {
		return c, "", err
	}
	if c.k > in.Rows {
		return c, "", &anonymize.InfeasibleError{Parameter: "k", Given: anonymize.NewRatio(uint64(c.k), 1),
			Largest: anonymize.NewRatio(uint64(in.Rows), 1), Obstacle: fmt.Sprintf("the table has %d records", in.Rows)}
	}
	c.ordered, c.limit = in.Sensitive[0].IsNumeric(), maxRecordsOf(share, in.Rows)
	if err := c.check(in.Rows, len(in.Sensitive[0].Dictionary)); err != nil {
		return c, "", err
	}
	if c.asked, err = demand.ForAttribute(in, in.Sensitive[0]); err != nil {
		return c, "", err
	}
	return c, arguments["optimize"], bucketization.NewBuckets(in.Sensitive[0], nil).CheckDiversity(c.l)
}

// maxRecordsOf is the greatest number of records that is at most that share.
func maxRecordsOf(share anonymize.Ratio, rows int) int {
	low, high := 0, rows
	for low < high {
		if n := (low + high + 1) / 2; share.Admits(n, rows) {
			low = n
		} else {
			high = n - 1
		}
	}
	return low
}

// promises are what was asked for. A t is promised for the distance that it was
// measured with.
func (c *condition) promises() []anonymize.Promise {
	list := []anonymize.Promise{{Guarantee: "k", Bound: anonymize.NewRatio(uint64(c.k), 1)}}
	if c.l > 1 {
		list = append(list, anonymize.Promise{Guarantee: "l", Bound: anonymize.NewRatio(uint64(c.l), 1)})
	}
	if c.close() {
		name := "t_equal"
		if c.ordered {
			name = "t_ordered"
		}
		list = append(list, anonymize.Promise{Guarantee: name, Bound: c.t})
	}
	return list
}
