package catalog

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/raw"
)

// A release with a noisy model reveals something about every record's sensitive value, at most epsilon. The epsilons of several releases of
// a table add up (Dwork, Kenthapadi, McSherry, Mironov and Naor, "Our Data, Ourselves", 2006, Theorem 1: sequential composition) if they
// protect the same unit: an epsilon per row costs a patient as many times that as the patient has rows. The ledger remembers what was
// spent, even by deleted releases and tables, and refuses a publication that would exceed the owner's limit.
//
// Every stored release spends, even a private one, because its files can be exported. Dry runs and failed publications
// spend nothing: only users with access to the raw table see their figures, and their noise is discarded.

// A Spending is the epsilon and the delta that a publication's model spends for one sensitive attribute.
type Spending struct {
	Sensitive string
	Epsilon   anonymize.Ratio // above 0
	Delta     anonymize.Ratio // zero for Laplace noise
	// Unit is the name of the unit's columns, ascending ([UnitName]); "" if every row is a person.
	Unit string
}

// UnitName returns the name of a unit in the ledger.
func UnitName(columns []string) string {
	return strings.Join(slices.Sorted(slices.Values(columns)), ", ")
}

// A Budget is what releases of a table have spent for a sensitive attribute.
type Budget struct {
	// Spent is the sum of epsilons, Deltas that of deltas: both compose additively (Dwork et al. 2006, Theorem 1).
	Spent, Deltas *big.Rat
	// Limit is the owner's limit for the table.
	Limit anonymize.Ratio
	// Releases is the number of releases that have spent, with their versions.
	Releases int
	// others are the units of releases that protect other units; the sums exclude their epsilons.
	others []string
}

// left returns what may still be spent, at least 0.
func (b *Budget) left() *big.Rat {
	left := new(big.Rat).Sub(b.Limit.Rat(), b.Spent)
	if left.Sign() < 0 {
		left.SetInt64(0)
	}
	return left
}

// A pastSpending is a row of the ledger.
type pastSpending struct {
	source    origin
	column    int64 // its permanent number, 0 if unknown
	sensitive string
	lastName  string // of the column when its table lost a name, or ""
	release   string
	version   int
	epsilon   anonymize.Ratio
	delta     anonymize.Ratio
	unit      string
}

// EpsilonBudget returns the budget, for a unit, of a sensitive attribute of the table of a release that exists or is planned. A table that
// was dropped and reloaded under the same name counts as the same table, and so does a renamed one: the data are the same to an attacker.
func (r *Releases) EpsilonBudget(ctx *sql.Context, record *ReleaseRecord, sensitive, unit string) (*Budget, error) {
	past, err := r.pastSpendings(ctx)
	if err != nil {
		return nil, err
	}
	b := &Budget{Spent: new(big.Rat), Deltas: new(big.Rat)}
	var former []int64
	sames := make(map[origin]bool)
	column := r.columnNumber(record.SourceTable, sensitive)
	for _, s := range past {
		same, known := sames[s.source]
		if !known {
			if same, err = r.sameSource(ctx, s.source, record.source()); err != nil {
				return nil, err
			}
			if sames[s.source] = same; same {
				former = append(former, s.source.table)
			}
		}
		named := strings.EqualFold(s.sensitive, sensitive) || strings.EqualFold(s.lastName, sensitive)
		switch {
		case !same || !named && (s.column == 0 || s.column != column || s.source.table != record.SourceTable):
		case !strings.EqualFold(s.unit, unit):
			b.others = append(b.others, s.unit)
		default:
			b.Spent.Add(b.Spent, s.epsilon.Rat())
			b.Deltas.Add(b.Deltas, s.delta.Rat())
			b.Releases++
		}
	}
	b.Limit, err = r.catalog.EpsilonLimit(record.SourceTable, former)
	return b, err
}

// spentColumn returns the permanent number of the column for which a publication spends; 0 for none.
func (r *Releases) spentColumn(p *Publication, record *ReleaseRecord) int64 {
	if p.Spends == nil {
		return 0
	}
	return r.columnNumber(record.SourceTable, p.Spends.Sensitive)
}

// columnNumber returns the permanent number of a table's column, which survives renames; 0 if the table or column is not here.
func (r *Releases) columnNumber(table int64, name string) (number int64) {
	_ = r.catalog.Read(context.Background(), func(w *raw.Work) error {
		if t := w.TableByID(table); t != nil {
			column, _ := t.Column(name)
			number = column.ID
		}
		return nil
	})
	return number
}

// refuseOverspent refuses a publication beyond the owner's limit.
func (r *Releases) refuseOverspent(ctx *sql.Context, record *ReleaseRecord, p *Publication) error {
	spends := p.Spends
	if spends == nil {
		return nil
	}
	b, err := r.EpsilonBudget(ctx, record, spends.Sensitive, spends.Unit)
	if err != nil {
		return err
	}
	if len(b.others) > 0 && !p.AllowComposition {
		return &anonymize.ParameterError{Parameter: "model_epsilon", Value: spends.Epsilon.Text(), Rule: fmt.Sprintf(
			"cannot be added to what releases of %s.%s have spent of %s: they protect %s each, this one %s, and nobody knows what is left of a limit. "+
				"Say the same unit=, or allow_composition=true at your risk",
			record.Database, record.Table, spends.Sensitive, nameOfUnit(b.others[0]), nameOfUnit(spends.Unit))}
	}
	if spends.Epsilon.Rat().Cmp(b.left()) <= 0 {
		return nil
	}
	enough := new(big.Rat).Add(b.Spent, spends.Epsilon.Rat())
	return &anonymize.ParameterError{Parameter: "model_epsilon", Value: spends.Epsilon.Text(), Rule: fmt.Sprintf(
		"must be at most %s: epsilons of all releases of %s.%s add up, %d of them have spent %s of %s, and the limit is %s. "+
			"CALL set_attributes('%s.%s', 'epsilon_limit=%s') raises it",
		decimal(b.left()), record.Database, record.Table, b.Releases, decimal(b.Spent), spends.Sensitive, b.Limit.Text(),
		record.Database, record.Table, decimal(enough))}
}

