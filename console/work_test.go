package console_test

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

// begin sends a form that begins a work, and waits for its end; it returns the page that this leads to.
func (b *browser) begin(path string, form url.Values) (int, string) {
	b.t.Helper()
	status, page := b.post(path, "/ask", form)
	if at := stageOf(page); at != "" {
		b.await(at, func(s stage) bool { return s.Ended })
		return b.get(strings.Replace(at, "/stage", "", 1))
	}
	return status, page
}

// stage is the JSON for a page's script.
type stage struct {
	Phase string
	Share int
	Ended bool
}

// stageOf returns where a page polls its progress; "" for other pages.
func stageOf(page string) string {
	if found := regexp.MustCompile(`data-stage="([^"]+)"`).FindStringSubmatch(page); found != nil {
		return html.UnescapeString(found[1])
	}
	return ""
}

func (b *browser) await(at string, wanted func(stage) bool) {
	b.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		var s stage
		if _, text := b.get(at); json.Unmarshal([]byte(text), &s) != nil {
			b.t.Fatalf("%s is %s", at, text)
		}
		if wanted(s) {
			return
		}
	}
	b.t.Fatalf("%s: two minutes were not enough", at)
}

// measuring returns a form whose statement runs this many random queries of a release.
func measuring(release, queries string) url.Values {
	return url.Values{"name": {release}, "aggregate": {"COUNT(*)"}, "qi": {"1-2"}, "queries": {queries}, "seed": {"1"}}
}

// Long work shows its progress, and continues without its browser. Another session of the account finds it, other accounts do not. It ends
// when it is stopped, or when its session signs out.
func works(t *testing.T, owner, analyst *browser) {
	long := measuring("people", "100000")
	long["qi"] = []string{"1,2,1-2"}
	leaving := newBrowser(t, strings.TrimPrefix(owner.base, "http://"))
	leaving.signIn("root", "")
	_, page := leaving.post("/measure", "/ask", long)
	at := stageOf(page)
	want(t, http.StatusOK, page, http.StatusOK, "<title>Measure people", `http-equiv="refresh"`, "<progress", ">Stop</button>")
	leaving.CloseIdleConnections()
	owner.await(at, func(s stage) bool { return s.Share >= 0 && !s.Ended && s.Phase != "" })
	_, page = owner.get("/publish")
	want(t, http.StatusOK, page, http.StatusOK, "Under way, and lately done", "Measure people", "under way for")
	if _, page = analyst.get("/publish"); strings.Contains(page, "Measure people") {
		t.Error("an analyst sees what an owner has begun")
	}
	id := url.Values{"work": {at[strings.Index(at, "=")+1:]}}
	status, page := analyst.post("/work/stop", "/ask", id)
	want(t, status, page, http.StatusNotFound, "There is no such publication of your account")
	owner.await(at, func(s stage) bool { return !s.Ended })
	status, page = owner.post("/work/stop", "/ask", id)
	want(t, status, page, http.StatusOK)
	owner.await(at, func(s stage) bool { return s.Ended })
	status, page = owner.get(strings.Replace(at, "/stage", "", 1))
	want(t, status, page, http.StatusOK, "ERROR 1317")

	leaving.post("/measure", "/ask", long)
	leaving.post("/sign-out", "/ask", url.Values{})
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if _, page = owner.ask("SELECT COUNT(*) AS left_over FROM anonsql.jobs WHERE status = 'running'"); strings.Contains(page, `value="0"`) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("it goes on after signing out")
		}
	}
}

// Methods are compared on a plot whose points fill the form, and one meets the aim.
func tuning(t *testing.T, owner, _ *browser) {
	form := url.Values{"database": {"d"}, "table": {"people"}, "column": {"age", hostile, "disease"}, "role:age": {"qi"}, "role:" + hostile: {"other"}, "role:disease": {"sa"},
		"method": {"anatomy"}, "parameters": {"l=2"}, "publish": {"mine"}, "aim": {"useful"}, "action": {"tune"}}
	status, page := owner.begin("/publish", form)
	want(t, status, page, http.StatusOK, `<polyline class="frontier"`, `role="group"`, "What cannot be published, and why", "tables is 2, must be at most 1", "that answers are least wrong", "The statements")
	links := regexp.MustCompile(`<a href="(/publish\?[^"]+)" aria-label="\d*:? ?(\w+) `).FindAllStringSubmatch(page, -1)
	if len(links) < 3 {
		t.Fatalf("%d points lead to the form:\n%s", len(links), page)
	}
	status, page = owner.get(html.UnescapeString(links[0][1]))
	want(t, status, page, http.StatusOK, `name="method" value="`+links[0][2]+`" checked`, `name="publish" value="mine"`, `name="aim" value="useful" checked`)
	if strings.Contains(page, `value="true" checked`) || !regexp.MustCompile(`name="role:&lt;script[^>]+ value="other" checked`).MatchString(page) {
		t.Errorf("the form is not as it was:\n%s", page)
	}
}

