package risk

import (
	"errors"
	"fmt"
	"math"
)

// A sample is a release for the estimators: class sizes of a simple random sample of a
// population.
type sample struct {
	sizes            []SizeCount
	records, classes float64
	uniques, pairs   float64 // classes of one and of two records
	population       float64
	fraction         float64 // of the population
}

func newSample(sizes []SizeCount, population uint64) (*sample, error) {
	s := &sample{sizes: sizes, population: float64(population)}
	for _, c := range sizes {
		s.records += float64(c.Size) * float64(c.Classes)
		s.classes += float64(c.Classes)
		switch c.Size {
		case 1:
			s.uniques = float64(c.Classes)
		case 2:
			s.pairs = float64(c.Classes)
		}
	}
	if s.records == 0 {
		return nil, errors.New("the release has no records")
	}
	if s.population < s.records {
		return nil, fmt.Errorf("there are %d persons, fewer than the %.0f records of the sample", population, s.records)
	}
	s.fraction = s.records / s.population
	return s, nil
}

// Zayatz estimates the number of population uniques: Zayatz, "Estimation of the Number of
// Unique Population Elements Using a Sample" (ASA, Survey Research Methods, 1991). Bayes' rule
// over class sizes gives the probability that a sample unique is a population unique; the
// sample's sizes replace the population's:
//
//	P(1) h(1) / sum_i P(i) h(i),   h(i) = i C(N - i, n - 1) / C(N, n),
//
// where P(i) is the share of classes with i records and h(i) the probability that exactly one
// of i is drawn. The estimate is this times the number of sample uniques, divided by n/N.
//
// It always has a value. Population classes are larger than sample classes, so it overestimates
// for small samples.
func Zayatz(sizes []SizeCount, population uint64) (float64, error) {
	s, err := newSample(sizes, population)
	if err != nil || s.uniques == 0 {
		return 0, err
	}
	sum, first := 0.0, 0.0
	for _, c := range sizes {
		p := float64(c.Classes) / s.classes * s.drawnOnce(float64(c.Size))
		if sum += p; c.Size == 1 {
			first = p
		}
	}
	return s.uniques * (first / sum) / s.fraction, nil
}

// drawnOnce returns the hypergeometric h(i).
func (s *sample) drawnOnce(i float64) float64 {
	if s.population-i < s.records-1 {
		return 0
	}
	return math.Exp(math.Log(i) + logChoose(s.population-i, s.records-1) - logChoose(s.population, s.records))
}

func logChoose(n, k float64) float64 { return logGamma(n+1) - logGamma(k+1) - logGamma(n-k+1) }

// A UniquesEstimate is a number of population uniques and the model that it comes from.
type UniquesEstimate struct {
	Uniques float64
	Model   string
}

// The models, named after their authors.
const (
	PitmanModel = "Pitman"
	ZayatzModel = "Zayatz"
	SNBModel    = "slide negative binomial"
)

// Dankar chooses an estimate by the rule of Dankar, El Emam, Neisa and Roffey, "Estimating the
// re-identification risk of clinical data sets" (BMC Medical Informatics and Decision Making
// 12:66, 2012): Pitman's for a sample of at most a tenth of the population, else the smaller of
// the slide negative binomial model's and Zayatz's. If Pitman or the slide negative binomial
// model has none, Zayatz's replaces it.
func Dankar(sizes []SizeCount, population uint64) (UniquesEstimate, error) {
	zayatz, err := Zayatz(sizes, population)
	if err != nil {
		return UniquesEstimate{}, err
	}
	s, _ := newSample(sizes, population) // Zayatz has checked it
	if s.fraction <= 0.1 {
		if pitman, err := Pitman(sizes, population); err == nil {
			return UniquesEstimate{pitman, PitmanModel}, nil
		}
		return UniquesEstimate{zayatz, ZayatzModel}, nil
	}
	if snb, err := SlideNegativeBinomial(sizes, population); err == nil && snb < zayatz {
		return UniquesEstimate{snb, SNBModel}, nil
	}
	return UniquesEstimate{zayatz, ZayatzModel}, nil
}
