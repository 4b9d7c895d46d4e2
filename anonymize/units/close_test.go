package units_test

import (
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// charges are units of one to three bills each around four amounts; every second unit has the same amount on all.
func charges(units int, random *rand.Rand) *anonymize.Input {
	in := &anonymize.Input{Random: random}
	var age, charge []anonymize.Value
	for u := range units {
		years := anonymize.IntegerValue(int64(18 + random.IntN(50)))
		amount := func() anonymize.Value {
			return anonymize.IntegerValue([]int64{200, 500, 1000, 3000, 7000, 9000, 12000, 15000}[random.IntN(8)] + int64(random.IntN(9)))
		}
		same := amount()
		for range 1 + u%3 {
			if age = append(age, years); u%2 == 0 {
				same = amount()
			}
			charge, in.Units = append(charge, same), append(in.Units, uint32(u))
		}
	}
	in.Rows = len(age)
	in.QuasiIdentifiers = []*anonymize.Column{anonymize.NewColumn("age", "int", age)}
	in.Sensitive = []*anonymize.Column{anonymize.NewColumn("charge", "int", charge)}
	return in
}

// Of no group have more than a third of the units a charge in an interval of 10, looked for from every record.
func TestThresholdCountsUnits(t *testing.T) {
	for name, p := range promised {
		if !p.diverse || name == "fulldomain" { // whose columns are of one level
			continue
		}
		in := charges(600, rand.New(rand.NewPCG(4, 4)))
		arguments := anonymize.Arguments{"threshold": "10"}
		for parameter, value := range p.arguments {
			arguments[parameter] = value
		}
		o, err := run(t, name, in, arguments)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := o.check(true); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		c := o.in.Sensitive[0]
		near := make(map[[2]uint32]map[uint32]bool) // units by group and the code of the least value
		for row, g := range o.groupOf {
			for other, h := range o.groupOf {
				if apart := c.Value(other).Int - c.Value(row).Int; g == h && apart >= 0 && apart <= 10 {
					at := [2]uint32{g, c.Codes[row]}
					if near[at] == nil {
						near[at] = make(map[uint32]bool)
					}
					near[at][o.in.Units[other]] = true
				}
			}
		}
		for at, units := range near {
			if 3*len(units) > int(o.Release.Units[at[0]]) {
				t.Errorf("%s: of %d units of group %d, %d have a charge within 10 of %v", name, o.Release.Units[at[0]], at[0], len(units), c.Dictionary[at[1]])
				break
			}
		}
	}
}
