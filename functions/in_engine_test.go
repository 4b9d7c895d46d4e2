package functions

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/attack"
	"github.com/anonsql/anonsql/anonymize/contingency"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/impute"
	"github.com/anonsql/anonsql/catalog/source"
)

// countedVisits is a table in an engine with 240 rows, as its counts say: of 120 patients with a chart each, at 9 desks.
type countedVisits struct{ source.Answering }

func (countedVisits) Database() string { return "trino.ward" }
func (countedVisits) Name() string     { return "visits" }
func (countedVisits) Schema() sql.Schema {
	return sql.Schema{{Name: "patient", Type: types.Int64}, {Name: "illness", Type: types.Text}, {Name: "chart", Type: types.Text},
		{Name: "desk", Type: types.Text}, {Name: "seen", Type: types.Date}, {Name: "tag", Type: types.Text}}
}

func (countedVisits) Aggregate(_ *sql.Context, q *source.Question) ([]source.Group, bool, error) {
	values := map[string]int64{"patient": 120, "chart": 120, "desk": 9}[q.Aggregates[0].Column]
	return []source.Group{{Figures: []anonymize.Value{anonymize.IntegerValue(values), anonymize.IntegerValue(240)}}}, values > 0, nil
}

// Groups in an engine consist of rows. A unit is refused, named or apparent from the counts, unless the owner says 'unit=rows'. What is doubtful is warned of.
func TestUnitsAreRefusedInTheEngine(t *testing.T) {
	for name, c := range map[string]struct {
		unit        unit
		identifiers []string
		released    []string
		parts       []string // of the refusal
		warned      string
	}{
		"a unit":             {unit{[]string{"patient"}, true}, nil, nil, []string{"unit is 'patient'", "groups in the engine are of rows", "publish a view of fewer rows here"}, ""},
		"nothing said":       {unit{}, nil, nil, []string{"column patient of trino.ward.visits has 120 values in 240 rows", "Say 'unit=patient', or 'unit=rows'"}, ""},
		"rows are units":     {unit{said: true}, []string{"chart"}, nil, nil, ""},
		"a declared text":    {unit{}, []string{"chart"}, []string{"patient"}, []string{"column chart of trino.ward.visits has 120 values in 240 rows"}, ""},
		"an undeclared text": {unit{}, []string{"seen"}, []string{"patient"}, nil, ""},
		"few values":         {unit{}, []string{"desk"}, []string{"patient"}, nil, "column desk has 9 values in 240 rows"},
		"nobody counts":      {unit{}, []string{"tag"}, []string{"patient"}, nil, "column tag may say whose a row is"},
	} {
		p := &enginePublication{run: &run{unitReading: unitReading{table: countedVisits{}, unit: c.unit, identifiers: c.identifiers}}}
		p.roles.QuasiIdentifiers = c.released
		err := p.checkUnit(sql.NewEmptyContext())
		if (err == nil) != (c.parts == nil) || (len(p.repeated) > 0) != (c.warned != "") || c.warned != "" && !strings.HasPrefix(p.repeated[0].Value, c.warned) {
			t.Errorf("%s: %v, %v", name, err, p.repeated)
			continue
		}
		for _, part := range c.parts {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v, want %q", name, err, part)
			}
		}
	}
}

// countedGroups is a publication in an engine of 60 records, by town, sex and illness, that notes what completed tables are drawn with.
type countedGroups struct {
	source.Attempt
	drawn *impute.Fitted
}

// Sample is of twelve groups that have the same values.
func (*countedGroups) Sample(context.Context, *source.Written) (*anonymize.Release, bool, error) {
	column := func(name string) *anonymize.FragmentColumn {
		return &anonymize.FragmentColumn{Name: name, Dictionary: []anonymize.Value{anonymize.TextValue("a"), anonymize.TextValue("b")}}
	}
	r := &anonymize.Release{Rows: 60, Fragments: []*anonymize.Fragment{
		{Name: "qi1", Role: anonymize.QuasiIdentifying, Columns: []*anonymize.FragmentColumn{column("town"), column("sex")}, GroupStart: []uint32{0}},
		{Name: "sa", Role: anonymize.Sensitive, Columns: []*anonymize.FragmentColumn{column("illness")}, GroupStart: []uint32{0}}}}
	for range 12 {
		r.GroupSizes = append(r.GroupSizes, 5)
		for _, f := range r.Fragments {
			for _, c := range f.Columns {
				c.Codes = append(c.Codes, 0, 1)
			}
			f.Count, f.GroupStart = append(f.Count, 3, 2), append(f.GroupStart, uint32(len(f.Count)+2))
		}
	}
	return r, false, nil
}

func (a *countedGroups) Complete(_ context.Context, _ *source.Written, f *impute.Fitted, _ func(done, total int)) error {
	a.drawn = f
	return nil
}

