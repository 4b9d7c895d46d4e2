package console

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/quoting"
	"github.com/anonsql/anonsql/report"
)

// A comparison compares the risks and errors of one table's releases, for accounts that may read the table.
type comparison struct {
	Plot *report.Plot // nil if fewer than two were measured by the same questions
	// Risk describes the measure of risk, Questions the questions of the errors.
	Risk      string
	Questions workload
	Releases  []compared
}

// A compared is one of the releases. Number is its point's, 0 if it was not measured.
type compared struct {
	Number             int
	Name, About        string
	Risk, Error        string
	likely, greatest   float64 // the strongest attack, and the greatest share of a value in a group; negative if unknown
	err                float64
	Current, Evaluated bool
}

// risks are the measures of risk for a comparison: the first one that all releases have is used.
var risks = []struct {
	name string
	of   func(compared) float64
}{
	{"mean probability that the strongest measured attacker gives to a person's own value", func(c compared) float64 { return c.likely }},
	{"greatest share of one value in a group", func(c compared) float64 { return c.greatest }},
}

// commonQuestions measure releases that have no common questions yet.
var commonQuestions = workload{"COUNT(*)", "1-3", "500", "1"}

// A workload describes repeatable questions.
type workload struct{ Aggregate, Bands, Queries, Seed string }

// Words describes the workload to readers.
func (w workload) Words() string {
	return fmt.Sprintf("%s random %s queries on %s quasi-identifiers, seed %s", w.Queries, w.Aggregate, w.Bands, w.Seed)
}

// statement returns the call that measures a release.
func (w workload) statement(release string) string {
	call := "CALL evaluate(" + quoting.Text(release) + ", " + quoting.Text("queries="+w.Queries) + ", " +
		quoting.Text("qi="+w.Bands) + ", " + quoting.Text("seed="+w.Seed)
	if of, ok := strings.CutPrefix(w.Aggregate, "SUM("); ok {
		call += ", 'aggregate=sum', " + quoting.Text("of="+strings.TrimSuffix(of, ")"))
	}
	return call + ")"
}

// compare reads a table's releases and their measurements.
func (s *session) compare(ctx context.Context, current, source string) (*comparison, *problem) {
	listed, failed := s.read(
		ctx,
		"SELECT r.name, r.method, r.status, (SELECT MAX(g.achieved) FROM anonsql.guarantees g WHERE g.`release` = r.name AND g.guarantee IN ('definetti', 'learned', 'rank', 'matching')) AS likely, "+
			"(SELECT MAX(1 / g.achieved) FROM anonsql.guarantees g WHERE g.`release` = r.name AND g.guarantee = 'l') AS greatest FROM anonsql.releases r WHERE r.source = ? ORDER BY r.name = ? DESC, r.name LIMIT 20",
		source,
		current,
	)
	if failed != nil {
		return nil, failed
	}
	c := &comparison{}
	for _, row := range listed.Rows {
		c.Releases = append(
			c.Releases,
			compared{
				Name:     row[0].Value,
				About:    row[1].Text + ", " + row[2].Text,
				likely:   numberOr(row[3]),
				greatest: numberOr(row[4]),
				Current:  row[0].Value == current,
			},
		)
	}
	asked, failed := s.list(
		ctx,
		"SELECT e.`release`, e.aggregate, e.qi, e.queries, e.seed, e.median, e.estimator = r.estimator AS own FROM anonsql.evaluations e "+
			"JOIN anonsql.releases r ON r.name = e.`release` AND r.version = e.version WHERE r.source = ? ORDER BY e.evaluated_at",
		source,
	)
	if failed != nil {
		return nil, failed
	}
	c.measure(asked)
	return c, nil
}

// percent writes a share.
func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + "\u00a0%" }

// percentBelow writes a share below 1 as less than 100 %: 99.98 %, where percent would round.
func percentBelow(share float64) string {
	if share < 1 && share >= 0.9995 {
		return strconv.FormatFloat(math.Floor(10000*share)/100, 'f', 2, 64) + "\u00a0%"
	}
	return percent(share)
}

