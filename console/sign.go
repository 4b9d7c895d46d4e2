package console

import (
	"cmp"
	"errors"
	"net/http"
	"strings"
	"time"
)

type signInView struct {
	frame
	To      string // the page that a link leads to, "" for the first page
	Given   string // the account of a failed sign-in
	Problem *problem
}

// signInForm sets a token for this browser, so that no other site can sign its visitors in here.
func (c *console) signInForm(w http.ResponseWriter, r *http.Request) {
	c.showSignIn(w, r, http.StatusOK, "", "", nil)
}

// destination returns to if it is a page of the console that users send links to, otherwise "".
func destination(to string) string {
	for _, page := range []string{"/ask?", "/release?", "/publish?"} {
		if strings.HasPrefix(to, page) && to != page {
			return to
		}
	}
	return ""
}

// showSignIn keeps the browser's token: the form may be open in several tabs.
func (c *console) showSignIn(w http.ResponseWriter, r *http.Request, status int, to, account string, p *problem) {
	form := cmp.Or(c.cookie(r, formCookie), token())
	c.setCookie(w, formCookie, form)
	show(w, status, "signin.html", signInView{frame{Title: "Sign in", Token: form}, to, account, p})
}

// signIn tries the account at the server. It bounds simultaneous attempts and delays failures,
// so guessing here is slower than at the MySQL port, which also delays an account under attack.
func (c *console) signIn(w http.ResponseWriter, r *http.Request) {
	if !sameToken(c.cookie(r, formCookie), r.PostForm.Get("token")) {
		fail(w, http.StatusForbidden, "The form is not one that this browser was given: open the page again, with cookies allowed.")
		return
	}
	to := destination(r.PostForm.Get("to"))
	done, ok := c.crowd.tries(addressOf(r.RemoteAddr))
	if !ok {
		c.showSignIn(
			w,
			r,
			http.StatusTooManyRequests,
			to,
			r.PostForm.Get("account"),
			&problem{Text: "Other passwords from your address are being tried: sign in again in a second."},
		)
		return
	}
	defer done()
	select {
	case c.trying <- struct{}{}:
		defer func() { <-c.trying }()
	case <-r.Context().Done():
		return
	}
	account := r.PostForm.Get("account")
	s, err := c.sessions.begin(r.Context(), r.RemoteAddr, account, r.PostForm.Get("password"))
	switch {
	case errors.Is(err, errFull):
		c.showSignIn(w, r, http.StatusServiceUnavailable, to, account, problemOf(err))
	case err != nil:
		wait := time.NewTimer(c.failed)
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-r.Context().Done():
			return
		}
		c.showSignIn(w, r, http.StatusUnauthorized, to, account, problemOf(err))
	default:
		c.sessions.endUnused(c.cookie(r, sessionCookie), s.from)
		s.findPowers(r.Context())
		c.setCookie(w, formCookie, "")
		c.setCookie(w, sessionCookie, s.id)
		http.Redirect(w, r, cmp.Or(to, "/"), http.StatusSeeOther)
	}
}

func (c *console) signOut(w http.ResponseWriter, r *http.Request, s *session) {
	c.sessions.end(s.id)
	c.setCookie(w, sessionCookie, "")
	http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
}
