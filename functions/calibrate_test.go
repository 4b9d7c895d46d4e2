package functions

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/weights"
)

// A release that was published with calibrate=false is measured when its owner asks, and not again by itself.
func TestMeasuredWhenAsked(t *testing.T) {
	b := newBench(t)
	values := make([]string, 2500)
	for i := range values {
		values[i] = fmt.Sprintf("(%d, %d, %d)", i, i%20, i%7)
	}
	b.run("root", "CREATE TABLE hospital.crowd (id INT PRIMARY KEY, age INT, disease INT); INSERT INTO hospital.crowd VALUES "+strings.Join(values, ", ")+
		"; CALL anonymize('hospital.crowd', 'drasl', 'k=4', 'seed=1', 'qi=age', 'sa=disease', 'calibrate=false')")
	widths := func() string {
		t.Helper()
		return strings.Join(b.run("root", "SELECT measure, value FROM ANON_UTILITY(crowd) WHERE measure IN ('calibration_queries', 'rms_z', 'factor_95')").lines(), "\n")
	}
	refresh := func(from int, options string) {
		t.Helper()
		b.run("root", fmt.Sprintf("DELETE FROM hospital.crowd WHERE id BETWEEN %d AND %d; CALL refresh_release('crowd', 'seed=2'%s)", from, from+199, options))
	}
	if refresh(0, ""); widths() != "" {
		t.Fatalf("nobody asked: %s", widths())
	}
	refresh(200, ", 'calibrate=true'")
	asked := widths()
	if refresh(400, ""); asked == "" || widths() != asked {
		t.Errorf("measured as\n%s\nthen by itself\n%s", asked, widths())
	}
	b.run("root", "CALL anonymize('hospital.crowd', 'drasl', 'k=4', 'seed=1', 'qi=age', 'sa=disease', 'calibrate=true', 'replace=true')")
	asked = widths()
	if refresh(600, ""); asked == "" || widths() == asked {
		t.Errorf("without calibrate=false it is still\n%s", asked)
	}
}

// What a release tells of weights does not depend on labels beside which it has a model with noise; and delta is less than one record's share.
func TestNoiseHidesLabels(t *testing.T) {
	b := newBench(t)
	random, values := rand.New(rand.NewPCG(5, 7)), make([]anonymize.Value, 2000)
	for row := range values {
		values[row] = anonymize.IntegerValue(1 + int64(1000*random.ExpFloat64()))
	}
	weight := anonymize.NewColumn("w", "int", values)
	classes, err := weights.Divide(weight, weights.MinPersons)
	if err != nil {
		t.Fatal(err)
	}
	coarse, rows := classes.Coarsen(weight), make([]string, len(values))
	for row := range rows {
		x, _ := weight.Value(row).Number()
		mean, _ := coarse.Value(row).Number()
		label := row % 2
		if x < mean {
			label += 2
		}
		rows[row] = fmt.Sprintf("(%v, 1, %d)", x, label)
	}
	b.run("root", "CREATE TABLE hospital.survey (w INT, age INT, disease INT); INSERT INTO hospital.survey VALUES "+strings.Join(rows, ", "))
	const publish = "CALL anonymize('hospital.survey', 'anatomy', 'l=2', 'weight=w', 'qi=age', 'sa=disease', 'fit=false', 'replace=true', 'attacks=false', 'seed=1', 'unit=rows'"
	shared := func(options string) float64 {
		t.Helper()
		b.run("root", publish+options+")")
		p, err := b.environment.Releases.Named("survey")
		if err != nil {
			t.Fatal(err)
		}
		return p.Record().Weight.Shared
	}
	if open, hidden := shared(""), shared(", 'model_epsilon=1', 'model_delta=0.0004'"); open == 0 || hidden != 0 {
		t.Errorf("sums of weights are off by %v, beside a model with noise by %v", open, hidden)
	}
	const refused = "model_delta is 0.0005, must be less than 1 / 2000, the number of records"
	if _, err := b.try("root", publish+", 'model_epsilon=1', 'model_delta=0.0005')"); err == nil || !strings.Contains(err.Error(), refused) {
		t.Errorf("delta of a record: %v, want %s", err, refused)
	}
	if _, err := (&modelAsked{epsilon: anonymize.NewRatio(1, 1), delta: anonymize.MustRatio("1e-6")}).toCount(2, 0, 1_000_000); err == nil {
		t.Error("a delta of 1 / 1000000 is that of one of a million records")
	}
}

