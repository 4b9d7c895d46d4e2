package bucketization

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// An Algorithm anonymizes like that of an [anonymize.Method].
type Algorithm = func(ctx context.Context, in *anonymize.Input, settings anonymize.Settings) (*anonymize.Release, error)

// OrAlone extends an algorithm to tables without a sensitive attribute: k-anonymity as of Samarati and Sweeney 1998. The algorithm sees one
// with the same value in every record, whose fragment is not published. A bound on sensitive values is an *anonymize.ParameterError.
func OrAlone(algorithm Algorithm) Algorithm {
	return func(ctx context.Context, in *anonymize.Input, settings anonymize.Settings) (*anonymize.Release, error) {
		if len(in.Sensitive) > 0 {
			return algorithm(ctx, in, settings)
		}
		if err := checkAlone(in); err != nil {
			return nil, err
		}
		same := *in
		same.Sensitive = []*anonymize.Column{{Dictionary: []anonymize.Value{anonymize.TextValue("")}, Codes: make([]uint32, in.Rows)}}
		r, err := algorithm(ctx, &same, settings)
		if infeasible, ok := errors.AsType[*anonymize.InfeasibleError](err); ok && infeasible.Parameter != "k" {
			return nil, boundsNothing(infeasible.Parameter, infeasible.Given)
		}
		if err != nil {
			return nil, err
		}
		r.Fragments = slices.DeleteFunc(r.Fragments, func(f *anonymize.Fragment) bool { return f.Role == anonymize.Sensitive })
		for _, p := range r.Promises {
			if !ofClasses(p) {
				return nil, boundsNothing(p.Guarantee, p.Bound)
			}
		}
		return r, nil
	}
}

func checkAlone(in *anonymize.Input) error {
	for _, p := range in.Asked {
		if !ofClasses(p) {
			return boundsNothing(p.Guarantee, p.Bound)
		}
	}
	return nil
}

// ofClasses reports whether a promise is about quasi-identifiers alone.
func ofClasses(p anonymize.Promise) bool { return p.Guarantee == "k" || p.Guarantee == "size" }

func boundsNothing(parameter string, bound anonymize.Ratio) error {
	return &anonymize.ParameterError{Parameter: parameter, Value: bound.Text(),
		Rule: fmt.Sprintf("which bounds sensitive values, and no sensitive attribute is given: say sa=column, or leave %s out", parameter)}
}
