package evaluation

import (
	"encoding/csv"
	"io"
	"strconv"
)

// WriteCSV writes the figure's points, one per line. The column names are the labels of the axes, with their units.
func (f *Figure) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	lines := [][]string{{"series", f.X, f.Y, "low: " + f.Y, "top: " + f.Y, "repetitions"}}
	for _, s := range f.Series {
		for _, p := range s.Points {
			x := Plain(p.X)
			if len(f.Categories) > 0 {
				x = f.Categories[int(p.X)]
			}
			lines = append(lines, []string{s.Label, x, Plain(p.Y), Plain(p.Low), Plain(p.Top), strconv.Itoa(p.Repetitions)})
		}
	}
	return out.WriteAll(lines)
}
