package clients

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// The code of docs/estimates.md for completed tables in Python and in R runs as written, next to an export. Its first figures equal SQL's over the
// same tables. R runs only if it is installed, and in the long run.
func TestModels(t *testing.T) {
	directory := t.TempDir()
	s := publish(t, server.Config{Extend: server.Product, ExportDir: directory})
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CALL export_release('people', 'completed=5')")
	var asthma []float64
	var odds [5][2][2]float64
	for draw := range odds {
		scan(t, root, fmt.Sprintf("SELECT SUM(age >= 60 AND disease = 'Asthma'), SUM(sex = 'Male' AND disease <> 'Asthma'), SUM(sex = 'Male' AND disease = 'Asthma'), "+
			"CONCAT_WS(',', SUM(sex = 'Female' AND disease <> 'Asthma'), SUM(sex = 'Female' AND disease = 'Asthma')) FROM published.people_imputed WHERE draw = %d", draw+1),
			func(old, healthy, ill int, women string) {
				asthma = append(asthma, float64(old))
				odds[draw][0] = [2]float64{float64(healthy), float64(ill)}
				fmt.Sscanf(women, "%f,%f", &odds[draw][1][0], &odds[draw][1][1])
			})
	}
	page := readFile(t, "../docs/estimates.md")
	t.Run("Python", func(t *testing.T) {
		clients := os.Getenv("ANONSQL_CLIENTS_DIR")
		if clients == "" {
			testsize.Missing(t, "ANONSQL_CLIENTS_DIR is not set: it is where clients/install has put Python")
		}
		lines := figures(t, runBlock(t, page, "python", directory, filepath.Join(clients, "python", "bin", "python"), "-c"))
		if len(lines) < 6 {
			t.Fatalf("%d lines of figures: %v", len(lines), lines)
		}
		var ratios []float64
		for _, o := range odds {
			ratios = append(ratios, math.Log(o[0][0]*o[1][1]/(o[0][1]*o[1][0])))
		}
		for i, want := range [][]float64{asthma, ratios} {
			mean, deviation := meanAndError(want)
			if got := lines[i]; len(got) != 4 || math.Abs(got[0]-mean) > 1e-9 || math.Abs(got[1]-deviation) > 1e-9 ||
				math.Abs(got[3]-got[0]-2.7764451051977987*deviation) > 1e-9 { // the .975 quantile of t with 4 degrees of freedom
				t.Errorf("line %d is %v, want %v and %v", i+1, got, mean, deviation)
			}
		}
		if lines[2][0] != lines[1][0] || lines[2][1] <= lines[1][1] {
			t.Errorf("of those whom they stand for: %v beside %v", lines[2], lines[1])
		}
	})
	if _, err := exec.LookPath("Rscript"); err != nil && !testsize.All() {
		return
	}
	t.Run("R", func(t *testing.T) {
		output := runBlock(t, page, "r", directory, "Rscript", "-e")
		// mitools and mice agree on the coefficient of age, which both print to three digits or more.
		found := regexp.MustCompile(`(?m)\bage +(-?[0-9.e-]+)`).FindAllStringSubmatch(output, -1)
		if len(found) != 2 {
			t.Fatalf("coefficients of age %v in:\n%s", found, output)
		}
		first, err := strconv.ParseFloat(found[0][1], 64)
		second, err2 := strconv.ParseFloat(found[1][1], 64)
		if err != nil || err2 != nil || first == 0 || math.Abs(first-second) > .01*math.Abs(first) {
			t.Errorf("coefficients of age: %v", found)
		}
	})
}

// runBlock runs the page's block in a language in a directory, and returns its output.
func runBlock(t *testing.T, page, language, directory string, command ...string) string {
	t.Helper()
	_, block, found := strings.Cut(page, "```"+language+"\n")
	if !found {
		t.Fatalf("docs/estimates.md has no %s", language)
	}
	block, _, _ = strings.Cut(block, "```")
	run := exec.CommandContext(t.Context(), command[0], append(command[1:], block)...)
	run.Dir = directory
	output, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", command, err, output)
	}
	return string(output)
}

// figures are the numbers of lines that have nothing else, but a name before them.
func figures(t *testing.T, output string) (lines [][]float64) {
	t.Helper()
	for line := range strings.Lines(output) {
		var numbers []float64
		for _, word := range strings.Fields(line) {
			if x, err := strconv.ParseFloat(word, 64); err == nil {
				numbers = append(numbers, x)
			}
		}
		if len(numbers) == 4 {
			lines = append(lines, numbers)
		}
	}
	return lines
}

// meanAndError follows Rubin's rules without a variance within tables: the root of 1 + 1/D times the variance between tables.
func meanAndError(of []float64) (mean, deviation float64) {
	n := float64(len(of))
	for _, x := range of {
		mean += x / n
	}
	for _, x := range of {
		deviation += (x - mean) * (x - mean) / (n - 1)
	}
	return mean, math.Sqrt((1 + 1/n) * deviation)
}
