package functions

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/report"
)

// oneValueOf computes from the relations the share of records that have a single possible sensitive value for an attacker who knows their quasi-identifiers:
// one line for every sensitive attribute with such records and without noise. Counterfeits count as records, since they are indistinguishable.
func oneValueOf(ctx context.Context, release *anonymize.Release, sensitive []string) ([]anonymize.Guarantee, error) {
	risks, err := report.RiskOf(ctx, release, sensitive)
	if err != nil {
		return nil, err
	}
	var found []anonymize.Guarantee
	for _, risk := range risks {
		share := risk.AtLeast(1)
		if risk.Attribute == "" || share == 0 || release.Model.Hides(risk.Attribute) {
			continue
		}
		detail := fmt.Sprintf("%s: %.0f of %.0f %s are left with one value: who knows their quasi-identifiers knows it",
			risk.Attribute, math.Round(share*risk.Records), math.Round(risk.Records), risk.Unit)
		found = append(found, fact(report.OneValue, share, detail))
	}
	return found, nil
}

// warnOfConcerns warns the owner as the report's first page does, with the same severity: a warning is a red line there, a note a remark.
// About a stored release it returns no error, which would say that nothing is stored.
func warnOfConcerns(ctx *sql.Context, release *anonymize.Release, record *catalog.ReleaseRecord, measured []report.Evaluation, stored bool) error {
	found, err := report.Concerns(ctx, release, record.Sensitive, slices.Concat(record.Guarantees, record.Sequence), record.Facts, measured)
	for _, c := range found {
		warnOfConcern(ctx, c)
	}
	if err != nil && stored {
		ctx.Warn(mysql.ERUnknownError, "the release is stored; its other warnings are missing (%v): CALL report shows them", err)
		return nil
	}
	return err
}

func warnOfConcern(ctx *sql.Context, c report.Concern) {
	level := "Note"
	if c.Severe {
		level = "Warning"
	}
	ctx.Session.Warn(&sql.Warning{Level: level, Code: mysql.ERUnknownError, Message: c.Sentence()})
}
