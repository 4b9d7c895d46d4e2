package sample

import "math"

// diseases are the values of the sensitive attribute, with weights by age: 18-25, 26-39, 40-54,
// 55-67, 68-94.
var diseases = []row{
	{"Hypertension", [5]float64{3, 9, 22, 32, 30}},
	{"Type-2-diabetes", [5]float64{1, 3, 8, 13, 14}},
	{"Heart-disease", [5]float64{0.5, 1, 5, 11, 18}},
	{"Arthritis", [5]float64{1, 3, 8, 13, 16}},
	{"Back-pain", [5]float64{10, 16, 18, 13, 8}},
	{"Asthma", [5]float64{14, 10, 7, 5, 4}},
	{"Allergy", [5]float64{19, 15, 9, 5, 3}},
	{"Migraine", [5]float64{13, 13, 9, 4, 2}},
	{"Depression", [5]float64{11, 11, 10, 7, 5}},
	{"Anxiety", [5]float64{14, 11, 7, 4, 3}},
	{"Gastritis", [5]float64{8, 8, 7, 5, 3}},
	{"Thyroid-disorder", [5]float64{2, 3, 4, 4, 3}},
	{"Cancer", [5]float64{0.5, 1.5, 4, 7, 9}},
	{"HIV", [5]float64{2.5, 4, 3, 1.5, 0.6}},
}

// womenToMen is the ratio of a disease's frequency among women to that among men.
var womenToMen = map[string]float64{
	"Hypertension": 0.85, "Type-2-diabetes": 0.75, "Heart-disease": 0.6, "Arthritis": 1.6,
	"Migraine": 2.8, "Depression": 1.8, "Anxiety": 1.7, "Thyroid-disorder": 4, "HIV": 0.3,
}

func (g *generator) disease(p Person) string {
	return g.byAge(diseases, p.Age, func(value string) float64 {
		ratio, ok := womenToMen[value]
		switch {
		case !ok:
			return 1
		case p.Sex == female:
			return math.Sqrt(ratio)
		}
		return 1 / math.Sqrt(ratio)
	})
}
