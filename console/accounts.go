package console

import (
	"net/http"

	"github.com/anonsql/anonsql/quoting"
)

type accountsView struct {
	frame
	Accounts *table
	Problem  *problem // of the list
	Did      *table
	Failed   *problem // of what a form asked
	Said     string
}

// accounts lists limits: of all accounts for who may make accounts, otherwise the session's own.
func accounts(w http.ResponseWriter, r *http.Request, s *session) {
	s.showAccounts(w, r, accountsView{})
}

// changeAccount makes an analyst's account, changes a limit, or drops an account. A password is an argument, and in no
// text that a page shows.
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
		view.Did, view.Failed = s.read(r.Context(), "CALL set_limits(?, ?, ?)", user, host, r.PostForm.Get("limit")+"="+r.PostForm.Get("value"))
	case "drop":
		if view.Did, view.Failed = s.read(r.Context(), "DROP USER "+quoting.Text(user)+"@"+quoting.Text(host)); view.Failed == nil {
			_ = c.book.forget() // what cannot be removed now is tried again within a minute, and logged then
		}
	default:
		view.Failed = &problem{Text: "The form names nothing to do: use the buttons of the page."}
	}
	if view.Failed == nil {
		view.Said = "Done: the account " + user + " at " + host + "."
	}
	s.showAccounts(w, r, view)
}

func (s *session) showAccounts(w http.ResponseWriter, r *http.Request, view accountsView) {
	view.frame = s.frame("Accounts", "accounts")
	view.Accounts, view.Problem = s.read(r.Context(), "SELECT * FROM anonsql.limits ORDER BY user, host")
	status := http.StatusOK
	if view.Failed != nil || view.Problem != nil {
		status = http.StatusUnprocessableEntity
	}
	show(w, status, "accounts.html", view)
}
