package differential

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// A guest is a row of the published table, as the questions see it.
type guest struct {
	at   time.Time
	code string
	age  int
	male bool
}

func (g guest) clock() string { return g.at.Format("15:04:05") }
func (g guest) day() string   { return g.at.Format("20060102") }

func guests() []guest {
	var list []guest
	for i := range 400 {
		at := time.Date(2024, 1, 1, 0, 0, 7, 0, time.UTC).Add(time.Duration(i*1321) * time.Minute)
		list = append(list, guest{at, []string{"1abc", "7", "9.50", "none"}[i/3%4], 20 + i%50, i%2 == 0})
	}
	return list
}

// viewQuestions are conditions of one fragment, which outside tests found answered for all rows or for none and called exact.
var viewQuestions = []struct {
	condition string
	holds     func(guest) bool
}{
	{"TIME(at) >= '12:00:00'", func(g guest) bool { return g.clock() >= "12:00:00" }},
	{"TIME(at) BETWEEN '09:00:00' AND '12:00:00'", func(g guest) bool { return g.clock() >= "09:00:00" && g.clock() <= "12:00:00" }},
	{"CAST(at AS TIME) < '12:00:00'", func(g guest) bool { return g.clock() < "12:00:00" }},
	{"slot + INTERVAL 1 HOUR > '12:00:00'", func(g guest) bool { return g.clock() > "11:00:00" }},
	{"TIMEDIFF(at, TIMESTAMP(DATE(at))) > '12:00:00'", func(g guest) bool { return g.clock() > "12:00:00" }},
	{"SEC_TO_TIME(age * 100) > '01:00:00'", func(g guest) bool { return g.age > 36 }},
	{"at > 20240701", func(g guest) bool { return g.day() >= "20240701" }},
	{"at BETWEEN 20240101 AND 20240301", func(g guest) bool { return g.day() < "20240301" }},
	{"stamp > 20240701", func(g guest) bool { return g.day() >= "20240701" }},
	{"seen BETWEEN 20240101 AND 20240301", func(g guest) bool { return g.day() <= "20240301" }},
	{"NULLIF(slot, '00:00:07') IS NULL", func(g guest) bool { return g.clock() == "00:00:07" }},
	{"code", func(g guest) bool { return g.code != "none" }},
	{"code IN (7, 9.5)", func(g guest) bool { return g.code == "7" || g.code == "9.50" }},
	{"code IN (0)", func(g guest) bool { return g.code == "none" }},
	{"age IN ('30.5', '40')", func(g guest) bool { return g.age == 40 }},
	{"(age, slot) IN ((40, '00:00:07'), (20, '0:0:7'))", func(g guest) bool { return g.clock() == "00:00:07" && (g.age == 40 || g.age == 20) }},
	{"(age, seen) > (60, 20240301)", func(g guest) bool { return g.age > 60 || g.age == 60 && g.day() > "20240301" }},
	{"sex < 'male'", func(g guest) bool { return !g.male }},
	{"-at < 0", func(guest) bool { return true }},
	{"TIME(at) IN (SELECT '00:00:07')", func(g guest) bool { return g.clock() == "00:00:07" }},
}

func TestComparisonsOfAView(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	db := connect(t, "tcp", s.Addr, "root")
	list := guests()
	rows := make([]string, len(list))
	for i, g := range list {
		at := g.at.Format(time.DateTime)
		rows[i] = fmt.Sprintf("(%d, '%s', '%s', '%s', '%s', '%s', '%s', '%s')", g.age, []string{"female", "male"}[map[bool]int{true: 1}[g.male]], at[:10], at, at[11:], at, g.code,
			[]string{"flu", "cold", "asthma", "none"}[i%4])
	}
	servertest.Exec(t, db, "CREATE TABLE guest (age INT, sex ENUM('male','female'), seen DATE, at DATETIME, slot TIME, stamp TIMESTAMP NULL, code VARCHAR(9), disease VARCHAR(9))",
		"INSERT INTO guest VALUES "+strings.Join(rows, ", "),
		"CALL anonymize('d.guest', 'anatomy', 'l=2', 'qi=age,sex,seen,at,slot,stamp,code', 'sa=disease', 'publish=guest', 'fit=false')")
	for _, q := range viewQuestions {
		want := 0
		for _, g := range list {
			if q.holds(g) {
				want++
			}
		}
		for _, question := range []string{"SELECT COUNT(*) FROM %s WHERE %s", "SELECT SUM(IF(%[2]s, 1, 0)) FROM %[1]s", "SELECT COUNT(*) FROM (SELECT (%[2]s) AS c FROM %[1]s) q WHERE c"} {
			for _, table := range []string{"guest", "published.guest"} {
				text := fmt.Sprintf(question, table, q.condition)
				if got := ask(t, db, text); got.err != nil || len(got.rows) != 1 || !same(got.rows[0][0], fmt.Sprint(want), false) {
					t.Errorf("%s\n got %v\nwant %d", text, got, want)
				}
			}
		}
	}
	for text, want := range map[string]string{
		"SELECT CASE WHEN sex = 'male' THEN slot ELSE 'none' END k, COUNT(*) FROM published.guest GROUP BY k ORDER BY 2 DESC LIMIT 1": "[[none 200]]",
		"SELECT CASE WHEN age < 0 THEN seen ELSE 'none' END k, COUNT(*) FROM published.guest GROUP BY k":                              "[[none 400]]",
		"SELECT MAX(CASE WHEN seen = 20240101 THEN slot ELSE 0 END) FROM published.guest":                                             "[[22:01:07]]",
		"SELECT MAX(CASE WHEN slot > '10:00' THEN seen ELSE 'a' END) = 'a' FROM published.guest":                                      "[[1]]",
	} {
		if got := ask(t, db, text); got.err != nil || fmt.Sprint(got.rows) != want {
			t.Errorf("%s\n got %v\nwant %s", text, got, want)
		}
	}
}
