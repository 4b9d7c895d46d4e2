package report_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// lines are the red ones and the green ones of a page, and its remarks.
func lines(page document, class string) (found []string) {
	for _, e := range page.all("li") {
		if e.attribute("class") == class {
			found = append(found, plain(e.all("bdi")[0].text()))
		}
	}
	return found
}

// checkConcerns: what CALL anonymize warns of is red in the owner's report, what it notes is a remark there, and both say nothing else of it.
func checkConcerns(t *testing.T, h *house) {
	db := h.server.Open(t, servertest.Root)
	db.SetMaxOpenConns(1)                           // warnings are a session's
	unfitted := testsize.Of(", 'misfit=false'", "") // the recipe's misfit is measured
	calls := map[string]string{
		"recipe": "'anatomy', 'l=5', 'size=50', 'model=counts'", "alike": "'slppa', 'beta=0.2', 'tables=3', 'homogeneous=true'" + unfitted,
		"plain": "'mondrian', 'k=2'", "vacuous": "'slppa', 'beta=1', 'tables=1'" + unfitted, "small": "'anatomy', 'l=2'" + unfitted,
		"useless": "'mondrian', 'k=100', 'sa=disease,income', 'attacks=false'",
	}
	for _, release := range testsize.Levels([]string{"recipe", "vacuous", "useless"}, slices.Sorted(maps.Keys(calls)), slices.Sorted(maps.Keys(calls))) {
		statement := calls[release]
		if !strings.Contains(statement, "'sa=") {
			statement += ", 'sa=disease'"
		}
		servertest.Exec(t, db, "CALL anonymize('census.people', "+statement+", "+quasi+", 'private=true', 'publish="+release+"')")
		told := map[string][]string{}
		rows, err := db.Query("SHOW WARNINGS")
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var level, text string
			var code int
			if err := rows.Scan(&level, &code, &text); err != nil {
				t.Fatal(err)
			}
			told[level] = append(told[level], plain(text))
		}
		rows.Close()
		page := parse(t, call(t, h.owner, release))
		for level, class := range map[string]string{"Warning": "bad", "Note": "remark"} {
			shown := lines(page, class)
			same := len(shown) == len(told[level])
			for i := range shown {
				same = same && slices.ContainsFunc(told[level], func(text string) bool { return strings.HasPrefix(strings.ToLower(text), strings.ToLower(shown[i])) })
			}
			if !same {
				t.Errorf("%s: of %s the CALL says %q, the report %q", release, level, told[level], shown)
			}
		}
		useless := func(line string) bool { return strings.Contains(line, "nswers are of little use") }
		if told := slices.ContainsFunc(lines(page, "bad"), useless); told != (release == "useless") {
			t.Errorf("%s: that answers are of little use is told: %v", release, told)
		}
		t.Logf("%s: red %q, green %q, remarks %q", release, lines(page, "bad"), lines(page, "good"), lines(page, "remark"))
		if kept := len(lines(page, "good")); (release == "vacuous") != (kept == 0) {
			t.Errorf("%s has %d green lines", release, kept)
		}
	}
}

// checkFirstPage: the decision is one page of A4, and its part alone is the same.
func checkFirstPage(t *testing.T, h *house) {
	path := browser(t)
	for _, release := range testsize.Some(1, []string{"people", "general", "two", "live", "alike"}) {
		text := call(t, h.owner, release)
		annex := strings.Index(text, "<main")
		if annex < 0 {
			t.Fatal("there is no annex")
		}
		if n := pages(t, path, text[:annex]+"</body></html>"); n != 1 {
			t.Errorf("%s: the decision takes %d pages", release, n)
		}
		if n := pages(t, path, text); n < 2 {
			t.Errorf("%s: %d pages with the annex", release, n)
		}
		var part, name string
		var version int
		if err := h.owner.QueryRow("CALL report(?, 'part=decision')", release).Scan(&name, &version, &part); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(part, `<div class="decision">`) || !strings.Contains(text, part) {
			t.Errorf("%s: the part is not the first page: %.100s", release, part)
		}
	}
	page := parse(t, call(t, h.owner, "people"))
	for _, pre := range page.all("pre") {
		if made := strings.TrimSpace(pre.text()); strings.HasPrefix(made, "CALL anonymize(") {
			want := "CALL anonymize('census.people', 'slppa', 'alpha=0.6', 'beta=0.25', 'delta=0.3', 'publish=people', 'qi=age,sex,education,occupation,region', 'sa=disease', 'tables=2');"
			if made != want { // without its seed
				t.Errorf("made by %s", made)
			}
			return
		}
	}
	t.Error("the owner's page does not say how the release was made")
}

// pages prints a page to A4, and counts.
func pages(t *testing.T, path, text string) int {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	printed := strings.TrimSuffix(file, "html") + "pdf"
	visit(t, path, file, "--print-to-pdf="+printed, "--no-pdf-header-footer")
	pdf, err := os.ReadFile(printed)
	if err != nil {
		t.Fatal(err)
	}
	sizes := regexp.MustCompile(`/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]`).FindAllStringSubmatch(string(pdf), -1)
	for _, size := range sizes {
		var width, height float64
		if _, err := fmt.Sscan(size[1], &width); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscan(size[2], &height); err != nil || int(width+.5) != 595 && int(width) != 594 || height < 840 || height > 843 {
			t.Errorf("a page of %v by %v points is no A4, %v", width, height, err)
		}
	}
	return len(regexp.MustCompile(`/Type ?/Page\b`).FindAllString(string(pdf), -1))
}
