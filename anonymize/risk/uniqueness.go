package risk

import (
	"errors"
	"fmt"
	"math"
)

// A sample is the release as the estimators see it: sizes of classes of a simple random
// sample of a population.
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
// Unique Population Elements Using a Sample" (ASA, Survey Research Methods, 1991). The
// probability that a sample unique is a population unique is Bayes' rule over the sizes of
// classes, for which the sample's stand in:
//
//	P(1) h(1) / sum_i P(i) h(i),   h(i) = i C(N - i, n - 1) / C(N, n),
//
// P(i) being the share of classes with i records, h(i) the probability that one of i is
// drawn. Times the sample uniques, over n/N, that is the estimate.
//
// It always has a value. Classes of the population are larger than those of the sample,
// so small samples have too many population uniques by it.
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

// drawnOnce is h(i): hypergeometric.
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

// The models, by the names of who made them.
const (
	PitmanModel = "Pitman"
	ZayatzModel = "Zayatz"
	SNBModel    = "slide negative binomial"
)

// Dankar takes one of the estimates by the rule of Dankar, El Emam, Neisa and Roffey,
// "Estimating the re-identification risk of clinical data sets" (BMC Medical Informatics
// and Decision Making 12:66, 2012): of a sample of at most a tenth of the population Pitman's;
// else the smaller one of the slide negative binomial model's and Zayatz's. Where Pitman's or the
// slide negative binomial model has none, Zayatz's stands in.
func Dankar(sizes []SizeCount, population uint64) (UniquesEstimate, error) {
	zayatz, err := Zayatz(sizes, population)
	if err != nil {
		return UniquesEstimate{}, err
	}
	s, _ := newSample(sizes, population) // which Zayatz has checked
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
