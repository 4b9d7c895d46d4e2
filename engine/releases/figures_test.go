package releases_test

import (
	dbsql "database/sql"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/enginetest"
)

var (
	benchmarkCopies    = flag.Int("copies", 1, "how often BenchmarkImputed has the records of UCI Adult in its table")
	benchmarkMethod    = flag.String("method", "'anatomy', 'l=5'", "the method of BenchmarkImputed, and its parameters")
	benchmarkQuestions = flag.Int("questions", 14, "how many questions of every kind BenchmarkImputed asks")
	benchmarkHere      = flag.Bool("here", true, "BenchmarkImputed reads and imputes the table as well")
)

// adultColumns are those of UCI Adult that BenchmarkImputed publishes; the last is sensitive.
var adultColumns = []string{"age", "workclass", "education", "marital_status", "race", "sex", "hours_per_week", "native_country", "occupation"}

// adult makes a table of the complete records of UCI Adult, several copies of each.
func adult(t testing.TB, c *enginetest.Cluster, schema string, copies int) (records int) {
	t.Helper()
	file, err := os.Open(anontest.AdultPath(t))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var list, texts []string
	for i, name := range adultColumns {
		typ := "varchar"
		if name == "age" || name == "hours_per_week" {
			typ = "integer"
		}
		list = append(list, fmt.Sprintf("CAST(p[%d] AS %s) AS %s", i+1, typ, name))
	}
	for _, row := range rows[1:] {
		var values []string
		for _, name := range adultColumns {
			values = append(values, strings.TrimSpace(row[slices.Index(rows[0], name)]))
		}
		if !slices.Contains(values, "?") {
			texts = append(texts, strings.Join(values, ";"))
		}
	}
	begin := "CREATE TABLE " + schema + ".adult AS "
	for chunk := range slices.Chunk(texts, 8000) {
		run(t, c, fmt.Sprintf("%sSELECT %s FROM (SELECT split(line, ';') AS p FROM UNNEST(split('%s', '|')) AS t(line)) CROSS JOIN UNNEST(sequence(1, %d))",
			begin, strings.Join(list, ", "), strings.Join(chunk, "|"), copies))
		begin = "INSERT INTO " + schema + ".adult "
	}
	return copies * len(texts)
}

// A figure is an estimate with its interval and standard error, and what it is of.
type figure struct{ estimate, low, high, deviation, truth float64 }

// student is the factor of a standard error in an interval of 95 percent, with twelve completed tables.
const student = 2.201

// figuresOf asks a release for an aggregate by occupation under conditions, and computes the truth.
func figuresOf(t testing.TB, db *dbsql.DB, release, aggregate, where string) map[string]figure {
	t.Helper()
	found := make(map[string]figure)
	rows, err := tries(db, fmt.Sprintf("SELECT occupation, COUNT(*), %[1]s, ANON_INTERVAL_LOW(%[1]s), ANON_INTERVAL_HIGH(%[1]s), ANON_STDERR(%[1]s), ANON_ACTUAL(%[1]s), ANON_ACTUAL(COUNT(*)) FROM published.%[2]s WHERE %[3]s GROUP BY occupation",
		aggregate, release, where))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		parts := strings.Split(row, "|")
		var values [7]float64
		for i, part := range parts[1:] {
			if values[i], err = strconv.ParseFloat(part, 64); err != nil {
				values[i] = math.NaN()
			}
		}
		if values[6] >= 100*float64(*benchmarkCopies) { // copies of a record tell no more than one does
			found[parts[0]] = figure{values[1], values[2], values[3], values[4], values[5]}
		}
	}
	return found
}

// accuracy reports the relative errors of figures, and how many are in their intervals.
func accuracy(b *testing.B, what string, all []figure) {
	b.Helper()
	var errors []float64
	sum, held, width, spread := 0.0, 0.0, 0.0, 0.0
	for _, f := range all {
		off := math.Abs(f.estimate-f.truth) / math.Abs(f.truth)
		errors, sum = append(errors, off), sum+off
		if f.low <= f.truth && f.truth <= f.high {
			held++
		}
		width += (f.high - f.low) / 2 / math.Abs(f.truth)
		spread += student * f.deviation / math.Abs(f.truth)
	}
	slices.Sort(errors)
	n := float64(len(all))
	b.Logf("%s: %d figures, relative error median %.4f, mean %.4f, p90 %.4f; %.3f in their intervals, half width %.3f, without misfit %.3f",
		what, len(all), errors[len(errors)/2], sum/n, errors[len(errors)*9/10], held/n, width/n, spread/n)
}

// completing matches the statements that draw completed tables.
var completing = regexp.MustCompile(`^(?:CREATE TABLE|INSERT INTO) [^ ]*_(?:weights|imputed)"`)

