package demo

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/anonsql/anonsql/quoting"
)

// A question is one aggregate over the published view, in total or by a key.
type question struct {
	aggregate string
	key       string // "" for a single figure
	rest      string // WHERE and following clauses; ORDER BY and LIMIT are added
}

// statement returns the analyst's statement.
func (q question) statement() string {
	if q.key == "" {
		return strings.TrimSpace(fmt.Sprintf("SELECT %s FROM published.%s %s", q.aggregate, table, q.rest))
	}
	return fmt.Sprintf("SELECT %s, %s FROM published.%s %s GROUP BY %s ORDER BY 2 DESC LIMIT 5",
		q.key, q.aggregate, table, q.rest, q.key)
}

// withFigures returns the same statement with more figures. Rows keep their order.
func (q question) withFigures(figures string) string {
	wide := q
	wide.aggregate = strings.ReplaceAll(figures, "x", q.aggregate)
	if q.key != "" {
		return strings.Replace(wide.statement(), "ORDER BY 2", "ORDER BY "+q.aggregate, 1)
	}
	return wide.statement()
}

// What is selected with the aggregate x: by the analyst, and by the owner, who alone may.
const (
	intervalFigures = "x, ANON_INTERVAL_LOW(x, 0.95), ANON_INTERVAL_HIGH(x, 0.95)"
	actualFigures   = "x, ANON_ACTUAL(x), ANON_RELATIVE_ERROR(x)"
)

// sampleQuestions are for the bundled sample.
var sampleQuestions = []question{
	{"COUNT(*)", "", ""},
	{"COUNT(*)", "", "WHERE sex = 'Female'"},
	{"COUNT(*)", "", "WHERE age BETWEEN 30 AND 39 AND disease = 'Asthma'"},
	{"COUNT(*)", "", "WHERE age >= 65 AND disease IN ('Hypertension', 'Heart-disease')"},
	{"COUNT(*)", "", "WHERE education LIKE 'B%' AND sex = 'Male' AND hours_per_week > 40"},
	{"COUNT(*)", "", "WHERE (region = 'Nordmark' OR age < 25) AND NOT disease IN ('Allergy', 'Asthma')"},
	{"AVG(income)", "", "WHERE age >= 40 AND sex = 'Female'"},
	{"SUM(hours_per_week)", "", "WHERE workclass <> 'None'"},
	{"AVG(age)", "", "WHERE disease = 'Type-2-diabetes'"},
	{"COUNT(*)", "disease", ""},
	{"COUNT(*)", "disease", "WHERE age >= 60"},
	{"AVG(income)", "disease", "WHERE hours_per_week >= 30"},
}

// ask runs the analyst's part, with the owner comparing.
func ask(ctx context.Context, h *house, t *transcript, p *profile) error {
	t.title("The analyst asks; beside each estimate, the actual value that only the owner can see")
	questions := sampleQuestions
	if !p.bundled {
		var err error
		if questions, err = p.questions(ctx, h.owner); err != nil {
			return err
		}
	}
	for _, q := range questions {
		if err := t.ask(ctx, h, q); err != nil {
			return err
		}
	}
	t.title("How good is that, and why?")
	t.printf("%s", &t.figures)
	var tables int
	if err := h.owner.QueryRowContext(ctx, "SELECT COUNT(*) FROM ANON_UTILITY("+table+") WHERE measure = 'completed_tables'").Scan(&tables); err != nil {
		return err
	}
	t.explain(p, tables > 0)
	t.printf("\nWider than the interval are the hard bounds: no table that agrees with the groups lies outside. Of large groups\n" +
		"little is certain; without size= the bounds are closer, and attackers guess better.")
	return t.show(ctx, h.owner, bounds(p, questions))
}

// bounds returns a question for the least and greatest value consistent with the relations, by
// the sensitive attribute under the first condition used with it.
func bounds(p *profile, asked []question) string {
	sensitive, rest := quoting.Name(p.sensitive), ""
	for _, q := range asked {
		if strings.Trim(q.key, "`") == p.sensitive && q.rest != "" {
			rest = q.rest
			break
		}
	}
	return fmt.Sprintf("SELECT %[1]s, COUNT(*) AS n, ANON_ACTUAL(COUNT(*)) AS actual, ANON_LOW(COUNT(*)) AS least, ANON_HIGH(COUNT(*)) AS greatest "+
		"FROM published.%[2]s %[3]s GROUP BY %[1]s ORDER BY n DESC LIMIT 5", sensitive, table, rest)
}

// explain says in three sentences why the answers have their quality, with completed tables and without.
func (t *transcript) explain(p *profile, completed bool) {
	if !completed {
		t.printf("No relation says whose %[1]s is whose, so inside a group every %[1]s goes with everybody alike.", p.sensitive)
		t.printf("The file is too small for tables to be drawn from what all groups tell together, which needs 1,000 records: a larger one has closer answers.")
		t.printf("The interval has a width that the server chose by random questions when it published.")
		return
	}
	source := "all groups together tell"
	if p.modeled() {
		source = "the model tells, by counts of ten people and more,"
	}
	t.printf("No relation says whose %[1]s is whose, but %[2]s which %[1]s goes with which\nvalues of the other columns.", p.sensitive, source)
	t.printf("The server learned from the relations alone, and drew 12 tables that agree with them: an answer is their mean,\nand its interval says how far they differ.")
	t.printf("Anybody who reads the relations can learn as much, and no answer tells more:")
	t.printf("\"learned\", in ANON_PRIVACY above, is how probable a reader finds the actual %s of a person, on average.", p.sensitive)
}

