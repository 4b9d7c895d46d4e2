package console

import (
	"bytes"
	"context"
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/anonsql/anonsql/report"
)

//go:embed page
var files embed.FS

// pages are parsed once; a template that does not parse fails every test.
var pages = template.Must(report.PlotTemplate(template.Must(template.New("").Funcs(template.FuncMap{
	"count": func(n int64) string { return showCount(float64(n)) },
	"inc":   func(i int) int { return i + 1 },
	"askLink": func(statement, release string) string { // has the statement in the field of the page Ask
		query := url.Values{"statement": {statement}}
		if release != "" {
			query.Set("release", release)
		}
		return linkTo("/ask", query)
	},
	"first": func(method string) bool { return slices.Contains(firstMethods, method) },
}).ParseFS(files, "page/*.html"))))

// linkTo returns a link to a page, "" if it would be too long: servers and proxies bound a request's headers.
func linkTo(page string, query url.Values) string {
	if link := page + "?" + query.Encode(); len(link) <= 8000 {
		return link
	}
	return ""
}

// A frame surrounds every page.
type frame struct {
	Title string
	// Account is the signed-in account, "" for none; Token is that of the forms; Here is the page in the navigation.
	Account, Token, Here string
	Powers               powers
	// Refresh is the number of seconds after which a page without its script reloads; 0 for never.
	Refresh int
}

func (s *session) frame(title, here string) frame {
	s.mu.Lock()
	defer s.mu.Unlock()
	return frame{Title: title, Account: s.account, Token: s.form, Here: here, Powers: s.powers}
}

// show writes a page. It renders the page completely first, so a failure leaves no half page and a slow reader holds no server connection.
func show(w http.ResponseWriter, status int, page string, view any) {
	var text bytes.Buffer
	if err := pages.ExecuteTemplate(&text, page, view); err != nil {
		http.Error(w, "The page cannot be written: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes()) // a client that has left needs no page
}

func showProblem(w http.ResponseWriter, r *http.Request, s *session, p *problem) {
	if p == nil {
		p = &problem{Text: "The server's answer has no page."}
	}
	show(w, http.StatusUnprocessableEntity, "problem.html", struct {
		frame
		Problem *problem
		Written written
	}{s.frame("Not shown", ""), p, writtenIn(r)})
}

// A written is the content of a form that was not processed. Browsers do not have it any more, since pages are not cached.
type written struct{ Statement, Form string }

// writtenIn returns the statement of a form, or a link that fills the form for publishing.
func writtenIn(r *http.Request) (w written) {
	switch r.URL.Path {
	case "/ask", "/ask/compose", "/ask/csv", "/stop", "/questions", "/questions/delete":
		w.Statement = r.PostForm.Get("statement")
	case "/publish":
		joinParameters(r.PostForm)
		if w.Form = fillLink(r.PostForm, "", ""); w.Form == "" {
			statements, _ := publication(r.PostForm) // none for an invalid form
			w.Statement = strings.Join(statements, ";\n")
		}
	}
	return w
}

// readList reads the complete lists of releases, tables, relations, columns and accounts that pages use.
func readList(ctx context.Context, q querier, statement string, arguments ...any) (*table, error) {
	return readUpTo(ctx, q, 100_000, 16<<20, statement, arguments...)
}

// list is readList for a page's own statements.
func (s *session) list(ctx context.Context, statement string, arguments ...any) (*table, *problem) {
	t, err := readList(ctx, s.db, statement, arguments...)
	s.note(err)
	return t, problemOf(err)
}

// asset serves a file that pages load: the style of reports, that of forms, and the script.
func asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	kind := map[string]string{"report.css": "text/css", "console.css": "text/css", "console.js": "text/javascript", "chart.js": "text/javascript", "work.js": "text/javascript"}[name]
	text, err := files.ReadFile("page/" + name)
	if name == "report.css" {
		text, err = report.Sheet()
	}
	if kind == "" || err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kind+"; charset=utf-8")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
	_, _ = w.Write(text)
}
