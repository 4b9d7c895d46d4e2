package dynamic

import (
	"context"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/clustering"
	"github.com/anonsql/anonsql/anonymize/drasl"
)

// sealed calls Sealed for a release that promises k. If the previous version is not given, it derives it from the private side.
func sealed(ctx context.Context, live *anonymize.Live, changed *anonymize.Changed, o Options) (*Outcome, error) {
	if o.Promises == nil {
		k, err := anonymize.ParseRatio(o.Arguments["k"])
		if err != nil {
			return nil, err
		}
		o.Promises = []anonymize.Promise{{Guarantee: "k", Bound: k}}
	}
	if o.Before == nil {
		var err error
		if o.Before, err = releaseOf(ctx, live, o); err != nil {
			return nil, err
		}
	}
	return Sealed(ctx, live, changed, o)
}

// releaseOf publishes the groups of a Live as package clustering does, under their numbers.
func releaseOf(ctx context.Context, live *anonymize.Live, o Options) (*anonymize.Release, error) {
	s := &state{Options: o, pool: live.Columns}
	if err := s.load(live); err != nil {
		return nil, err
	}
	published := s.recordsWhere((*record).published)
	in := s.input(published)
	in.Random, in.Progress = rand.NewPCG(1, 1), nil
	var gidOf []uint32
	in.Assigned = func(of []uint32) { gidOf = of }
	task, err := clustering.NewTask(in, 2, false, false, rand.New(in.Random))
	if err != nil {
		return nil, err
	}
	r, err := clustering.Publish(context.WithoutCancel(ctx), o.Method.Name, in, task, s.partition(published))
	if err != nil {
		return nil, err
	}
	origins := make([]bucketization.Origin, r.Groups())
	for i, p := range published {
		origins[s.records[p].group] = bucketization.Origin{Group: int(gidOf[i])}
	}
	return bucketization.Unite([]*anonymize.Release{r}, origins)
}

// methodOf is drasl or dpp.
func methodOf(name string) anonymize.Method {
	if name == "dpp" {
		return clustering.DPP()
	}
	return drasl.Method()
}
