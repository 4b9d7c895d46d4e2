package tuning

import (
	"context"

	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/impute"
	"github.com/anonsql/anonsql/anonymize/utility"
)

// answerError returns the mean relative error of the answers of a published release: imputed if
// it can be completed, else from its fragments. It draws completed tables on one core, because
// trials use all cores.
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
