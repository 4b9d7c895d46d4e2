package console_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/cmd/anonsql/importer"
	"github.com/anonsql/anonsql/console"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// hostile is a value, and a part of names, that would run if it were not escaped.
const hostile = `<script>alert("x")</script>`

// A table of people is the table of a test's server: age, a column, disease.
type table struct {
	database, column string
	rows             []string
}

// hostileTable has names and values that would run.
func hostileTable() table {
	t := table{database: "d", column: hostile}
	for i := range 120 {
		t.rows = append(t.rows, fmt.Sprintf("(%d, '%s', '%s')", 20+i%4*10, []string{"a", hostile, "c"}[i%3], []string{"flu", "cold", hostile, "gout", "none"}[i%5]))
	}
	return t
}

// start is serve with the hostile table.
func start(t *testing.T) string { return serve(t, hostileTable()) }

// serve starts a server with a console, a release of a table, and an analyst; it returns the console's address.
func serve(t *testing.T, people table) string {
	t.Helper()
	opened := make(chan net.Addr, 1)
	s := servertest.Start(t, server.Config{Extend: server.Product, Beside: func(ctx context.Context, inside server.Inside) error {
		return console.Serve(ctx, console.Config{Listen: "127.0.0.1:0", Dial: inside.Dial, TLS: inside.TLS, Data: filepath.Join(t.TempDir(), "console"), Import: importer.LoadFile, HasAccount: inside.HasAccount, Logger: slog.New(slog.DiscardHandler),
			Ready: func(a net.Addr) { opened <- a }})
	}})
	owner := s.Open(t, servertest.Root)
	name := people.database + ".people"
	given := map[string]any{"qi": []string{"age", people.column}, "sa": []string{"disease"}, "l": 3, "fit": true, "calibrate": true}
	if len(people.rows) > 500 {
		given["size"], given["model"] = 50, "counts"
	}
	options, err := json.Marshal(given)
	if err != nil {
		t.Fatal(err)
	}
	servertest.Exec(t, owner, "CREATE DATABASE "+people.database, "CREATE TABLE "+name+" (age INT, `"+people.column+"` VARCHAR(40), disease VARCHAR(60))",
		"INSERT INTO "+name+" VALUES "+strings.Join(people.rows, ","),
		"CALL anonymize('"+name+"', 'anatomy', '"+strings.ReplaceAll(string(options), `\`, `\\`)+"')",
		"CALL create_analyst('bi', 'a-long-secret')")
	select {
	case a := <-opened:
		return a.String()
	case <-time.After(time.Minute):
		t.Fatal("the console was not there after a minute")
		return ""
	}
}

// A browser keeps cookies and follows redirects.
type browser struct {
	*http.Client
	t    *testing.T
	base string
}

func newBrowser(t *testing.T, address string) *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{&http.Client{Jar: jar, Timeout: time.Minute}, t, "http://" + address}
}

func (b *browser) get(path string) (int, string) {
	b.t.Helper()
	return b.read(b.Get(b.base + path))
}

// post sends a form with the token of the page that has it.
func (b *browser) post(path, from string, form url.Values) (int, string) {
	b.t.Helper()
	_, page := b.get(from)
	token := regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(page)
	if token == nil {
		b.t.Fatalf("%s has no form: %s", from, page)
	}
	form.Set("token", token[1])
	return b.read(b.PostForm(b.base+path, form))
}

func (b *browser) read(r *http.Response, err error) (int, string) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
	defer r.Body.Close()
	var text bytes.Buffer
	if _, err := io.Copy(&text, r.Body); err != nil {
		b.t.Fatal(err)
	}
	return r.StatusCode, text.String()
}

func (b *browser) signIn(account, password string) (int, string) {
	b.t.Helper()
	return b.post("/sign-in", "/sign-in", url.Values{"account": {account}, "password": {password}})
}

func (b *browser) ask(statement string) (int, string) {
	b.t.Helper()
	return b.post("/ask", "/ask", url.Values{"statement": {statement}})
}

// want checks an answer's status and texts; no name or value of users may run.
func want(t *testing.T, status int, page string, wanted int, texts ...string) {
	t.Helper()
	if status != wanted {
		t.Errorf("status %d, want %d", status, wanted)
	}
	for _, text := range texts {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %q:\n%s", text, page)
		}
	}
	if strings.Contains(page, "<script>alert") {
		t.Errorf("a name or value stands in the page as it is:\n%s", page)
	}
}

func TestConsole(t *testing.T) {
	address := start(t)
	owner, analyst := newBrowser(t, address), newBrowser(t, address)
	for _, c := range []struct {
		name string
		run  func(t *testing.T, owner, analyst *browser)
	}{
		{"wrong password", wrongPassword}, {"sign in", signIn}, {"releases", releasePages}, {"ask", askPages}, {"builder", builderPages}, {"files", files}, {"forbidden", forbidden},
		{"tokens", tokens}, {"hosts", hosts}, {"headers", headers}, {"stopped", stopped}, {"large", large}, {"values", values}, {"nothing stays", nothingStays}, {"saved", savedQuestions},
		{"sign in again", signsInAgain}, {"what is written", keepsWhatIsWritten}, {"publish", publishPages}, {"stored roles", storedRoles},
		{"upload", uploadPages}, {"sign out while loading", signOutWhileLoading}, {"works", works}, {"jobs", jobPages}, {"tuning", tuning}, {"proposals", proposals}, {"comparisons", comparisons}, {"accounts", accountPages}, {"sign out", signOut},
	} {
		t.Run(c.name, func(t *testing.T) { owner.t, analyst.t = t, t; c.run(t, owner, analyst) })
	}
}

func wrongPassword(t *testing.T, owner, analyst *browser) {
	status, page := analyst.signIn("bi", "wrong")
	want(t, status, page, http.StatusUnauthorized, "ERROR 1045", "for=\"password\"", `value="bi"`)
	if strings.Contains(page, "Signed in as") {
		t.Error("the page says that somebody has signed in")
	}
	status, page = analyst.get("/ask")
	want(t, status, page, http.StatusOK, "Sign in")
}

func signIn(t *testing.T, owner, analyst *browser) {
	for b, account := range map[*browser][2]string{owner: {"root", ""}, analyst: {"bi", "a-long-secret"}} {
		status, page := b.signIn(account[0], account[1])
		want(t, status, page, http.StatusOK, "Signed in as <bdi>"+account[0], `href="/release?name=people"`, "anatomy", "120")
	}
}

func releasePages(t *testing.T, owner, analyst *browser) {
	for _, b := range []*browser{owner, analyst} {
		status, page := b.get("/release?name=people")
		want(t, status, page, http.StatusOK, "people_qi1", "people_sa", "How many by disease", "&lt;script&gt;", "<bdi>l</bdi>", "completed_tables",
			`<input type="hidden" name="release" value="people"/><input type="hidden" name="statement"`, `href="/ask?release=people&amp;statement=SELECT`,
			"Who is protected against what", "What is public", "How good answers are", "sensitive: nobody must learn it of a person")
		if decision, annex, _ := strings.Cut(page, `<div class="folded">`); strings.Contains(decision, "completed_tables") || strings.Count(annex, "<details>") < 4 || strings.Contains(annex, "<details open") {
			t.Error("what few people need is not folded")
		}
		status, page = b.get("/report?name=people")
		want(t, status, page, http.StatusOK, "<h1>", "Content-Security-Policy")
	}
	status, page := analyst.get("/release?name=%3Cscript%3Ealert")
	want(t, status, page, http.StatusNotFound, "There is no release")
	status, page = analyst.get("/report?name=nothing")
	want(t, status, page, http.StatusUnprocessableEntity, "ERROR ")
}

