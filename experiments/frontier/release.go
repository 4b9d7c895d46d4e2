package frontier

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/quoting"
)

// name is the name of every release here. Each one is private, and dropped after measuring.
const name = "frontier_trial"

// A Bench is a server's table with the questions to ask every release of it.
type Bench struct {
	Server *sql.DB
	// Name of the table, database.table.
	Name      string
	Table     *Table
	questions []*question
}

// NewBench reads a table. The last attribute is sensitive.
func NewBench(ctx context.Context, server *sql.DB, table string, attributes []Attribute) (*Bench, error) {
	t, err := ReadTable(ctx, server, table, attributes)
	if err != nil {
		return nil, err
	}
	if t.Rows == 0 {
		return nil, fmt.Errorf("%s has no records", table)
	}
	return &Bench{server, table, t, t.questions(rand.New(rand.NewPCG(1, 1)))}, nil
}

// Release publishes by a method with arguments, such as "anatomy l=5 size=50", and measures the release.
func (b *Bench) Release(ctx context.Context, statement string) (*Point, error) {
	p := &Point{Name: "`" + statement + "`"}
	var err error
	if p.Seconds, err = b.publish(ctx, strings.Fields(statement)); err != nil {
		return nil, fmt.Errorf("%s: %w", statement, err)
	}
	defer b.Server.ExecContext(context.WithoutCancel(ctx), "CALL drop_release(?)", name)
	if p.Attacks, err = b.attacks(ctx); err != nil {
		return nil, err
	}
	if p.Attacks["rank"], err = b.rank(ctx, statement); err != nil {
		return nil, fmt.Errorf("%s: rank: %w", statement, err)
	}
	p.Errors, err = judge(ctx, b.questions, b.ask)
	return p, err
}

// Synthetic measures another tool's table.
func (b *Bench) Synthetic(ctx context.Context, tool string, records *Table) (*Point, error) {
	errors, err := judge(ctx, b.questions, records.asked(b.Table.Rows))
	return &Point{Name: tool, Errors: errors}, err
}

// publish publishes a release, and returns the time that this took.
func (b *Bench) publish(ctx context.Context, words []string) (seconds float64, err error) {
	var quasi []string
	for _, a := range b.Table.Attributes[:b.Table.sensitive()] {
		quasi = append(quasi, a.Name)
	}
	arguments := append([]string{b.Name}, words...)
	arguments = append(arguments, "qi="+strings.Join(quasi, ","), "sa="+b.Table.Attributes[b.Table.sensitive()].Name,
		"publish="+name, "private=true", "replace=true")
	rows, err := b.Server.QueryContext(ctx, "CALL anonymize("+quoting.Texts(arguments...)+")")
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return 0, err
	}
	into := make([]any, len(columns))
	for i, column := range columns {
		into[i] = new(sql.RawBytes)
		if column == "seconds" {
			into[i] = &seconds
		}
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return 0, err
		}
	}
	return seconds, rows.Err()
}

var aboveShares = regexp.MustCompile(`above 0\.5 for ([0-9.]+) of the records, above 0\.9 for ([0-9.]+)`)

// attacks reads the attacks in ANON_PRIVACY, by name.
func (b *Bench) attacks(ctx context.Context) (map[string]Attack, error) {
	rows, err := b.Server.QueryContext(ctx, "SELECT guarantee, achieved, detail FROM ANON_PRIVACY("+name+") WHERE required IS NULL AND detail IS NOT NULL")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := make(map[string]Attack)
	for rows.Next() {
		var guarantee, detail string
		a := unmeasured
		if err := rows.Scan(&guarantee, &a.Mean, &detail); err != nil {
			return nil, err
		}
		if shares := aboveShares.FindStringSubmatch(detail); shares != nil {
			a.AboveHalf, _ = strconv.ParseFloat(shares[1], 64) // the pattern matches digits only
			a.Above90, _ = strconv.ParseFloat(shares[2], 64)
		}
		all[guarantee] = a
	}
	return all, rows.Err()
}

// ask asks the release one question, in one statement.
func (b *Bench) ask(ctx context.Context, q *question) (map[string]answer, error) {
	figure := "COUNT(*)"
	if q.average >= 0 {
		figure = "AVG(" + quoting.Name(b.Table.Attributes[q.average].Name) + ")"
	}
	var keys, places []string
	for i, c := range q.columns {
		keys, places = append(keys, fmt.Sprintf("%s AS k%d", b.Table.Attributes[c].expression(), i)), append(places, strconv.Itoa(i+1))
	}
	statement := fmt.Sprintf("SELECT %s, %s, ANON_INTERVAL_LOW(%[2]s), ANON_INTERVAL_HIGH(%[2]s) FROM published.%s GROUP BY %s",
		strings.Join(keys, ", "), figure, name, strings.Join(places, ", "))
	rows, err := b.Server.QueryContext(ctx, statement)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", statement, err)
	}
	defer rows.Close()
	return readAnswers(rows, len(q.columns))
}

// readAnswers reads rows with keys, an estimate and its interval.
func readAnswers(rows *sql.Rows, columns int) (map[string]answer, error) {
	all, key := make(map[string]answer), make([]sql.NullString, columns)
	var figures [3]sql.NullFloat64
	into := []any{&figures[0], &figures[1], &figures[2]}
	for i := range key {
		into = append(into[:i], append([]any{&key[i]}, into[i:]...)...)
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		texts := make([]string, columns)
		for i, k := range key {
			texts[i] = k.String
		}
		a := answer{figures[0].Float64, math.NaN(), math.NaN()}
		if figures[1].Valid && figures[2].Valid {
			a.low, a.high = figures[1].Float64, figures[2].Float64
		}
		all[join(texts)] = a
	}
	return all, rows.Err()
}
