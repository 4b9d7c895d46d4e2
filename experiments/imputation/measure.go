package imputation

import (
	"context"
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/attack"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/impute"
	"github.com/anonsql/anonsql/anonymize/utility"
)

// An outcome has the measurements of one release.
type outcome struct {
	// independent are the errors of Eq. (11) by kind of question, imputed are those of completed tables.
	independent, imputed []utility.Distribution
	// learned is the mean probability that the learner gives to the actual value.
	learned float64
}

// attacked is the number of records that the learner attacks: it gives a mean probability with a standard error of
// .006.
const attacked = 3000

// measure publishes the table by a method, and asks both estimators and the learner.
func (p *publisher) measure(ctx context.Context, a arm, l int) (*outcome, error) {
	in, err := anonymize.NewInput(p.table, p.roles, p.Random("release", uint64(l)))
	if err != nil {
		return nil, err
	}
	truth := attack.Truth{QuasiIdentifiers: in.QuasiIdentifiers, Sensitive: in.Sensitive[0]}
	in.Assigned = func(gids []uint32) { truth.GroupOf = gids }
	r, err := a.method.Run(ctx, in, a.argumentsFor(l))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.label, err)
	}
	completion, err := impute.Complete(ctx, r, impute.Options{Tables: p.tables})
	if err != nil {
		return nil, err
	}
	tables, err := estimate.Prepare(r).WithTables(ctx, completion)
	if err != nil {
		return nil, err
	}
	o := &outcome{}
	for i, kind := range kinds() {
		w := utility.Workload{
			Queries:     p.queries(l),
			Low:         kind.low,
			High:        kind.high,
			Selectivity: kind.selectivity,
			Seed:        p.Random("queries", uint64(i)).Uint64(),
		}
		independent, err := utility.Evaluate(ctx, tables.Prepared(), p.table, w, nil, nil)
		if err != nil {
			return nil, err
		}
		imputed, err := utility.EvaluateCompleted(ctx, tables, p.table, w, nil, nil, nil)
		if err != nil {
			return nil, err
		}
		o.independent, o.imputed = append(o.independent, independent.Estimate), append(o.imputed, imputed.Estimate)
	}
	result, err := attack.Learned(ctx, r, truth, attack.Options{Sample: attacked, Random: p.Random("attack")})
	if err != nil {
		return nil, err
	}
	o.learned = result.Mean
	return o, nil
}