// spentSince is what the engine has spent on statements about a schema, in processor seconds: on completed tables, and on all others.
func spentSince(b *testing.B, c *enginetest.Cluster, schema string, began time.Time) (completed, others float64) {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://"+strings.Split(strings.TrimPrefix(c.URL, "trino://anonsql@"), "/")[0]+"/v1/query", nil)
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("X-Trino-User", "anonsql")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	var list []struct {
		Query      string
		QueryStats struct {
			CreateTime                 time.Time
			TotalCPUTime               string
			PeakTotalMemoryReservation string
		}
	}
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil {
		b.Fatal(err)
	}
	for _, q := range list {
		if q.QueryStats.CreateTime.Before(began) || !strings.Contains(q.Query, schema) {
			continue
		}
		of, err := time.ParseDuration(q.QueryStats.TotalCPUTime)
		if err != nil {
			b.Fatal(err)
		}
		if completing.MatchString(q.Query) {
			completed += of.Seconds()
			b.Logf("%s: %.1f processor seconds, %s of memory, %d characters", completing.FindString(q.Query), of.Seconds(), q.QueryStats.PeakTotalMemoryReservation, len(q.Query))
		} else {
			others += of.Seconds()
		}
	}
	return completed, others
}

// BenchmarkImputed publishes the same records twice, here and in an engine, both with completed tables, and compares what questions are answered. It needs ANONSQL_ADULT:
//
//	go test -run '^$' -bench Imputed -benchtime 1x -v ./engine/releases -copies 1 -method "'slppa', 'beta=0.2', 'tables=2'"
//
// -here=false leaves out what is read here, and -questions says how many questions are asked: what a million records cost (docs/scale.md) needs few.
// The cluster is one of its own, compiled for speed, if ANONSQL_ENGINE_URL names none. Copies of a record are records of their own.
func BenchmarkImputed(b *testing.B) {
	var c *enginetest.Cluster
	if os.Getenv("ANONSQL_ENGINE_URL") == "" {
		var err error
		if c, err = enginetest.Launch(enginetest.Options{Optimised: true, Heap: min(7000, max(1000, 60**benchmarkCopies))}); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(c.Kill)
	} else {
		c = enginetest.Need(b)
	}
	schema := schemas(b, c)
	records := adult(b, c, schema, *benchmarkCopies)
	options := fmt.Sprintf("%s, 'qi=%s', 'sa=%s'", *benchmarkMethod, strings.Join(adultColumns[:len(adultColumns)-1], ","), adultColumns[len(adultColumns)-1])
	for _, where := range []string{"here", "engine"} {
		b.Run(where, func(b *testing.B) {
			limit := 0
			if where == "engine" {
				limit = 10_000
			} else if !*benchmarkHere {
				b.Skip("-here=false")
			}
			for b.Loop() {
				f := serve(b, c.URL, schema, limit)
				began := time.Now()
				query(b, f.owner, "CALL anonymize('trino.%s.adult', %s, 'publish=adult')", schema, options)
				b.Logf("%d records: published in %.0f s of a clock", records, time.Since(began).Seconds())
				if where == "engine" {
					completed, others := spentSince(b, c, schema, began)
					b.Logf("processor seconds of the engine: %.1f for the relations, %.1f for completed tables, %.2f times as much", others, completed, completed/others)
				}
				ask(b, f, c, schema, where)
				query(b, f.owner, "CALL drop_release('adult')")
			}
		})
	}
}

// ask asks a release questions and reports the answers.
func ask(b *testing.B, f *front, c *enginetest.Cluster, schema, where string) {
	random := rand.New(rand.NewPCG(5, 6))
	conditions := []func() string{
		func() string { return fmt.Sprintf("age < %d", 25+random.IntN(30)) },
		func() string { return fmt.Sprintf("age >= %d", 30+random.IntN(25)) },
		func() string { return "sex = '" + []string{"Male", "Female"}[random.IntN(2)] + "'" },
		func() string {
			return "education = '" + []string{"HS-grad", "Bachelors", "Some-college", "Masters", "11th"}[random.IntN(5)] + "'"
		},
		func() string {
			return "marital_status = '" + []string{"Never-married", "Married-civ-spouse", "Divorced"}[random.IntN(3)] + "'"
		},
		func() string {
			return "workclass = '" + []string{"Private", "Self-emp-not-inc", "Local-gov"}[random.IntN(3)] + "'"
		},
		func() string { return fmt.Sprintf("hours_per_week > %d", 20+random.IntN(30)) },
	}
	for _, aggregate := range []string{"COUNT(*)", "SUM(hours_per_week)", "AVG(age)"} {
		var all []figure
		for range *benchmarkQuestions {
			i := random.IntN(len(conditions))
			k := (i + 1 + random.IntN(len(conditions)-1)) % len(conditions)
			for _, of := range figuresOf(b, f.owner, "adult", aggregate, conditions[i]()+" AND "+conditions[k]()) {
				all = append(all, of)
			}
		}
		accuracy(b, where+", "+aggregate, all)
	}
}
