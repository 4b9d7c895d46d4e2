package evaluation

import "slices"

// A Figure is one figure (or table) of a paper, made again.
type Figure struct {
	// Name is that of its files, for example "slppa-fig02a".
	Name string
	// Printed is what the paper calls it, for example "Fig. 2 (a)".
	Printed string
	Title   string
	// X and Y label the axes, with their units.
	X, Y string
	// Categories are the names of the places on the x axis when it is not a
	// scale: bars are drawn, and a Point's X counts them from 0.
	Categories []string
	// LogX and LogY ask for logarithmic axes.
	LogX, LogY bool
	Series     []Series
	// PaperShows is the paper's statement, in a sentence or two.
	PaperShows string
	// Aim takes its place in a figure that is no paper's: what was set before the run.
	Aim string `json:",omitempty"`
	// RunShows, Verdict and Why are what Conclude made of the claims.
	RunShows string
	Verdict  Verdict
	// Why is not empty unless the verdict is Agrees.
	Why string
	// Notes are settings that had to be changed, and why.
	Notes []string
}

// A Series is what one method, or one setting of it, did.
type Series struct {
	Label  string
	Points []Point
}

// A Point is the median of its repetitions, between the least and the greatest.
type Point struct {
	X           float64
	Y, Low, Top float64
	Repetitions int
}

// NewPoint summarises repetitions: median, least and greatest.
//
// values is not empty; it is sorted.
func NewPoint(x float64, values []float64) Point {
	slices.Sort(values)
	n := len(values)
	return Point{
		X:           x,
		Y:           (values[(n-1)/2] + values[n/2]) / 2,
		Low:         values[0],
		Top:         values[n-1],
		Repetitions: n,
	}
}

// A Verdict says whether a run agrees with the paper.
type Verdict string

// The verdicts.
const (
	Agrees     Verdict = "agrees"
	Partly     Verdict = "agrees in part"
	Disagrees  Verdict = "disagrees"
	Infeasible Verdict = "cannot be run as printed"
)

// Label returns the series of a label, nil when there is none.
func (f *Figure) Label(label string) *Series {
	for i := range f.Series {
		if f.Series[i].Label == label {
			return &f.Series[i]
		}
	}
	return nil
}

// PointAt returns the point at x.
func (s *Series) PointAt(x float64) (Point, bool) {
	for _, p := range s.Points {
		if p.X == x {
			return p, true
		}
	}
	return Point{}, false
}

// Labels lists the labels of the series, in their order.
func (f *Figure) Labels() []string {
	labels := []string{}
	for _, s := range f.Series {
		labels = append(labels, s.Label)
	}
	return labels
}

// Read begins to compare the figure's series. x names their places: "K", or "records".
func (f *Figure) Read(x string) Reading { return Reading{f, x} }
