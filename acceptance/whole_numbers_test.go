package acceptance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// Integer figures over a release behave as in MySQL: an UNSIGNED difference below 0 is error 1690, a TINYINT(1) is not a truth value, and the average
// of a condition has the same interval as the condition in WHERE.
func TestFiguresOfWholeNumbers(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE DATABASE h", "CREATE TABLE h.bills (age INT, children TINYINT(1), billed INT UNSIGNED, paid INT UNSIGNED, disease VARCHAR(20))")
	var rows []string
	for i := range 1200 {
		rows = append(rows, fmt.Sprintf("(%d, %d, %d, %d, '%s')", 20+i*7%60, i*5%7, 10+i%5, 10+i%3, []string{"flu", "cold", "gout", "asthma", "mumps"}[(i*i+i/7)%5]))
	}
	servertest.Exec(t, root, "INSERT INTO h.bills VALUES "+strings.Join(rows, ", "),
		"CALL anonymize('h.bills', 'anatomy', 'l=3', 'qi=age,children,billed,paid', 'sa=disease', 'publish=bills', 'seed=1')")
	for _, query := range []string{"SELECT SUM(paid - billed) FROM published.bills", "SELECT COUNT(*) FROM published.bills WHERE paid - billed > 0",
		"SELECT COUNT(*) FROM published.bills WHERE paid - billed > 0 AND disease = 'flu'",
		"SELECT COUNT(*) FROM published.bills WHERE age < 9223372036854775807 + 1", "SELECT MAX(age + 9223372036854775807 * 2) FROM published.bills"} {
		if _, err := servertest.Tries(root, query); servertest.Number(err) != 1690 {
			t.Errorf("%s: %v, want 1690", query, err)
		}
	}
	for _, c := range []struct{ figure, where string }{
		{"SUM(children) / COUNT(*)", " WHERE disease = 'flu'"}, {"COUNT(*) / SUM(children)", " WHERE disease = 'flu'"},
	} {
		query := fmt.Sprintf("SELECT ANON_INTERVAL_LOW(%[1]s) < %[1]s, %[1]s < ANON_INTERVAL_HIGH(%[1]s) FROM published.bills%[2]s", c.figure, c.where)
		if got, err := servertest.Tries(root, query); err != nil || strings.Join(got, "") != "1|1" {
			t.Errorf("%s: %q, %v: the figure is not inside", query, got, err)
		}
	}
	interval := "SELECT ROUND(ANON_INTERVAL_LOW(%[1]s), 2), ROUND(ANON_INTERVAL_HIGH(%[1]s), 2) FROM published.bills%[2]s"
	want, err := servertest.Tries(root, fmt.Sprintf(interval, "AVG(age)", " WHERE disease = 'flu'"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := servertest.Tries(root, fmt.Sprintf(interval, "AVG(IF(disease = 'flu', age, NULL))", "")); err != nil || strings.Join(got, "") != strings.Join(want, "") {
		t.Errorf("an average of an IF is in %q, %v, of WHERE in %q", got, err, want)
	}
}
