package releases_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/enginetest"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// patients makes a table of n records whose disease depends on age. Few live in some towns: some records are unique.
func patients(t *testing.T, c *enginetest.Cluster, schema string, n int) {
	t.Helper()
	run(t, c, fmt.Sprintf(`CREATE TABLE %s.people AS
WITH numbers AS (SELECT a * 1000 + b AS id FROM UNNEST(sequence(0, %d)) AS x(a) CROSS JOIN UNNEST(sequence(0, 999)) AS y(b)),
hashed AS (SELECT id, from_big_endian_64(concat(X'00', substr(md5(to_big_endian_64(id)), 1, 7))) AS h FROM numbers WHERE id < %d)
SELECT id, CAST(20 + mod(h, 60) AS integer) AS age, if(mod(h / 64, 50) = 0, NULL, concat('town ', CAST(mod(h / 64, 200) AS varchar))) AS town, mod(h / 8192, 2) = 0 AS married,
  if(mod(h / 32768, 100) = 0, NULL, concat('d', CAST((mod(h, 60) + mod(h / 16384, 12)) / 6 AS varchar))) AS disease FROM hashed`, schema, (n+999)/1000-1, n))
}

// attackedHere publishes patients here and measures attackers; attackedThere does so in the engine.
const (
	attackedHere  = "CALL anonymize('trino.%s.people', 'anatomy', 'l=4', 'qi=age,town,married', 'sa=disease', 'fit=false', 'calibrate=false', 'replace=true'%s)"
	attackedThere = "CALL anonymize('trino.%s.people', 'anatomy', 'l=4', 'qi=age,town,married', 'sa=disease', 'store=engine', 'fit=false', 'replace=true'%s)"
)

// figures returns the figures of the release's attackers by name, and their details.
func (f *front) figures(t *testing.T) (achieved map[string]float64, details []string) {
	t.Helper()
	achieved = make(map[string]float64)
	for _, row := range query(t, f.owner, "SELECT guarantee, achieved, detail FROM ANON_PRIVACY(people) WHERE guarantee REGEXP '^(definetti|learned|rank|floor|supervised|matching)'") {
		fields := strings.SplitN(row, "|", 3)
		achieved[fields[0]], _ = strconv.ParseFloat(fields[1], 64)
		details = append(details, fields[0]+": "+fields[2])
	}
	return achieved, details
}

// attackedAlike publishes here and in the engine. The same attackers must succeed as often, within the given tolerances.
func (f *front) attackedAlike(t *testing.T, schema string, ofAll, ofUnique float64) (details []string) {
	t.Helper()
	query(t, f.owner, attackedHere, schema, "")
	here, _ := f.figures(t)
	query(t, f.owner, attackedThere, schema, "")
	there, details := f.figures(t)
	if len(here) != 8 || len(there) != len(here) || here["learned"] < here["floor"]+.3 {
		t.Fatalf("attackers here %v, in the engine %v", here, there)
	}
	for name, achieved := range here {
		within := ofAll
		if strings.HasSuffix(name, "_unique") {
			within = ofUnique
		}
		if other, ok := there[name]; !ok || math.Abs(other-achieved) > within {
			t.Errorf("%s is %v here and %v in the engine, of all attackers %v and %v", name, achieved, other, here, there)
		}
	}
	return details
}