func askPages(t *testing.T, owner, analyst *browser) {
	status, page := analyst.ask("SELECT disease, COUNT(*) AS n FROM people WHERE age >= 40 GROUP BY disease")
	want(t, status, page, http.StatusOK, `class="whisker `, "&lt;script&gt;", "1003", "5 rows", "EXPLAIN", " ± ", "95 % interval", "<bdi>certainly</bdi>")
	if n := strings.Count(page, `class="bar "`); n != 2*5 {
		t.Errorf("the two drawings have %d bars, want 5 each", n)
	}
	status, page = analyst.ask("SELECT nothing FROM people")
	want(t, status, page, http.StatusUnprocessableEntity, "ERROR 1054")
	status, page = analyst.get("/ask?statement=" + url.QueryEscape(`</textarea>`+hostile))
	want(t, status, page, http.StatusOK, "&lt;/textarea&gt;")
	for statement, marks := range map[string]string{
		"SELECT COUNT(*) FROM people WHERE disease = 'flu' AND age > 30":                                                `class="tile"`,
		"SELECT age, disease, COUNT(*) FROM people GROUP BY age, disease":                                               `class="cell "`,
		"SELECT ROUND(100 * SUM(disease = 'flu') / COUNT(*)) AS percent FROM people WHERE age >= 40":                    " ± ",
		"SELECT COUNT(*) --\tof all\nFROM people WHERE disease = 'flu' AND age > 30":                                    " ± ",
		"SELECT COUNT(*) /*! , MAX(age) */ FROM people":                                                                 "<bdi>max(people.age)</bdi>",
		"SELECT MAX(age) AS oldest, disease FROM people GROUP BY disease":                                               `class="bar "`,
		"SELECT y, MAX(4000000000000000) AS n FROM (SELECT 2020 AS y UNION SELECT 2021 UNION SELECT 2022) t GROUP BY y": `class="dot `,
		"SELECT COUNT(*) AS n, age FROM people GROUP BY age HAVING n > 1":                                               "Exact: nothing is estimated",
	} {
		status, page = analyst.ask(statement)
		want(t, status, page, http.StatusOK, marks)
	}
	for statement, said := range map[string]string{
		"SELECT AVG(age), MEDIAN(age) FROM people WHERE disease = 'flu'":                                                          "how wrong these figures may be is not known",
		"SELECT COUNT(*) FROM people WHERE disease = 'flu' AND age > 30 UNION SELECT COUNT(*) FROM people WHERE disease = 'cold'": "how wrong these figures may be is not known",
		"SELECT n FROM (SELECT COUNT(*) AS n FROM people WHERE disease = 'flu' AND age > 30) t":                                   "how wrong these figures may be is not known",
		"SELECT COUNT(*) AS n FROM people LIMIT 0":                                                                                "0 rows, ",
		"SELECT COUNT(*) AS n FROM people":                                                                                        "1 row, ",
	} {
		status, page = analyst.ask(statement)
		want(t, status, page, http.StatusOK, said)
		if strings.Contains(page, "anon_low_1") {
			t.Errorf("%s: the page has columns that were not asked for", statement)
		}
	}
	status, page = owner.ask("DO 1")
	want(t, status, page, http.StatusOK, "It has no result")
}