// ask prints one question with the analyst's estimate and interval, the actual value and the relative error.
func (t *transcript) ask(ctx context.Context, h *house, q question) error {
	fmt.Fprintf(t.out, "analyst> %s;\n", q.statement())
	started := time.Now()
	_, estimates, err := fetch(ctx, h.analyst, q.statement())
	if err != nil {
		return fmt.Errorf("%s: %w", q.statement(), err)
	}
	elapsed := time.Since(started)
	_, intervals, err := fetch(ctx, h.analyst, q.withFigures(intervalFigures))
	if err != nil {
		return fmt.Errorf("%s: %w", q.withFigures(intervalFigures), err)
	}
	_, actual, err := fetch(ctx, h.owner, q.withFigures(actualFigures))
	if err != nil {
		return fmt.Errorf("%s: %w", q.withFigures(actualFigures), err)
	}
	rows := make([][]string, len(estimates))
	for i, row := range estimates {
		if len(intervals) != len(estimates) || len(actual) != len(estimates) {
			return fmt.Errorf("%s: %d, %d and %d rows, asked three times", q.statement(), len(estimates), len(intervals), len(actual))
		}
		at := len(row) - 1 // after the key
		f := figure{row[at], intervals[i][at+1], intervals[i][at+2], actual[i][at+1], actual[i][at+2]}
		if err := t.figures.add(f); err != nil {
			return fmt.Errorf("%s: %w", q.statement(), err)
		}
		rows[i] = append(slices.Clone(row[:at]), f.cells()...)
	}
	header := figureHeader
	if q.key != "" {
		header = append([]string{q.key}, figureHeader...)
	}
	t.table(header, rows)
	fmt.Fprintf(t.out, "(%s)\n\n", elapsed.Round(10*time.Microsecond))
	return nil
}

// questions makes questions for a user's file from its most frequent values.
func (p *profile) questions(ctx context.Context, owner *sql.DB) ([]question, error) {
	top := make(map[string]string)
	for _, column := range append(append([]string(nil), p.quasi...), p.sensitive) {
		var value sql.NullString
		err := owner.QueryRowContext(ctx, fmt.Sprintf("SELECT %[1]s FROM %[2]s.%[3]s WHERE %[1]s IS NOT NULL GROUP BY %[1]s ORDER BY COUNT(*) DESC LIMIT 1",
			quoting.Name(column), database, table)).Scan(&value)
		if err != nil {
			return nil, fmt.Errorf("the most frequent value of %s: %w", column, err)
		}
		top[column] = quoting.Name(column) + " = " + quoting.Text(value.String)
	}
	first, last, sensitive := p.quasi[0], p.quasi[len(p.quasi)-1], p.sensitive
	middle := p.quasi[len(p.quasi)/2]
	all := func(columns ...string) string {
		var conditions []string
		for _, c := range columns {
			if !slices.Contains(conditions, top[c]) {
				conditions = append(conditions, top[c])
			}
		}
		return "WHERE " + strings.Join(conditions, " AND ")
	}
	candidates := []question{
		{"COUNT(*)", "", ""},
		{"COUNT(*)", "", "WHERE " + top[first]},
		{"COUNT(*)", "", "WHERE " + top[sensitive]},
		{"COUNT(*)", "", "WHERE " + top[first] + " AND " + top[sensitive]},
		{"COUNT(*)", "", "WHERE " + top[middle] + " AND " + top[sensitive]},
		{"COUNT(*)", "", all(first, last)},
		{"COUNT(*)", "", all(first, middle, sensitive)},
		{"COUNT(*)", "", "WHERE " + top[first] + " OR " + top[sensitive]},
		{"COUNT(*)", "", "WHERE NOT " + top[middle] + " AND " + top[sensitive]},
		{"COUNT(*)", quoting.Name(sensitive), ""},
		{"COUNT(*)", quoting.Name(sensitive), "WHERE " + top[first]},
		{"COUNT(*)", quoting.Name(first), "WHERE " + top[sensitive]},
		{"COUNT(*)", quoting.Name(middle), "WHERE " + top[sensitive]},
		{"COUNT(" + quoting.Name(sensitive) + ")", "", "WHERE " + top[first]},
		{"COUNT(*)", "", "WHERE NOT (" + top[first] + " OR " + top[sensitive] + ")"},
		{"COUNT(*)", quoting.Name(first), "WHERE NOT " + top[sensitive]},
		{"COUNT(*)", quoting.Name(sensitive), "WHERE NOT " + top[first]},
		{"COUNT(*)", "", "WHERE " + quoting.Name(sensitive) + " IS NULL AND " + top[first]},
	}
	var questions []question
	for _, q := range candidates {
		if len(questions) < len(sampleQuestions) && !slices.Contains(questions, q) {
			questions = append(questions, q)
		}
	}
	return questions, nil
}
