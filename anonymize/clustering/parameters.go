package clustering

import (
	"context"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/generalization"
)

const (
	fast, exact         = "fast", "exact"
	eachMode, jointMode = "each", "joint"
)

// Size is the first parameter of all these methods.
var Size = anonymize.Int("k", 2, bucketization.MaxRows, "least number of records of a group, at least 2").Positional()

var (
	paramSearch = anonymize.Choice("search", []string{fast, exact},
		"fast: look for the best record only where it can be; exact: look at all records, as the paper does, in quadratic time")
	paramNominal = anonymize.Choice("nominal", []string{eachMode, jointMode},
		"each: in the distance, every nominal quasi-identifier counts like any other; joint: all of them together count like one")
	paramAlpha = anonymize.Share("alpha", "weight of the gain in entropy, 0 to 1").Default("0.6")
	paramBeta  = anonymize.Share("beta", "weight of the distance to the centroid, 0 to 1").Default("0.4")
)

// Common are the last parameters of all these methods.
func Common() []anonymize.Parameter { return anonymize.Declare(paramSearch, paramNominal) }

// Gain are the parameters of the weights of the entropy and the distance.
func Gain() []anonymize.Parameter { return anonymize.Declare(paramAlpha, paramBeta) }

// WeightsOf reads the parameters of Gain.
func WeightsOf(s anonymize.Settings) Weights {
	return Weights{Alpha: paramAlpha.Read(s).Float(), Beta: paramBeta.Read(s).Float()}
}

// IsJoint reports whether all nominal quasi-identifiers count like one.
func IsJoint(s anonymize.Settings) bool { return paramNominal.Read(s) == jointMode }

// IsExact reports whether searches examine all records.
func IsExact(s anonymize.Settings) bool { return paramSearch.Read(s) == exact }

// ReadTask checks the settings against the table. A link-free task requires groups without any
// link between values.
func ReadTask(method string, in *anonymize.Input, s anonymize.Settings, linkFree bool) (*Task, error) {
	if err := bucketization.CheckInput(method, in); err != nil {
		return nil, err
	}
	k := Size.Read(s)
	t, err := NewTask(in, k, IsJoint(s), IsExact(s), rand.New(in.Random))
	if err != nil {
		return nil, err
	}
	if t.LinkFree = linkFree; linkFree {
		return t, t.CheckLinkFree() // its error names no k above the number of records
	}
	return t, bucketization.CheckSize(k, in)
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
	r.Facts = append(generalization.Facts(generalized, groups), m.Facts(t.Catalogue, in)...)
	if t.LinkFree {
		if err := t.promiseLinkFree(r, in.Sensitive[0].Name); err != nil {
			return nil, err
		}
	}
	return r, ctx.Err()
}
