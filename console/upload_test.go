package console_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// send uploads a file as the form of the page does; fields in this order.
func (b *browser) send(fields [][2]string, name, text string) (int, string) {
	b.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, f := range fields {
		if err := form.WriteField(f[0], f[1]); err != nil {
			b.t.Fatal(err)
		}
	}
	part, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write([]byte(text))
	}
	if err != nil || form.Close() != nil {
		b.t.Fatal(err)
	}
	return b.read(b.Post(b.base+"/upload", form.FormDataContentType(), &body))
}

// An owner loads a file into a new table, errors say what is wrong with it, and nothing of it is left beside the table; an analyst is refused before the file is read.
func uploadPages(t *testing.T, owner, analyst *browser) {
	token := func(b *browser) string {
		_, page := b.get("/ask")
		return regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(page)[1]
	}
	const text = "Age;" + hostile + ";seen on\n30;a;2024-01-02\n31;b;2024-02-03\n"
	status, page := owner.send([][2]string{{"token", token(owner)}, {"table", ""}}, "My People.csv", text)
	want(t, status, page, http.StatusOK, "2 rows are in <bdi>uploads.my_people</bdi>", "DATE", "/publish?database=uploads&amp;table=my_people", "is called")
	status, page = owner.get("/publish?database=uploads&table=my_people")
	want(t, status, page, http.StatusOK, `name="role:Age"`, "Its first rows")
	for name, c := range map[string]struct {
		fields [][2]string
		file   string
		text   string
		status int
		said   string
	}{
		"again":     {[][2]string{{"token", token(owner)}, {"table", ""}}, "My People.csv", text, http.StatusUnprocessableEntity, "exists already: write another name of a table into the form"},
		"no token":  {[][2]string{{"token", "x"}, {"table", ""}}, "p.csv", text, http.StatusForbidden, "does not belong to your session"},
		"no order":  {[][2]string{{"table", ""}}, "p.csv", text, http.StatusForbidden, "does not belong to your session"},
		"bad name":  {[][2]string{{"token", token(owner)}, {"table", "a.b.c"}}, "p.csv", text, http.StatusUnprocessableEntity, "must be database.table"},
		"ragged":    {[][2]string{{"token", token(owner)}, {"table", "d.ragged"}}, "p.csv", "a,b\n1,2\n1,2,3\n", http.StatusUnprocessableEntity, "p.csv"},
		"empty":     {[][2]string{{"token", token(owner)}, {"table", "d.empty"}}, "p.csv", "", http.StatusUnprocessableEntity, "The file is not loaded"},
		"long":      {[][2]string{{"token", token(owner)}, {"table", "d." + strings.Repeat("x", 300)}}, "p.csv", text, http.StatusUnprocessableEntity, "has 300 characters, at most 53"},
		"latin1":    {[][2]string{{"token", token(owner)}, {"table", "d.latin"}}, "p.csv", "a,b\n1,M\xfcller\n", http.StatusUnprocessableEntity, "save it there as UTF-8"},
		"no Excel":  {[][2]string{{"token", token(owner)}, {"table", "d.excel"}}, "x.xlsx", "hello", http.StatusUnprocessableEntity, "x.xlsx: the name ends in .xlsx"},
		"no file":   {[][2]string{{"token", token(owner)}, {"table", "d.none"}}, "", text, http.StatusUnprocessableEntity, "choose a file"},
		"no rows":   {[][2]string{{"token", token(owner)}, {"table", "d.rows"}}, "p.csv", "a,b\n", http.StatusOK, "there is nothing to publish"},
		"published": {[][2]string{{"token", token(owner)}, {"table", "published.p"}}, "p.csv", text, http.StatusUnprocessableEntity, "ERROR "},
	} {
		status, page := owner.send(c.fields, c.file, c.text)
		want(t, status, page, c.status, c.said)
		if t.Failed() {
			t.Fatal(name)
		}
	}
	status, page = analyst.send([][2]string{{"token", token(analyst)}, {"table", "d.theirs"}}, "p.csv", text)
	want(t, status, page, http.StatusForbidden, "Your account may make no tables")
	owner.ask("CREATE USER reader IDENTIFIED BY 'a-long-secret'")
	owner.ask("GRANT SELECT ON d.* TO reader")
	reader := newBrowser(t, strings.TrimPrefix(owner.base, "http://"))
	reader.signIn("reader", "a-long-secret")
	status, page = reader.get("/publish")
	want(t, status, page, http.StatusOK, "<bdi>d.people</bdi>")
	if strings.Contains(page, "Upload a file") {
		t.Error("an account with SELECT alone is shown the form")
	}
	status, page = reader.send([][2]string{{"token", token(reader)}, {"table", "d.theirs"}}, "p.csv", text)
	want(t, status, page, http.StatusForbidden, "Your account may make no tables")
	owner.ask("DROP USER reader")
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "upload-*"))
	if err != nil || strings.Contains(strings.Join(left, ""), "p.csv") {
		t.Errorf("files are left: %v, %v", left, err)
	}
}

// Who signs out while a file is loaded has no table of it, whole or begun.
func signOutWhileLoading(t *testing.T, owner, _ *browser) {
	leaving := newBrowser(t, strings.TrimPrefix(owner.base, "http://"))
	_, page := leaving.signIn("root", "")
	token := tokenOf(t, page)
	ended := make(chan string, 1)
	go func() {
		_, page := leaving.send([][2]string{{"token", token}, {"table", "leaving.t"}}, "p.csv", "a\n"+strings.Repeat("1\n", 500_000))
		ended <- page
	}()
	tables := func(n string) bool {
		_, page := owner.ask("SELECT COUNT(*) AS tables FROM information_schema.tables WHERE table_schema = 'leaving'")
		return strings.Contains(page, `<data value="`+n+`">`)
	}
	for asked := time.Now(); !tables("1"); time.Sleep(time.Millisecond) {
		if time.Since(asked) > time.Minute {
			t.Fatal("after a minute there is no table")
		}
	}
	leaving.post("/sign-out", "/ask", url.Values{})
	if page := <-ended; !strings.Contains(page, "its session ended before") || !tables("0") {
		t.Errorf("there is a table, after\n%s", page)
	}
}
