package functions

import (
	"errors"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/functions/options"
	"github.com/anonsql/anonsql/functions/texts"
)

// A trial is a publication that may be a dry run. What would refuse the CALL does not end a dry run, whose owner wants to know the rest, too: it is told with
// the result.
type trial struct {
	dryRun   bool
	refusals []error
}

// jobKind is what anonsql.jobs calls the statement.
func (t *trial) jobKind() string {
	if t.dryRun {
		return options.DryRun.Name()
	}
	return "anonymize"
}

// refuse returns an error that ends the statement: err, but for a dry run's that is about the table, its releases or what the owner has said.
func (t *trial) refuse(err error) error {
	var data *anonymize.DataError
	var parameter *anonymize.ParameterError
	var numbered *mysql.SQLError
	if !t.dryRun || !errors.As(err, &data) && !errors.As(err, &parameter) && !errors.As(err, &numbered) {
		return err
	}
	t.refusals = append(t.refusals, err)
	return nil
}

// tellRefusals warns of what refuses the CALL without dry_run.
func (t *trial) tellRefusals(ctx *sql.Context) {
	for _, err := range t.refusals {
		ctx.Warn(mysql.ERUnknownError, "without dry_run=true this is refused: %s", err.Error())
	}
}

// tellDryRun notes what nobody can ask later of a release that is not stored.
func tellDryRun(ctx *sql.Context, r *catalog.ReleaseRecord, guarantees []anonymize.Guarantee, loss string) {
	for _, said := range []struct{ about, text string }{
		{"guarantees", texts.Guarantees(guarantees)}, {"facts", texts.Facts(r.Facts)}, {"utility", loss},
	} {
		if said.text != "" {
			ctx.Warn(mysql.ERUnknownError, "%s: %s", said.about, said.text)
		}
	}
}
