package utility

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/methods"
)

// ill are people whose disease follows from region and sex, but for one in five.
func ill(rows int) *anonymize.Microdata {
	table, random := people(rows), rand.New(rand.NewPCG(8, 8))
	region, sex, disease := table.Column("region"), table.Column("sex"), table.Column("disease")
	for row := range rows {
		if random.IntN(5) > 0 {
			disease.Codes[row] = region.Codes[row]
			if sex.Codes[row] == 1 {
				disease.Codes[row] = 4
			}
		}
	}
	return table
}

// byDefinition is naive Bayes by its definition, row by row: the accuracy on the truth of
// models trained on the tables' rows of the other folds.
func byDefinition(s *study, truth *labelled, tables []*labelled) float64 {
	right := 0
	for row, class := range truth.class {
		best, greatest := 0, math.Inf(-1)
		for c := range s.classes() {
			n, same := 0, make([]int, len(s.predictors))
			for _, table := range tables {
				for other, of := range table.class {
					if int(of) != c || s.fold(table, other) == s.fold(truth, row) {
						continue
					}
					n++
					for p := range same {
						if s.category[p][table.codes[p][other]] == s.category[p][truth.codes[p][row]] {
							same[p]++
						}
					}
				}
			}
			d := float64(len(tables))
			score := math.Log(float64(n)/d + 1)
			for p := range same {
				score += math.Log((float64(same[p])/d + 1) / (float64(n)/d + float64(s.categories[p])))
			}
			if score > greatest+1e-12 {
				best, greatest = c, score
			}
		}
		if best == int(class) {
			right++
		}
	}
	return float64(right) / float64(len(truth.class))
}

