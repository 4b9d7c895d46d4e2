package mondrian

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/demand"
	"github.com/anonsql/anonsql/anonymize/generalization"
)

// Method returns Mondrian as a method of the list.
func Method() anonymize.Method {
	return anonymize.Method{
		Name:   "mondrian",
		Title:  "Mondrian: multidimensional generalization with k-anonymity, l-diversity and t-closeness",
		Source: "LeFevre, DeWitt, Ramakrishnan, Mondrian Multidimensional k-Anonymity, ICDE 2006",
		Parameters: []anonymize.Parameter{
			{Name: "k", Form: anonymize.WholeForm(1, 1<<30), Positional: true, Doc: "least number of records of an equivalence class, at least 1"},
			{Name: "l", Form: anonymize.WholeForm(1, 1<<30), Default: "1", Positional: true,
				Doc: "l-diversity: no sensitive value in more than floor(m/l) of the m records of a class; 1 is not asked"},
			{Name: "t", Form: anonymize.Share(true), Default: "1",
				Doc: "t-closeness: greatest distance of a class's sensitive values to the table's, 0 to 1; 1 is not asked"},
			{Name: "mode", Default: local, Choices: []string{local, strict, relaxed},
				Doc: "local: local recoding, classes as small as k and l allow, with sets and ranges for cells; strict and relaxed: medians, with nodes " +
					"of taxonomies for cells, records of one value stay together at a cut, or may be divided"},
			bucketization.SensitiveMode(),
		},
		Run: anonymizeTable,
	}
}

const local, strict, relaxed = "local", "strict", "relaxed"

func anonymizeTable(ctx context.Context, in *anonymize.Input, arguments anonymize.Arguments) (*anonymize.Release, error) {
	p, err := readParameters(in, arguments)
	if err != nil {
		return nil, err
	}
	if p.combined {
		return bucketization.Combined(ctx, in, func(in *anonymize.Input) (*anonymize.Release, error) { return anonymizeTable(ctx, in, arguments) })
	}
	if err := p.feasible(in); err != nil {
		return nil, err
	}
	if p.Asked, err = demand.OfEach(in, in.Sensitive); err != nil {
		return nil, err
	}
	attributes, err := p.attributes(in)
	if err != nil {
		return nil, err
	}
	random := rand.New(in.Random)
	classes, err := p.partition(ctx, in, attributes, random)
	if err != nil {
		return nil, err
	}
	// Cuts do not know what is asked of tuples, nor of attributes that are one here.
	classes, kept, err := demand.KeepNear(ctx, in, classes, random)
	if err != nil {
		return nil, err
	}
	in.Report("fragments", 0, 1)
	r, generalized, err := publish(ctx, in, attributes, classes, random)
	if err != nil {
		return nil, err
	}
	r.Promises = p.promises(in)
	r.Facts = append(generalization.Facts(generalized, classes), kept...)
	return r, nil
}

// attributes are as the mode asks.
func (p *parameters) attributes(in *anonymize.Input) ([]*generalization.Attribute, error) {
	if p.local {
		return generalization.NewSetAttributes(in)
	}
	return generalization.NewAttributes(in)
}

func (p *parameters) partition(
	ctx context.Context,
	in *anonymize.Input,
	attributes []*generalization.Attribute,
	random *rand.Rand,
) (*bucketization.Partition, error) {
	in.Report("partition", 0, in.Rows)
	if p.local {
		return PartitionLocal(ctx, attributes, in.Sensitive, p.Condition, random, in.Report)
	}
	return PartitionEach(ctx, attributes, in.Sensitive, p.Condition, p.relaxed, random,
		func(done, total int) { in.Report("partition", done, total) })
}

// publish makes the release: cells of the quasi-identifiers beside the sensitive
// values, tuples of them where there are several.
func publish(ctx context.Context, in *anonymize.Input, attributes []*generalization.Attribute, classes *bucketization.Partition,
	random *rand.Rand) (*anonymize.Release, []*generalization.Generalized, error) {
	if len(in.Sensitive) == 1 {
		return generalization.Publish(ctx, "mondrian", in, attributes, classes, classes, random)
	}
	tuples, err := bucketization.Combine(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	r, generalized, err := generalization.Publish(ctx, "mondrian", tuples.Input, attributes, classes, classes, random)
	if err != nil {
		return nil, nil, err
	}
	return r, generalized, tuples.Publish(r)
}

// parameters are the arguments of one run, checked.
type parameters struct {
	Condition
	local, relaxed bool
	// combined: several sensitive attributes are to be one.
	combined bool
}

// readParameters checks the arguments against the declaration.
func readParameters(in *anonymize.Input, given anonymize.Arguments) (p parameters, err error) {
	m := Method()
	arguments, err := m.Resolve(given)
	if err != nil {
		return p, err
	}
	if p.K, err = arguments.Integer("k", 1, 1<<30); err != nil {
		return p, err
	}
	if p.L, err = arguments.Integer("l", 1, 1<<30); err != nil {
		return p, err
	}
	if p.T, err = arguments.Ratio("t", true); err != nil {
		return p, err
	}
	p.local, p.relaxed, p.combined = arguments["mode"] == local, arguments["mode"] == relaxed, bucketization.IsCombined(in, arguments)
	return p, bucketization.CheckSeveral("mondrian", in)
}

// feasible asks the condition of the whole table as one class. If it does not
// meet it, no division does: shares in a union of classes are means of those in
// the classes, for every sensitive attribute by itself.
func (p *parameters) feasible(in *anonymize.Input) error {
	if p.K > in.Rows {
		return &anonymize.InfeasibleError{Parameter: "k", Given: anonymize.NewRatio(uint64(p.K), 1),
			Largest: anonymize.NewRatio(uint64(in.Rows), 1), Obstacle: fmt.Sprintf("the table has %d records", in.Rows)}
	}
	each, err := bucketization.NewEach(in.Sensitive, anonymize.Ratio{})
	if err != nil {
		return err
	}
	return each.MostConcentrated().CheckDiversity(p.L)
}

// promises are what was asked for, of every sensitive attribute. A t is promised
// for the distance that it was measured with.
func (p *parameters) promises(in *anonymize.Input) []anonymize.Promise {
	list := []anonymize.Promise{{Guarantee: "k", Bound: anonymize.NewRatio(uint64(p.K), 1)}}
	for _, c := range in.Sensitive {
		var of []anonymize.Promise
		if p.L > 1 {
			of = append(of, anonymize.Promise{Guarantee: "l", Bound: anonymize.NewRatio(uint64(p.L), 1)})
		}
		if p.T.Num < p.T.Den {
			name := "t_equal"
			if c.IsNumeric() {
				name = "t_ordered"
			}
			of = append(of, anonymize.Promise{Guarantee: name, Bound: p.T})
		}
		if len(in.Sensitive) > 1 {
			of = bucketization.PromisedOf(of, c.Name)
		}
		list = append(list, of...)
	}
	return list
}
