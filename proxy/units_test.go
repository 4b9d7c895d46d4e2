package proxy_test

import (
	"fmt"
	"strings"
	"testing"
)

// visitsOfPatients fills a table of visits upstream: 120 patients of one to three visits, whose birth year is constant, whose ward is not.
func (c *client) visitsOfPatients() {
	c.t.Helper()
	var values []string
	for patient := range 120 {
		for visit := range 1 + patient%3 {
			values = append(values, fmt.Sprintf("(%d, '2026-01-%02d', %d, 'ward %d', 'd%d')", patient, 1+visit, 1940+patient%60, (patient+visit)%4, (patient*7+visit*(patient%2))%10))
		}
	}
	c.exec("CREATE TABLE visits (patient INT, day DATE, born SMALLINT, ward VARCHAR(10), illness VARCHAR(9), PRIMARY KEY (patient, day))",
		"INSERT INTO visits VALUES "+strings.Join(values, ","))
}

// TestUnitsUpstream: a table of visits upstream is published by patients, and answers count them. Its relations are tables upstream with numbers of
// units, and are dropped with the release.
func TestUnitsUpstream(t *testing.T) {
	f, owner := begin(t)
	owner.visitsOfPatients()
	owner.releasesIn("shown")
	owner.refused("CALL anonymize('visits', 'anatomy', 'l=3', 'qi=born,ward', 'sa=illness', 'publish=visits')", 30001, "Say 'unit=patient'")
	owner.exec("CALL set_attributes('visits', 'unit=patient', 'qi=born,ward', 'sa=illness')",
		"CALL anonymize('visits', 'anatomy', 'l=3', 'fit=true', 'publish=visits', 'store=upstream:shown')")
	const patients = "COUNT(DISTINCT patient)"
	owner.want("SELECT "+patients+", COUNT(*) FROM published.visits", "120|240")
	for _, condition := range []string{"born < 1970", "illness < 'd5' AND born < 1970", "ward = 'ward 1' OR illness = 'd3'"} {
		actual := owner.query("SELECT " + patients + " FROM visits WHERE " + condition)[0]
		owner.want(fmt.Sprintf("SELECT ANON_ACTUAL(%[1]s), %[2]s BETWEEN ANON_LOW(%[1]s) AND ANON_HIGH(%[1]s), %[1]s BETWEEN ANON_INTERVAL_LOW(%[1]s) AND "+
			"ANON_INTERVAL_HIGH(%[1]s) FROM published.visits WHERE %[3]s", patients, actual, condition), actual+"|1|1")
	}
	owner.want("SELECT SUM(size), SUM(units) FROM shown.visits_gid", "240|120")
	for _, relation := range owner.tables("shown") {
		kept := strings.Join(owner.query("SELECT * FROM shown."+relation), " ")
		if published := strings.Join(owner.query("SELECT * FROM published."+relation), " "); kept != published || kept == "" {
			t.Errorf("%s: kept are %.200s, published %.200s", relation, kept, published)
		}
	}
	analyst := f.analyst(t)
	analyst.want("SELECT "+patients+" FROM published.visits", "120")
	analyst.refused("SELECT patient FROM published.visits", 1235, "column patient says whose a row is")
	owner.exec("CALL drop_release('visits')")
	if left := owner.tables("shown"); len(left) > 0 {
		t.Errorf("after the release was dropped there are %q", left)
	}
}
