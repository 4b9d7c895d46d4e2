package anontest

import (
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
)

// A VisitShape describes the units and records of a [VisitTable].
type VisitShape struct {
	Units int
	// Records is the greatest number of records of a unit; all numbers from 1 are equally likely.
	Records int
	// Values is the number of sensitive values, equally likely.
	Values int
	// Chronic is the share of units with one value in all their records.
	Chronic float64
	// Related makes half of the values depend on the birth year: they come from a quarter of all values.
	Related bool
	// Moving lets a quasi-identifier, the ward, vary within a unit.
	Moving bool
}

// VisitTable returns a table with several records for each unit. Birth year and sex are constant within a unit; the ward and the
// sensitive diagnosis may vary. As in a table sorted by date, the records of a unit are not adjacent.
func VisitTable(shape VisitShape, seed uint64) *anonymize.Input {
	random := rand.New(rand.NewPCG(seed, 1))
	var unit, birth, sex, ward, diagnosis []uint32
	for u := range shape.Units {
		born, is, home, chronic := random.Uint32N(60), random.Uint32N(2), random.Uint32N(12), random.Float64() < shape.Chronic
		draw := func() uint32 {
			if n := uint32(shape.Values); !shape.Related || random.IntN(2) == 0 {
				return random.Uint32N(n)
			}
			return uint32(shape.Values)*(born/20)/4 + random.Uint32N(uint32(shape.Values)/4)
		}
		always := draw()
		for range 1 + random.IntN(shape.Records) {
			at, has := home, always
			if shape.Moving {
				at = random.Uint32N(12)
			}
			if !chronic {
				has = draw()
			}
			unit, birth, sex, ward, diagnosis = append(unit, uint32(u)), append(birth, born), append(sex, is), append(ward, at), append(diagnosis, has)
		}
	}
	random.Shuffle(len(unit), func(i, j int) {
		for _, codes := range [][]uint32{unit, birth, sex, ward, diagnosis} {
			codes[i], codes[j] = codes[j], codes[i]
		}
	})
	column := func(name string, values int, codes []uint32) *anonymize.Column {
		c := &anonymize.Column{Name: name, Type: "INT", Codes: codes}
		for v := range values {
			c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(int64(v)))
		}
		return c
	}
	return &anonymize.Input{Rows: len(unit), Units: unit, Random: rand.NewPCG(seed, 2),
		QuasiIdentifiers: []*anonymize.Column{column("birth", 60, birth), column("sex", 2, sex), column("ward", 12, ward)},
		Sensitive:        []*anonymize.Column{column("diagnosis", shape.Values, diagnosis)}}
}
