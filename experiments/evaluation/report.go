package evaluation

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// writeReport writes RESULTS.md from the parts in the directory.
func writeReport(dir string, order []string) error {
	parts, err := ReadParts(dir, order)
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(dir, Report), ReportText(parts))
}

// ReadParts returns the parts of a directory in the order of their experiments' names, and then any others. It skips
// files whose name is not the part's: former releases numbered papers.
func ReadParts(dir string, order []string) ([]*Part, error) {
	files, err := filepath.Glob(filepath.Join(dir, folder, "*.json"))
	if err != nil {
		return nil, err
	}
	var parts []*Part
	for _, file := range files {
		part, err := readPart(file)
		if err != nil {
			return nil, err
		}
		if part != nil && part.Name+".json" == filepath.Base(file) {
			parts = append(parts, part)
		}
	}
	place := func(p *Part) int {
		if i := slices.Index(order, p.Name); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(parts, func(a, b *Part) int { return place(a) - place(b) })
	return parts, nil
}

const opening = `# The papers' experiments, run again

Written by ` + "`go run ./run`" + `. Every figure that compares methods is made again, all methods
side by side in one run on the same records. Verdicts are computed from the points that are drawn,
and say where a paper's statement does not come out. The last experiment is no paper's: its aims are
numbers that were set before. A point is the median of its repetitions; bars
reach from the least to the greatest. Times were measured one after the other on one machine and are
to be compared with each other only. Labels with *(ours)* are not of the papers.

`

// ReportText formats the whole report.
func ReportText(parts []*Part) []byte {
	var b bytes.Buffer
	b.WriteString(opening)
	verdicts(&b, parts)
	runs(&b, parts)
	for _, p := range parts {
		fmt.Fprintf(&b, "## %s: %s\n\n", p.Name, p.Title)
		if p.Interrupted {
			b.WriteString("The run was interrupted: the figures after these are missing.\n\n")
		}
		common := p.commonNotes()
		if len(common) > 0 {
			b.WriteString("Notes of several figures:\n\n")
			for i, note := range common {
				fmt.Fprintf(&b, "%d. %s\n", i+1, note)
			}
			b.WriteString("\n")
		}
		for i := range p.Figures {
			p.Figures[i].describe(&b, common)
		}
	}
	return append(bytes.TrimRight(b.Bytes(), "\n"), '\n')
}

// commonNotes returns notes of at least three figures; the report prints them once.
func (p *Part) commonNotes() []string {
	var common []string
	count := make(map[string]int)
	for _, f := range p.Figures {
		for _, note := range f.Notes {
			if count[note]++; count[note] == 3 {
				common = append(common, note)
			}
		}
	}
	return common
}

// verdicts writes the summary: the number of figures by verdict, then all figures.
func verdicts(b *bytes.Buffer, parts []*Part) {
	b.WriteString("## Verdicts\n\n| paper | agrees | agrees in part | disagrees | cannot be run as printed |\n|---|---:|---:|---:|---:|\n")
	for _, p := range parts {
		count := make(map[Verdict]int)
		for _, f := range p.Figures {
			count[f.Verdict]++
		}
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d |\n", p.Paper, count[Agrees], count[Partly], count[Disagrees], count[Infeasible])
	}
	b.WriteString("\n| paper | figure | shows | verdict |\n|---|---|---|---|\n")
	for _, p := range parts {
		for _, f := range p.Figures {
			fmt.Fprintf(b, "| %s | [%s](#%s) | %s | %s |\n", p.Paper, cell(f.Printed), f.Name, cell(f.Title), f.Verdict)
		}
	}
	b.WriteString("\n")
}

// runs writes how each part was measured.
func runs(b *bytes.Buffer, parts []*Part) {
	b.WriteString(
		"## Runs\n\n| paper | data | complete records | seed | size | repetitions | machine | versions | date | took |\n|---|---|---:|---:|---|---|---|---|---|---:|\n",
	)
	for _, p := range parts {
		size := "full"
		if p.Quick {
			size = "quick"
		}
		if p.Interrupted {
			size += ", interrupted"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %d | %s | %s | %s | anonsql %s, %s | %s | %s |\n", p.Paper, cell(p.Source), Number(float64(p.Records)),
			p.Seed, size, p.repetitions(), p.Machine, p.Version, p.Machine.Go, p.Started.Format(time.DateOnly), formatDuration(p.Seconds))
	}
	b.WriteString("\n")
}

// String omits the Go version, which has its own column.
func (m Machine) String() string {
	text := fmt.Sprintf("%d cores, ", m.Cores)
	if m.MemoryGB > 0 {
		text += fmt.Sprintf("%.0f GB, ", m.MemoryGB)
	}
	return text + m.System + "/" + m.Processor
}

// repetitions formats the range of repetitions over all points.
func (p *Part) repetitions() string {
	least, most := 0, 0
	for _, f := range p.Figures {
		l, m := f.repetitions()
		if least == 0 || l > 0 && l < least {
			least = l
		}
		most = max(most, m)
	}
	return formatRange(least, most)
}

func (f *Figure) repetitions() (least, most int) {
	for _, s := range f.Series {
		for _, point := range s.Points {
			if least == 0 || point.Repetitions < least {
				least = point.Repetitions
			}
			most = max(most, point.Repetitions)
		}
	}
	return least, most
}

func formatRange(least, most int) string {
	if least == most {
		return fmt.Sprint(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

func formatDuration(seconds float64) string {
	if seconds < 90 {
		return fmt.Sprintf("%.0f s", seconds)
	}
	return fmt.Sprintf("%.1f min", seconds/60)
}

// describe writes the figure's paragraph; it replaces common notes by their numbers.
func (f *Figure) describe(b *bytes.Buffer, common []string) {
	fmt.Fprintf(b, "<a id=\"%s\"></a>\n\n### %s: %s\n\n", f.Name, f.Printed, f.Title)
	if f.drawn() {
		fmt.Fprintf(b, "![%s](%s/%s.png)\n\n", strings.NewReplacer("[", "(", "]", ")").Replace(f.Title), folder, f.Name)
	}
	say := func(what, text string) {
		if text != "" {
			fmt.Fprintf(b, "**%s** %s\n\n", what, text)
		}
	}
	say("The paper shows:", f.PaperShows)
	say("The aim:", f.Aim)
	say("This run shows:", f.RunShows)
	say("Verdict:", string(f.Verdict)+".")
	say("Why:", f.Why)
	own, above := "", ""
	for _, note := range f.Notes {
		if i := slices.Index(common, note); i >= 0 {
			above += fmt.Sprintf(", %d", i+1)
		} else {
			own += "- " + note + "\n"
		}
	}
	if own != "" {
		b.WriteString(own + "\n")
	}
	say("Notes above:", strings.TrimPrefix(above, ", "))
	if f.drawn() {
		least, most := f.repetitions()
		fmt.Fprintf(b, "Data: [CSV](%[1]s/%[2]s.csv), [SVG](%[1]s/%[2]s.svg); repetitions a point: %[3]s.\n\n", folder, f.Name, formatRange(least, most))
	}
}

// cell escapes a text for a cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ").Replace(text)
}
