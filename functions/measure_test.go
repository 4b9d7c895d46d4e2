package functions

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/attack"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/locality"
	"github.com/anonsql/anonsql/anonymize/utility"
	"github.com/anonsql/anonsql/catalog"
)

// towns has pairs of neighbours; their age determines their illness.
func towns(rows int) *anonymize.Input {
	age := make([]anonymize.Value, rows)
	illness := make([]anonymize.Value, rows)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range rows {
		at := random.IntN(40)
		age[i] = anonymize.IntegerValue(int64(at))
		illness[i] = anonymize.TextValue(string(rune('a' + (at+random.IntN(10))/10)))
	}
	return &anonymize.Input{Rows: rows, QuasiIdentifiers: []*anonymize.Column{anonymize.NewColumn("age", "", age)},
		Sensitive: []*anonymize.Column{anonymize.NewColumn("illness", "", illness)}}
}

// pairs is a method that puts two records into every group: as they come, or
// neighbours by age. It can be told to know only one of the two.
var pairs = anonymize.Method{Name: "pairs", Parameters: append(locality.Parameters(), alikeOnly.Parameter()), Algorithm: groupPairs}

var alikeOnly = anonymize.Bool("alike_only", "whether only groups of neighbours are made")

func groupPairs(ctx context.Context, in *anonymize.Input, s anonymize.Settings) (*anonymize.Release, error) {
	alike := locality.Homogeneous.Read(s) == locality.Alike
	if !alike && (alikeOnly.Read(s) || locality.Jitter.Read(s) > 0) {
		return nil, &anonymize.DataError{Reason: "no such groups"}
	}
	order := anonymize.Indices(in.Rows)
	random := rand.New(in.Random)
	bucketization.Shuffle(order, random)
	if age := in.QuasiIdentifiers[0]; alike {
		order = bucketization.CountingSort(order, age.Codes, len(age.Dictionary))
	}
	groups := &bucketization.Partition{Member: order}
	for at := 0; at <= in.Rows; at += 2 {
		groups.Start = append(groups.Start, uint32(at))
	}
	return bucketization.Publish(ctx, "pairs", in, groups, []bucketization.Table{
		bucketization.QuasiIdentifierTable(0, bucketization.ProjectionOn(in.QuasiIdentifiers[0])), bucketization.SensitiveTable(in.Sensitive[0])}, random)
}

func attacked(t *testing.T, arguments anonymize.Arguments) ([]anonymize.Guarantee, []*sql.Warning) {
	t.Helper()
	ctx := sql.NewEmptyContext()
	r := &run{method: pairs, seed: "1", arguments: arguments, input: towns(2000), wantsGroups: true}
	var err error
	if r.settings, err = pairs.Resolve(arguments); err != nil {
		t.Fatal(err)
	}
	if r.input.Random, err = r.source(); err != nil {
		t.Fatal(err)
	}
	r.input.Assigned = func(gidOf []uint32) { r.gidOf = gidOf }
	if r.release, err = r.method.Run(ctx, r.input, r.arguments); err != nil {
		t.Fatal(err)
	}
	figures, err := r.attack(ctx)
	if err != nil {
		t.Fatal(err)
	}
	ofAll := slices.DeleteFunc(slices.Clone(figures), func(g anonymize.Guarantee) bool { return strings.HasSuffix(g.Name, "_unique") })
	for i, g := range figures[1:] { // after that of all records
		all, unique := strings.CutSuffix(g.Name, "_unique")
		if unique && (figures[i].Name != all || g.Attack == nil || g.Attack.Records > figures[i].Attack.Records) {
			t.Errorf("%+v stands behind %+v", g, figures[i])
		}
	}
	return ofAll, ctx.Session.Warnings()
}

// withoutStatistics are the figures without the last two: of who has the statistics of the table, and of who knows groups, too. The statistics
// are of an age that has one illness or, as often, its neighbour, and the groups tell of each of two records that it has one of two.
func withoutStatistics(t *testing.T, figures []anonymize.Guarantee) []anonymize.Guarantee {
	t.Helper()
	n := len(figures) - 2
	if n < 0 || figures[n].Name != floor || figures[n+1].Name != supervised {
		t.Fatalf("%+v", figures)
	}
	if below, inside := figures[n].Achieved, figures[n+1].Achieved; below < .55 || below > .68 || inside < below+.1 {
		t.Errorf("statistics give the actual value %.3f, with the group %.3f", below, inside)
	}
	return figures[:n]
}

