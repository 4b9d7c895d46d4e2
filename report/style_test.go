package report

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Text stands out from what is behind it by 4.5 to 1, drawings by 3 to 1 (WCAG 2.2,
// 1.4.3 and 1.4.11), in the light and in the dark and on paper.
func TestContrast(t *testing.T) {
	sheet, _, err := style()
	if err != nil {
		t.Fatal(err)
	}
	roots := regexp.MustCompile(`:root \{([^}]*)\}`).FindAllStringSubmatch(string(sheet), -1)
	if len(roots) != 3 {
		t.Fatalf("%d schemes", len(roots))
	}
	for i, root := range roots {
		colour := make(map[string]float64)
		for _, v := range regexp.MustCompile(`--(\w+): (#[0-9a-f]+)`).FindAllStringSubmatch(root[1], -1) {
			colour[v[1]] = luminance(t, v[2])
		}
		for _, pair := range []struct {
			front, back string
			least       float64
		}{
			{"ink", "paper", 7}, {"ink", "sheet", 7}, {"soft", "paper", 4.5}, {"accent", "paper", 4.5}, {"good", "paper", 4.5}, {"bad", "paper", 4.5}, {"on", "accent", 4.5},
			{"s1", "paper", 3}, {"s2", "paper", 3}, {"s3", "paper", 3}, {"s4", "paper", 3}, {"s5", "paper", 3},
		} {
			a, b := colour[pair.front], colour[pair.back]
			if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < pair.least || len(colour) < 15 {
				t.Errorf("scheme %d: %s on %s is %.2f to 1, must be %v", i, pair.front, pair.back, ratio, pair.least)
			}
		}
	}
}

// luminance is the relative luminance of #rgb or #rrggbb in sRGB.
func luminance(t *testing.T, text string) float64 {
	t.Helper()
	digits := strings.TrimPrefix(text, "#")
	if len(digits) == 3 {
		digits = strings.Repeat(digits[:1], 2) + strings.Repeat(digits[1:2], 2) + strings.Repeat(digits[2:], 2)
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		x, err := strconv.ParseUint(digits[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		linear := float64(x) / 255 / 12.92
		if x > 10 {
			linear = math.Pow((float64(x)/255+0.055)/1.055, 2.4)
		}
		sum += weight * linear
	}
	return sum
}
