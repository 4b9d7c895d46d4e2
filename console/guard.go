package console

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// policy permits a page to load the console's style and script, send forms to it, query
// progress, and draw a picture of its own script.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src blob:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Bounds of a request.
const (
	maxBodyBytes = 1 << 20          // bytes of a form
	bodyTime     = 10 * time.Second // for reading it
	writeTime    = 30 * time.Second // for writing an answer
)

// guard refuses requests that do not come from a page of this console, and sets the browser's policies for pages.
func (c *console) guard(next http.Handler) http.Handler {
	sameOrigin := http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 { // also for an unread body, which net/http reads at the end
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(c.formTime)) // the listener's connections support deadlines
		}
		head := w.Header()
		head.Set("Content-Security-Policy", policy)
		head.Set("X-Frame-Options", "DENY")
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "same-origin") // without it, browsers send forms with the origin null, which is not ours; other sites receive nothing
		head.Set("Cross-Origin-Opener-Policy", "same-origin")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("Cache-Control", "no-store")
		if c.secure != nil && !selfMade(c.secure) {
			head.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if !c.ownHost(r) {
			fail(
				w,
				http.StatusMisdirectedRequest,
				"This console is not "+r.Host+": open it by the address that the server's log names, or by a name that --console-host gives it.",
			)
			return
		}
		if r.Method == http.MethodPost && r.URL.Path != uploadPath && !readForm(w, r) { // upload has its own bounds
			return
		}
		sameOrigin.ServeHTTP(w, r)
	})
}

// ownHost reports whether the Host is one of ours. If somebody pointed a name to this machine, their
// pages could read ours; so only the owner's names and the connected address are accepted.
func (c *console) ownHost(r *http.Request) bool {
	name, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		name, port = strings.Trim(r.Host, "[]"), map[bool]string{false: "80", true: "443"}[c.secure != nil] // browsers omit it
	}
	for _, host := range c.hosts {
		if strings.EqualFold(host, name) || strings.EqualFold(host, net.JoinHostPort(name, port)) {
			return true
		}
	}
	if port != c.port {
		return false
	}
	if c.secure == nil || c.localAddress(r).IsLoopback() {
		if slices.Contains([]string{"127.0.0.1", "localhost", "::1"}, name) {
			return true
		}
	}
	return c.secure != nil && c.secure.VerifyHostname(name) == nil || name == c.localAddress(r).String()
}

// localAddress returns this machine's address in the browser's connection.
func (c *console) localAddress(r *http.Request) netip.Addr {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return netip.Addr{}
	}
	at, err := netip.ParseAddrPort(local.String())
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap().WithZone("")
}

// selfMade reports whether a certificate is self-signed. Browsers let users accept one, unless the host has once required HTTPS.
func selfMade(certificate *x509.Certificate) bool {
	return bytes.Equal(certificate.RawIssuer, certificate.RawSubject)
}

// readForm reads a bounded form of any type to its end, before the guard's deadline. Then it
// removes the deadline, which would end a long question.
func readForm(w http.ResponseWriter, r *http.Request) bool {
	r.Body = http.MaxBytesReader(w, r.Body, maxBodyBytes)
	err := r.ParseForm()
	if _, unread := io.Copy(io.Discard, r.Body); err != nil || unread != nil {
		fail(w, http.StatusBadRequest, "The form cannot be read: it must have at most 1 MiB, and arrive within ten seconds.")
		return false
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	return true
}

// fail shows an error with our own text, and the form's content that was not processed, if any.
func fail(w http.ResponseWriter, status int, text string, had ...written) {
	show(w, status, "failure.html", struct {
		frame
		Text string
		Had  []written
	}{frame{Title: "Refused"}, text, had})
}

// The cookies of a session and of the sign-in form.
const (
	sessionCookie = "anonsql_console"
	formCookie    = "anonsql_form"
)

// setCookie sets a cookie that no script can read and no other site can send.
func (c *console) setCookie(w http.ResponseWriter, name, value string) {
	cookie := &http.Cookie{Name: c.cookieName(name), Value: value, Path: "/", HttpOnly: true, Secure: c.secure != nil, SameSite: http.SameSiteStrictMode}
	if value == "" {
		cookie.MaxAge = -1
	}
	http.SetCookie(w, cookie)
}

// cookie returns the browser's cookie of this name, "" for none.
func (c *console) cookie(r *http.Request, name string) string {
	if cookie, err := r.Cookie(c.cookieName(name)); err == nil {
		return cookie.Value
	}
	return ""
}

// cookieName adds, under TLS, the prefix of cookies that only this host can set, over TLS.
func (c *console) cookieName(name string) string {
	if c.secure != nil {
		return "__Host-" + name
	}
	return name
}

// token returns an unguessable text of 130 random bits.
func token() string { return rand.Text() }

// sameToken compares in constant time; an empty token matches nothing.
func sameToken(a, b string) bool {
	return a != "" && subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}

// signedIn calls h for a session. Without one it shows or redirects to the sign-in page. A POST must
// have the session's token; without a session the answer repeats the form's content.
func (c *console) signedIn(h func(http.ResponseWriter, *http.Request, *session)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := c.sessions.find(c.cookie(r, sessionCookie), addressOf(r.RemoteAddr))
		if s == nil && r.Method == http.MethodPost && r.URL.Path != "/sign-out" {
			fail(w, http.StatusUnauthorized, "Your session has ended, and nothing was done: sign in again.", writtenIn(r))
			return
		}
		if to := destination(r.URL.Path + "?" + r.URL.RawQuery); s == nil && to != "" {
			c.showSignIn(w, r, http.StatusOK, to, "", nil)
			return
		}
		if s == nil {
			http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
			return
		}
		if r.Method == http.MethodPost && !sameToken(s.form, r.PostForm.Get("token")) {
			fail(w, http.StatusForbidden, "The form does not belong to your session: open its page again, and send it from there.", writtenIn(r))
			return
		}
		defer s.beginRequest()()
		h(w, r, s)
		if s.denied.Load() {
			c.sessions.end(s.id)
		}
	})
}