// The fields of the page write the statement; an account without releases has none.
func builderPages(t *testing.T, owner, analyst *browser) {
	status, page := analyst.get("/ask")
	want(t, status, page, http.StatusOK, "GROUP BY disease", "How many, by disease", "Average age, by disease", "<option value=\"age:10\">", "<b>sensitive</b>")
	status, gone := analyst.get("/ask?release=" + url.QueryEscape(hostile))
	want(t, status, gone, http.StatusOK, "There is no release &lt;script&gt;", `autocomplete="off" required maxlength="100000"></textarea>`)
	if strings.Count(page, `name="statement"`) != 1+3 {
		t.Errorf("there are not three questions to try:\n%s", page)
	}
	if !strings.Contains(page, "formnovalidate hidden>Stop") {
		t.Error("Stop can be pressed, and nothing runs")
	}
	status, page = analyst.post("/ask/compose", "/ask", url.Values{"release": {"people"}, "measure": {"avg"}, "of": {"age"}, "by": {"disease", ""}, "where": {hostile}, "operator": {"="}, "value": {hostile}})
	want(t, status, page, http.StatusOK, "SELECT disease, AVG(age) AS average_age", "WHERE `&lt;script&gt;", "ORDER BY average_age DESC")
	for statement, doubted := range map[string]bool{"SELECT COUNT(*) AS records\r\nFROM people\r\nWHERE age = 'many'": true, "SELECT COUNT(*) AS records FROM people": false} {
		_, page = analyst.post("/ask", "/ask", url.Values{"release": {"people"}, "measure": {"count"}, "by": {"", ""}, "where": {"age"}, "operator": {"="}, "value": {"many"}, "statement": {statement}})
		if strings.Contains(page, "age has numbers, and &#34;many&#34; is none") != doubted {
			t.Errorf("%s is doubted, which is not %v", statement, doubted)
		}
	}
}

