package console_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// tokenOf is the token of the forms of a page.
func tokenOf(t *testing.T, page string) string {
	t.Helper()
	found := regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("the page has no form: %s", page)
	}
	return found[1]
}

// A form to sign in is good while others are opened in the same browser, and signing in again ends the session that the browser had.
func signsInAgain(t *testing.T, owner, _ *browser) {
	b := newBrowser(t, strings.TrimPrefix(owner.base, "http://"))
	at, err := url.Parse(b.base)
	if err != nil {
		t.Fatal(err)
	}
	var earlier []*http.Cookie
	for range 2 {
		_, first := b.get("/sign-in")
		b.get("/sign-in")
		status, page := b.read(b.PostForm(b.base+"/sign-in", url.Values{"token": {tokenOf(t, first)}, "account": {"root"}}))
		want(t, status, page, http.StatusOK, "Signed in as <bdi>root")
		if earlier == nil {
			earlier = b.Jar.Cookies(at)
		}
	}
	before := newBrowser(t, at.Host)
	before.Jar.SetCookies(at, earlier)
	status, page := before.get("/")
	want(t, status, page, http.StatusOK, "<title>Sign in")
	status, page = b.get("/")
	want(t, status, page, http.StatusOK, "Signed in as <bdi>root")
}

// Written text is not lost when the session has ended, or when the form is refused.
func keepsWhatIsWritten(t *testing.T, owner, _ *browser) {
	b := newBrowser(t, strings.TrimPrefix(owner.base, "http://"))
	b.signIn("root", "")
	form := url.Values{"database": {"d"}, "table": {"people"}, "column": {"age", "disease"}, "role:age": {"qi"}, "role:disease": {"sa"}, "method": {"anatomy"},
		"p:anatomy:l": {"2"}, "publish": {"mine"}, "parameters": {"nothing"}, "action": {"publish"}}
	const link = `href="/publish?database=d&amp;filled=true&amp;method=anatomy&amp;parameters=l%3D2%0Anothing&amp;publish=mine&amp;qi=age&amp;sa=disease&amp;table=people"`
	status, page := b.post("/publish", "/ask", form)
	want(t, status, page, http.StatusUnprocessableEntity, "must be name=value", link)
	status, page = b.get(html.UnescapeString(link[len(`href="`) : len(link)-1]))
	want(t, status, page, http.StatusOK, `name="publish" value="mine"`, ">nothing=</textarea>")
	status, page = b.post("/ask/csv", "/ask", url.Values{"statement": {"SELECT 4711 FROM nothing"}})
	want(t, status, page, http.StatusUnprocessableEntity, ">SELECT 4711 FROM nothing</textarea>")
	_, page = b.get("/ask")
	b.post("/sign-out", "/ask", url.Values{})
	form.Set("token", tokenOf(t, page))
	status, page = b.read(b.PostForm(b.base+"/publish", form))
	want(t, status, page, http.StatusUnauthorized, "Your session has ended, and nothing was done", link)
	for _, path := range []string{"/ask", "/questions"} {
		status, page = b.read(b.PostForm(b.base+path, url.Values{"statement": {"SELECT '" + hostile + "'"}}))
		want(t, status, page, http.StatusUnauthorized, ">SELECT &#39;&lt;script&gt;")
	}
	status, page = b.read(b.PostForm(b.base+"/sign-out", url.Values{}))
	want(t, status, page, http.StatusOK, "<title>Sign in")
}

// The page of a statement lets its reader leave while it looks for the end, and leads to signing in once its session has ended.
func TestWorkLeadsToSignIn(t *testing.T) {
	b := openChromium(t)
	b.call("Page.navigate", map[string]any{"url": "http://" + start(t) + "/"})
	b.until("document.readyState === 'complete' && !!document.querySelector('#account')")
	b.value("document.querySelector('#account').value = 'root'")
	b.press("main button", "Releases")
	b.press("a[href='/release?name=people']", "people")
	b.value("document.querySelector('form[action=\"/measure\"] [name=queries]').value = '300000'")
	b.press("form[action='/measure'] button", "Measure people")
	at := b.value(`window.at = location.href, fetch = async () => ({ json: async () => ({ ended: true }) }),
		form = document.createElement('form'), Object.assign(form, { method: 'post', action: '/ask', hidden: true }), document.body.append(form),
		form.append(document.querySelector('[name=token]').cloneNode()), form.insertAdjacentHTML('beforeend', '<input name="statement" value="SELECT SLEEP(3)"/>'), form.submit(), at`)
	b.until("document.readyState === 'complete' && document.querySelector('h1')?.textContent === 'Ask'")
	b.call("Page.navigate", map[string]any{"url": at})
	b.until("document.readyState === 'complete' && document.querySelector('h1')?.textContent === 'Measure people'")
	b.value("fetch('/sign-out', { method: 'POST', body: new URLSearchParams({ token: document.querySelector('[name=token]').value }) })")
	b.until("document.querySelector('h1')?.textContent === 'Sign in'")
}