// TestAttackedInTheEngine: attackers of a release in the engine succeed as often as those of the same table's release here. max_attack refuses it,
// also in a dry run, and KILL ends it; neither leaves anything. Analysts do not see the figures.
func TestAttackedInTheEngine(t *testing.T) {
	c := enginetest.Need(t)
	schema := schemas(t, c)
	patients(t, c, schema, 6003)
	f := serve(t, c.URL, schema, 0)
	f.owner.SetMaxOpenConns(1)
	for _, detail := range f.attackedAlike(t, schema, .05, .05) {
		if strings.Contains(detail, " records, in whole groups") {
			t.Errorf("all records were attacked: %s", detail)
		}
	}
	query(t, f.owner, attackedThere, schema, ", 'max_attack=0.95'")
	if _, details := f.figures(t); !slices.ContainsFunc(details, func(s string) bool {
		return strings.HasPrefix(s, "learned: ") && strings.HasSuffix(s, "max_attack = 0.95")
	}) {
		t.Errorf("the limit is not in %q", details)
	}
	if told := query(t, f.analyst(t), "SELECT guarantee FROM ANON_PRIVACY(people) WHERE guarantee IN ('definetti', 'learned', 'floor')"); len(told) > 0 {
		t.Errorf("an analyst is told %q", told)
	}
	published := left(t, c, schema)
	for _, dry := range []string{"", ", 'dry_run=true'"} {
		refused(t, f.owner, 30002, "max_attack = 0.5 cannot be met: learned is ", attackedThere, schema, ", 'max_attack=0.5'"+dry)
		if again := left(t, c, schema); !slices.Equal(again, published) {
			t.Errorf("left are %v, and %v before", again, published)
		}
	}
	query(t, f.owner, attackedThere, schema, ", 'dry_run=true'")
	if told := strings.Join(query(t, f.owner, "SHOW WARNINGS"), "\n"); !strings.Contains(told, "; definetti 0.") || !strings.Contains(told, "names the actual disease of ") {
		t.Errorf("a dry run tells %s", told)
	}
	query(t, f.owner, "CALL drop_release('people')")
	if !testsize.All() {
		return
	}
	for at, how := range map[string]string{"alike.digest": "KILL", "AS sampled JOIN": "failure"} {
		f.ends(t, c, schema, strings.Replace(attackedThere, "%s)", ", 'private=true'%s)", 1), at, how)
	}
	f.attackedByMethod(t, c, schema)
}

// attackedByMethod has releases of other methods attacked. Of ranges there is nothing to complete, so that max_attack cannot be checked.
func (f *front) attackedByMethod(t *testing.T, c *enginetest.Cluster, schema string) {
	t.Helper()
	const call = "CALL anonymize('trino.%s.people', %s, 'qi=age,town,married', 'sa=disease', 'store=engine', 'fit=false', 'private=true', 'replace=true'%s)"
	for method, attackers := range map[string]string{"'anatomy', 'l=4', 'homogeneous=true'": "rank", "'slppa', 'beta=0.3', 'tables=2'": "learned",
		"'slicing', 'l=4', 'tables=2'": "learned", "'mondrian', 'k=5', 'l=3'": "matching"} {
		query(t, f.owner, call, schema, method, "")
		if figures, details := f.figures(t); figures[attackers] == 0 || figures["floor"] == 0 {
			t.Errorf("%s: %q", method, details)
		}
	}
	query(t, f.owner, "CALL drop_release('people')")
	refused(t, f.owner, 30001, "max_attack = 0.9 cannot be checked", call, schema, "'mondrian', 'k=5', 'l=3'", ", 'max_attack=0.9'")
	if again := left(t, c, schema); len(again) > 0 {
		t.Errorf("left are %v", again)
	}
}

// TestSampleAttackedInTheEngine: attackers of a larger table get whole groups with half of its records; figures hold for all.
func TestSampleAttackedInTheEngine(t *testing.T) {
	const records = 110_000
	c := enginetest.Need(t)
	schema := schemas(t, c)
	patients(t, c, schema, records)
	f := serve(t, c.URL, schema, 0)
	details := f.attackedAlike(t, schema, .03, .1) // some 500 of the sample are unique: four standard deviations
	sampled := slices.DeleteFunc(slices.Clone(details), func(s string) bool { return strings.Contains(s, "of 110000 records, in whole groups at random") })
	if len(sampled) > 0 {
		t.Errorf("these do not say that they are of a sample: %q", sampled)
	}
	servertest.Exec(t, f.owner, "CALL drop_release('people')")
}