// max_attack is compared with what was measured: an attacker of 0.4004 is above 0.4, also where ANON_PRIVACY shows 0.4.
func TestMaxAttackIsComparedExactly(t *testing.T) {
	limit := anonymize.NewRatio(2, 5)
	r := &run{roles: anonymize.Roles{Sensitive: []string{"illness"}}, input: towns(4), release: &anonymize.Release{}}
	for mean, want := range map[float64]string{0.4: "", 0.4 + 1e-14: "", 0.4004: "learned is 0.4004 (illness: mean", 0.3996: ""} {
		record := &catalog.ReleaseRecord{Guarantees: r.figures(attacker{learned, "", 0, nil}, attack.Result{Mean: mean, Records: 4}, "illness: mean, x", victim{release: r.release})}
		asks := asksAttacks{"true", &limit}
		err := asks.limit(r, record, "x")
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), "max_attack is 0.401")) {
			t.Errorf("%v: %v, want %q", mean, err, want)
		}
	}
}

// Records that are grouped by similarity are attacked by rank, too. Both attacks also run on the method's usual
// groups.
func TestAttackComparesGroupings(t *testing.T) {
	usual, _ := attacked(t, anonymize.Arguments{"homogeneous": "false"})
	usual = withoutStatistics(t, usual)
	if len(usual) != 2 || usual[0].Name != "definetti" || usual[1].Name != "learned" || strings.Contains(usual[0].Detail, "paper's grouping") {
		t.Errorf("%+v", usual)
	}
	alike, warnings := attacked(t, anonymize.Arguments{"homogeneous": "true", "jitter": "5"})
	alike = withoutStatistics(t, alike)
	if len(alike) != 3 || alike[0].Name != "definetti" || alike[1].Name != "learned" || alike[2].Name != "rank" || len(warnings) > 0 {
		t.Fatalf("%+v, %v", alike, warnings)
	}
	for _, g := range alike {
		if !strings.Contains(g.Detail, "; paper's grouping: 0.") || g.Required != nil || g.WorstGroup != -1 || !g.Holds || g.Achieved <= 0.4 || g.Achieved > 1 {
			t.Errorf("%+v", g)
		}
	}
	for i, g := range usual {
		if alike[i].Achieved >= g.Achieved {
			t.Errorf("%s finds out more from neighbours, %v, than from strangers, %v", g.Name, alike[i].Achieved, g.Achieved)
		}
	}
	// The table may have no usual groups.
	alone, warnings := attacked(t, anonymize.Arguments{"homogeneous": "true", "alike_only": "true"})
	alone = withoutStatistics(t, alone)
	if len(alone) != 3 || alone[0].Achieved != alike[0].Achieved || strings.Contains(alone[0].Detail, "paper's grouping") ||
		len(warnings) != 1 || warnings[0].Message != "the attacks are not compared with homogeneous=false: no such groups" {
		t.Errorf("%+v, %v", alone, warnings)
	}
}

// A publication does not fail if an attack cannot be measured.
func TestAttackOnCells(t *testing.T) {
	ctx := sql.NewEmptyContext()
	in := towns(4)
	values := in.Sensitive[0].Dictionary
	r := &run{input: in, gidOf: []uint32{0, 0, 0, 0}, release: &anonymize.Release{Rows: 4, GroupSizes: []uint32{4},
		Fragments: []*anonymize.Fragment{{Name: "sa", Role: anonymize.Sensitive, GroupStart: []uint32{0, 1}, Count: []uint32{4},
			Columns: []*anonymize.FragmentColumn{{Name: "illness", Dictionary: values, Codes: []uint32{0}, Cells: []anonymize.Cell{{Members: []uint32{0, 1}}}}}}}}}
	figures, err := r.attack(ctx)
	if warnings := ctx.Session.Warnings(); err != nil || len(figures) != 2 || figures[0].Name != floor || figures[1].Name != floor+"_unique" || len(warnings) != 1 || !strings.Contains(warnings[0].Message, "not measured: deFinetti attack: ") ||
		!strings.Contains(r.unlearned, "it has one fragment") {
		t.Errorf("%v, %v, %v", figures, err, warnings)
	}
}

func TestLossText(t *testing.T) {
	glp := 1. / 3
	report := &utility.LossReport{Attributes: []utility.AttributeLoss{{Attribute: "a", GLP: &glp,
		Probability: &utility.Probability{Mean: 0.2, Greatest: 0.2, L: 5, Error: 16000, Bound: 16000}}}}
	if got, want := lossText(report), "GLP 0.333; mean probability 0.2; greatest probability 0.2; reconstruction error 16000 (bound 16000)"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	report.Attributes = append(report.Attributes, utility.AttributeLoss{Attribute: "b", GLP: &glp})
	if got := lossText(report); !strings.HasPrefix(got, "a GLP 0.333; ") || !strings.HasSuffix(got, "; b GLP 0.333") {
		t.Error(got)
	}
}

