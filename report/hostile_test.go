package report_test

import (
	dbsql "database/sql"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

var (
	hostileColumns = []string{`<script>alert(1)</script>`, `</style><b onclick="x">`, "a`b'c\"d", "\u202eright to left \u05d0", "{{.Name}} ${x}", "select", `back\slash`}
	hostileValues  = []string{`<img src=x onerror=alert(1)>`, `'; DROP TABLE t; -- `, `</title></svg><script>`, "\u202egnp.exe\u05d0\u05d1", `"><a href="javascript:x">`, `100%&amp;\`, "]]>", "<!-- "}
)

const hostileSensitive = "sen<b>si'tive"

// publishHostile publishes a table of these columns and values as release.
func publishHostile(t *testing.T, db *dbsql.DB, release string) {
	t.Helper()
	quote := func(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
	text := func(value string) string {
		return "'" + strings.ReplaceAll(strings.ReplaceAll(value, `\`, `\\`), "'", "''") + "'"
	}
	definition := "CREATE TABLE odd.t (" + quote(hostileSensitive) + " VARCHAR(64)"
	for _, c := range hostileColumns {
		definition += ", " + quote(c) + " VARCHAR(64)"
	}
	servertest.Exec(t, db, "CREATE DATABASE odd", definition+", age INT)")
	var rows []string
	for i := range 160 {
		row := "(" + text(hostileValues[i%len(hostileValues)])
		for j := range hostileColumns {
			row += ", " + text(hostileValues[(i/len(hostileValues)+j)%len(hostileValues)])
		}
		rows = append(rows, row+", "+string(rune('1'+i%7))+")")
	}
	servertest.Exec(t, db, "INSERT INTO odd.t VALUES "+strings.Join(rows, ", "))
	roles := `{"qi": [` + jsonList(hostileColumns) + `, "age"], "sa": [` + jsonText(hostileSensitive) + `], "l": "3", "publish": ` + jsonText(release) + `}`
	if _, err := db.Exec("CALL anonymize('odd.t', 'anatomy', ?)", roles); err != nil {
		t.Fatal(err)
	}
}

// What people name and store is text in the page, whatever it looks like, and the
// examples with it run.
func TestHostileNamesAndValues(t *testing.T) {
	db := servertest.Start(t, server.Config{Extend: server.Product}).Open(t, servertest.Root)
	const release = "Odd$1"
	publishHostile(t, db, release)
	title := `</title><script>alert("title")</script> & more`
	page := call(t, db, release, "title="+title)
	d := parse(t, page)
	checkForm(t, page, d)
	if h1 := d.all("h1")[0].text(); h1 != title {
		t.Errorf("the title is %q", h1)
	}
	all := d.text()
	for _, c := range append(hostileColumns[:len(hostileColumns):len(hostileColumns)], hostileSensitive) {
		if !strings.Contains(all, c) {
			t.Errorf("the column %q is not in the page as it is called", c)
		}
	}
	shown := 0
	for _, v := range hostileValues {
		if strings.Contains(all, v) {
			shown++
		}
	}
	if shown < len(hostileValues)/2 {
		t.Errorf("%d values are in the page as they are", shown)
	}
	// Names and values stand in isolation, so that none turns the text around it.
	for _, cell := range d.all("td") {
		if strings.ContainsRune(cell.text(), '\u202e') && len(cell.all("bdi")) == 0 {
			t.Errorf("%q is not isolated", cell.text())
		}
	}
	runAll(t, db, d.statements())
	t.Run("chromium", func(t *testing.T) {
		dom := dump(t, browser(t), framed{page, 390})[0]
		if !strings.Contains(dom, `data-done="yes"`) || strings.Contains(dom, `data-elements="script`) {
			t.Errorf("a browser makes of it: %.300q", dom)
		}
	})
}

func jsonText(s string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), `"`, `\"`) + `"`
}

func jsonList(list []string) string {
	var quoted []string
	for _, s := range list {
		quoted = append(quoted, jsonText(s))
	}
	return strings.Join(quoted, ", ")
}
