package sample

import (
	"iter"
	"math"
	"math/rand/v2"
	"strconv"
	"time"
)

// A Visit is one row of a table with several per patient: birth year, sex and region are the patient's, the rest the visit's.
type Visit struct {
	ID        int // from 1
	Patient   int // a number of six digits
	BirthYear int
	Sex       string
	Region    string
	Ward      string
	Admitted  string // YYYY-MM-DD
	Diagnosis string
}

// maxVisits is the greatest number of a patient's visits.
const maxVisits = 10

// VisitColumns returns the columns, in the order of Fields.
func VisitColumns() []Column {
	return []Column{
		{"visit_id", "INT", "ei"},
		{"patient", "INT", "unit"},
		{"birth_year", "INT", "qi"},
		{"sex", "VARCHAR(8)", "qi"},
		{"region", "VARCHAR(24)", "qi"},
		{"ward", "VARCHAR(24)", "qi"},
		{"admitted", "DATE", "qi"},
		{"diagnosis", "VARCHAR(24)", "sa"},
	}
}

// Fields returns the visit as text, in the order of VisitColumns.
func (v Visit) Fields() []string {
	return []string{strconv.Itoa(v.ID), strconv.Itoa(v.Patient), strconv.Itoa(v.BirthYear), v.Sex, v.Region, v.Ward, v.Admitted, v.Diagnosis}
}

// GenerateVisits returns visits, patient by patient. Some of the last patient's may be missing.
func GenerateVisits(rows int, seed uint64) iter.Seq[Visit] {
	return func(yield func(Visit) bool) {
		g := &generator{rng: rand.New(rand.NewPCG(seed, 0x766973697473)), regions: newGeography()}
		for id, patient := 1, 0; id <= rows; patient++ {
			for _, v := range g.visits(patient) {
				if v.ID = id; id > rows || !yield(v) {
					return
				}
				id++
			}
		}
	}
}

// visits draws one patient's visits. Patients with a chronic disease come more often, and only for it.
func (g *generator) visits(patient int) []Visit {
	p := Person{Age: g.age()}
	p.Sex = g.sex(p.Age)
	v := Visit{Patient: 100_000 + patient*37_619%899_981, BirthYear: lastYear - p.Age, Sex: p.Sex} // without a common factor: no number comes twice
	v.Region, _ = g.residence()
	chronic, again := g.rng.Float64() < 0.15+0.5*float64(p.Age-18)/76, 0.55
	if chronic {
		v.Diagnosis, again = g.disease(p), 0.75
	}
	day := time.Date(lastYear-1, 1, 1+g.rng.IntN(700), 0, 0, 0, 0, time.UTC)
	var all []Visit
	for {
		if !chronic {
			v.Diagnosis = g.acuteDisease(p)
		}
		v.Ward, v.Admitted = g.ward(v.Diagnosis), day.Format(time.DateOnly)
		if all = append(all, v); len(all) == maxVisits || g.rng.Float64() > again {
			return all
		}
		day = day.AddDate(0, 0, 1+g.rng.IntN(90))
	}
}

// lastYear is the year of most visits.
const lastYear = 2025

// wards admit patients with diseases of their subject more often.
var wards = []string{"Internal-medicine", "Surgery", "Cardiology", "Orthopaedics", "Neurology", "Paediatrics-and-family", "Infectious-diseases", "Emergency"}

// elsewhere is the probability that a patient is in a ward of another subject.
const elsewhere = 0.3

func (g *generator) ward(diagnosis string) string {
	ward, ok := wardOf[diagnosis]
	if !ok || g.rng.Float64() < elsewhere {
		return wards[g.rng.IntN(len(wards))]
	}
	return wards[ward]
}

