package proxy_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDocument plays the statements of docs/proxy.md.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../docs/proxy.md")
	if err != nil {
		t.Fatal(err)
	}
	_, owner := begin(t)
	played := 0
	for _, block := range regexp.MustCompile("(?s)```mysql\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		for _, statement := range strings.Split(block[1], ";\n") {
			if strings.TrimSpace(statement) == "" {
				continue
			}
			rows, err := owner.tries(statement)
			if err != nil {
				t.Errorf("%s: %v", statement, err)
			}
			if reads := strings.HasPrefix(statement, "SELECT") || strings.HasPrefix(statement, "SHOW"); reads && len(rows) == 0 {
				t.Errorf("%s: no rows", statement)
			}
			played++
		}
	}
	if played < 8 {
		t.Errorf("%d statements were played, the page has more", played)
	}
}
