package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// A riskChart is the disclosure-risk curve: over a probability x, the share of the records that
// are disclosed with at least x.
type riskChart struct {
	Curves []curve
	X, Y   []tick
	Title  string
	// Bound is the promised greatest probability, "" for none.
	Bound, BoundText string
	Thresholds       []string // headers of the table
}

type curve struct {
	// Series numbers the colours, from 1.
	Series         int
	Name, Of       string // Of is the sensitive attribute, "" for identity
	Points         string // of a polyline in a square of 1000 units
	Mean, Greatest Figure
	Shares         []Figure // by threshold
}

var thresholds = []float64{0.1, 0.2, 0.5, 0.9}

// maxCurves is the number of colours, without that of identity.
const maxCurves = 4

func newRiskChart(risks []Risk, guarantees []anonymize.Guarantee) *riskChart {
	c := &riskChart{X: ticksAcross(1, 0.2, percent), Y: ticksDown(1, 0.25, percent)}
	for _, t := range thresholds {
		c.Thresholds = append(c.Thresholds, percent(t))
	}
	var said []string
	for i, r := range risks {
		line := curve{
			Series:   min(i+1, maxCurves),
			Name:     "sensitive value",
			Of:       clean(r.Attribute),
			Points:   steps(&r),
			Mean:     share(r.Mean),
			Greatest: share(r.Greatest),
		}
		if r.Attribute == "" {
			line.Series, line.Name = 5, "which record it is"
		}
		for _, t := range thresholds {
			line.Shares = append(line.Shares, share(r.AtLeast(t)))
		}
		said = append(said, fmt.Sprintf("%s: %s on average, %s at most", strings.TrimSpace(line.Of+" "+line.Name), line.Mean.Text, line.Greatest.Text))
		c.Curves = append(c.Curves, line)
	}
	c.Title = "Share of the records inferred with at least a probability. " + strings.Join(said, "; ") + "."
	if bound, ok := promisedProbability(guarantees); ok && bound < 1 {
		c.Bound, c.BoundText = position(bound, 1), percent(bound)
	}
	return c
}

// promisedProbability returns the least upper bound that promises set to the probability of a
// sensitive value: beta, breach, or 1/l.
func promisedProbability(guarantees []anonymize.Guarantee) (bound float64, ok bool) {
	bound = 1
	for _, g := range guarantees {
		if g.Required == nil {
			continue
		}
		switch x := g.Required.Float(); g.Name {
		case "beta", "breach":
			bound, ok = min(bound, x), true
		case "l":
			if x >= 1 {
				bound, ok = min(bound, 1/x), true
			}
		}
	}
	return bound, ok
}

// maxSteps bounds the corners of a curve; beyond it, probabilities are rounded up to
// thousandths.
const maxSteps = 400

// steps draws the share of records with at least x, for x from 0 to 1.
func steps(r *Risk) string {
	points := r.Points
	if len(points) > maxSteps {
		points = nil
		for i := 1; i <= 1000; i++ {
			low, high := r.AtLeast(float64(i-1)/1000+2e-12), r.AtLeast(float64(i)/1000+2e-12)
			if low > high {
				points = append(points, RiskPoint{float64(i) / 1000, low - high})
			}
		}
	}
	left := 1.0
	corners := []string{"0,0"}
	for _, p := range points {
		x := strconv.FormatFloat(1000*p.Probability, 'f', 2, 64)
		corners = append(corners, x+","+yPosition(left))
		left = max(0, left-p.Share)
		corners = append(corners, x+","+yPosition(left))
	}
	return strings.Join(append(corners, "1000,1000"), " ")
}

func yPosition(share float64) string { return strconv.FormatFloat(1000*(1-share), 'f', 2, 64) }