// percentOf writes the share in a cell, which may be NULL.
func percentOf(c cell) string {
	if x := number(c); !math.IsNaN(x) {
		return percent(x)
	}
	return "–"
}

// numberOr parses a number, -1 for none.
func numberOr(c cell) float64 {
	if x := number(c); !math.IsNaN(x) {
		return x
	}
	return -1
}

// measure sets every release's error, as last measured on the most common questions.
func (c *comparison) measure(asked *table) {
	medians := make(map[workload]map[string]cell)
	common := commonQuestions
	for _, row := range asked.Rows {
		if row[6].Value != "1" || row[5].Null {
			continue
		}
		w := workload{row[1].Value, row[2].Value, row[3].Value, row[4].Value}
		if medians[w] == nil {
			medians[w] = make(map[string]cell)
		}
		medians[w][row[0].Value] = row[5]
		if len(medians[w]) > len(medians[common]) {
			common = w
		}
	}
	c.Questions = common
	for i := range c.Releases {
		r := &c.Releases[i]
		if median, ok := medians[common][r.Name]; ok {
			r.Evaluated, r.err, r.Error = true, numberOr(median), percent(numberOr(median))
		}
	}
	c.draw()
}

// draw makes the plot if at least two releases were measured and all have a common risk.
func (c *comparison) draw() {
	for _, risk := range risks {
		var choices []report.Choice
		known := true
		for i := range c.Releases {
			if r := &c.Releases[i]; r.Evaluated {
				x := risk.of(*r)
				known = known && x >= 0
				choices = append(
					choices,
					report.Choice{Number: len(choices) + 1, Name: r.Name, Risk: x, Error: r.err, Link: "/release?" + url.Values{"name": {r.Name}}.Encode()},
				)
			}
		}
		if !known {
			continue
		}
		c.Risk = risk.name
		c.number(risk.of)
		if len(choices) > 1 {
			c.Plot = report.NewPlot("compared", "Median error of answers, by risk", choices)
		}
		return
	}
}

func (c *comparison) number(risk func(compared) float64) {
	number := 0
	for i := range c.Releases {
		r := &c.Releases[i]
		if x := risk(*r); x >= 0 {
			r.Risk = percent(x)
		}
		if r.Evaluated {
			number++
			r.Number = number
		}
	}
}

// measure asks random questions of a release and its raw table, to compare the release with others.
func measure(w http.ResponseWriter, r *http.Request, s *session) {
	name := r.PostForm.Get("name")
	asked := workload{r.PostForm.Get("aggregate"), r.PostForm.Get("qi"), r.PostForm.Get("queries"), r.PostForm.Get("seed")}
	startWork(w, r, s, "Measure "+name, asked.statement(name))
}

// maxRecords bounds the releases whose worst groups a page counts.
const maxRecords = 500_000

// worstGroups returns the ten groups with the greatest share of a sensitive value, from the attribute's relation.
func (s *session) worstGroups(ctx context.Context, relations []question, release, attribute string) (*table, *problem) {
	in := func(relation string) bool { return strings.HasPrefix(relation, release+"_sa") }
	for _, r := range relations {
		if !in(r.About) {
			continue
		}
		t, failed := s.read(ctx, fmt.Sprintf("SELECT v.gid AS `group`, v.value AS %s, v.n AS of_it, g.n AS records, v.n / g.n AS share FROM "+
			"(SELECT gid, %[1]s AS value, SUM(count) AS n FROM %[2]s GROUP BY gid, %[1]s) v JOIN (SELECT gid, SUM(count) AS n FROM %[2]s GROUP BY gid) g ON g.gid = v.gid "+
			"ORDER BY share DESC, g.n, v.gid LIMIT 10", quoting.Name(attribute), published(r.About)))
		if failed == nil {
			return t, nil
		}
		if failed.Number != unknownColumn {
			return nil, failed
		}
	}
	return nil, nil
}

// unknownColumn is MySQL's error number for a missing column.
const unknownColumn = 1054