func (*countedGroups) Model(_ context.Context, o contingency.Options) (*anonymize.Model, error) {
	margin := func(name string) contingency.Margin {
		return contingency.Margin{Name: name, Dictionary: []anonymize.Value{anonymize.TextValue("a"), anonymize.TextValue("b")}, Records: []int{40, 20}}
	}
	return contingency.CountElsewhere([]contingency.Margin{margin("town"), margin("sex")}, margin("illness"), o, func(contingency.Binned, contingency.Binned) ([]int64, error) {
		return []int64{24, 16, 16, 4}, nil
	})
}

// The model of a release in an engine is told, and refused, as that of another: what is pooled and rounded, the noise, the least cell, the facts.
func TestModelInTheEngine(t *testing.T) {
	written := &source.Written{Rows: 60, Place: source.Place{Sizes: []estimate.GroupSize{{Size: 5, Groups: 12}}}, Fragments: []source.Fragment{
		{Name: "qi1", Columns: []source.FragmentColumn{{Name: "town"}, {Name: "sex"}}}, {Name: "sa", Columns: []source.FragmentColumn{{Name: "illness"}}}}}
	p := &enginePublication{run: &run{progress: func(string, int, int) {}}, attempt: &countedGroups{}, written: written, model: modelAsked{wanted: true, least: 10}}
	p.roles.QuasiIdentifiers = []string{"town", "sex"}
	if err := p.tellModel(sql.NewEmptyContext()); err != nil {
		t.Fatal(err)
	}
	if r := p.Record; !slices.Equal(r.Model.Tables[1].Weight, anonymize.Weights{25, 15, anonymize.Pooled, anonymize.Pooled}) || r.Guarantees[0].Name != "least_cell" ||
		r.Guarantees[0].Achieved != 15 || !strings.Contains(r.Facts[0].Value, "2 two-way tables with illness, of town, sex: 8 cells, 4 of them in multiples of 5") {
		t.Errorf("%+v, %+v, %+v", r.Model, r.Guarantees, r.Facts)
	}
	p.fit, p.Record.Rows = fit{when: "true", unmeasured: true}, 60
	if err := p.complete(sql.NewEmptyContext()); err != nil {
		t.Fatal(err)
	}
	if drawn := p.attempt.(*countedGroups).drawn; drawn.Sample.Model != p.Record.Model || drawn.Completion.Tables != p.Record.Completion.Tables {
		t.Errorf("tables are drawn with the model %+v", drawn.Sample.Model)
	}
	p.model.epsilon = anonymize.NewRatio(1, 1)
	if err := p.tellModel(sql.NewEmptyContext()); err != nil || p.Record.Model.Scale != 4 || len(p.Record.Guarantees) != 1 { // two tables, two cells each
		t.Errorf("with noise %+v, %v", p.Record.Model, err)
	}
	for part, change := range map[string]func(){
		"group 0 has 65537 records": func() { written.Place.Sizes[0].Size = 1<<16 + 1 },
		"cells that stand for":      func() { written.Fragments[0].Columns[1].Ranges = true },
	} {
		before := written.Shape()
		change()
		if err := p.tellModel(sql.NewEmptyContext()); err == nil || !strings.Contains(err.Error(), part) || !strings.Contains(err.Error(), "no answer would read a model") {
			t.Errorf("%v, want %q", err, part)
		}
		written.Place.Sizes[0].Size, written.Fragments[0].Columns[1].Ranges = before.GroupSizes[0], false
	}
}

// Presence in a model is measured with all records, never with a sample. A limit on attacks is refused together with noise.
func TestPresenceInASample(t *testing.T) {
	illness := anonymize.NewColumn("illness", "text", []anonymize.Value{anonymize.TextValue("a"), anonymize.TextValue("b")})
	v := victim{release: &anonymize.Release{Rows: 2, Model: &anonymize.Model{Sensitive: "illness"}}}
	r := &run{input: &anonymize.Input{}, seed: "1"}
	for sampledOf, looked := range map[int]bool{0: true, 2: true, 3: false} {
		r.sampledOf = sampledOf
		// Who looks finds no fragment of the attribute, which is an error.
		if figures, err := r.presence(sql.NewEmptyContext(), attack.Truth{Sensitive: illness}, v); (err != nil) != looked || figures != nil {
			t.Errorf("2 of %d records are at hand: %+v, %v", sampledOf, figures, err)
		}
	}
	limit := anonymize.NewRatio(1, 2)
	for epsilon, refused := range map[uint64]bool{0: false, 1: true} {
		m := modelAsked{epsilon: anonymize.NewRatio(epsilon, 1)}
		if err := m.refuseLimit(&limit); (err != nil) != refused || m.refuseLimit(nil) != nil {
			t.Errorf("epsilon %d: %v", epsilon, err)
		}
	}
}
