package functions

import (
	"context"
	crand "crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/utility"
	"github.com/anonsql/anonsql/catalog"
)

// fewRows is the number of persons below which a single one may affect the public widths of intervals, and the number of
// records below which the errors of answers are not measured by default.
const fewRows = 1000

// fewUnits reports whether a release has too few units for publishing its widths. An owner who insists gets a warning.
func (e *Environment) fewUnits(ctx *sql.Context, r *anonymize.Release, insists bool) bool {
	units, counted := r.PerUnit().Rows-r.Forged, "records" // a counterfeit is a unit at most
	if r.Units != nil {
		counted = "units"
	}
	if units < fewRows && insists {
		ctx.Warn(mysql.ERUnknownError, "the calibration of a table of %d %s, published with it, says something about each of them; it is left out below %d %s unless calibrate=true",
			units, counted, fewRows, counted)
	}
	return units < fewRows
}

// measureErrors measures the verified release against its table, and stores the result with it: not with calibrate=false, and for a small table only
// if the owner insists.
func (p *publication) measureErrors(ctx *sql.Context) (err error) {
	if p.dryRun || p.calibrate == "false" || p.environment.fewUnits(ctx, p.release, p.calibrate == "true" && !p.Record.Private) && p.calibrate == "" {
		return nil
	}
	p.Record.Calibration, err = p.environment.measureWidths(ctx, p.seed, p.release, p.recoded, p.report)
	return err
}

// measureWidths runs a random workload and everyday questions on a release and on its records. The seed of the workload is not kept,
// since an attacker could use it to find the query behind a quantile.
func (e *Environment) measureWidths(
	ctx *sql.Context, seedText string, r *anonymize.Release, records *anonymize.Microdata, report func(phase string, done, total int),
) (json.RawMessage, error) {
	seed, err := workloadSeed(seedText)
	if err != nil {
		return nil, err
	}
	calibration, err := utility.Calibrate(ctx, r, records, utility.CalibrationOptions{Seed: seed}, func(done, total int) { report("calibrate", done, total) })
	if err != nil {
		return nil, err
	}
	return calibration.Encode()
}

// evaluate runs the default CALL evaluate on a stored release, with its default estimator: not with calibrate=false, for a small table,
// for a release that follows its table, or if completed tables come later. The release is stored whether or not its errors can be
// measured; KILL and a time limit end only the measurement.
func (p *publication) evaluate(ctx *sql.Context) error {
	if p.dryRun || p.calibrate == "false" || p.release.Rows < fewRows || p.follows() || p.Record.AwaitsTables != "" {
		return nil
	}
	view, err := p.environment.Releases.View(ctx, p.stored.Name)
	if err != nil {
		return nil // it was dropped meanwhile
	}
	w := utility.Workload{Queries: 500, AndSensitive: true, Seed: 1} // the workload with which the console compares releases
	w.Low, w.High = 1, 3
	it := &evaluation{environment: p.environment, view: view, workloads: []utility.Workload{w}, estimators: []string{p.stored.Estimator()}}
	behind, release := catalog.AfterCommit(ctx)
	defer release()
	if err := it.measure(ctx.WithContext(behind), p.report); err != nil {
		if cause := context.Cause(behind); cause != nil {
			err = cause
		}
		ctx.Warn(mysql.ERUnknownError, "the release is stored, the errors of its answers are not measured: %s. CALL evaluate('%s') measures them", err, p.stored.Name)
	}
	p.measured = lastEvaluations(it.records, p.stored.Estimator(), sameBand)
	return nil
}

// workloadSeed comes from the system's entropy, or is derived from the owner's seed so that it does not repeat the method's choices.
func workloadSeed(text string) (uint64, error) {
	seed := sha256.Sum256([]byte("calibrate\x00" + text))
	if text == "" {
		if _, err := crand.Read(seed[:]); err != nil {
			return 0, err
		}
	}
	return binary.LittleEndian.Uint64(seed[:]), nil
}
