package fulldomain

import (
	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/demand"
)

var (
	paramK = anonymize.Int("k", 1, bucketization.MaxRows, "least number of records of an equivalence class, at least 1").Positional()
	paramL = anonymize.Int("l", 1, bucketization.MaxRows,
		"l-diversity: no sensitive value in more than floor(m/l) of the m records of a class; 1: no bound").Default("1").Positional()
	paramT = anonymize.Share("t",
		"t-closeness: greatest distance between the distributions of sensitive values in a class and in the table, 0 to 1; 1: no bound").Default("1")
	paramSuppress = anonymize.Share("suppress",
		"greatest share of the records that may be suppressed, 0 to 1: suppressed records form one class that shows no quasi-identifiers").Default("0")
	paramOptimize = anonymize.Choice("optimize", []string{loss, discernibility, classSize, precision},
		"the measure by which levels are chosen: the normalized loss (NCP), the discernibility (C_DM), the average class size, or the precision "+
			"(levels over heights)")
)

// readCondition checks the settings against the table.
func readCondition(in *anonymize.Input, s anonymize.Settings) (c condition, err error) {
	c.k, c.l, c.t = paramK.Read(s), paramL.Read(s), paramT.Read(s)
	if err := bucketization.CheckInput("fulldomain", in); err != nil {
		return c, err
	}
	if err := bucketization.CheckSize(c.k, in); err != nil {
		return c, err
	}
	c.ordered, c.limit = in.Sensitive[0].IsNumeric(), maxRecordsOf(paramSuppress.Read(s), in.Rows)
	if err := c.check(in.Rows, len(in.Sensitive[0].Dictionary)); err != nil {
		return c, err
	}
	if c.asked, err = demand.ForAttribute(in, in.Sensitive[0]); err != nil {
		return c, err
	}
	return c, bucketization.NewBuckets(in.Sensitive[0], nil).CheckDiversity(c.l)
}

// maxRecordsOf returns the greatest number of records that does not exceed the share.
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

// promises returns the requested promises. t is promised for the distance with which it was
// measured.
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
