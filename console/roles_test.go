package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Columns that the form omits are not published, even if the owner has stored roles for them.
func storedRoles(t *testing.T, owner, _ *browser) {
	var rows []string
	for i := range 120 {
		rows = append(rows, fmt.Sprintf("(%d, '%s', %d, '%s')", 20+i%4*10, []string{"F", "M"}[i%2], 1+i%3, []string{"flu", "cold", "gout"}[i%3]))
	}
	for _, statement := range []string{"CREATE TABLE d.survey (age INT, sex VARCHAR(1), w DOUBLE, disease VARCHAR(10))", "INSERT INTO d.survey VALUES " + strings.Join(rows, ","),
		"CALL set_attributes('d.survey', 'unit=rows', 'qi=age,sex', 'sa=disease', 'weight=w')"} {
		status, page := owner.ask(statement)
		want(t, status, page, http.StatusOK)
	}
	status, page := owner.get("/publish?database=d&table=survey")
	want(t, status, page, http.StatusOK, `name="stored:w" value="weight"`, `name="stored:disease" value="sa"`)
	form := url.Values{"database": {"d"}, "table": {"survey"}, "column": {"age", "sex", "w", "disease"}, "role:age": {"qi"}, "role:sex": {"qi"}, "role:w": {"other"}, "role:disease": {"other"},
		"stored:w": {"weight"}, "stored:disease": {"sa"}, "method": {"mondrian"}, "p:mondrian:k": {"5"}, "publish": {"left_out"}, "action": {"publish"}}
	status, page = owner.begin("/publish", form)
	want(t, status, page, http.StatusOK, "<title>left_out", "<code><bdi>age</bdi></code>")
	for _, column := range []string{"w", "disease"} {
		if strings.Contains(page, "<code><bdi>"+column+"</bdi></code>") {
			t.Errorf("%s is published, and was left out", column)
		}
	}
	form.Set("action", "advise")
	status, page = owner.begin("/publish", form)
	want(t, status, page, http.StatusOK, "no sensitive attribute is given")
	owner.ask("CALL drop_release('left_out')")
	owner.ask("DROP TABLE d.survey")
}
