package anontest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// A Source is a table with its roles: the truth to compare answers with. [Guests], [Shops], [Pupils] and [Staff] are
// random, but equal arguments give equal tables.
type Source struct {
	Table *anonymize.Microdata
	Roles anonymize.Roles
}

// A Collector collects records.
type Collector struct {
	names  []string
	values map[string][]anonymize.Value
}

// Collect starts a table. Spaces separate the names of its attributes. The last attribute is sensitive, the others
// are quasi-identifiers.
func Collect(names string) *Collector {
	return &Collector{strings.Fields(names), make(map[string][]anonymize.Value)}
}

// Add adds a record of integers and texts.
func (c *Collector) Add(fields ...any) {
	for i, field := range fields {
		var v anonymize.Value
		switch x := field.(type) {
		case int:
			v = anonymize.IntegerValue(int64(x))
		case string:
			v = anonymize.TextValue(x)
		}
		c.values[c.names[i]] = append(c.values[c.names[i]], v)
	}
}

// Source returns the collected table.
func (c *Collector) Source() Source {
	var columns []*anonymize.Column
	for _, name := range c.names {
		columns = append(columns, anonymize.NewColumn(name, "TEXT", c.values[name]))
	}
	table, err := anonymize.NewMicrodata(columns...)
	if err != nil {
		panic(err) // the columns have the same length
	}
	last := len(c.names) - 1
	return Source{table, anonymize.Roles{QuasiIdentifiers: c.names[:last], Sensitive: c.names[last:]}}
}

// AdultOccupations returns the complete records of UCI Adult with occupation as the sensitive attribute.
func AdultOccupations(t testing.TB) Source {
	return Source{AdultComplete(t), anonymize.Roles{Sensitive: []string{"occupation"},
		QuasiIdentifiers: strings.Fields("age workclass education marital_status relationship race sex hours_per_week native_country")}}
}

// Guests is the table of package impute's tests. The disease depends on age and diet, the diet on the sex, and
// nothing on the region.
func Guests(rows int, seed uint64) Source {
	random := rand.New(rand.NewPCG(seed, uint64(rows)))
	c := Collect("age sex diet region disease")
	for range rows {
		age := 18 + int(50*math.Pow(random.Float64(), 1.5))
		sex := random.IntN(2)
		diet := min(4, int(5*math.Pow(random.Float64(), 0.7+0.8*float64(sex))))
		disease := min(7, int(8*math.Pow(random.Float64(), 0.6+float64(age)/60)))
		if random.Float64() < 0.5 {
			disease = (diet + random.IntN(2)) % 8
		}
		c.Add(age, []string{"f", "m"}[sex], fmt.Sprint("diet", diet), fmt.Sprint("region", random.IntN(6)), fmt.Sprint("disease", disease))
	}
	return c.Source()
}

// Shops is a table of sales with features that other tables lack: a functional dependence (the town determines the
// county), an attribute with 1,000 values of which a few have most records, and amounts over four powers of ten.
func Shops(rows int, seed uint64) Source {
	random := rand.New(rand.NewPCG(seed, uint64(rows)))
	c := Collect("town county article amount weekday channel complaint")
	for range rows {
		town := int(60 * math.Pow(random.Float64(), 2))
		article := int(1000 * math.Pow(random.Float64(), 3))
		amount := int(math.Exp(random.NormFloat64()*1.2+3+float64(article%7)/4)) + 1
		weekday := random.IntN(7)
		channel := []string{"shop", "phone", "web"}[min(2, int(3*math.Pow(random.Float64(), 0.5+float64(weekday)/6)))]
		complaint := int(12 * random.Float64())
		switch {
		case article < 40 && random.Float64() < 0.5:
			complaint = article % 5
		case channel == "web" && random.Float64() < 0.4:
			complaint = 5 + int(3*random.Float64())
		case amount > 100 && random.Float64() < 0.5:
			complaint = 8 + town%3
		}
		c.Add(fmt.Sprintf("town%02d", town), fmt.Sprint("county", town/8), fmt.Sprintf("article%03d", article), min(amount, 9999),
			weekday, channel, fmt.Sprintf("complaint%02d", complaint))
	}
	return c.Source()
}

// Pupils is a table with three-way associations: the mark depends on whether teacher and language fit, and on the
// hours of pupils who work.
func Pupils(rows int, seed uint64) Source {
	random := rand.New(rand.NewPCG(seed, uint64(rows)))
	c := Collect("year language teacher sport hours transport mark")
	for range rows {
		year := 5 + random.IntN(8)
		language := min(5, int(random.ExpFloat64()*1.3))
		teacher := random.IntN(12)
		sport := (year/3 + random.IntN(3)) % 6
		hours := min(20, int(random.ExpFloat64()*float64(1+year/3)))
		transport := 0
		if random.Float64() < 0.1+float64(year)/20 {
			transport = 1 + random.IntN(3)
		}
		mark := 4 + int(random.NormFloat64()*2)
		if (teacher+language)%3 == 0 {
			mark += 3
		}
		if hours > 6 && sport < 3 {
			mark -= 3
		}
		c.Add(year, fmt.Sprint("language", language), fmt.Sprintf("teacher%02d", teacher), fmt.Sprint("sport", sport), hours,
			fmt.Sprint("transport", transport), max(0, min(9, mark)))
	}
	return c.Source()
}

// Staff is a table with a numeric sensitive attribute, the salary, which depends mostly on one attribute, the grade.
// The grade determines the title, and few people have high grades. Nothing depends on site and sex.
func Staff(rows int) Source {
	random := rand.New(rand.NewPCG(1, uint64(rows)))
	c := Collect("grade title department site sex age years salary")
	titles := strings.Fields("clerk clerk clerk officer officer manager manager director director chair")
	for range rows {
		grade := int(10 * math.Pow(random.Float64(), 2))
		years := min(40, int(random.ExpFloat64()*float64(2+grade)))
		department := (grade*3 + random.IntN(5)) % 8
		salary := 20 + 6*grade + years/4 + int(2*math.Abs(random.NormFloat64()))
		c.Add(grade, titles[grade], fmt.Sprint("department", department), fmt.Sprint("site", random.IntN(5)), []string{"f", "m"}[random.IntN(2)],
			min(67, 20+years+random.IntN(12)), years, salary)
	}
	return c.Source()
}
