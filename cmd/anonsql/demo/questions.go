package demo

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A question is one aggregate over the published view, alone or per key.
type question struct {
	aggregate string
	key       string // "" for one figure
	rest      string // WHERE and what follows; ORDER BY and LIMIT come by themselves
}

// statement is what the analyst sends.
func (q question) statement() string {
	if q.key == "" {
		return strings.TrimSpace(fmt.Sprintf("SELECT %s FROM published.%s %s", q.aggregate, table, q.rest))
	}
	return fmt.Sprintf("SELECT %s, %s FROM published.%s %s GROUP BY %s ORDER BY 2 DESC LIMIT 5",
		q.key, q.aggregate, table, q.rest, q.key)
}

// comparison is the same statement with the truth, for the owner.
func (q question) comparison() string {
	figures := fmt.Sprintf("%[1]s, ANON_ACTUAL(%[1]s), ANON_RELATIVE_ERROR(%[1]s)", q.aggregate)
	c := q
	c.aggregate = figures
	if q.key != "" {
		return strings.Replace(c.statement(), "ORDER BY 2", "ORDER BY "+q.aggregate, 1)
	}
	return c.statement()
}

// sampleQuestions are asked of the bundled people.
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
	{"AVG(income)", "education", "WHERE hours_per_week >= 30"},
}

// ask plays the analyst's part, with the owner looking over the shoulder.
func ask(ctx context.Context, h *house, t *transcript, p *profile) error {
	t.title("The analyst asks; beside each estimate, the truth that only the owner can see")
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
	if !p.bundled {
		return nil
	}
	t.say("Why is that close? No relation says whose disease is whose, but thousands of groups together say which diseases go with which ages.")
	t.say("The server learned that from the relations alone, and drew 12 tables that agree with them; an answer is their mean.")
	t.say("Who reads the relations can learn the same: \"learned\", above, is how much of the diseases a reader would guess.")
	t.say("How sure is it? Beside the truth an interval, made from the relations alone, and bounds that hold always:")
	return t.show(ctx, h.owner, "SELECT disease, COUNT(*) AS n, ANON_ACTUAL(COUNT(*)) AS actual, ANON_INTERVAL_LOW(COUNT(*), 0.95) AS low_95, ANON_INTERVAL_HIGH(COUNT(*), 0.95) AS high_95, "+
		"ANON_LOW(COUNT(*)) AS least, ANON_HIGH(COUNT(*)) AS greatest FROM published."+table+" WHERE age >= 60 GROUP BY disease ORDER BY n DESC LIMIT 5")
}

// ask prints one question with estimate, actual value and relative error. The
// estimate printed is the analyst's own answer.
func (t *transcript) ask(ctx context.Context, h *house, q question) error {
	fmt.Fprintf(t.out, "analyst> %s;\n", q.statement())
	started := time.Now()
	_, estimates, err := fetch(ctx, h.analyst, q.statement())
	if err != nil {
		return fmt.Errorf("%s: %w", q.statement(), err)
	}
	elapsed := time.Since(started)
	_, compared, err := fetch(ctx, h.owner, q.comparison())
	if err != nil {
		return fmt.Errorf("%s: %w", q.comparison(), err)
	}
	if len(compared) != len(estimates) {
		return fmt.Errorf("%s: %d rows for the analyst, %d for the owner", q.statement(), len(estimates), len(compared))
	}
	header := []string{"estimate", "actual", "relative error"}
	if q.key != "" {
		header = append([]string{q.key}, header...)
	}
	rows := make([][]string, len(compared))
	for i, row := range compared {
		figure := len(row) - 3
		rows[i] = append(append(append([]string(nil), row[:figure]...), estimates[i][len(estimates[i])-1]), row[figure+1:]...)
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
			identifier(column), database, table)).Scan(&value)
		if err != nil {
			return nil, fmt.Errorf("the most frequent value of %s: %w", column, err)
		}
		top[column] = identifier(column) + " = " + quoted(value.String)
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
		{"COUNT(*)", identifier(sensitive), ""},
		{"COUNT(*)", identifier(sensitive), "WHERE " + top[first]},
		{"COUNT(*)", identifier(first), "WHERE " + top[sensitive]},
		{"COUNT(*)", identifier(middle), "WHERE " + top[sensitive]},
		{"COUNT(" + identifier(sensitive) + ")", "", "WHERE " + top[first]},
		{"COUNT(*)", "", "WHERE NOT (" + top[first] + " OR " + top[sensitive] + ")"},
		{"COUNT(*)", identifier(first), "WHERE NOT " + top[sensitive]},
		{"COUNT(*)", identifier(sensitive), "WHERE NOT " + top[first]},
		{"COUNT(*)", "", "WHERE " + identifier(sensitive) + " IS NULL AND " + top[first]},
	}
	var questions []question
	for _, q := range candidates {
		if len(questions) < len(sampleQuestions) && !slices.Contains(questions, q) {
			questions = append(questions, q)
		}
	}
	return questions, nil
}

func identifier(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