// A file has all rows, and the errors of figures in columns of their own.
func files(t *testing.T, owner, analyst *browser) {
	status, file := analyst.post("/ask/csv", "/ask", url.Values{"statement": {"SELECT disease, COUNT(*) AS n FROM people WHERE age >= 40 GROUP BY disease"}})
	if lines := strings.Split(strings.TrimSpace(file), "\n"); status != http.StatusOK || lines[0] != "disease,n,n_low,n_high,n_least,n_most" || len(lines) != 6 {
		t.Errorf("status %d, the file is\n%s", status, file)
	}
	status, file = owner.post("/ask/csv", "/ask", url.Values{"statement": {"SELECT '=1+1' AS `@a`, '-1.5' AS b, '+x' AS c, -2 AS d"}})
	if status != http.StatusOK || file != "'@a,b,c,d\n\"'=1+1\",\"-1.5\",\"'+x\",-2\n" {
		t.Errorf("status %d, the file is\n%s", status, file)
	}
	status, file = owner.post("/ask/csv", "/ask", url.Values{"statement": {"SELECT a.age FROM d.people a, d.people b"}})
	if n := strings.Count(file, "\n"); status != http.StatusOK || n != 1+120*120 {
		t.Errorf("status %d, the file has %d lines", status, n)
	}
	status, page := analyst.post("/ask/csv", "/ask", url.Values{"statement": {"SELECT nothing FROM people"}})
	want(t, status, page, http.StatusUnprocessableEntity, "ERROR 1054")
}

// The server refuses, as at its own port.
func forbidden(t *testing.T, owner, analyst *browser) {
	for statement, number := range map[string]string{
		"SELECT * FROM d.people": "1142", "CALL drop_release('people')": "1370", "SELECT ANON_ACTUAL(COUNT(*)) FROM people": "1142",
		"CREATE USER x IDENTIFIED BY 'abcdefgh12'": "1227", "SELECT 1; SELECT 2": "1064",
	} {
		status, page := analyst.ask(statement)
		want(t, status, page, http.StatusUnprocessableEntity, "ERROR "+number)
	}
}

func tokens(t *testing.T, owner, analyst *browser) {
	for _, form := range []url.Values{{"statement": {"SELECT 4711"}}, {"statement": {"SELECT 4711"}, "token": {"x"}}} {
		status, page := owner.read(owner.PostForm(owner.base+"/ask", form))
		want(t, status, page, http.StatusForbidden, "does not belong to your session", ">SELECT 4711</textarea>")
		if strings.Contains(page, `value="4711"`) {
			t.Error("the statement was asked")
		}
	}
	status, page := newBrowser(t, strings.TrimPrefix(owner.base, "http://")).read(owner.PostForm(owner.base+"/sign-in", url.Values{"account": {"root"}}))
	want(t, status, page, http.StatusForbidden, "not one that this browser was given")
	request, err := http.NewRequest(http.MethodPost, owner.base+"/stop", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Sec-Fetch-Site", "cross-site")
	status, page = owner.read(owner.Do(request))
	want(t, status, page, http.StatusForbidden)
	status, page = owner.post("/ask", "/ask", url.Values{"statement": {strings.Repeat("x", 2<<20)}})
	want(t, status, page, http.StatusBadRequest, "at most 1 MiB")
}

// A foreign host name that resolves to this machine opens nothing.
func hosts(t *testing.T, owner, _ *browser) {
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(owner.base, "http://"))
	for host, wanted := range map[string]int{"localhost:" + port: 200, "[::1]:" + port: 200, "evil.example:" + port: 421, "127.0.0.1:1": 421, "127.0.0.1.evil.example:" + port: 421, "127.0.0.1": 421} {
		request, err := http.NewRequest(http.MethodGet, owner.base+"/sign-in", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = host
		if status, _ := owner.read(owner.Do(request)); status != wanted {
			t.Errorf("%s: status %d, want %d", host, status, wanted)
		}
	}
}

func headers(t *testing.T, owner, _ *browser) {
	for path, source := range map[string]string{"/": "style-src 'self'", "/ask": "script-src 'self'", "/report?name=people": "sandbox"} {
		r, err := owner.Get(owner.base + path)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		for name, value := range map[string]string{"Content-Security-Policy": "default-src 'none'; ", "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cache-Control": "no-store"} {
			if !strings.HasPrefix(r.Header.Get(name), value) {
				t.Errorf("%s: %s is %q", path, name, r.Header.Get(name))
			}
		}
		if !strings.Contains(r.Header.Get("Content-Security-Policy"), source) {
			t.Errorf("%s: the policy is %q", path, r.Header.Get("Content-Security-Policy"))
		}
	}
	r, err := newBrowser(t, "").Get(owner.base + "/sign-in")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if cookie := r.Header.Get("Set-Cookie"); !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Strict") {
		t.Errorf("the cookie is %q", cookie)
	}
}

