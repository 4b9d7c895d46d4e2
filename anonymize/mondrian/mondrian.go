package mondrian

import (
	"context"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/demand"
	"github.com/anonsql/anonsql/anonymize/generalization"
)

// Method returns Mondrian as a method of the list.
func Method() anonymize.Method {
	return anonymize.Method{
		Name:       "mondrian",
		Title:      "Mondrian: multidimensional generalization with k-anonymity, l-diversity and t-closeness",
		Source:     "LeFevre, DeWitt, Ramakrishnan, Mondrian Multidimensional k-Anonymity, ICDE 2006",
		Parameters: anonymize.Declare(paramK, paramL, paramT, paramMode, anonymize.Threshold, anonymize.Sets, bucketization.SensitiveMode),
		Share:      bucketization.OneIn(paramL),
		Nodes:      func(s anonymize.Settings) bool { return paramMode.Read(s) != local },
		Algorithm:  bucketization.OrAlone(anonymizeTable),
	}
}

var (
	paramK = anonymize.Int("k", 1, bucketization.MaxRows, "least number of records of an equivalence class, at least 1").Positional()
	paramL = anonymize.Int("l", 1, bucketization.MaxRows,
		"l-diversity: no sensitive value in more than floor(m/l) of the m records of a class; 1: no bound").Default("1").Positional()
	paramT = anonymize.Share("t",
		"t-closeness: greatest distance between the distributions of sensitive values in a class and in the table, 0 to 1; 1: no bound").Default("1")
	paramMode = anonymize.Choice("mode", []string{local, strict, relaxed},
		"local: local recoding, with classes as small as k and l allow, and sets and ranges as cells; strict, relaxed: cuts at medians, with nodes of "+
			"taxonomies as cells; strict keeps records with the same value together at a cut, relaxed may divide them")
)

const local, strict, relaxed = "local", "strict", "relaxed"

func anonymizeTable(ctx context.Context, in *anonymize.Input, settings anonymize.Settings) (*anonymize.Release, error) {
	if err := bucketization.CheckSeveral("mondrian", in); err != nil {
		return nil, err
	}
	p := readParameters(in, settings)
	if p.combined {
		return bucketization.Combined(ctx, in, func(in *anonymize.Input) (*anonymize.Release, error) { return anonymizeTable(ctx, in, settings) })
	}
	if err := p.feasible(in); err != nil {
		return nil, err
	}
	var err error
	seen := in
	if p.T.Num >= p.T.Den {
		seen = bucketization.ByClass(in)
	}
	if p.Asked, err = demand.OfEach(seen, seen.Sensitive); err != nil {
		return nil, err
	}
	attributes, err := generalization.AttributesOf(in, !p.local)
	if err != nil {
		return nil, err
	}
	random := rand.New(in.Random)
	classes, err := p.partition(ctx, seen, attributes, random)
	if err != nil {
		return nil, err
	}
	// Cuts ignore requirements on tuples, on attributes that are combined here, and on values that count as one.
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

// publish makes the release: cells of the quasi-identifiers with the sensitive values, or
// tuples of several.
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

// parameters are the checked arguments of one run.
type parameters struct {
	Condition
	local, relaxed bool
	// combined treats several sensitive attributes as one.
	combined bool
}

func readParameters(in *anonymize.Input, s anonymize.Settings) *parameters {
	mode := paramMode.Read(s)
	return &parameters{
		Condition: Condition{K: paramK.Read(s), L: paramL.Read(s), T: paramT.Read(s)},
		local:     mode == local,
		relaxed:   mode == relaxed,
		combined:  bucketization.IsCombined(in, s),
	}
}

// feasible tests the condition on the whole table as one class. If that fails, every division
// does: shares in a union of classes are means of those in the classes, for every sensitive
// attribute separately.
func (p *parameters) feasible(in *anonymize.Input) error {
	if err := bucketization.CheckSize(p.K, in); err != nil {
		return err
	}
	return bucketization.NewEach(in).MostConcentrated().CheckDiversity(p.L)
}

// promises returns the requested promises for every sensitive attribute. t is promised for the
// distance with which it was measured.
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
