package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// covered is a release of one number and one text that its owner asks about, by an estimator.
func covered(estimator string, measured ...Evaluation) *Subject {
	ages := &anonymize.FragmentColumn{Name: "age", Type: "int", Dictionary: []anonymize.Value{anonymize.IntegerValue(30), anonymize.IntegerValue(40)}, Codes: []uint32{0, 1}}
	sick := &anonymize.FragmentColumn{Name: "disease", Type: "varchar(9)", Dictionary: []anonymize.Value{anonymize.TextValue("cold"), anonymize.TextValue("flu")}, Codes: []uint32{0, 1}}
	of := func(role anonymize.FragmentRole, name string, c *anonymize.FragmentColumn) *anonymize.Fragment {
		return &anonymize.Fragment{Name: name, Role: role, Columns: []*anonymize.FragmentColumn{c}, GroupStart: []uint32{0, 2}, Count: []uint32{5, 5}}
	}
	return &Subject{Name: "people", Owner: true, Estimator: estimator, Evaluations: measured, QuasiIdentifiers: []string{"age"}, Sensitive: []string{"disease"},
		Release: &anonymize.Release{Method: "slppa", Rows: 10, GroupSizes: []uint32{10}, Fragments: []*anonymize.Fragment{of(anonymize.QuasiIdentifying, "qi1", ages), of(anonymize.Sensitive, "sa", sick)}}}
}

// TestCoverageOfTheDefault: the table has what was measured of the answers that readers get by default, of all estimates together, and says how to measure the rest.
func TestCoverageOfTheDefault(t *testing.T) {
	held := func(share float64) *float64 { return &share }
	measured := []Evaluation{
		{Aggregate: "COUNT(*)", Queries: 300, Estimator: imputed, Coverage: held(.9)},
		{Aggregate: "COUNT(*)", Queries: 100, Estimator: imputed, Coverage: held(1)}, // stored before estimates were counted
		{Aggregate: "SUM(age)", Queries: 1000, Estimates: 1000, Estimator: imputed, Coverage: held(.95)},
		{Aggregate: "SUM(age)", Queries: 1000, Estimates: 10, Estimator: imputed, Coverage: held(.5)},
		{Aggregate: "COUNT(*)", Queries: 5000, Estimator: "independent", Coverage: held(.2)}, // does not answer
		{Aggregate: "AVG(age)", Queries: 200, Estimator: imputed, Coverage: held(.95)},
		{Aggregate: "AVG(age)", Queries: 700, Estimator: imputed}, // without intervals
	}
	var got []string
	for _, l := range imputedLines(covered(imputed, measured...)) {
		line := l.Aggregate + " not measured"
		if l.Held != nil {
			line = fmt.Sprint(l.Aggregate, " ", l.Estimates.Text, " ", strings.ReplaceAll(l.Held.Text, "\u00a0", " "))
		}
		got = append(got, line+" "+l.Statement)
	}
	want := "COUNT 400 92.5 % CALL evaluate('people', 'aggregate=count'); SUM 1,010 94.6 % CALL evaluate('people', 'aggregate=sum(`age`)'); AVG 200 95 % CALL evaluate('people', 'aggregate=avg(`age`)')"
	if strings.Join(got, "; ") != want {
		t.Errorf("lines are %s\nwant %s", strings.Join(got, "; "), want)
	}
	reader, other := covered(imputed, measured...), covered("independent", measured...)
	reader.Owner = false
	if lines := append(imputedLines(reader), imputedLines(other)...); len(lines) > 0 {
		t.Errorf("readers, and releases without completed tables, have %+v", lines)
	}
	texts := covered(imputed)
	texts.QuasiIdentifiers = nil
	if lines := imputedLines(texts); len(lines) != 1 || lines[0].Aggregate != "COUNT" || lines[0].Held != nil {
		t.Errorf("a release without numbers has %+v", lines)
	}
}

// The sentence says of how many questions the errors are, and the coverage of how many answers.
func TestAnswersSayWhatTheyAreOf(t *testing.T) {
	share := .94
	e := Evaluation{Aggregate: "COUNT(*)", Low: 1, High: 3, Queries: 500, Answered: 432, Estimates: 480, Estimator: imputed, Median: .1, P95: .4, Coverage: &share}
	for estimates, of := range map[int]string{480: "the 480 answers", 0: "the answers"} {
		e.Estimates = estimates
		v := &view{Subject: covered(imputed, e)}
		want := "Of 432 random questions with an answer (COUNT(*) on 1 to 3 quasi-identifiers) half were wrong by 10 % or less, and 19 in 20 by 40 % or less. " +
			"The 95 percent interval had the actual value of 94 % of " + of + " that are estimates"
		if got := strings.ReplaceAll(strings.Join(v.answerSentences(), "; "), "\u00a0", " "); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// TestCoverageInThePage: the figures stand in the owner's page, and in no reader's.
func TestCoverageInThePage(t *testing.T) {
	share := .925
	for _, owner := range []bool{true, false} {
		s := covered(imputed, Evaluation{Aggregate: "COUNT(*)", Queries: 400, Estimator: imputed, Coverage: &share})
		s.Owner = owner
		var page strings.Builder
		if err := Write(t.Context(), &page, *s, nil); err != nil {
			t.Fatal(err)
		}
		_, table, has := strings.Cut(page.String(), "around the default, imputed answers had the truth")
		table, _, _ = strings.Cut(table, "</table>")
		if has != owner {
			t.Errorf("owner %v: the table is there: %v", owner, has)
		}
		if owner && (!strings.Contains(table, "92.5") || !strings.Contains(table, "400") || strings.Count(table, "not measured") != 2) {
			t.Errorf("the table is %s", table)
		}
	}
}

// A release without a sensitive attribute says in its page that it publishes none, and what is protected then.
func TestPageOfQuasiIdentifiersAlone(t *testing.T) {
	for _, alone := range []bool{true, false} {
		s := covered("independent")
		if alone {
			s.Sensitive, s.Release.Fragments = nil, s.Release.Fragments[:1]
		}
		var page strings.Builder
		if err := Write(t.Context(), &page, *s, nil); err != nil {
			t.Fatal(err)
		}
		for _, sentence := range []string{"nothing but quasi-identifiers is published", "The promise is about who is who"} {
			if strings.Contains(page.String(), sentence) != alone {
				t.Errorf("alone %v: the page has %q: %v", alone, sentence, !alone)
			}
		}
	}
}