// A question that waits ends with MySQL's error when it is stopped.
func stopped(t *testing.T, owner, analyst *browser) {
	ended := make(chan string, 1)
	_, form := analyst.get("/ask")
	token := regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(form)[1]
	go func() {
		r, err := analyst.PostForm(analyst.base+"/ask", url.Values{"token": {token}, "statement": {"SELECT SLEEP(50)"}})
		if err != nil {
			ended <- err.Error()
			return
		}
		defer r.Body.Close()
		text, _ := io.ReadAll(r.Body)
		ended <- string(text)
	}()
	for deadline := time.Now().Add(time.Minute); ; {
		if time.Now().After(deadline) {
			t.Fatal("the question was not there to be stopped")
		}
		if _, page := analyst.post("/stop", "/ask", url.Values{"statement": {"SELECT 1"}}); strings.Contains(page, "were stopped: 1") {
			break
		}
	}
	// It may have been killed before it began to sleep; it is killed again then.
	for {
		select {
		case page := <-ended:
			want(t, http.StatusOK, page, http.StatusOK, "ERROR 1317")
			return
		case <-time.After(200 * time.Millisecond):
			analyst.post("/stop", "/ask", url.Values{})
		}
	}
}

func large(t *testing.T, owner, _ *browser) {
	status, page := owner.ask("SELECT a.age FROM d.people a, d.people b")
	want(t, status, page, http.StatusOK, "1000 rows", "The result has more rows")
}

// Settings and transactions of a statement do not affect the next one.
func nothingStays(t *testing.T, owner, _ *browser) {
	owner.ask("SET @kept = 4711")
	if _, page := owner.ask("SELECT @kept"); strings.Contains(page, `value="4711"`) || !strings.Contains(page, "NULL") {
		t.Errorf("a variable stayed:\n%s", page)
	}
}

// An owner tries, which stores nothing, and publishes; an analyst has no table, and is refused.
func publishPages(t *testing.T, owner, analyst *browser) {
	status, page := owner.get("/publish")
	want(t, status, page, http.StatusOK, "/publish?database=d&amp;table=people")
	status, page = owner.get("/publish?database=d&table=people")
	want(t, status, page, http.StatusOK, `name="role:&lt;script&gt;`, `name="role:disease"`, "before anything is published of it", "are the only ones with their quasi-identifiers", "is the riskiest column")
	form := func(action string) url.Values {
		return url.Values{"database": {"d"}, "table": {"people"}, "column": {"age", hostile, "disease"}, "role:age": {"qi"}, "role:" + hostile: {"qi"}, "role:disease": {"sa"},
			"method": {"anatomy"}, "p:anatomy:l": {"2"}, "publish": {"again"}, "private": {"true"}, "action": {action}}
	}
	status, page = owner.post("/publish", "/ask", form("statement"))
	want(t, status, page, http.StatusOK, "CALL anonymize(&#39;d.people&#39;, &#39;anatomy&#39;, &#39;l=2&#39;, &#39;qi=age,&lt;script&gt;")
	status, page = owner.begin("/publish", form("dry_run"))
	want(t, status, page, http.StatusOK, "It can be published", "groups of records are published", "<bdi>dry run</bdi>", `name="publish" value="again"`)
	if _, page = owner.get("/"); strings.Contains(page, "name=again") {
		t.Error("what was tried is stored")
	}
	status, page = owner.begin("/publish", form("publish"))
	want(t, status, page, http.StatusOK, "<title>again", "Published in ", "<bdi>private</bdi>", "again_qi1")
	status, page = owner.get("/release?name=again")
	want(t, status, page, http.StatusOK, "again_qi1")
	status, page = analyst.get("/publish")
	want(t, status, page, http.StatusOK, "There is no table that your account may read")
	if strings.Contains(page, `href="/publish"`) || strings.Contains(page, "Upload") || strings.Contains(page, `href="/jobs"`) {
		t.Error("an analyst is shown what is refused")
	}
	status, page = analyst.get("/publish?database=d&table=people")
	want(t, status, page, http.StatusUnprocessableEntity, "ERROR 1142")
	status, page = analyst.begin("/publish", form("publish"))
	want(t, status, page, http.StatusOK, "ERROR 1370", "Back to the form as it was")
	status, page = analyst.post("/publish", "/ask", form("nothing"))
	want(t, status, page, http.StatusUnprocessableEntity, "names nothing to do")
	status, page = analyst.get("/release?name=again")
	want(t, status, page, http.StatusNotFound, "There is no release")
}

