package sample

import "math"

const (
	female = "Female"
	male   = "Male"
)

// band returns an age's column in a table by age.
func band(age int) int {
	switch {
	case age < 26:
		return 0
	case age < 40:
		return 1
	case age < 55:
		return 2
	case age < 68:
		return 3
	}
	return 4
}

// A row of a table by age: 18-25, 26-39, 40-54, 55-67, 68-94.
type row struct {
	value   string
	weights [5]float64
}

func (g *generator) byAge(table []row, age int, adjust func(value string) float64) string {
	var buf [16]float64
	weights := buf[:len(table)]
	for i, r := range table {
		weights[i] = r.weights[band(age)] * adjust(r.value)
	}
	return table[g.choose(weights)].value
}

var educations = []row{
	{"Primary", [5]float64{2, 3, 4, 8, 16}},
	{"Lower-secondary", [5]float64{12, 9, 12, 18, 26}},
	{"Upper-secondary", [5]float64{46, 22, 26, 28, 26}},
	{"Vocational", [5]float64{14, 18, 22, 20, 16}},
	{"Some-college", [5]float64{16, 12, 10, 9, 6}},
	{"Bachelors", [5]float64{9, 22, 16, 10, 6}},
	{"Masters", [5]float64{1, 12, 8, 5, 3}},
	{"Doctorate", [5]float64{0, 2, 2, 2, 1}},
}

// schooling is the number of years of an education.
var schooling = map[string]float64{
	"Primary": 6, "Lower-secondary": 9, "Upper-secondary": 12, "Vocational": 13,
	"Some-college": 14, "Bachelors": 16, "Masters": 18, "Doctorate": 21,
}

func (g *generator) education(age int) string {
	return g.byAge(educations, age, func(value string) float64 {
		if float64(age) < schooling[value]+6 {
			return 0
		}
		return 1
	})
}

var maritalStatuses = []row{
	{"Never-married", [5]float64{88, 40, 17, 9, 5}},
	{"Married", [5]float64{10, 50, 61, 64, 54}},
	{"Separated", [5]float64{1, 3, 5, 3, 1}},
	{"Divorced", [5]float64{1, 7, 16, 18, 10}},
	{"Widowed", [5]float64{0.05, 0.3, 1.5, 6, 30}},
}

func (g *generator) maritalStatus(age int, sex string) string {
	return g.byAge(maritalStatuses, age, func(value string) float64 {
		if value == "Widowed" && sex == female {
			return 2.4
		}
		return 1
	})
}

const (
	private, public      = "Private", "Public"
	selfEmployed         = "Self-employed"
	student, homemaker   = "Student", "Homemaker"
	unemployed, retired  = "Unemployed", "Retired"
	notWorking           = "None"
	fullTime             = 40
	medianIncome         = 31_000
	incomePerYearOfStudy = 0.085 // on the logarithm
)

var workclasses = []row{
	{private, [5]float64{52, 62, 58, 46, 3}},
	{public, [5]float64{9, 16, 19, 16, 0.5}},
	{selfEmployed, [5]float64{2, 8, 12, 12, 3}},
	{student, [5]float64{28, 2, 0.2, 0, 0}},
	{homemaker, [5]float64{2, 5, 5, 6, 3}},
	{unemployed, [5]float64{7, 6, 5, 4, 0}},
	{retired, [5]float64{0, 0, 0.3, 16, 91}},
}

func (g *generator) workclass(p Person) string {
	studied := schooling[p.Education]
	return g.byAge(workclasses, p.Age, func(value string) float64 {
		switch value {
		case homemaker:
			if p.Sex == male {
				return 0.1
			}
			return 1.9
		case public:
			return 0.4 + studied/18
		case unemployed:
			return 3.2 - studied/7
		case student:
			if p.MaritalStatus == "Married" {
				return 0.3
			}
		}
		return 1
	})
}

// An occupation is most likely at a number of years of schooling.
var occupations = []struct {
	value     string
	schooling float64
	weight    float64
	women     float64 // share of women
}{
	{"Cleaning", 8, 8, 0.7}, {"Transport", 10, 8, 0.12}, {"Farming", 9, 4, 0.3}, {"Construction", 11, 9, 0.05},
	{"Machine-operation", 11, 8, 0.2}, {"Craft-repair", 12.5, 10, 0.1}, {"Sales", 12, 12, 0.56},
	{"Clerical", 13, 13, 0.72}, {"Protective-service", 13, 3, 0.15}, {"Care-nursing", 13.5, 9, 0.82},
	{"Technical-support", 15, 6, 0.3}, {"Teaching", 17, 7, 0.68}, {"Management", 16, 9, 0.35},
	{"Professional", 18, 9, 0.46},
}

func (g *generator) occupation(p Person) string {
	if !works(p) {
		return notWorking
	}
	var weights [14]float64
	for i, o := range occupations {
		share := o.women
		if p.Sex == male {
			share = 1 - share
		}
		distance := schooling[p.Education] - o.schooling
		weights[i] = o.weight * share * math.Exp(-distance*distance/8)
	}
	return occupations[g.choose(weights[:])].value
}

func works(p Person) bool {
	return p.Workclass == private || p.Workclass == public || p.Workclass == selfEmployed
}

// hours draws weekly hours: mostly 40, part-time more often for women.
func (g *generator) hours(p Person) int {
	if !works(p) {
		return 0
	}
	part, mean, spread := 0.08, 41.0, 5.0
	if p.Sex == female {
		part = 0.34
	}
	if p.Workclass == selfEmployed {
		mean, spread = 48, 10
	}
	switch {
	case g.rng.Float64() < part:
		return 10 + 5*g.rng.IntN(5)
	case p.Workclass != selfEmployed && g.rng.Float64() < 0.55:
		return fullTime
	}
	return min(90, max(32, int(math.Round(mean+spread*g.rng.NormFloat64()))))
}

// income draws from a log-normal distribution by schooling, experience and hours.
func (g *generator) income(p Person) int {
	log := math.Log(medianIncome) + incomePerYearOfStudy*(schooling[p.Education]-12) + 0.32*g.rng.NormFloat64()
	switch {
	case works(p):
		experience := math.Min(float64(p.Age)-schooling[p.Education]-6, 35)
		log += 0.028*experience - 0.00048*experience*experience - 0.25
		log += 0.75 * math.Log(float64(p.HoursPerWeek)/fullTime)
		if p.Sex == female {
			log -= 0.08
		}
	case p.Workclass == retired:
		log -= 0.55
	default:
		log -= 1.35
	}
	return int(math.Round(math.Exp(log)/100)) * 100
}