// Widths that everybody may read are of persons: 1,200 visits of 40 patients are few.
func TestCalibrationCountsPersons(t *testing.T) {
	b := newBench(t)
	visits := make([]string, 1200)
	for i := range visits {
		visits[i] = fmt.Sprintf("(%d, %d, %d)", i%40, i%40%4, i%40%7)
	}
	b.run("root", "CREATE TABLE hospital.visits (patient INT, ward INT, disease INT); INSERT INTO hospital.visits VALUES "+strings.Join(visits, ", ")+
		"; CALL set_attributes('hospital.visits', 'qi=ward', 'sa=disease', 'unit=patient')")
	measured := func(options string) (widths float64, notes string) {
		r := b.run("root", "CALL anonymize('hospital.visits', 'anatomy', 'l=2', 'seed=1', 'fit=false', 'replace=true'"+options+")")
		return b.number("SELECT COUNT(*) FROM ANON_UTILITY(visits) WHERE measure = 'calibration_queries'"), strings.Join(r.notes, "\n")
	}
	if widths, notes := measured(""); widths != 0 || strings.Contains(notes, "calibration") {
		t.Errorf("%v widths of 40 patients are published: %s", widths, notes)
	}
	const warned = "the calibration of a table of 40 units, published with it, says something about each of them; it is left out below 1000 units"
	if widths, notes := measured(", 'calibrate=true'"); widths == 0 || !strings.Contains(notes, warned) {
		t.Errorf("%v widths where the owner wants them: %s", widths, notes)
	}
}

// A release that has shrunk below the bound keeps its widths, unless the owner wants new ones.
func TestShrunkReleaseKeepsItsWidths(t *testing.T) {
	b := newBench(t)
	values := make([]string, 1100)
	for i := range values {
		values[i] = fmt.Sprintf("(%d, %d, %d)", i, i%20, i%7)
	}
	b.run("root", "CREATE TABLE hospital.crowd (id INT PRIMARY KEY, age INT, disease INT); INSERT INTO hospital.crowd VALUES "+strings.Join(values, ", ")+
		"; CALL anonymize('hospital.crowd', 'drasl', 'k=4', 'seed=1', 'qi=age', 'sa=disease')")
	widths := func() string {
		t.Helper()
		return strings.Join(b.run("root", "SELECT measure, value FROM ANON_UTILITY(crowd) WHERE measure IN ('calibration_queries', 'rms_z', 'factor_95')").lines(), "\n")
	}
	of1100 := widths()
	b.run("root", "DELETE FROM hospital.crowd WHERE id >= 200; CALL refresh_release('crowd', 'seed=2')")
	if rows := b.number("SELECT `rows` FROM anonsql.releases WHERE name = 'crowd'"); rows >= 1000 || of1100 == "" {
		t.Fatalf("of %v records, and first %q", rows, of1100)
	}
	if got := widths(); got != of1100 {
		t.Errorf("of 200 records widths are measured:\n%s\nthey were\n%s", got, of1100)
	}
	r := b.run("root", "DELETE FROM hospital.crowd WHERE id = 0; CALL refresh_release('crowd', 'seed=3', 'calibrate=true')")
	if got := widths(); got == of1100 || !strings.Contains(strings.Join(r.notes, "\n"), "it is left out below 1000 records") {
		t.Errorf("with calibrate=true they are\n%s\nand the notes %q", got, r.notes)
	}
}