// An administrator creates, limits and drops an account, whose session ends with it; an analyst is refused.
func accountPages(t *testing.T, owner, analyst *browser) {
	change := func(b *browser, action string) (int, string) {
		return b.post("/accounts", "/ask", url.Values{"action": {action}, "user": {hostile[:8]}, "password": {"a-longer-secret"}, "statement_timeout": {"90"}, "max_result_rows": {"4,711"}, "max_result_bytes": {"64 "}, "memory": {""}})
	}
	for _, action := range []string{"create", "limit", "drop"} {
		status, page := change(analyst, action)
		want(t, status, page, http.StatusUnprocessableEntity, "ERROR 1")
	}
	status, page := change(owner, "create")
	want(t, status, page, http.StatusOK, "Made: &lt;script&gt;@%.", "<dd>60\u00a0s</dd>", "<dd>256\u00a0MiB</dd>", "<dd>1,000,000\u00a0rows</dd>")
	if strings.Contains(page, "a-longer-secret") {
		t.Error("the page has the password")
	}
	for limit, said := range map[[2]string]string{{"max_result_rows", "1,5"}: "must be a number of rows", {"memory", "4"}: "must be at least 8 MiB", {"memory", "9999999999"}: "a smaller number of MiB"} {
		status, page = owner.post("/accounts", "/ask", url.Values{"action": {"limit"}, "user": {hostile[:8]}, limit[0]: {limit[1]}})
		want(t, status, page, http.StatusUnprocessableEntity, said)
	}
	other := newBrowser(t, strings.TrimPrefix(owner.base, "http://"))
	status, page = other.signIn(hostile[:8], "a-longer-secret")
	want(t, status, page, http.StatusOK, "Signed in as <bdi>&lt;script&gt;")
	status, page = other.post("/questions", "/ask", url.Values{"name": {"secret"}, "statement": {"SELECT 1"}})
	want(t, status, page, http.StatusOK, "Saved questions (1)")
	status, page = change(owner, "limit")
	want(t, status, page, http.StatusOK, "Changed: &lt;script&gt;@%.", "<dd>4,711\u00a0rows</dd>", "<dd>90\u00a0s</dd>", "<dd>64\u00a0MiB</dd>", "<dd>no limit</dd>")
	status, page = change(owner, "drop")
	want(t, status, page, http.StatusOK, "Dropped: &lt;script&gt;@%.")
	other.ask("SELECT 1") // opens connections, which the server refuses
	status, page = other.get("/")
	want(t, status, page, http.StatusOK, "<title>Sign in")
	change(owner, "create") // another person's, of the same name
	other.signIn(hostile[:8], "a-longer-secret")
	if status, page = other.get("/ask"); status != http.StatusOK || strings.Contains(page, "Saved questions") || !strings.Contains(page, "Save as") {
		t.Errorf("what the account before had saved is there:\n%s", page)
	}
	change(owner, "drop")
	status, page = change(owner, "nothing")
	want(t, status, page, http.StatusUnprocessableEntity, "names nothing to do")
	status, page = analyst.get("/accounts")
	want(t, status, page, http.StatusOK, "<bdi>bi</bdi>")
	if strings.Contains(page, "<bdi>root</bdi>") || strings.Contains(page, "New analyst") || strings.Contains(page, ">Drop ") || !strings.Contains(page, "What your account may use") {
		t.Errorf("an analyst sees other accounts, or forms that are refused:\n%s", page)
	}
}

func signOut(t *testing.T, owner, analyst *browser) {
	status, page := owner.post("/sign-out", "/ask", url.Values{})
	want(t, status, page, http.StatusOK, "Sign in")
	status, page = owner.get("/")
	want(t, status, page, http.StatusOK, "Sign in")
	status, page = analyst.get("/")
	want(t, status, page, http.StatusOK, "Signed in as")
}

func TestAddress(t *testing.T) {
	for listen, wanted := range map[string]string{":8080": "127.0.0.1:8080", "localhost:1": "localhost:1", "[::1]:0": "[::1]:0",
		"0.0.0.0:8080": "0.0.0.0:8080", "[::]:8080": "[::]:8080", "db.example:8080": "", "8080": ""} {
		got, err := console.Address(listen)
		if got != wanted || (err == nil) != (wanted != "") {
			t.Errorf("%s: %q, %v", listen, got, err)
		}
	}
}
