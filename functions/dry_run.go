package functions

import (
	"errors"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/functions/options"
	"github.com/anonsql/anonsql/functions/texts"
)

// A trial is a publication that may be a dry run. A refusal of the CALL does not end a dry run, whose owner wants to know the rest, too: it is reported with
// the result.
type trial struct {
	dryRun   bool
	refusals []string
}

// jobKind is the statement's kind in anonsql.jobs.
func (t *trial) jobKind() string {
	if t.dryRun {
		return options.DryRun.Name()
	}
	return "anonymize"
}

// refuse returns err, or in a dry run notes it and returns nil, if it is about the table, its releases or the owner's options.
func (t *trial) refuse(err error) error {
	var data *anonymize.DataError
	var parameter *anonymize.ParameterError
	var numbered *mysql.SQLError
	if !t.dryRun || !errors.As(err, &data) && !errors.As(err, &parameter) && !errors.As(err, &numbered) {
		return err
	}
	if text := err.Error(); !slices.Contains(t.refusals, text) { // a rule may be checked again
		t.refusals = append(t.refusals, text)
	}
	return nil
}

// tellRefusals adds warnings with the refusals of the CALL without dry_run.
func (t *trial) tellRefusals(ctx *sql.Context) {
	for _, text := range t.refusals {
		ctx.Warn(mysql.ERUnknownError, "without dry_run=true this is refused: %s", text)
	}
}

// tellDryRun adds notes with figures that cannot be queried later, since the release is not stored.
func tellDryRun(ctx *sql.Context, r *catalog.ReleaseRecord, guarantees []anonymize.Guarantee, loss string) {
	for _, said := range []struct{ about, text string }{
		{"guarantees", texts.Guarantees(guarantees)}, {"facts", texts.Facts(r.Facts)}, {"utility", loss},
	} {
		if said.text != "" {
			ctx.Warn(mysql.ERUnknownError, "%s: %s", said.about, said.text)
		}
	}
}