// A proposal of CALL advise fills the form.
func proposals(t *testing.T, owner, _ *browser) {
	form := url.Values{"database": {"d"}, "table": {"people"}, "column": {"age", hostile, "disease"}, "role:age": {"qi"}, "role:" + hostile: {"other"}, "role:disease": {"sa"},
		"method": {"anatomy"}, "publish": {"mine"}, "action": {"advise"}}
	status, page := owner.begin("/publish", form)
	want(t, status, page, http.StatusOK, "One for each aim", ">balance</th>")
	link := regexp.MustCompile(`<a href="(/publish\?[^"]+)"><bdi>(\w+) `).FindStringSubmatch(page)
	if link == nil {
		t.Fatalf("no proposal leads to the form:\n%s", page)
	}
	status, page = owner.get(html.UnescapeString(link[1]))
	want(t, status, page, http.StatusOK, `name="method" value="`+link[2]+`" checked`, `name="publish" value="mine"`)
}

// Ended jobs show their results; only the account itself, or one that may stop others' statements, stops a statement.
func jobPages(t *testing.T, owner, analyst *browser) {
	status, page := owner.get("/jobs")
	want(t, status, page, http.StatusOK, "Nothing runs.", `done: release <a href="/release?name=again">`, "done; nothing is stored of a trial run", "Measure answers", `<th scope="row">Try<small>`)
	status, page = analyst.post("/jobs/stop", "/ask", url.Values{"connection": {"1 OR 1"}})
	want(t, status, page, http.StatusUnprocessableEntity)
	status, page = analyst.post("/jobs/stop", "/ask", url.Values{"connection": {"4711"}})
	want(t, status, page, http.StatusUnprocessableEntity, "That statement has ended: nothing was stopped.")
	stopsOneStatement(t, owner)
}

// stopsOneStatement: Stop on the page of jobs stops only the statement that it was shown for, not another one of the same connection.
func stopsOneStatement(t *testing.T, owner *browser) {
	_, page := owner.post("/measure", "/ask", measuring("people", "100000"))
	at := stageOf(page)
	owner.await(at, func(s stage) bool { return s.Share >= 0 && s.Phase != "" && !s.Ended })
	_, page = owner.get("/jobs")
	form := regexp.MustCompile(`name="connection" value="(\d+)"/><input type="hidden" name="statement" value="(\w+)"/><button class="plain" aria-label="Stop CALL evaluate`).FindStringSubmatch(page)
	if form == nil {
		t.Fatalf("the page has no form to stop it:\n%s", page)
	}
	status, page := owner.post("/jobs/stop", "/ask", url.Values{"connection": form[1:2], "statement": {"of another"}})
	want(t, status, page, http.StatusUnprocessableEntity, "That statement has ended: nothing was stopped.", "CALL evaluate")
	owner.await(at, func(s stage) bool { return !s.Ended })
	status, page = owner.post("/jobs/stop", "/ask", url.Values{"connection": form[1:2], "statement": form[2:3]})
	want(t, status, page, http.StatusOK, "It is being stopped")
	owner.await(at, func(s stage) bool { return s.Ended })
}

// An owner sees the releases of a table by risk and error once they were measured, and the worst groups; an analyst sees neither.
func comparisons(t *testing.T, owner, analyst *browser) {
	_, page := owner.get("/release?name=people")
	want(t, http.StatusOK, page, http.StatusOK, "Risk and error", "There is a drawing when two releases", "Measure<span")
	for _, name := range []string{"people", "again"} {
		status, page := owner.begin("/measure", measuring(name, "200"))
		want(t, status, page, http.StatusOK, "<bdi>median</bdi>")
	}
	_, page = owner.get("/release?name=people")
	want(t, http.StatusOK, page, http.StatusOK, `id="compared"`, `<a href="/release?name=again" aria-label="again: `, "200 random COUNT(*) queries on 1-2 quasi-identifiers", "Worst groups", "No group is worse than the others")
	if n := len(regexp.MustCompile(`<circle class="(best|beaten)"`).FindAllString(page, -1)); n != 2 {
		t.Errorf("%d points, want 2", n)
	}
	_, page = analyst.get("/release?name=people")
	for _, private := range []string{"Risk and error", "Worst groups", "name=again", "The statement that made it", "d.people"} {
		if strings.Contains(page, private) {
			t.Errorf("an analyst sees %q", private)
		}
	}
}
