package console_test

import (
	"context"
	"crypto/tls"
	"database/sql"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/console"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// startSecure starts a server with its own certificate, and a console on every interface, with the name some.example.
func startSecure(t *testing.T) (address string, dial func(client net.Addr) (net.Conn, error)) {
	t.Helper()
	opened, inside := make(chan net.Addr, 1), make(chan server.Inside, 1)
	s := servertest.Start(t, server.Config{TLSSelfSigned: true, Extend: server.Product, Beside: func(ctx context.Context, in server.Inside) error {
		inside <- in
		return console.Serve(ctx, console.Config{Listen: "0.0.0.0:0", Hosts: []string{"some.example"}, Dial: in.Dial, TLS: in.TLS, Logger: slog.New(slog.DiscardHandler),
			Ready: func(a net.Addr) { opened <- a }})
	}})
	servertest.Exec(t, s.Open(t, servertest.Root), "CREATE USER near@'10.%' IDENTIFIED BY 'a-long-secret'", "CREATE USER slow IDENTIFIED WITH caching_sha2_password BY 'a-long-secret'")
	_, port, _ := net.SplitHostPort((<-opened).String())
	return "127.0.0.1:" + port, (<-inside).Dial
}

// Beyond the loopback interface the console requires TLS, and its cookies are TLS-only. A certificate of the server's own brings no HSTS.
// Valid names are the certificate's and the configured ones.
func TestBeyondLoopback(t *testing.T) {
	err := console.Serve(t.Context(), console.Config{Listen: "0.0.0.0:0", Logger: slog.New(slog.DiscardHandler)})
	if err == nil || !strings.Contains(err.Error(), "does not listen on 0.0.0.0:0") || !strings.Contains(err.Error(), "--tls-cert") {
		t.Errorf("without a certificate: %v", err)
	}
	address, dial := startSecure(t)
	b := newBrowser(t, address)
	b.base = "https://" + address
	b.Transport = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // the certificate is the server's own
	r, err := b.Get(b.base + "/sign-in")
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if cookie := r.Header.Get("Set-Cookie"); !strings.HasPrefix(cookie, "__Host-anonsql_form=") || !strings.Contains(cookie, "; Secure") || r.Header.Get("Strict-Transport-Security") != "" {
		t.Errorf("the cookie is %q, HSTS %q", cookie, r.Header.Get("Strict-Transport-Security"))
	}
	for _, account := range []string{"root", "slow"} {
		status, page := b.signIn(account, map[string]string{"slow": "a-long-secret"}[account])
		want(t, status, page, http.StatusOK, "Signed in as <bdi>"+account)
	}
	_, port, _ := net.SplitHostPort(address)
	machine, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for host, wanted := range map[string]int{"some.example:" + port: 200, "some.example": 200, machine + ":" + port: 200, "evil.example:" + port: 421, "10.1.2.3:" + port: 421} {
		request, err := http.NewRequest(http.MethodGet, b.base+"/sign-in", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = host
		if status, _ := b.read(b.Do(request)); status != wanted {
			t.Errorf("%s: status %d, want %d", host, status, wanted)
		}
	}
	t.Run("elsewhere", func(t *testing.T) { fromElsewhere(t, dial) })
}

// For the server, a session comes from the browser's address: accounts of this machine and of other networks are refused, and wrong
// passwords delay that address.
func fromElsewhere(t *testing.T, dial func(client net.Addr) (net.Conn, error)) {
	login := func(from, user, password string) error {
		config := mysql.NewConfig()
		config.User, config.Passwd, config.TLS, config.Logger = user, password, &tls.Config{InsecureSkipVerify: true}, &mysql.NopLogger{}
		config.DialFunc = func(context.Context, string, string) (net.Conn, error) {
			return dial(&net.TCPAddr{IP: net.ParseIP(from), Port: 4711})
		}
		connector, err := mysql.NewConnector(config)
		if err != nil {
			t.Fatal(err)
		}
		db := sql.OpenDB(connector)
		defer db.Close()
		return db.PingContext(t.Context())
	}
	for _, c := range []struct {
		from, user, password string
		in                   bool
	}{{"127.0.0.1", "root", "", true}, {"10.1.2.3", "root", "", false}, {"10.1.2.3", "near", "a-long-secret", true}, {"192.0.2.1", "near", "a-long-secret", false},
		{"127.0.0.1", "near", "a-long-secret", false}} {
		if err := login(c.from, c.user, c.password); (err == nil) != c.in {
			t.Errorf("%s from %s: %v", c.user, c.from, err)
		}
	}
}

// Questions that an account has saved are its own, are opened and deleted.
func savedQuestions(t *testing.T, owner, analyst *browser) {
	save := func(b *browser, name, statement string) (int, string) {
		return b.post("/questions", "/ask", url.Values{"name": {name}, "statement": {statement}})
	}
	status, page := save(analyst, hostile, "SELECT 4711")
	want(t, status, page, http.StatusOK, "Saved: &lt;script&gt;", "Saved questions (1)")
	status, page = save(analyst, "", "SELECT 1")
	want(t, status, page, http.StatusUnprocessableEntity, "must have 1 to 80 characters")
	_, page = analyst.get("/ask?question=" + url.QueryEscape(hostile))
	want(t, http.StatusOK, page, http.StatusOK, ">SELECT 4711</textarea>")
	_, page = analyst.post("/ask/compose", "/ask", url.Values{"name": {hostile}, "release": {"people"}, "measure": {"count"}, "by": {"age"}})
	want(t, http.StatusOK, page, http.StatusOK, "GROUP BY age\nORDER BY age</textarea>", `name="name" value="&lt;script&gt;`)
	_, page = owner.get("/ask?question=" + url.QueryEscape(hostile))
	if strings.Contains(page, "4711") || strings.Contains(page, "Saved questions") || !regexp.MustCompile(`<textarea[^>]*>SELECT disease, COUNT`).MatchString(page) {
		t.Errorf("another account sees it:\n%s", page)
	}
	status, page = analyst.post("/questions/delete", "/ask", url.Values{"deleted": {hostile}, "statement": {"SELECT 'unsaved'"}})
	want(t, status, page, http.StatusOK, "Deleted: ", ">SELECT &#39;unsaved&#39;</textarea>")
	if strings.Contains(page, "Saved questions") {
		t.Error("it is still there")
	}
}
