package acceptance

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// veterans has exactly one record with veteran = 'yes', and diseases of different frequencies. It returns that
// person's disease and the number of records with each disease.
func veterans(t *testing.T, db *dbsql.DB, table string) (disease string, counts map[string]int) {
	t.Helper()
	counts = map[string]int{"flu": 160, "cold": 130, "gout": 100, "asthma": 70, "cancer": 40}
	var values []string
	for _, name := range []string{"flu", "cold", "gout", "asthma", "cancer"} {
		for i := range counts[name] {
			veteran := "no"
			if name == "gout" && i == 17 {
				veteran = "yes"
			}
			values = append(values, fmt.Sprintf("(%d, '%c', '%s', '%s')", 20+(7*len(values)+i*i)%60, "FM"[(len(values)*i+i)%2], veteran, name))
		}
	}
	servertest.Exec(t, db, "CREATE TABLE "+table+" (age INT, sex CHAR(1), veteran VARCHAR(3), disease VARCHAR(20))",
		"INSERT INTO "+table+" VALUES "+strings.Join(values, ", "), "CALL set_attributes('"+table+"', 'qi=age,sex,veteran', 'sa=disease')")
	return "gout", counts
}

// phiSquaredIfVeteran is phi^2 of veteran and disease if the only veteran had this disease. The attack compares it
// with a shown value.
func phiSquaredIfVeteran(disease string, counts map[string]int) float64 {
	n, c := 0.0, float64(counts[disease])
	sum := 1/c - 1
	for _, count := range counts {
		n += float64(count)
	}
	for name, count := range counts {
		if name == disease {
			sum += (c - 1) * (c - 1) / c / (n - 1)
		} else {
			sum += float64(count) / (n - 1)
		}
	}
	return sum
}

// convicted returns the diseases of the veteran that a shown phi^2 permits.
func convicted(shown float64, counts map[string]int) (diseases []string) {
	for name := range counts {
		if expected := phiSquaredIfVeteran(name, counts); math.Abs(expected-shown) <= 0.001*expected {
			diseases = append(diseases, name)
		}
	}
	return diseases
}

// The table's phi squared reveals the sensitive value of a person who alone has a quasi-identifier's value. The owner
// may see it, analysts do not.
func TestPhiSquaredAttack(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE DATABASE army", "CALL create_analyst('bi', 'a long password')")
	analyst := s.Open(t, servertest.Account{User: "bi", Password: "a long password"})
	for method, options := range map[string]string{"slppa": "beta=0.5", "slicing": "l=2", "asn": "beta=0.5", "anatomy": "l=2", "arp": "l=2",
		"mondrian": "k=4", "cross_bucket": "k=2', 'l=2"} {
		disease, counts := veterans(t, root, "army.t_"+method)
		servertest.Exec(t, root, fmt.Sprintf("CALL anonymize('army.t_%[1]s', '%[1]s', '%[2]s', 'publish=r_%[1]s', 'allow_composition=true', 'calibrate=false')",
			method, options))
		const query = "SELECT measure, value FROM ANON_UTILITY(r_%s) WHERE detail LIKE 'veteran with disease%%'"
		proof := false
		for _, row := range fetchRows(t, root, fmt.Sprintf(query, method)) {
			found := convicted(row[1].(float64), counts)
			proof = proof || row[0] == "phi_squared_before" && len(found) == 1 && found[0] == disease
		}
		if !proof {
			t.Errorf("%s: the owner's figures do not convict the veteran: the attack proves nothing", method)
		}
		rows := fetchRows(t, analyst, fmt.Sprintf(query, method))
		if len(rows) != 1 || rows[0][0] != "phi_squared_after" {
			t.Errorf("%s: an analyst sees %v", method, rows)
		}
		var page string
		if err := analyst.QueryRowContext(context.Background(), "CALL report('r_"+method+"')").Scan(new(string), new(int), &page); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(page, `<i class="before">`) {
			t.Errorf("%s: an analyst's report has phi squared of the table", method)
		}
	}
}

// A guarantee that nobody required neither holds nor fails. A release that leaves persons with only one possible
// value says so in plain sight.
func TestOneValue(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Open(t, servertest.Root)
	root.SetMaxOpenConns(1)
	servertest.Exec(t, root, "CREATE DATABASE army")
	veterans(t, root, "army.people")
	servertest.Exec(t, root, "CALL anonymize('army.people', 'drasl', 'k=2', 'seed=1', 'publish=people', 'calibrate=false')")
	warned := false
	for _, row := range fetchRows(t, root, "SHOW WARNINGS") {
		warned = warned || strings.Contains(fmt.Sprint(row...), "of 500 records reads their ")
	}
	if !warned {
		t.Error("the publication gave no warning")
	}
	rows := fetchRows(t, root, "SELECT guarantee, required, achieved, holds, detail FROM ANON_PRIVACY(people)")
	if rows[0][0] != "one_value" || rows[0][1] != nil || rows[0][3] != nil {
		t.Errorf("the first row is %v", rows[0])
	}
	// The share, from the relations: records with the same cells that all have one value.
	var left, all int
	query := `SELECT SUM(IF(v = 1, n, 0)), SUM(n) FROM (SELECT COUNT(DISTINCT s.disease) AS v, SUM(s.count) AS n
	 FROM published.people_qi1 q JOIN published.people_sa s ON q.gid = s.gid GROUP BY q.age, q.sex, q.veteran) shown`
	if err := root.QueryRowContext(context.Background(), query).Scan(&left, &all); err != nil {
		t.Fatal(err)
	}
	if left == 0 || all != 500 || math.Abs(rows[0][2].(float64)-float64(left)/float64(all)) > 1e-9 {
		t.Errorf("one_value is %v, from the relations %d of %d", rows[0][2], left, all)
	}
	for _, row := range rows {
		if required, holds := row[1] != nil, row[3] != nil; required != holds {
			t.Errorf("%v: required %v, holds %v", row[0], row[1], row[3])
		}
	}
	servertest.Exec(t, root, "CALL anonymize('army.people', 'anatomy', 'l=2', 'publish=people2', 'allow_composition=true', 'calibrate=false')")
	if rows := fetchRows(t, root, "SELECT guarantee FROM ANON_PRIVACY(people2) WHERE guarantee = 'one_value'"); len(rows) != 0 {
		t.Errorf("an l-diverse release has %v", rows)
	}
}