// Ending a publication after its release is stored stops only the measurement of its errors; the owner is told.
func TestEndedWhileErrorsAreMeasured(t *testing.T) {
	b := newBench(t)
	b.run("root", "CREATE TABLE hospital.crowd (age INT, disease INT); INSERT INTO hospital.crowd WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) "+
		"SELECT i % 90, i % 7 FROM n; CALL set_attributes('hospital.crowd', 'qi=age', 'sa=disease')")
	late := make(chan struct{})
	settled := false
	settler := catalog.Settler{
		Settle: func(context.Context) error {
			if !settled {
				close(late)
			}
			settled = true
			return nil
		},
		Late: func() <-chan struct{} { return late },
	}
	const call = "CALL anonymize('hospital.crowd', 'anatomy', 'l=3', 'fit=false', 'attacks=false', 'replace=true')"
	const measured = "SELECT COUNT(*) FROM anonsql.evaluations"
	r, err := b.ask(catalog.WithSettler(context.Background(), settler), "root", call)
	if err != nil {
		t.Fatal(err)
	}
	const want = "the errors of its answers are not measured: the statement was to end. CALL evaluate('crowd') measures them"
	if !slices.ContainsFunc(r.notes, func(note string) bool { return strings.Contains(note, want) }) {
		t.Errorf("the owner is told %q, want %q", r.notes, want)
	}
	if stored, n := b.number("SELECT COUNT(*) FROM anonsql.releases WHERE name = 'crowd'"), b.number(measured); stored != 1 || n != 0 {
		t.Errorf("%v releases, %v evaluations: must be 1 and 0", stored, n)
	}
	b.run("root", call)
	if n := b.number(measured); n != 1 {
		t.Errorf("without it there are %v evaluations, must be 1", n)
	}
}

// An attack on a release by units counts units if each has one value. Otherwise it counts records, and says so; matching always does.
func TestAttackOnRecordsSaysSo(t *testing.T) {
	b := newBench(t)
	b.run("root", `CREATE TABLE hospital.visits (patient INT, ward INT, same INT, other INT);
		INSERT INTO hospital.visits WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59) SELECT i DIV 3, i DIV 3, i DIV 3 MOD 5, i MOD 7 FROM n`)
	for _, c := range []struct {
		sensitive, guarantee string
		said                 bool
	}{{"same", "definetti", false}, {"other", "definetti", true}, {"same", "matching", true}} {
		b.run("root", "CALL anonymize('hospital.visits', 'mondrian', 'k=4', 'l=2', 'unit=patient', 'qi=ward', 'sa="+c.sensitive+"', 'attacks=true', 'seed=1', 'private=true', 'publish=v', 'replace=true')")
		got := b.run("root", "SELECT detail FROM ANON_PRIVACY(v) WHERE guarantee = '"+c.guarantee+"'").lines()
		if len(got) != 1 || strings.Contains(got[0], "; each record is attacked by itself") != c.said {
			t.Errorf("%s of %s: %q", c.guarantee, c.sensitive, got)
		}
	}
}

// Of a release with more records than are matched a sample is, and the detail says so.
func TestMatchingOfASample(t *testing.T) {
	for rows, sampled := range map[int]bool{200: false, maxMatched + 2: true} {
		in := towns(rows)
		age, half := in.QuasiIdentifiers[0], uint32(rows/2)
		ages, every := &anonymize.FragmentColumn{Name: "age", Dictionary: age.Dictionary, Codes: []uint32{0, 0}}, anonymize.Cell{Label: "*"}
		for code := range age.Dictionary {
			every.Members = append(every.Members, uint32(code))
		}
		ages.Cells = []anonymize.Cell{every}
		illness := &anonymize.FragmentColumn{Name: "illness", Dictionary: in.Sensitive[0].Dictionary, Codes: []uint32{0, 1, 0, 1}}
		r := &run{input: in, release: &anonymize.Release{Rows: rows, GroupSizes: []uint32{half, half}, Fragments: []*anonymize.Fragment{
			{Name: "qi1", Role: anonymize.QuasiIdentifying, Columns: []*anonymize.FragmentColumn{ages}, GroupStart: []uint32{0, 1, 2}, Count: []uint32{half, half}},
			{Name: "sa", Role: anonymize.Sensitive, Columns: []*anonymize.FragmentColumn{illness}, GroupStart: []uint32{0, 2, 4}, Count: []uint32{half - 1, 1, half - 1, 1}}}}}
		found, err := r.matchRecords(sql.NewEmptyContext(), new(utility.LossReport))
		if err != nil || len(found) != 1 || found[0].Name != "matching" {
			t.Fatalf("%+v, %v", found, err)
		}
		if note := "; of 200000 of 200002 records, spread over the table"; strings.HasSuffix(found[0].Detail, note) != sampled {
			t.Errorf("of %d records: %s", rows, found[0].Detail)
		}
	}
}