// refuseOverspent is an admission rule.
func (a *Admission) refuseOverspent(ctx *sql.Context, _ *releaseSnapshot) error {
	return a.releases.refuseOverspent(ctx, &a.publication.Record, a.publication)
}

// nameOfUnit describes whom a release protects.
func nameOfUnit(unit string) string {
	if unit == "" {
		return "a row"
	}
	return "a " + unit
}

// decimal returns a number with at most six decimal places, or as a fraction if that is not exact.
func decimal(x *big.Rat) string {
	text := strings.TrimSuffix(strings.TrimRight(x.FloatString(6), "0"), ".")
	if told, ok := new(big.Rat).SetString(text); ok && told.Cmp(x) == 0 {
		return text
	}
	return x.RatString()
}

// checkSpending verifies that a publication spends exactly what its model says.
func (p *Publication) checkSpending(model *anonymize.Model) error {
	var spends Spending
	if model.IsNoisy() {
		spends = Spending{Sensitive: model.Sensitive, Epsilon: model.Epsilon, Delta: model.Delta}
	}
	if p.Spends != nil {
		spends.Unit = p.Spends.Unit // the model does not say it
	}
	switch {
	case p.Spends == nil && spends.Epsilon.Num > 0:
		return errors.New("a release whose model has noise spends its epsilon")
	case p.Spends != nil && *p.Spends != spends:
		return fmt.Errorf("the publication spends epsilon %s and delta %s of %s, its model %s and %s of %s",
			p.Spends.Epsilon, p.Spends.Delta, p.Spends.Sensitive, spends.Epsilon, spends.Delta, spends.Sensitive)
	}
	return nil
}

// recordSpending stores what a release spends, in the transaction that stores the release.
func (p *Publication) recordSpending(ctx context.Context, tx *dbsql.Conn, record *ReleaseRecord, column int64) error {
	if p.Spends == nil {
		return nil
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO epsilon_spent (table_id, database, name, column_id, sensitive, release, version, epsilon, delta, unit, spent)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, record.SourceTable, record.Database, record.Table, column, p.Spends.Sensitive,
		record.Name, record.Version, p.Spends.Epsilon.Text(), p.Spends.Delta.Text(), p.Spends.Unit, record.Published.Format(time.RFC3339))
	return err
}

// pastSpendings returns the committed ones, even if the session has an older snapshot.
func (r *Releases) pastSpendings(ctx *sql.Context) (past []pastSpending, err error) {
	err = r.catalog.View(ctx.Context, func(tx *dbsql.Conn) error {
		past, err = readSpendings(ctx, tx)
		return err
	})
	return past, err
}

func readSpendings(ctx context.Context, tx *dbsql.Conn) (past []pastSpending, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT table_id, database, name, column_id, sensitive, last_name, unit, release, version, epsilon, delta FROM epsilon_spent ORDER BY id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		s, epsilon, delta := pastSpending{}, "", ""
		err := rows.Scan(&s.source.table, &s.source.name.database, &s.source.name.table, &s.column,
			&s.sensitive, &s.lastName, &s.unit, &s.release, &s.version, &epsilon, &delta)
		if err != nil {
			return nil, err
		}
		if s.epsilon, err = anonymize.ParseRatio(epsilon); err != nil || s.epsilon.Num == 0 {
			return nil, fault.Damaged("what release "+s.release+" has spent", fmt.Errorf("epsilon is %q, must be a number above 0", epsilon))
		}
		if s.delta, err = anonymize.ParseRatio(delta); err != nil {
			return nil, fault.Damaged("what release "+s.release+" has spent", fmt.Errorf("delta is %q, must be a number", delta))
		}
		past = append(past, s)
	}
	return past, rows.Err()
}

// epsilonRows returns the rows of anonsql.epsilon: the epsilon spent, by unit, on each
// sensitive attribute of the tables that the account may read, including deleted ones.
func (r *Releases) epsilonRows(ctx *sql.Context) ([]sql.Row, error) {
	past, err := r.pastSpendings(ctx)
	if err != nil {
		return nil, err
	}
	var rows []sql.Row
	for _, s := range past {
		if !r.mayRead(ctx, s.source) {
			continue
		}
		name := r.presentName(ctx, s.source)
		line := sql.Row{name.database, name.table, s.sensitive, s.unit}
		same := func(x, y any) bool { return strings.EqualFold(x.(string), y.(string)) }
		if slices.ContainsFunc(rows, func(row sql.Row) bool { return slices.EqualFunc(row[:len(line)], line, same) }) {
			continue
		}
		present := &ReleaseRecord{SourceTable: s.source.table, Database: name.database, Table: name.table}
		if t, err := r.catalog.RawTable(ctx, name.database, name.table); err == nil {
			present.SourceTable = t.ID() // it may have been dropped and loaded again
		}
		b, err := r.EpsilonBudget(ctx, present, s.sensitive, s.unit)
		if err != nil {
			return nil, err
		}
		spent, _ := b.Spent.Float64()
		deltas, _ := b.Deltas.Float64()
		rows = append(rows, append(line, int32(b.Releases), spent, b.Limit.Float(), deltas))
	}
	return rows, nil
}
