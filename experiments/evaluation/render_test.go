package evaluation

import (
	"bytes"
	"encoding/xml"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"
)

func point(x, y, low, top float64) Point {
	return Point{X: x, Y: y, Low: low, Top: top, Repetitions: 3}
}

// madeUp has two series with spread, on a scale.
func madeUp() Figure {
	return Figure{
		Name: "later-fig01", Printed: "Fig. 1", Title: "Time by records", X: "records n", Y: "time (ms)",
		Series: []Series{
			{"this, \"quoted\"", []Point{point(1000, 1.5, 1, 2), point(2000, 3, 2.5, 3.25)}},
			{"that <one> & other", []Point{point(1000, 0.5, 0.5, 0.5), point(2000, 0.25, 0.125, 0.5)}},
		},
		PaperShows: "This takes longer.", RunShows: "It does.", Verdict: Agrees,
	}
}

// madeUpBars is the same over categories.
func madeUpBars() Figure {
	f := madeUp()
	f.Name, f.Printed, f.Title, f.X = "later-fig02", "Fig. 2", "Time by kind", "kind"
	f.Categories = []string{"small", "large"}
	for _, s := range f.Series {
		for i := range s.Points {
			s.Points[i].X = float64(i)
		}
	}
	return f
}

func TestCSV(t *testing.T) {
	for _, c := range []struct {
		f    Figure
		want string
	}{
		{madeUp(), `series,records n,time (ms),low: time (ms),top: time (ms),repetitions
"this, ""quoted""",1000,1.5,1,2,3
"this, ""quoted""",2000,3,2.5,3.25,3
that <one> & other,1000,0.5,0.5,0.5,3
that <one> & other,2000,0.25,0.125,0.5,3
`},
		{madeUpBars(), `series,kind,time (ms),low: time (ms),top: time (ms),repetitions
"this, ""quoted""",small,1.5,1,2,3
"this, ""quoted""",large,3,2.5,3.25,3
that <one> & other,small,0.5,0.5,0.5,3
that <one> & other,large,0.25,0.125,0.5,3
`},
	} {
		var b bytes.Buffer
		if err := c.f.WriteCSV(&b); err != nil {
			t.Fatal(err)
		}
		if b.String() != c.want {
			t.Errorf("%s:\n%s", c.f.Name, b.String())
		}
	}
}

// textsOf parses an SVG and returns its texts.
func textsOf(t *testing.T, f *Figure) map[string]bool {
	t.Helper()
	var b bytes.Buffer
	if err := f.WriteSVG(&b); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
		t.Errorf("%s: the SVG has numbers that are none", f.Name)
	}
	texts := make(map[string]bool)
	decoder, inText := xml.NewDecoder(&b), false
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return texts
		}
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			inText = token.Name.Local == "text"
		case xml.CharData:
			if inText {
				texts[strings.TrimSpace(string(token))] = true
			}
		}
	}
}

func TestSVG(t *testing.T) {
	for _, f := range []Figure{madeUp(), madeUpBars()} {
		texts := textsOf(t, &f)
		wanted := []string{f.Title, f.X, f.Y, f.Series[0].Label, f.Series[1].Label, "0", "1", "2", "3"}
		if f.Categories == nil {
			wanted = append(wanted, "1,000", "2,000")
		}
		for _, want := range append(wanted, f.Categories...) {
			if !texts[want] {
				t.Errorf("%s does not say %q: %v", f.Name, want, texts)
			}
		}
	}
}

func TestPNG(t *testing.T) {
	f := madeUpBars()
	var b bytes.Buffer
	if err := f.WritePNG(&b); err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	size := picture.Bounds()
	if size.Dx() < 800 || size.Dy() < 500 {
		t.Errorf("the picture has %v", size)
	}
	seen := make(map[color.Color]bool)
	for y := 0; y < size.Dy(); y += 3 {
		for x := 0; x < size.Dx(); x += 3 {
			seen[color.RGBAModel.Convert(picture.At(x, y))] = true
		}
	}
	for _, want := range []color.Color{color.RGBA{255, 255, 255, 255}, colours[0], colours[1]} {
		if !seen[want] {
			t.Errorf("nothing is of the colour %v", want)
		}
	}
	if corner := color.RGBAModel.Convert(picture.At(0, 0)); corner != (color.RGBA{255, 255, 255, 255}) {
		t.Errorf("the corner is %v", corner)
	}
}