// The accuracies are those of the definition, on the table, on drawn tables and on
// completed ones.
func TestClassifyByDefinition(t *testing.T) {
	table := ill(240)
	r := release(t, table, quasi, "disease", anonymize.Arguments{"beta": "0.5", "tables": "2"})
	completion := shuffled(r, 3)
	options := ClassificationOptions{Target: "disease", Folds: 4, Seed: 5}
	got, err := Classify(context.Background(), r, completion, table, options, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newStudy(r, table, options)
	if err != nil {
		t.Fatal(err)
	}
	truth := s.rowsOf(table)
	if err := s.divide(truth); err != nil {
		t.Fatal(err)
	}
	var drawn, completed []*labelled
	for d := range drawnTables {
		drawn = append(drawn, s.rowsOf(estimate.Draw(r, rand.NewPCG(5, uint64(d)))))
	}
	for d := range 3 {
		completed = append(completed, s.rowsOf(rowsOf(t, r, completion, d)))
	}
	for name, c := range map[string]struct {
		got  *Accuracy
		want float64
	}{
		"truth":       {got.Truth, byDefinition(s, truth, []*labelled{truth})},
		"independent": {got.Independent, byDefinition(s, truth, drawn)},
		"imputed":     {got.Imputed, byDefinition(s, truth, completed)},
	} {
		if math.Abs(c.got.Mean-c.want) > 1e-12 || c.got.Least > c.got.Mean || c.got.Greatest < c.got.Mean || c.got.Deviation <= 0 {
			t.Errorf("%s: %+v, want a mean of %v", name, c.got, c.want)
		}
	}
	if got.Records != 240 || got.Classes != 5 || got.Folds != 4 || got.Truth.Mean < got.Majority.Mean+0.2 || got.Independent.Mean >= got.Truth.Mean {
		t.Errorf("%+v: truth %+v, majority %+v, independent %+v", got, got.Truth, got.Majority, got.Independent)
	}
}

// A release that hides nothing trains the table's own model, and one group that has all
// records the majority's.
func TestClassifyExtremes(t *testing.T) {
	table := ill(400)
	in := anontest.NewInput(t, table, "age sex region", "disease", rand.NewPCG(1, 1))
	open := estimate.OfTable(table)
	got, err := Classify(context.Background(), open, nil, table, ClassificationOptions{Target: "disease"}, nil)
	if err != nil || *got.Independent != *got.Truth || got.Imputed != nil {
		t.Fatalf("%+v, %v", got, err)
	}
	hidden, _ := anonymized(t, in, "mondrian", anonymize.Arguments{"k": "400"})
	if got, err = Classify(context.Background(), hidden, nil, table, ClassificationOptions{Target: "disease"}, nil); err != nil ||
		math.Abs(got.Independent.Mean-got.Majority.Mean) > 0.03 || got.Truth.Mean < got.Majority.Mean+0.2 {
		t.Errorf("everything is hidden: %+v, truth %+v, majority %+v, %v", got.Independent, got.Truth, got.Majority, err)
	}
}

// Rows with the same predictors are in one fold, whether the table has them or the
// release, and folds are about as large as each other.
func TestFoldsOfPredictors(t *testing.T) {
	table := ill(2000)
	r := estimate.OfTable(table)
	s, err := newStudy(r, table, ClassificationOptions{Target: "disease", Folds: 7, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	truth := s.rowsOf(table)
	if err := s.divide(truth); err != nil {
		t.Fatal(err)
	}
	foldOf, size := map[string]int{}, make([]int, 7)
	for _, rows := range []*labelled{truth, s.rowsOf(estimate.Draw(r, rand.NewPCG(1, 1)))} {
		for row := range rows.class {
			key, fold := fmt.Sprint(rows.codes[0][row], rows.codes[1][row], rows.codes[2][row]), s.fold(rows, row)
			if known, ok := foldOf[key]; ok && known != fold {
				t.Fatalf("%s is in folds %d and %d", key, known, fold)
			}
			foldOf[key] = fold
			size[fold]++
		}
	}
	for f, n := range size {
		if n < 4000/7-80 || n > 4000/7+80 {
			t.Errorf("fold %d has %d of %v", f, n, size)
		}
	}
}

func TestNothingToClassify(t *testing.T) {
	table := ill(100)
	r := estimate.OfTable(table)
	for want, o := range map[string]ClassificationOptions{
		"target is 'height', must be an attribute that the release publishes": {Target: "height"},
		"predictors is 'height', must be an attribute":                        {Target: "disease", Predictors: []string{"height"}},
		"predictors is 'disease', must be attributes other than":              {Target: "disease", Predictors: []string{"disease"}},
		"predictors is 'age', must be attributes other than":                  {Target: "disease", Predictors: []string{"age", "age"}},
		"folds is 1, must be 2 to 100":                                        {Target: "disease", Folds: 1},
		"too few combinations for 5 folds":                                    {Target: "disease", Predictors: []string{"sex"}},
	} {
		_, err := Classify(context.Background(), r, nil, table, o, nil)
		if !errors.As(err, new(*anonymize.ParameterError)) && !errors.As(err, new(*anonymize.DataError)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v\nwant %s", o, err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Classify(ctx, r, nil, table, ClassificationOptions{Target: "disease"}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v after the end", err)
	}
}

// On Adult, what methods leave of telling the occupation.
func TestAdultClassification(t *testing.T) {
	table := anontest.AdultTraining(t)
	for method, arguments := range map[string]anonymize.Arguments{"anatomy": {"l": "2"}, "mondrian": {"k": "5"}} {
		m, err := methods.ByName(method)
		if err != nil {
			t.Fatal(err)
		}
		in, err := anonymize.NewInput(table, anonymize.Roles{QuasiIdentifiers: []string{"age", "workclass", "education", "marital_status", "sex", "hours_per_week"},
			Sensitive: []string{"occupation"}}, rand.NewPCG(1, 1))
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.Run(context.Background(), in, arguments)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Classify(context.Background(), r, nil, table, ClassificationOptions{Target: "occupation", Seed: 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: majority %.3f, table %.3f, release %.3f (%.4f)", method, got.Majority.Mean, got.Truth.Mean, got.Independent.Mean, got.Independent.Deviation)
		if got.Truth.Mean < got.Majority.Mean || got.Independent.Mean < got.Majority.Mean-0.02 || got.Independent.Mean > got.Truth.Mean+0.01 {
			t.Errorf("%s: majority %+v, table %+v, release %+v", method, got.Majority, got.Truth, got.Independent)
		}
	}
}
