package functions

import (
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/source"
)

// countedVisits is a table in an engine with 120 patients in 240 rows, as its counts say.
type countedVisits struct{ source.Answering }

func (countedVisits) Database() string { return "trino.ward" }
func (countedVisits) Name() string     { return "visits" }
func (countedVisits) Schema() sql.Schema {
	return sql.Schema{{Name: "patient", Type: types.Int64}, {Name: "illness", Type: types.Text}}
}

func (countedVisits) Aggregate(_ *sql.Context, q *source.Question) ([]source.Group, bool, error) {
	return []source.Group{{Figures: []anonymize.Value{anonymize.IntegerValue(120), anonymize.IntegerValue(240)}}}, q.Aggregates[0].Column == "patient", nil
}

// Groups in an engine are of rows: a unit is refused by name, and a table whose counts show one, with ways out; who says that every row is a unit is let through.
func TestUnitsAreRefusedInTheEngine(t *testing.T) {
	for name, c := range map[string]struct {
		unit  unit
		parts []string
	}{
		"a unit":         {unit{[]string{"patient"}, true}, []string{"unit is 'patient'", "groups in the engine are of rows", "publish a view of fewer rows here"}},
		"nothing said":   {unit{}, []string{"column patient of trino.ward.visits has 120 values in 240 rows", "Say 'unit=patient', or 'unit=rows'"}},
		"rows are units": {unit{said: true}, nil},
	} {
		p := &enginePublication{run: &run{unitReading: unitReading{table: countedVisits{}, unit: c.unit}}}
		err := p.checkUnit(sql.NewEmptyContext())
		if (err == nil) != (c.parts == nil) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, part := range c.parts {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v, want %q", name, err, part)
			}
		}
	}
}
