package catalog

import (
	"context"
	dbsql "database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
)

// An EvaluationRecord is the measured relative error of an estimator of a release on
// one band of a workload.
type EvaluationRecord struct {
	// Estimator was asked: Imputed or Independent.
	Estimator string
	// Of is the attribute that the queries add up; "": they count.
	Of string `json:",omitempty"`
	// Average says that they ask its AVG.
	Average   bool `json:",omitempty"`
	Low, High int  // quasi-identifiers per query
	Queries   int
	Seed      uint64
	Mean      float64
	Median    float64
	P95       float64
	Zero      int // queries with actual answer 0, or an AVG without an answer, not counted
	Estimates int `json:",omitempty"` // answers that Coverage is of; 0 in what was stored before they were counted
	// Coverage of the 95 percent interval; nil when the estimator has none, or every
	// answer was exact.
	Coverage *float64 `json:",omitempty"`
	// Width is the mean half width of these intervals by the actual answer; nil as
	// Coverage is, and in what was stored before it was measured.
	Width *float64 `json:",omitempty"`
	// Bounds is the error of the hard bounds; nil in what was stored before they
	// were measured.
	Bounds *BoundsRecord `json:",omitempty"`
	// UncorrectedMean and UncorrectedMedian are of estimates that take the
	// counterfeits of a release for records; nil for a release without.
	UncorrectedMean   *float64 `json:",omitempty"`
	UncorrectedMedian *float64 `json:",omitempty"`
	Evaluated         time.Time
}

// A BoundsRecord describes (upper - lower) / actual over the queries of a band,
// and the share of queries whose bounds had the actual answer.
type BoundsRecord struct{ Mean, Median, P95, Held float64 }

// Aggregate is what the queries ask.
func (e EvaluationRecord) Aggregate() string {
	if e.Of == "" {
		return "COUNT(*)"
	}
	if e.Average {
		return "AVG(" + e.Of + ")"
	}
	return "SUM(" + e.Of + ")"
}

// StoreEvaluations keeps measured errors with a release, all or none. A release
// that was dropped meanwhile is an error.
func (r *Releases) StoreEvaluations(ctx *sql.Context, p *Published, records []EvaluationRecord) error {
	unlock, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock() // no release goes while its evaluations come
	return r.catalog.Update(ctx, func(tx *dbsql.Conn) error {
		var found int
		if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM releases WHERE id = ?`, p.record.ID).Scan(&found); err != nil {
			return err
		}
		if found == 0 {
			return fmt.Errorf("release %s was dropped or replaced while it was evaluated", p.record.Name)
		}
		for _, record := range records {
			text, err := json.Marshal(record)
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `INSERT INTO evaluations (release_id, record) VALUES (?, ?)`, p.record.ID, string(text)); err != nil {
				return err
			}
		}
		return nil
	})
}

// Evaluations returns the measured errors of a release, oldest first; none to an
// account that may not read the raw table.
func (r *Releases) Evaluations(ctx *sql.Context, p *Published) ([]EvaluationRecord, error) {
	if !r.mayReadSource(ctx, p.record) {
		return nil, nil
	}
	return r.evaluations(ctx, p.record.ID)
}

// evaluations returns the stored evaluations of a release, oldest first.
func (r *Releases) evaluations(ctx context.Context, release int64) (records []EvaluationRecord, err error) {
	err = r.catalog.View(ctx, func(tx *dbsql.Conn) error {
		rows, err := tx.QueryContext(ctx, `SELECT record FROM evaluations WHERE release_id = ? ORDER BY id`, release)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var text string
			var record EvaluationRecord
			if err := rows.Scan(&text); err != nil {
				return err
			}
			if err := json.Unmarshal([]byte(text), &record); err != nil {
				return err
			}
			if record.Estimator == "" { // stored before there was another one
				record.Estimator = Independent
			}
			records = append(records, record)
		}
		return rows.Err()
	})
	return records, err
}

// evaluationRows: measured errors say something about the raw table, so they
// are for those who may read it.
func (r *Releases) evaluationRows(ctx *sql.Context) ([]sql.Row, error) {
	var rows []sql.Row
	for _, p := range r.All(ctx) {
		if !r.mayReadSource(ctx, p.record) {
			continue
		}
		records, err := r.evaluations(ctx, p.record.ID)
		if err != nil {
			return nil, err
		}
		for _, e := range records {
			row := append(sql.Row{p.record.Name, int32(p.record.Version)}, e.Row()...)
			row = append(row, e.Seed, e.Evaluated)
			rows = append(rows, append(row, e.Added()...))
		}
	}
	return rows, nil
}

// Added is what users see of an evaluation since later versions, behind all else: mean
// and median of the uncorrected error, estimator, and mean half width.
func (e EvaluationRecord) Added() sql.Row {
	return sql.Row{optional(e.UncorrectedMean), optional(e.UncorrectedMedian), e.Estimator, optional(e.Width)}
}

// optional is NULL for nil.
func optional(v *float64) any {
	if v == nil {
		return nil
	}
	return *v
}

// Row is an evaluation as users see it: aggregate, quasi-identifiers, queries;
// mean, median, 95th percentile of the estimate's error; share of queries with
// actual answer 0; coverage; mean, median, 95th percentile of the bounds' error,
// and the share of queries whose bounds held.
func (e EvaluationRecord) Row() sql.Row {
	row := sql.Row{e.Aggregate(), fmt.Sprintf("%d-%d", e.Low, e.High), int32(e.Queries), e.Mean, e.Median, e.P95, float64(e.Zero) / float64(e.Queries), nil}
	if e.Coverage != nil {
		row[len(row)-1] = *e.Coverage
	}
	if e.Bounds == nil {
		return append(row, nil, nil, nil, nil)
	}
	return append(row, e.Bounds.Mean, e.Bounds.Median, e.Bounds.P95, e.Bounds.Held)
}
