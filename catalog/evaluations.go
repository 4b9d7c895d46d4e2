package catalog

import (
	"context"
	dbsql "database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
)

// An EvaluationRecord is the measured relative error of an estimator of a release on one band of a workload.
type EvaluationRecord struct {
	// Estimator is the measured one: Imputed or Independent.
	Estimator string
	// Of is the attribute that the queries add up; "" if they count.
	Of string `json:",omitempty"`
	// Average says that they ask for its AVG.
	Average   bool `json:",omitempty"`
	Low, High int  // quasi-identifiers per query
	Queries   int
	Seed      uint64
	Mean      float64
	Median    float64
	P95       float64
	Zero      int // excluded queries: actual answer 0, or an AVG without an answer
	Estimates int `json:",omitempty"` // answers behind Coverage; 0 in older records
	// Coverage of the 95 percent interval; nil if the estimator has none, or if every answer was exact.
	Coverage *float64 `json:",omitempty"`
	// Width is the mean half width of these intervals relative to the actual answer; nil if Coverage is, and in older records.
	Width *float64 `json:",omitempty"`
	// Bounds is the error of the hard bounds; nil in older records.
	Bounds *BoundsRecord `json:",omitempty"`
	// UncorrectedMean and UncorrectedMedian are for estimates that take counterfeits for records; nil for a release without counterfeits.
	UncorrectedMean   *float64 `json:",omitempty"`
	UncorrectedMedian *float64 `json:",omitempty"`
	Evaluated         time.Time
}

// A BoundsRecord describes (upper - lower) / actual over the queries of a band. Held is the
// share of queries whose bounds contain the actual answer.
type BoundsRecord struct{ Mean, Median, P95, Held float64 }

// Aggregate returns what the queries ask.
func (e EvaluationRecord) Aggregate() string {
	if e.Of == "" {
		return "COUNT(*)"
	}
	if e.Average {
		return "AVG(" + e.Of + ")"
	}
	return "SUM(" + e.Of + ")"
}

// StoreEvaluations stores measured errors with a release, all or none. It fails if the release was dropped meanwhile.
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

// Evaluations returns the measured errors of a release, oldest first; none if the account may not read the raw table.
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
			if record.Estimator == "" { // older than the second estimator
				record.Estimator = Independent
			}
			records = append(records, record)
		}
		return rows.Err()
	})
	return records, err
}

// evaluationRows shows measured errors only to accounts that may read the raw table, because they say something about it.
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

// Added returns the columns that later versions appended to Row: mean and median of the uncorrected error, estimator, and mean half width.
func (e EvaluationRecord) Added() sql.Row {
	return sql.Row{optional(e.UncorrectedMean), optional(e.UncorrectedMedian), e.Estimator, optional(e.Width)}
}

// optional returns NULL for nil.
func optional(v *float64) any {
	if v == nil {
		return nil
	}
	return *v
}

// Row returns an evaluation as users see it: aggregate, quasi-identifiers, queries; mean, median and 95th percentile of the estimate's error;
// share of queries with actual answer 0; coverage; mean, median and 95th percentile of the bounds' error, and the share of queries whose bounds
// held.
func (e EvaluationRecord) Row() sql.Row {
	row := sql.Row{e.Aggregate(), fmt.Sprintf("%d-%d", e.Low, e.High), int32(e.Queries), e.Mean, e.Median, e.P95, float64(e.Zero) / float64(e.Queries),
		optional(e.Coverage)}
	if e.Bounds == nil {
		return append(row, nil, nil, nil, nil)
	}
	return append(row, e.Bounds.Mean, e.Bounds.Median, e.Bounds.P95, e.Bounds.Held)
}
