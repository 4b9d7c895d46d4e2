package proxy_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// measured makes and publishes a table with a column of every class.
func (c *client) measured(rows int) {
	c.t.Helper()
	c.measure(rows)
	c.exec("CALL anonymize('measured', 'anatomy', 'l=3', 'fit=false', 'calibrate=false', 'attacks=false')")
}

// measure makes the table.
func (c *client) measure(rows int) {
	c.t.Helper()
	c.exec("CREATE TABLE measured (id INT PRIMARY KEY, age INT, cents BIGINT UNSIGNED, weight DECIMAL(6,2), height DOUBLE, sex ENUM('f','m'), "+
		"town VARCHAR(20) COLLATE utf8mb4_general_ci, day DATE, seen DATETIME(3), disease VARCHAR(20) COLLATE utf8mb4_general_ci)",
		fmt.Sprintf("INSERT INTO measured SELECT seq, 20 + seq * 7 %% 60, seq * 31 %% 1000, (seq * 13 %% 900) / 7, (seq * 17 %% 300) / 9, 1 + seq %% 2, "+
			"ELT(1 + seq * 11 %% 5, 'York', 'york', 'Bath', 'Málaga', 'Ely'), DATE '2020-01-01' + INTERVAL seq * 3 %% 400 DAY, "+
			"TIMESTAMP '2020-01-01 00:00:00' + INTERVAL seq * 1700 %% 90000 MINUTE, CONCAT('disease ', seq * 31 %% 7) FROM seq_1_to_%d", rows),
		"UPDATE measured SET age = NULL, weight = NULL, town = NULL, day = NULL WHERE id % 11 = 0", "UPDATE measured SET height = NULL, sex = NULL, seen = NULL WHERE id % 13 = 0",
		"CALL set_attributes('measured', 'ei=id', 'qi=age,cents,weight,height,sex,town,day,seen', 'sa=disease')")
}

// comparison is a condition on which servers agree.
func comparison(q servertest.Questions) string {
	operator := q.Choose("=", "<>", "<", "<=", ">", ">=")
	switch q.IntN(13) {
	case 12:
		return fmt.Sprintf("cents %s (%d, %d, %d.5)", q.Choose("IN", "NOT IN"), q.IntN(1000), q.IntN(1000), q.IntN(1000))
	case 0:
		return fmt.Sprintf("age %s %d", operator, 20+q.IntN(60))
	case 1:
		return fmt.Sprintf("%d.5 %s age", 20+q.IntN(60), operator)
	case 2:
		return fmt.Sprintf("weight %s %d.%02d", operator, q.IntN(128), q.IntN(100))
	case 3:
		return fmt.Sprintf("height %s %d", operator, q.IntN(33))
	case 4:
		return fmt.Sprintf("height %s %d.25e0", operator, q.IntN(33))
	case 5:
		return fmt.Sprintf("%s %s ('%s', '%s')", q.Choose("town", "disease"), q.Choose("IN", "NOT IN"), q.Choose("YORK", "bath", "ely"), q.Choose("Disease 3", "disease 5", "x"))
	case 6:
		return fmt.Sprintf("%s LIKE '%s'", q.Choose("town", "disease"), q.Choose("y%", "%A%", "_ly", "disease _", "%5"))
	case 7:
		return fmt.Sprintf("%s IS %sNULL", q.Choose("age", "weight", "height", "sex", "town", "day", "seen"), q.Choose("", "NOT "))
	case 8:
		return fmt.Sprintf("sex %s '%s'", q.Choose("=", "<>"), q.Choose("f", "m"))
	case 9:
		return fmt.Sprintf("day %s '2020-%02d-%02d'", operator, 1+q.IntN(12), 1+q.IntN(28))
	case 10:
		return fmt.Sprintf("seen BETWEEN '2020-01-%02d 10:00:00' AND '2020-03-01'", 1+q.IntN(28))
	}
	return fmt.Sprintf("cents %sBETWEEN %d AND %d.5", q.Choose("", "NOT "), q.IntN(500), 400+q.IntN(600))
}

// TestPlainQuestions: the same question answered by upstream and from the table's columns has the same answer.
func TestPlainQuestions(t *testing.T) {
	_, owner := begin(t)
	const rows = 2000
	owner.measured(rows)
	owner.exec("DO SLEEP(2.1)") // upstream counts the age of changes in seconds: from here on no column is looked at for changes twice
	for _, column := range strings.Split("age,cents,weight,height,sex,town,day,seen,disease", ",") {
		owner.query("SELECT ANON_ACTUAL(COUNT(*)) FROM published.measured WHERE " + column + " IS NULL")
	}
	servertest.Questions{
		Rand: rand.New(rand.NewPCG(22, 3)), Comparison: comparison, Keys: []string{"", "", "sex", "town", "disease", "age", "day", "weight"},
		Counted: []string{"age", "town", "sex", "seen"}, Ranked: []string{"age", "cents", "weight", "height"}, Added: []string{"age", "cents", "weight", "height"},
		Accompanying: ", ANON_RELATIVE_ERROR(COUNT(*))", Ask: func(question string) ([]string, error) { return owner.tries(question) }, Sent: owner.sent,
	}.Compare(t, testsize.Levels(8, 20, 200), rows)
}

// sent is how many rows upstream has sent on the owner's connection.
func (c *client) sent() int {
	c.t.Helper()
	_, text, _ := strings.Cut(c.query("SHOW SESSION STATUS LIKE 'Rows_sent'")[0], "|")
	n, err := strconv.Atoi(text)
	if err != nil {
		c.t.Fatal(err)
	}
	return n
}

// TestNoteOfPlainQuestions: that the table has changed is told whoever answers, also of what the owner has not committed.
func TestNoteOfPlainQuestions(t *testing.T) {
	_, owner := begin(t)
	owner.measured(100)
	told := func(question string, column string) {
		t.Helper()
		owner.query(question)
		notes := strings.Join(owner.query("SHOW WARNINGS"), "; ")
		if column == "" && strings.Contains(notes, "has changed") || column != "" && !strings.Contains(notes, "in column "+column) {
			t.Errorf("%s: the notes are %q, want one of column %q", question, notes, column)
		}
	}
	const ages, diseases = "SELECT ANON_ACTUAL(COUNT(*)) FROM published.measured WHERE age < 40", "SELECT ANON_ACTUAL(COUNT(*)) FROM published.measured WHERE disease = 'disease 3'"
	owner.exec("DO SLEEP(2.1)") // upstream counts the age of changes in seconds
	told(ages, "")
	told(ages, "")
	owner.exec("BEGIN", "UPDATE measured SET disease = 'cured' WHERE id = 5")
	told(diseases, "disease")
	told(ages, "")
	owner.exec("ROLLBACK")
	told(diseases, "")
	owner.exec("DELETE FROM measured WHERE id = 5")
	told(diseases, "disease")
	owner.exec("DO SLEEP(2.1)")
	told(diseases, "disease")
	told(diseases, "disease")
	told("SELECT ANON_ACTUAL(COUNT(*)) FROM published.measured", "age")
}
