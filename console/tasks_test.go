package console_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/cmd/anonsql/sample"
	"github.com/anonsql/anonsql/testsize"
)

// A visitor is a user with an account and a pointer, who counts clicks.
type visitor struct {
	*chromium
	clicks int
}

// click clicks the first thing that is seen and has the text, and waits for the page with the heading, "" for the same page.
func (v *visitor) click(selector, text, heading string) {
	v.t.Helper()
	v.clicks++
	found := fmt.Sprintf("[...document.querySelectorAll(%q)].find(e => e.checkVisibility() && e.textContent.includes(%q))", selector, text)
	if heading == "" {
		v.value(found + ".click()")
		return
	}
	v.until("!!" + found)
	v.value("window.old = true, " + found + ".click()")
	v.until(fmt.Sprintf("!window.old && document.readyState === 'complete' && document.querySelector('h1')?.textContent.includes(%q)", heading))
}

// choose selects a field's option, one click, and waits until the statement contains it.
func (v *visitor) choose(field, option, said string) {
	v.t.Helper()
	v.clicks++
	v.value(fmt.Sprintf("(e => { e.value = %q, e.dispatchEvent(new Event('change', { bubbles: true })) })(document.querySelector(%q))", option, field))
	v.until(fmt.Sprintf("document.querySelector('#statement').value.includes(%q)", said))
}

// count ends a task; docs/console.md has the number of clicks of each.
func (v *visitor) count(task string) {
	v.t.Helper()
	page, err := os.ReadFile("../docs/console.md")
	if err != nil {
		v.t.Fatal(err)
	}
	row := regexp.MustCompile(`\| ` + task + ` \|[^|]*\| (\d+) \|`).FindSubmatch(page)
	if row == nil {
		v.t.Fatalf("docs/console.md has no row %q", task)
	}
	if stated, _ := strconv.Atoi(string(row[1])); stated != v.clicks { // of digits
		v.t.Errorf("%s takes %d clicks, docs/console.md says %d", task, v.clicks, stated)
	}
	v.clicks = 0
}

// A user with an account and no document publishes a file, finds the riskiest column, compares two groups over time, and sends a link.
func TestTasks(t *testing.T) {
	v := &visitor{chromium: openChromium(t)}
	address := serve(t, hostileTable())
	v.call("Page.navigate", map[string]any{"url": "http://" + address + "/"})
	v.until("document.readyState === 'complete' && !!document.querySelector('#account')")
	v.value("document.querySelector('#account').value = 'root'")
	v.press("main button", "Releases")
	v.publishesFile(visitsFile(t))
	v.findsRiskiest()
	v.comparesOverTime()
	v.sendsLink()
}

// visitsFile has people with a date.
func visitsFile(t *testing.T) string {
	var text strings.Builder
	text.WriteString("name,age,sex,region,seen,disease\n")
	for p := range sample.Generate(testsize.Of(1000, 2000), 1) {
		fmt.Fprintf(&text, "%s,%d,%s,%s,2024-%02d-%02d,%s\n", p.Name, p.Age, p.Sex, p.Region, 1+p.ID%12, 1+p.ID%28, p.Disease)
	}
	file := filepath.Join(t.TempDir(), "visits.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func (v *visitor) publishesFile(file string) {
	v.t.Helper()
	v.click("nav a", "Publish", "Publish")
	document := v.call("DOM.getDocument", nil)["root"].(map[string]any)
	field := v.call("DOM.querySelector", map[string]any{"nodeId": document["nodeId"], "selector": "#file"})
	v.clicks++ // the file is chosen
	v.call("DOM.setFileInputFiles", map[string]any{"nodeId": field["nodeId"], "files": []string{file}})
	v.click("button", "Upload", "Loaded")
	v.looks("loaded")
	v.click("a", "publish it", "Publish")
	v.looks("publish-table")
	v.click("button", "Try", "Trial run")
	v.until("document.body.innerText.includes('It can be published')")
	v.looks("tried")
	v.click("main button", "Publish", "visits")
	v.until("document.readyState === 'complete' && document.querySelector('h1')?.textContent === 'visits' && document.body.innerText.includes('Published in')")
	v.count("publish a CSV")
	v.resize(1280)
	height, _ := v.value("document.documentElement.scrollHeight").(float64)
	if v.t.Logf("the page of a release is %v px high at a width of 1280", height); height < 1000 || height > 2600 {
		v.t.Errorf("the page of a release is %v px high at a width of 1280: it must have all of it, and be no more than 2,600", height)
	}
}

func (v *visitor) findsRiskiest() {
	v.t.Helper()
	v.click("nav a", "Publish", "Publish")
	v.click("a", "uploads.visits", "Publish")
	if text, _ := v.value("document.querySelector('#table').innerText").(string); !regexp.MustCompile(`(age|region|seen)\s+is the riskiest column`).MatchString(text) {
		v.t.Errorf("which column is the riskiest is not said:\n%s", text)
	}
	v.count("find the riskiest column")
}

func (v *visitor) comparesOverTime() {
	v.t.Helper()
	v.click("nav a", "Ask", "Ask")
	v.choose("#release", "visits", "FROM visits")
	v.choose("#by-0", "seen:month", "seen_month")
	v.choose("#by-1", "sex", "sex")
	v.choose("#where-0", "disease", "seen_month")
	v.value("document.querySelector('#value-0').value = 'Asthma', document.querySelector('#value-0').dispatchEvent(new Event('change', { bubbles: true }))")
	v.until("document.querySelector('#statement').value.includes(\"disease = 'Asthma'\")")
	v.click("#ask", "Ask", "Ask")
	v.until("document.querySelectorAll('.wide path.curve').length === 2 && document.querySelectorAll('.wide path.band').length === 2 && document.body.innerText.includes(' ± ')")
	v.looks("over-time")
	v.count("compare two groups over time, with intervals")
}

// sendsLink copies the link; opening it shows the question.
func (v *visitor) sendsLink() {
	v.t.Helper()
	link, _ := v.value("document.querySelector('#link').href").(string)
	v.call("Browser.grantPermissions", map[string]any{"permissions": []string{"clipboardReadWrite", "clipboardSanitizedWrite"}})
	v.click("#link", "Link", "")
	v.until("document.querySelector('#link')?.textContent !== 'Link to this question'")
	v.call("Page.navigate", map[string]any{"url": link})
	v.until("document.readyState === 'complete' && document.querySelector('#statement')?.value.includes(\"disease = 'Asthma'\") && !document.querySelector('#answer')")
	v.count("send a link to the answer")
}
