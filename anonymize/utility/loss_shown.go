package utility

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
)

// LossShown is the part of [Loss] that the relations of a release suffice to compute. It omits
// GLP, phi^2 in the table and figures of sensitive cells that are not points. quasi and
// sensitive are names of columns.
//
// Cost: that of Loss without the part about records.
func LossShown(ctx context.Context, r *anonymize.Release, quasi, sensitive []string) (*LossReport, error) {
	report := &LossReport{Shown: true, Attributes: make([]AttributeLoss, len(sensitive))}
	l := &lossOf{release: r, in: &anonymize.Input{}, spans: SpansGroups(r)}
	for _, name := range quasi {
		l.in.QuasiIdentifiers = append(l.in.QuasiIdentifiers, &anonymize.Column{Name: name})
	}
	for i, name := range sensitive {
		if err := l.fillAttribute(ctx, name, &report.Attributes[i]); err != nil {
			return nil, err
		}
	}
	return report, nil
}

// fillAttribute sets the figures of one sensitive attribute.
func (l *lossOf) fillAttribute(ctx context.Context, sensitive string, to *AttributeLoss) error {
	to.Attribute = sensitive
	at, err := l.locate(sensitive)
	if err != nil {
		return err
	}
	if !l.spans && at.column.IsPoint() && l.release.Units == nil {
		c, err := newCohorts(ctx, at, l.in.QuasiIdentifiers, nil)
		if err != nil {
			return err
		}
		to.Probability = c.probability().withoutCounterfeits(l.release).rounded()
	}
	for _, quasi := range l.in.QuasiIdentifiers {
		from, err := l.locate(quasi.Name)
		if err != nil {
			return err
		}
		if len(from.column.Dictionary)*len(at.column.Dictionary) > maxJointCells {
			continue
		}
		after, err := expectedPhiSquared(ctx, l.release, from, at)
		if err != nil {
			return err
		}
		to.Correlations = append(to.Correlations, Correlation{Attribute: quasi.Name, After: forAll(after)})
	}
	return nil
}
