package evaluation

import "slices"

// A Figure reproduces one figure (or table) of a paper.
type Figure struct {
	// Name is the name of its files, for example "slppa-fig02a".
	Name string
	// Printed is its name in the paper, for example "Fig. 2 (a)".
	Printed string
	Title   string
	// X and Y label the axes, with their units.
	X, Y string
	// Categories are the names of the places if the x axis is not a scale. Then the figure has bars, and a Point's X is
	// an index, from 0.
	Categories []string
	// LogX and LogY ask for logarithmic axes.
	LogX, LogY bool
	Series     []Series
	// PaperShows is the paper's statement, in a sentence or two.
	PaperShows string
	// Aim replaces PaperShows in an experiment of our own: the target set before the run.
	Aim string `json:",omitempty"`
	// Conclude sets RunShows, Verdict and Why from the claims.
	RunShows string
	Verdict  Verdict
	// Why is empty only if the verdict is Agrees.
	Why string
	// Notes describe settings that had to be changed, and why.
	Notes []string
}

// A Series has the results of one method, or of one setting of it.
type Series struct {
	Label  string
	Points []Point
}

// A Point has the median, least and greatest value of its repetitions.
type Point struct {
	X           float64
	Y, Low, Top float64
	Repetitions int
}

// NewPoint summarises repetitions: median, least and greatest. It sorts values, which must not be empty.
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

// Label returns the series with a label, nil if there is none.
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

// Read starts to compare the figure's series. x names their places, such as "K" or "records".
func (f *Figure) Read(x string) Reading { return Reading{f, x} }
