package evaluation

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Part is the output for one paper: its figures, and how they were measured.
type Part struct {
	// Name, Paper and Title are those of the Experiment.
	Name, Paper, Title string
	// Source, Records and Seed are those of the Run.
	Source  string
	Records int
	Seed    uint64
	Quick   bool
	// Interrupted means that figures are missing.
	Interrupted bool
	Machine     Machine
	Version     string // of anonsql
	Started     time.Time
	Seconds     float64
	Figures     []Figure
}

// A Machine has the properties that times depend on, without a name.
type Machine struct {
	System, Processor string // GOOS, GOARCH
	Cores             int
	// MemoryGB is 0 if unknown.
	MemoryGB float64
	Go       string
}

// ThisMachine describes the machine that runs the program.
func ThisMachine() Machine {
	return Machine{System: runtime.GOOS, Processor: runtime.GOARCH, Cores: runtime.GOMAXPROCS(0), MemoryGB: memoryGB(), Go: runtime.Version()}
}

// memoryGB reads the memory size from Linux.
func memoryGB() float64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[0] == "MemTotal:" {
			kilobytes, _ := strconv.ParseFloat(fields[1], 64)
			return kilobytes / (1 << 20)
		}
	}
	return 0
}

// Execute runs an experiment. If ctx ends, it returns the part with the finished figures and the context's error.
// With other errors it returns no part.
func Execute(ctx context.Context, e Experiment, run *Run, version string) (*Part, error) {
	part := &Part{
		Name: e.Name, Paper: e.Paper, Title: e.Title, Source: run.Source, Records: run.Table.Rows, Seed: run.Seed, Quick: run.Quick,
		Machine: ThisMachine(), Version: version, Started: time.Now().UTC().Truncate(time.Second),
	}
	began := time.Now()
	figures, err := e.Figures(ctx, run)
	part.Seconds, part.Figures = time.Since(began).Seconds(), figures
	if err != nil {
		if ctx.Err() == nil {
			if prefix := "experiment " + e.Name; !strings.HasPrefix(err.Error(), prefix) {
				err = fmt.Errorf("%s: %w", prefix, err)
			}
			return nil, err
		}
		part.Interrupted = true
		return part, ctx.Err()
	}
	return part, part.check()
}

func (p *Part) check() error {
	names := make(map[string]bool)
	for i := range p.Figures {
		f := &p.Figures[i]
		if err := f.Check(); err != nil {
			return fmt.Errorf("experiment %s: %w", p.Name, err)
		}
		if names[f.Name] {
			return fmt.Errorf("experiment %s has two figures %q", p.Name, f.Name)
		}
		names[f.Name] = true
		if !strings.HasPrefix(f.Name, p.Name+"-") {
			return fmt.Errorf("experiment %s: the name of figure %q must begin with the experiment's", p.Name, f.Name)
		}
	}
	return nil
}

// The files of a directory: results/EXPERIMENT.json has the measurements, results/FIGURE.csv, FIGURE.svg and
// FIGURE.png are the figures, and Report is made from all parts.
const (
	folder = "results"
	Report = "RESULTS.md"
)

// Write replaces the paper's part in the directory, with its files, and leaves other papers' files alone. An
// interrupted part does not replace a complete one; written reports whether Write wrote the part. order has the names
// of the experiments in the order of the report.
func (p *Part) Write(dir string, order []string) (written bool, err error) {
	if err := p.check(); err != nil {
		return false, err
	}
	into := filepath.Join(dir, folder)
	if err := os.MkdirAll(into, 0o755); err != nil {
		return false, err
	}
	before, err := readPart(filepath.Join(into, p.Name+".json"))
	if err != nil {
		return false, err
	}
	if p.Interrupted && (before != nil && !before.Interrupted || len(p.Figures) == 0) {
		return false, nil
	}
	for i := range p.Figures {
		if err := p.Figures[i].write(into); err != nil {
			return false, err
		}
	}
	text, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		return false, err
	}
	if err := replaceFile(filepath.Join(into, p.Name+".json"), append(text, '\n')); err != nil {
		return false, err
	}
	if err := p.forget(into, before); err != nil {
		return false, err
	}
	return true, writeReport(dir, order)
}

// write draws the figure, unless it has no points.
func (f *Figure) write(into string) error {
	writers := map[string]func(*bytes.Buffer) error{
		".csv": func(b *bytes.Buffer) error { return f.WriteCSV(b) },
		".svg": func(b *bytes.Buffer) error { return f.WriteSVG(b) },
		".png": func(b *bytes.Buffer) error { return f.WritePNG(b) },
	}
	if !f.drawn() {
		return nil
	}
	for extension, write := range writers {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			return fmt.Errorf("figure %s: %w", f.Name, err)
		}
		if err := replaceFile(filepath.Join(into, f.Name+extension), b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// drawn reports whether there is something to draw.
func (f *Figure) drawn() bool { return len(f.places()) > 0 }

// forget removes the files of figures that the previous part had and this one lacks.
func (p *Part) forget(into string, before *Part) error {
	if before == nil {
		return nil
	}
	for _, old := range before.Figures {
		kept := slices.ContainsFunc(p.Figures, func(f Figure) bool { return f.Name == old.Name && f.drawn() })
		if kept || !fileName.MatchString(old.Name) || !strings.HasPrefix(old.Name, p.Name+"-") {
			continue
		}
		for _, extension := range []string{".csv", ".svg", ".png"} {
			if err := os.Remove(filepath.Join(into, old.Name+extension)); err != nil && !os.IsNotExist(err) {
				return err
			}
		}
	}
	return nil
}

// readPart returns nil if there is no file.
func readPart(path string) (*Part, error) {
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p := new(Part)
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("%s is no part of a report: %w; remove it, or choose another directory", path, err)
	}
	return p, nil
}

// replaceFile writes a whole file or nothing.
func replaceFile(path string, text []byte) error {
	temporary := path + ".new"
	if err := os.WriteFile(temporary, text, 0o644); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}
