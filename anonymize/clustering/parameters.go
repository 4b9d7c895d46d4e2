package clustering

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/generalization"
)

const (
	fast, exact         = "fast", "exact"
	eachMode, jointMode = "each", "joint"
)

// Size is the parameter that all these methods have first.
func Size() anonymize.Parameter {
	return anonymize.Parameter{Name: "k", Form: anonymize.WholeForm(2, 1<<30), Positional: true, Doc: "least number of records of a group, at least 2"}
}

// Common are the parameters that all these methods have last.
func Common() []anonymize.Parameter {
	return []anonymize.Parameter{
		{Name: "search", Default: fast, Choices: []string{fast, exact},
			Doc: "for the best record, look where it can be, or at all records as the paper does: quadratic"},
		{Name: "nominal", Default: eachMode, Choices: []string{eachMode, jointMode},
			Doc: "in the distance, each nominal quasi-identifier counts like any other, or all of them together like one"},
	}
}

// Gain are the parameters of the weights of the entropy and the distance.
func Gain() []anonymize.Parameter {
	return []anonymize.Parameter{
		{Name: "alpha", Form: anonymize.Share(true), Default: "0.6", Doc: "weight of the gain in entropy, 0 to 1"},
		{Name: "beta", Form: anonymize.Share(true), Default: "0.4", Doc: "weight of the distance to the centroid, 0 to 1"},
	}
}

// ReadGain reads them.
func ReadGain(arguments anonymize.Arguments) (w Weights, err error) {
	for name, to := range map[string]*float64{"alpha": &w.Alpha, "beta": &w.Beta} {
		r, err := arguments.Ratio(name, true)
		if err != nil {
			return w, err
		}
		*to = r.Float()
	}
	return w, nil
}

// NoLinks is the choice of a parameter links that asks for groups without any link.
const NoLinks = "none"

// ReadTask checks the common parameters, resolved, and the table; links too, which
// not every method has.
func ReadTask(method string, in *anonymize.Input, arguments anonymize.Arguments) (*Task, error) {
	k, err := arguments.Integer("k", 2, 1<<30)
	if err != nil {
		return nil, err
	}
	if err := bucketization.CheckInput(method, in); err != nil {
		return nil, err
	}
	t, err := NewTask(in, k, arguments["nominal"] == jointMode, arguments["search"] == exact, rand.New(in.Random))
	if err != nil {
		return nil, err
	}
	if t.LinkFree = arguments["links"] == NoLinks; t.LinkFree {
		return t, t.CheckLinkFree() // which names no k above the number of records
	}
	if k > in.Rows {
		return nil, &anonymize.InfeasibleError{Parameter: "k", Given: anonymize.NewRatio(uint64(k), 1),
			Largest: anonymize.NewRatio(uint64(in.Rows), 1), Obstacle: fmt.Sprintf("the table has %d records", in.Rows)}
	}
	return t, nil
}

// Publish makes the release of groups: generalized quasi-identifiers, sensitive
// values as they are, the promise of k, the measures as facts. A link-free task
// promises l as well, with l = k, for a group has no value twice; and that no
// group has synonyms, which is checked here on what is to be published.
func Publish(ctx context.Context, method string, in *anonymize.Input, t *Task, groups *bucketization.Partition) (*anonymize.Release, error) {
	attributes, err := generalization.NewSetAttributes(in)
	if err != nil {
		return nil, err
	}
	in.Report("fragments", 0, 1)
	r, generalized, err := generalization.Publish(ctx, method, in, attributes, groups, groups, t.Random)
	if err != nil {
		return nil, err
	}
	r.Promises = []anonymize.Promise{{Guarantee: "k", Bound: anonymize.NewRatio(uint64(t.K), 1)}}
	m := Measure(t.Space, t.Catalogue, t.Value, groups)
	m.LinkFree = t.LinkFree
	r.Facts = append(generalization.Facts(generalized, groups), m.Facts(t.Catalogue, in.Sensitive[0])...)
	if t.LinkFree {
		if err := t.promiseLinkFree(r, in.Sensitive[0].Name); err != nil {
			return nil, err
		}
	}
	return r, ctx.Err()
}
