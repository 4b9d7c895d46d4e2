package sample

import (
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
)

// Rows is the size of the bundled sample.
const Rows = 50_000

// Generate returns people, one after the other. It takes about a microsecond per person and
// constant memory.
func Generate(rows int, seed uint64) iter.Seq[Person] {
	return func(yield func(Person) bool) {
		g := &generator{rng: rand.New(rand.NewPCG(seed, 0x70656f706c65)), regions: newGeography()}
		for id := 1; id <= rows; id++ {
			if !yield(g.person(id)) {
				return
			}
		}
	}
}

// WriteCSV writes people as CSV with a header.
func WriteCSV(w io.Writer, rows int, seed uint64) error {
	return writeCSV(w, Columns(), Generate(rows, seed))
}

// WriteVisitsCSV writes visits as CSV with a header.
func WriteVisitsCSV(w io.Writer, rows int, seed uint64) error {
	return writeCSV(w, VisitColumns(), GenerateVisits(rows, seed))
}

func writeCSV[Row interface{ Fields() []string }](w io.Writer, columns []Column, rows iter.Seq[Row]) error {
	out := csv.NewWriter(w)
	var header []string
	for _, c := range columns {
		header = append(header, c.Name)
	}
	if err := out.Write(header); err != nil {
		return err
	}
	for row := range rows {
		if err := out.Write(row.Fields()); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

type generator struct {
	rng     *rand.Rand
	regions geography
}

func (g *generator) person(id int) Person {
	p := Person{ID: id}
	p.Age = g.age()
	p.Sex = g.sex(p.Age)
	p.Name = g.name(p.Sex)
	p.Education = g.education(p.Age)
	p.MaritalStatus = g.maritalStatus(p.Age, p.Sex)
	p.Workclass = g.workclass(p)
	p.Occupation = g.occupation(p)
	p.Region, p.Zip = g.residence()
	p.HoursPerWeek = g.hours(p)
	p.Income = g.income(p)
	p.Disease = g.disease(p)
	return p
}

// choose draws an index with a probability proportional to its weight.
func (g *generator) choose(weights []float64) int {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	x := g.rng.Float64() * total
	for i, w := range weights {
		if x < w {
			return i
		}
		x -= w
	}
	return len(weights) - 1
}

// age draws from a flat population that declines from 60 on.
func (g *generator) age() int {
	for {
		age := 18 + g.rng.IntN(77)
		survival := 1.0
		if age > 60 {
			survival = math.Exp(-math.Pow(float64(age-60)/18, 2))
		}
		if g.rng.Float64() < survival*(0.85+0.15*math.Sin(float64(age)/9)) {
			return age
		}
	}
}

func (g *generator) sex(age int) string {
	women := 0.5
	if age > 65 {
		women += 0.006 * float64(age-65)
	}
	if g.rng.Float64() < women {
		return female
	}
	return male
}

func (g *generator) name(sex string) string {
	first := maleNames
	if sex == female {
		first = femaleNames
	}
	return first[g.rng.IntN(len(first))] + " " + lastNames[g.rng.IntN(len(lastNames))]
}

// residence draws a region and a postcode in it.
func (g *generator) residence() (region, zip string) {
	r := g.choose(g.regions.weights)
	i := g.choose(g.regions.zipWeights[r])
	return regionNames[r], fmt.Sprintf("%05d", (r+1)*10000+(i*i*37+i*211)%9973)
}

// A geography has the weights of regions and of each region's postcodes.
type geography struct {
	weights    []float64
	zipWeights [][]float64
}

func newGeography() geography {
	geo := geography{weights: regionWeights, zipWeights: make([][]float64, len(regionWeights))}
	for r, w := range regionWeights {
		zips := int(10 + 2*w)
		for i := range zips {
			geo.zipWeights[r] = append(geo.zipWeights[r], math.Pow(float64(i+1), -0.8))
		}
	}
	return geo
}
