package mondrian

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/generalization"
)

// Method returns Mondrian as a method of the list.
func Method() anonymize.Method {
	return anonymize.Method{
		Name:   "mondrian",
		Title:  "Mondrian: multidimensional generalization with k-anonymity, l-diversity and t-closeness",
		Source: "LeFevre, DeWitt, Ramakrishnan, Mondrian Multidimensional k-Anonymity, ICDE 2006",
		Parameters: []anonymize.Parameter{
			{Name: "k", Positional: true, Doc: "least number of records of an equivalence class, at least 1"},
			{Name: "l", Default: "1", Positional: true,
				Doc: "l-diversity: no sensitive value in more than floor(m/l) of the m records of a class; 1 is not asked"},
			{Name: "t", Default: "1",
				Doc: "t-closeness: greatest distance of a class's sensitive values to the table's, 0 to 1; 1 is not asked"},
			{Name: "mode", Default: strict, Choices: []string{strict, relaxed},
				Doc: "records of one value stay together at a cut, or may be divided at the median"},
		},
		Run: anonymizeTable,
	}
}

const strict, relaxed = "strict", "relaxed"

func anonymizeTable(ctx context.Context, in *anonymize.Input, arguments anonymize.Arguments) (*anonymize.Release, error) {
	condition, mode, err := readParameters(in, arguments)
	if err != nil {
		return nil, err
	}
	attributes, err := generalization.NewAttributes(in)
	if err != nil {
		return nil, err
	}
	random := rand.New(in.Random)
	in.Report("partition", 0, in.Rows)
	classes, err := Partition(ctx, attributes, in.Sensitive[0].Codes, len(in.Sensitive[0].Dictionary), condition, mode == relaxed, random,
		func(done, total int) { in.Report("partition", done, total) })
	if err != nil {
		return nil, err
	}
	in.Report("fragments", 0, 1)
	r, generalized, err := generalization.Publish(ctx, "mondrian", in, attributes, classes, classes, random)
	if err != nil {
		return nil, err
	}
	r.Promises = promises(condition)
	r.Facts = generalization.Facts(generalized, classes)
	return r, nil
}

// readParameters checks the arguments against the declaration and the table.
func readParameters(in *anonymize.Input, given anonymize.Arguments) (c Condition, mode string, err error) {
	m := Method()
	arguments, err := m.Resolve(given)
	if err != nil {
		return c, "", err
	}
	if c.K, err = arguments.Integer("k", 1, 1<<30); err != nil {
		return c, "", err
	}
	if c.L, err = arguments.Integer("l", 1, 1<<30); err != nil {
		return c, "", err
	}
	if c.T, err = arguments.Ratio("t", true); err != nil {
		return c, "", err
	}
	if err := bucketization.CheckInput("mondrian", in); err != nil {
		return c, "", err
	}
	if c.K > in.Rows {
		return c, "", &anonymize.InfeasibleError{Parameter: "k", Given: anonymize.NewRatio(uint64(c.K), 1),
			Largest: anonymize.NewRatio(uint64(in.Rows), 1), Obstacle: fmt.Sprintf("the table has %d records", in.Rows)}
	}
	c.Ordered = in.Sensitive[0].IsNumeric()
	return c, arguments["mode"], bucketization.NewBuckets(in.Sensitive[0], nil).CheckDiversity(c.L)
}

// promises are what was asked for. A t is promised for the distance that it was
// measured with.
func promises(c Condition) []anonymize.Promise {
	list := []anonymize.Promise{{Guarantee: "k", Bound: anonymize.NewRatio(uint64(c.K), 1)}}
	if c.L > 1 {
		list = append(list, anonymize.Promise{Guarantee: "l", Bound: anonymize.NewRatio(uint64(c.L), 1)})
	}
	if c.T.Num < c.T.Den {
		name := "t_equal"
		if c.Ordered {
			name = "t_ordered"
		}
		list = append(list, anonymize.Promise{Guarantee: name, Bound: c.T})
	}
	return list
}