var wardOf = map[string]int{
	"Hypertension": 2, "Heart-disease": 2, "Arrhythmia": 2, "Arthritis": 3, "Back-pain": 3, "Migraine": 4, "Concussion": 4,
	"HIV": 6, "Influenza": 6, "Covid-19": 6,
	"Wrist-fracture": 3, "Hip-fracture": 3, "Ankle-sprain": 3, "Appendicitis": 1, "Gallstones": 1, "Hernia": 1,
	"Type-2-diabetes": 0, "Pneumonia": 0, "Kidney-stones": 0, "Laceration": 7,
}

// acuteDiseases come and go: weights by age as in diseases, most frequent first.
var acuteDiseases = []row{
	{"Common-cold", [5]float64{30, 24, 18, 12, 8}}, {"Influenza", [5]float64{16, 14, 12, 11, 12}}, {"Covid-19", [5]float64{12, 11, 10, 10, 12}},
	{"Bronchitis", [5]float64{6, 7, 9, 11, 12}}, {"Gastroenteritis", [5]float64{11, 9, 7, 5, 4}}, {"Ankle-sprain", [5]float64{12, 8, 5, 3, 2}},
	{"Urinary-infection", [5]float64{5, 5, 5, 6, 9}}, {"Laceration", [5]float64{8, 6, 5, 4, 3}}, {"Sinusitis", [5]float64{6, 6, 5, 3, 2}},
	{"Pneumonia", [5]float64{1, 2, 3, 5, 11}}, {"Tonsillitis", [5]float64{8, 4, 2, 1, 0.5}}, {"Otitis", [5]float64{4, 3, 2, 2, 1.5}},
	{"Wrist-fracture", [5]float64{4, 3, 2, 3, 4}}, {"Kidney-stones", [5]float64{1, 2, 4, 4, 2}}, {"Appendicitis", [5]float64{4, 3, 1.5, 1, 0.6}},
	{"Gallstones", [5]float64{0.6, 2, 3, 4, 3}}, {"Hernia", [5]float64{0.5, 1, 2, 3, 3}}, {"Conjunctivitis", [5]float64{3, 2, 1.5, 1, 1}},
	{"Shingles", [5]float64{0.3, 0.5, 1, 3, 4}}, {"Concussion", [5]float64{3, 1.5, 1, 0.8, 1}}, {"Hip-fracture", [5]float64{0.1, 0.1, 0.3, 1.5, 6}},
	{"Thrombosis", [5]float64{0.3, 0.6, 1, 2, 3}}, {"Arrhythmia", [5]float64{0.2, 0.4, 1, 3, 6}}, {"Burn", [5]float64{1.5, 1.2, 1, 0.7, 0.6}},
	{"Food-poisoning", [5]float64{1.8, 1.5, 1, 0.7, 0.5}}, {"Cellulitis", [5]float64{0.5, 0.7, 1, 1.4, 1.8}}, {"Vertigo", [5]float64{0.4, 0.6, 1, 1.5, 2}},
	{"Lyme-disease", [5]float64{0.5, 0.6, 0.7, 0.7, 0.5}}, {"Anaemia", [5]float64{0.8, 0.8, 0.7, 0.7, 1.2}}, {"Pancreatitis", [5]float64{0.2, 0.4, 0.6, 0.7, 0.6}},
}

// womensAcute is the ratio of a disease's frequency among women to that among men.
var womensAcute = map[string]float64{
	"Urinary-infection": 5, "Gallstones": 2, "Hernia": 0.15, "Kidney-stones": 0.5, "Concussion": 0.5, "Anaemia": 3, "Hip-fracture": 2,
}

func (g *generator) acuteDisease(p Person) string {
	weights := make([]float64, len(acuteDiseases))
	for i, d := range acuteDiseases {
		weights[i] = d.weights[band(p.Age)]
		if ratio, ok := womensAcute[d.value]; ok && p.Sex == female {
			weights[i] *= math.Sqrt(ratio)
		} else if ok {
			weights[i] /= math.Sqrt(ratio)
		}
	}
	return acuteDiseases[g.choose(weights)].value
}
