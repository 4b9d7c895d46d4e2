package tuning

import (
	"context"

	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/impute"
	"github.com/anonsql/anonsql/anonymize/utility"
)

// answerError returns the mean relative error of the answers that a release gives once it
// is published: imputed where it can be completed, from its fragments where it cannot.
// The completed tables are drawn on one core, since trials are on all of them.
func (o *outcome) answerError(ctx context.Context, w utility.Workload) (float64, error) {
	prepared := estimate.Prepare(o.release)
	if impute.Refuse(o.release) != nil {
		e, err := utility.Evaluate(ctx, prepared, o.table, w, nil, nil)
		if err != nil {
			return 0, err
		}
		return e.Estimate.Mean, nil
	}
	completion, err := impute.Complete(ctx, o.release, impute.Options{Workers: 1})
	if err != nil {
		return 0, err
	}
	tables, err := prepared.WithTables(ctx, completion)
	if err != nil {
		return 0, err
	}
	e, err := utility.EvaluateCompleted(ctx, tables, o.table, w, nil, nil, nil)
	if err != nil {
		return 0, err
	}
	return e.Estimate.Mean, nil
}
