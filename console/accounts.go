package console

import (
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/quoting"
)

type accountsView struct {
	frame
	Accounts []listedAccount
	Problem  *problem // of reading the list
	Did      *table
	Failed   *problem // of the submitted form
	Said     string
}

// A listedAccount is an account with its limits.
type listedAccount struct {
	User, Host string
	Own        bool
	Limits     []listedLimit
}

// A listedLimit is a limit in a readable form: 60 s, 256 MiB, 1,000,000.
type listedLimit struct{ Name, Label, Text, Unit string }

// limits are an account's limits, in the order of anonsql.limits after user and host.
var limits = []listedLimit{
	{"statement_timeout", "A statement takes at most", "", "s"},
	{"max_result_rows", "A result has at most", "", "rows"},
	{"max_result_bytes", "A result is at most", "", "MiB"},
	{"memory", "A session holds at most", "", "MiB"},
	{"max_connections", "At once", "", "connections"},
}

// Phrase returns the limit in words.
func (l listedLimit) Phrase() string {
	if l.Text == "" {
		return "no limit"
	}
	return l.Text + "\u00a0" + l.Unit
}

// accounts lists limits: of all accounts for a user who may create accounts, else the session's own.
func accounts(w http.ResponseWriter, r *http.Request, s *session) {
	s.showAccounts(w, r, accountsView{})
}

// changeAccount creates an analyst's account, changes its limits, or drops an account. A
// password is passed as an argument and appears in no text on a page.
func (c *console) changeAccount(w http.ResponseWriter, r *http.Request, s *session) {
	var view accountsView
	user, host := r.PostForm.Get("user"), r.PostForm.Get("host")
	if host == "" {
		host = "%"
	}
	switch r.PostForm.Get("action") {
	case "create":
		view.Did, view.Failed = s.read(r.Context(), "CALL create_analyst(?, ?, ?)", user, r.PostForm.Get("password"), host)
	case "limit":
		_, view.Failed = s.changeLimits(r, user, host)
	case "drop":
		if view.Did, view.Failed = s.read(r.Context(), "DROP USER "+quoting.Text(user)+"@"+quoting.Text(host)); view.Failed == nil {
			_ = c.book.Forget() // what cannot be removed now is retried within a minute, and then logged
		}
	default:
		view.Failed = &problem{Text: "The form names nothing to do: use the buttons of the page."}
	}
	if view.Failed == nil {
		view.Said = map[string]string{"create": "Made", "limit": "Changed", "drop": "Dropped"}[r.PostForm.Get("action")] + ": " + user + "@" + host + "."
	}
	s.showAccounts(w, r, view)
}

// changeLimits sets the limits in the form; an empty one is no limit.
func (s *session) changeLimits(r *http.Request, user, host string) (*table, *problem) {
	marks, arguments := "?, ?", []any{user, host}
	for _, l := range limits {
		if !r.PostForm.Has(l.Name) {
			continue
		}
		given := strings.TrimSpace(r.PostForm.Get(l.Name))
		if given != "" && !grouped.MatchString(given) {
			return nil, &problem{Text: fmt.Sprintf("“%s” is %q, must be a number of %s such as 64 or 1,000,000, or empty for no limit. Nothing is changed.", l.Label, given, l.Unit)}
		}
		text := strings.NewReplacer(",", "", " ", "", "\u00a0", "").Replace(given)
		switch n, err := strconv.ParseFloat(text, 64); {
		case text == "":
			text = "0"
		case err == nil && l.Unit == "MiB" && n == math.Trunc(n):
			text += "MiB" // as the error has it
		case err == nil && l.Unit == "MiB":
			text = strconv.FormatFloat(n*(1<<20), 'f', 0, 64)
		}
		marks, arguments = marks+", ?", append(arguments, l.Name+"="+text)
	}
	did, failed := s.read(r.Context(), "CALL set_limits("+marks+")", arguments...)
	if failed != nil {
		failed.Text = inMebibytes(failed.Text)
	}
	return did, failed
}

// grouped matches a number whose commas or blanks, if any, group thousands.
var grouped = regexp.MustCompile(`^(\d+|\d{1,3}([, \x{a0}]\d{3})+)(\.\d+)?$`)

// inMebibytes rewrites an error of limits in the form's unit.
func inMebibytes(text string) string {
	text = strings.ReplaceAll(text, "a whole number of bytes", "a smaller number of MiB")
	return regexp.MustCompile(`\d+ bytes`).ReplaceAllStringFunc(text, func(found string) string {
		n, _ := strconv.ParseFloat(strings.TrimSuffix(found, " bytes"), 64) // only digits
		return strconv.FormatFloat(n/(1<<20), 'g', 3, 64) + " MiB"
	})
}

func (s *session) showAccounts(w http.ResponseWriter, r *http.Request, view accountsView) {
	s.findPowers(r.Context())
	view.frame = s.frame("Accounts", "accounts")
	var listed *table
	if listed, view.Problem = s.list(r.Context(), "SELECT * FROM anonsql.limits ORDER BY user, host"); view.Problem == nil {
		for _, row := range listed.Rows {
			view.Accounts = append(view.Accounts, s.listed(listed, row))
		}
	}
	status := http.StatusOK
	if view.Failed != nil || view.Problem != nil {
		status = http.StatusUnprocessableEntity
	}
	show(w, status, "accounts.html", view)
}

// listed converts a row of anonsql.limits.
func (s *session) listed(t *table, row []cell) listedAccount {
	named := make(map[string]cell)
	for i, column := range t.Columns {
		named[strings.ToLower(column)] = row[i]
	}
	a := listedAccount{User: named["user"].Value, Host: named["host"].Value}
	a.Own = a.User+"@"+a.Host == s.who
	for _, l := range limits {
		if n, err := strconv.ParseFloat(named[l.Name].Value, 64); err == nil && n > 0 {
			if l.Unit == "MiB" {
				n /= 1 << 20
			}
			l.Text = strconv.FormatFloat(n, 'f', -1, 64)
			if l.Unit == "rows" {
				l.Text = showCount(n)
			}
		}
		a.Limits = append(a.Limits, l)
	}
	return a
}