// Figures that a plotting library may refuse or take badly.
func TestOddFigures(t *testing.T) {
	many := Series{Label: "many"}
	for i := range 200 {
		many.Points = append(many.Points, point(float64(i), math.Sin(float64(i)), -1, 1))
	}
	crowd := Figure{Categories: []string{"only"}}
	for range 12 {
		crowd.Series = append(crowd.Series, Series{strings.Repeat("a label ", 12), []Point{point(0, 1, 1, 1)}})
	}
	for name, f := range map[string]Figure{
		"nothing":             {},
		"empty-series":        {Series: []Series{{Label: "none"}}},
		"a-point":             {Series: []Series{{"one", []Point{point(3, 7, 7, 7)}}}},
		"zero":                {Series: []Series{{"zero", []Point{point(0, 0, 0, 0)}}}},
		"flat":                {Series: []Series{{"flat", []Point{point(1, 5, 5, 5), point(2, 5, 5, 5)}}}},
		"negative":            {Series: []Series{{"below", []Point{point(-1, -5, -6, -4), point(1, 2, 2, 2)}}}},
		"log-of-zero":         {LogX: true, LogY: true, Series: []Series{{"zero", []Point{point(0, 0, 0, 0), point(10, 5, 0, 6), point(1000, 50, 50, 50)}}}},
		"log-of-nothing":      {LogX: true, LogY: true, Series: []Series{{"zero", []Point{point(0, 0, 0, 0)}}}},
		"log-of-a-point":      {LogX: true, LogY: true, Series: []Series{{"one", []Point{point(10, 5, 5, 5)}}}},
		"negative-bars":       {Categories: []string{"a", "b"}, Series: []Series{{"below", []Point{point(0, -5, -6, -4), point(1, 2, 2, 2)}}}},
		"log-bars":            {LogY: true, Categories: []string{"a", "b"}, Series: []Series{{"x", []Point{point(0, 5, 5, 5), point(1, 2000, 2, 3000)}}}},
		"bars-without-points": {Categories: []string{"a", "b"}, Series: []Series{{Label: "none"}}},
		"tiny":                {Series: []Series{{"tiny", []Point{point(1, 1e-9, 1e-9, 1e-9), point(2, 3e-9, 3e-9, 3e-9)}}}},
		"huge":                {Series: []Series{{"huge", []Point{point(1, 1e15, 1e15, 1e15), point(2, 3e15, 3e15, 3e15)}}}},
		"many":                {Series: []Series{many}},
		"crowd":               crowd,
	} {
		f.Name, f.Title = name, name
		if texts := textsOf(t, &f); !texts[name] {
			t.Errorf("%s: no title", name)
		}
		if testing.Short() { // the race detector needs minutes for the pixels
			continue
		}
		if err := f.WritePNG(io.Discard); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0, 1, "0 0.2 0.4 0.6 0.8 1"}, {0, 4.2, "0 1 2 3 4"}, {-1, 1, "-1 -0.5 0 0.5 1"}, {0.47, 0.91, "0.5 0.6 0.7 0.8 0.9"},
		{0, 25000, "0 5,000 10,000 15,000 20,000 25,000"}, {7, 7, "7"}, {0, 3e-9, "0 5e-10 1e-09 1.5e-09 2e-09 2.5e-09 3e-09"},
	} {
		var labels []string
		for _, tick := range (numberTicks{}).Ticks(c.low, c.high) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("%v to %v: %s", c.low, c.high, got)
		}
	}
	var labels []string
	for _, tick := range (logTicks{}).Ticks(0.8, 30) {
		if tick.Label != "" {
			labels = append(labels, tick.Label)
		}
	}
	if got := strings.Join(labels, " "); got != "1 2 5 10 20" {
		t.Errorf("logarithmic: %s", got)
	}
}

func TestCheck(t *testing.T) {
	for want, change := range map[string]func(*Figure){
		"":                               func(*Figure) {},
		"lower-case letters":             func(f *Figure) { f.Name = "../up" },
		`"" is no verdict`:               func(f *Figure) { f.Verdict = "" },
		"without a reason":               func(f *Figure) { f.Verdict = Disagrees },
		"it has no series":               func(f *Figure) { f.Series = nil },
		`two series "this, \"quoted\""`:  func(f *Figure) { f.Series[1].Label = f.Series[0].Label },
		"a point has the number NaN":     func(f *Figure) { f.Series[0].Points[0].Y = math.NaN() },
		"1.5 is not between 1.75 and 2":  func(f *Figure) { f.Series[0].Points[0].Low = 1.75 },
		"a point has no repetition":      func(f *Figure) { f.Series[0].Points[0].Repetitions = 0 },
		"x = 1000 is none of 1 categori": func(f *Figure) { f.Categories = []string{"one"} },
	} {
		f := madeUp()
		change(&f)
		err := f.Check()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", want, err)
		}
	}
	infeasible := Figure{Name: "later-fig03", Verdict: Infeasible, Why: "nothing can be run"}
	if err := infeasible.Check(); err != nil {
		t.Error(err)
	}
}
