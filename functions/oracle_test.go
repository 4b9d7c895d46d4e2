package functions

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/functions/texts"
)

// A person is a record of table hospital.people of the oracles: x and y are the
// quasi-identifiers, s is sensitive.
type person struct{ x, y, s int }

// people makes such a table. It has few values, which records therefore share.
func (b *bench) people(rows int, seed uint64) []person {
	b.t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	all := make([]person, rows)
	values := make([]string, rows)
	for i := range all {
		all[i] = person{random.IntN(3), random.IntN(3), random.IntN(4)}
		values[i] = fmt.Sprintf("(%d, %d, %d)", all[i].x, all[i].y, all[i].s)
	}
	b.run("root", "CREATE TABLE hospital.people (x INT, y INT, s INT); INSERT INTO hospital.people VALUES "+strings.Join(values, ", ")+
		"; CALL set_attributes('hospital.people', 'qi=x,y', 'sa=s')")
	return all
}

// groupsOf cuts people as method in_order does.
func groupsOf(all []person, size int) (groups [][]person) {
	for at := 0; at < len(all); at += size {
		groups = append(groups, all[at:min(at+size, len(all))])
	}
	return groups
}

// share is the part of a group with a sensitive value.
func share(group []person, s int) float64 {
	n := 0
	for _, p := range group {
		if p.s == s {
			n++
		}
	}
	return float64(n) / float64(len(group))
}

// The loss of a release, record by record from the definitions, and its guarantees k
// and l: the oracle knows every group, for it knows the order of the table.
func TestLossByEnumeration(t *testing.T) {
	for seed := range uint64(12) {
		b := newBench(t)
		size := 2 + int(seed%4)
		all := b.people(9+int(seed), seed)
		b.run("root", fmt.Sprintf("CALL anonymize('hospital.people', 'in_order', 'records=%d', 'seed=%d')", size, seed))

		values := map[person]map[int]bool{} // S_t by quasi-identifiers
		for _, p := range all {
			at := person{x: p.x, y: p.y}
			if values[at] == nil {
				values[at] = map[int]bool{}
			}
			values[at][p.s] = true
		}
		glp, mean, greatest, errors := 0.0, 0.0, 0.0, 0.0
		k, sharedMost := math.MaxInt, 0.0
		for _, group := range groupsOf(all, size) {
			for _, p := range group {
				alike := 0
				for _, q := range group {
					if p.x == q.x && p.y == q.y {
						alike++
					}
				}
				k = min(k, alike)
				own := share(group, p.s)
				mean += own / float64(len(all))
				errors += 1 - own
				greatest, sharedMost = max(greatest, own), max(sharedMost, own)
				for s := range 4 {
					if !values[person{x: p.x, y: p.y}][s] {
						glp += share(group, s) / float64(len(all))
					}
				}
			}
		}
		for name, want := range map[string]float64{"glp": glp, "probability_mean": mean, "probability_max": greatest, "reconstruction_error": errors} {
			if got := b.measure("people", name, "s:"); math.Abs(got-want) > 0.0006*max(1, want) { // glp is shown with three digits
				t.Errorf("seed %d: %s is %v, by enumeration %v", seed, name, got, want)
			}
		}
		if got := b.guarantee("people", "k"); got != float64(k) {
			t.Errorf("seed %d: k is %v, by enumeration %v", seed, got, k)
		}
		if got, want := b.guarantee("people", "l"), math.Floor(1/sharedMost+1e-9); got != want {
			t.Errorf("seed %d: l is %v, by enumeration %v", seed, got, want)
		}
		if got := b.guarantee("people", "beta"); math.Abs(got-sharedMost) > 1e-12 {
			t.Errorf("seed %d: beta is %v, by enumeration %v", seed, got, sharedMost)
		}
	}
}

// candidates returns the possible sensitive values of a person to an attacker who knows x and y: those of every group
// in which somebody has x and y.
func candidates(groups [][]person, of person) map[int]bool {
	found := map[int]bool{}
	for _, group := range groups {
		for _, p := range group {
			if p.x == of.x && p.y == of.y {
				for _, other := range group {
					found[other.s] = true
				}
				break
			}
		}
	}
	return found
}

// TestReplacedByEnumeration: a release that takes the place of a public one says what both tell together, as a
// figure and, where there are more than by the new one alone, as a warning. A private one tells nobody.
func TestReplacedByEnumeration(t *testing.T) {
	warned := 0
	for seed := range uint64(8) {
		b := newBench(t)
		all := b.people(8+int(seed), seed)
		b.run("root", "CALL anonymize('hospital.people', 'in_order', 'records=3', 'seed=1')")
		notes := strings.Join(b.run("root", "CALL anonymize('hospital.people', 'in_order', 'records=2', 'seed=1', 'replace=true')").notes, "\n")
		one, alone := 0.0, 0.0
		for _, p := range all {
			second, left := candidates(groupsOf(all, 2), p), 0
			for s := range candidates(groupsOf(all, 3), p) {
				if second[s] {
					left++
				}
			}
			if left == 1 {
				one += 1 / float64(len(all))
			}
			if len(second) == 1 {
				alone += 1 / float64(len(all))
			}
		}
		if got := b.guarantee("people", "intersection_one"); got != texts.Thousandths(one) {
			t.Errorf("seed %d: intersection_one is %v, by enumeration %v", seed, got, one)
		}
		want := fmt.Sprintf("for %.3g %% of the records, with this one alone for %.3g %%", 100*one, 100*alone)
		if more := one > alone+1e-12; strings.Contains(notes, "may have kept it") != more || more && !strings.Contains(notes, want) {
			t.Errorf("seed %d: notes %q, want %s", seed, notes, want)
		} else if more {
			warned++
		}
	}
	if warned == 0 {
		t.Error("nothing was warned of")
	}
}

// What two releases reveal together, and which records one leaves with a single value, person by person.
func TestIntersectionByEnumeration(t *testing.T) {
	told := 0
	for seed := range uint64(8) {
		b := newBench(t)
		all := b.people(8+int(seed), seed)
		b.run("root", "CALL anonymize('hospital.people', 'in_order', 'records=3', 'seed=1')")
		notes := b.run("root", "CALL anonymize('hospital.people', 'in_order', 'records=2', 'seed=1', 'publish=second', 'allow_composition=true')").notes
		one, mean, alone := 0.0, 0.0, 0
		for _, p := range all {
			second := candidates(groupsOf(all, 2), p)
			left := 0
			for s := range candidates(groupsOf(all, 3), p) {
				if second[s] {
					left++
				}
			}
			mean += float64(left) / float64(len(all))
			if left == 1 {
				one += 1 / float64(len(all))
			}
			if len(second) == 1 {
				alone++
			}
		}
		if got := b.guarantee("second", "intersection_one"); got != texts.Thousandths(one) {
			t.Errorf("seed %d: intersection_one is %v, by enumeration %v", seed, got, one)
		}
		if got := b.guarantee("second", "intersection_candidates"); got != texts.Thousandths(mean) {
			t.Errorf("seed %d: intersection_candidates is %v, by enumeration %v", seed, got, mean)
		}
		shown := b.run("analyst", "SELECT achieved FROM ANON_PRIVACY('second') WHERE guarantee = 'one_value'").rows
		warning := strings.Contains(strings.Join(notes, "\n"), "of "+strconv.Itoa(alone)+" of "+strconv.Itoa(len(all))+" records reads their s off the relations, since one value is left")
		switch {
		case alone == 0 && len(shown) > 0, alone > 0 && (len(shown) != 1 || math.Abs(shown[0][0].(float64)-float64(alone)/float64(len(all))) > 1e-12 || !warning):
			t.Errorf("seed %d: one_value is %v, notes %q, by enumeration %d of %d", seed, shown, notes, alone, len(all))
		}
		told += alone
		// Of a release that everybody may read the measured figures are not for everybody.
		if rows := b.run("analyst", "SELECT * FROM ANON_PRIVACY('second') WHERE guarantee LIKE 'intersection%'").rows; len(rows) > 0 {
			t.Errorf("seed %d: an analyst reads %v", seed, rows)
		}
	}
	if told == 0 {
		t.Error("no table has a record that is left with one value: the cases test nothing")
	}
	// With attacks=false nothing of the kind is measured.
	b := newBench(t)
	b.people(9, 1)
	b.run("root", "CALL anonymize('hospital.people', 'in_order', 'seed=1')")
	b.run("root", "CALL anonymize('hospital.people', 'in_order', 'records=3', 'seed=1', 'publish=second', 'allow_composition=true', 'attacks=false')")
	if n := b.number("SELECT COUNT(*) FROM ANON_PRIVACY('second') WHERE guarantee LIKE 'intersection%'"); n != 0 {
		t.Errorf("%v figures of an intersection that was not asked for", n)
	}
}

// Whoever knows a column by a former name, or all records of a person, reads more than is measured. That is said.
func TestIntersectionSaysWhatIsNotMeasured(t *testing.T) {
	b := newBench(t)
	b.people(9, 1)
	b.run("root", "CALL anonymize('hospital.people', 'in_order', 'records=3', 'seed=1'); ALTER TABLE hospital.people RENAME COLUMN s TO disease")
	notes := strings.Join(b.run("root", "CALL anonymize('hospital.people', 'in_order', 'records=2', 'seed=1', 'replace=true')").notes, "\n")
	if !strings.Contains(notes, "not measured: what this release tells together with release people, which publishes a column s that the table no longer has") {
		t.Errorf("of a renamed column notes %q", notes)
	}
	notes = strings.Join(b.run("root", "CALL anonymize('hospital.people', 'in_order', 'records=2', 'seed=1', 'replace=true', 'attacks=false')").notes, "\n")
	if !strings.Contains(notes, "not measured: what this release reveals together with the table's other public releases (attacks=false") {
		t.Errorf("with attacks=false notes %q", notes)
	}
	if n := b.number("SELECT COUNT(*) FROM ANON_PRIVACY('people') WHERE guarantee LIKE 'intersection%'"); n != 0 {
		t.Errorf("%v figures of an intersection that was not measured", n)
	}
	b.run("root", `CREATE TABLE hospital.stays (patient INT, x INT, s INT);
		INSERT INTO hospital.stays VALUES (1, 1, 1), (1, 1, 2), (2, 2, 2), (2, 2, 3), (3, 3, 3), (3, 3, 4), (4, 4, 4), (4, 4, 5);
		CALL set_attributes('hospital.stays', 'qi=x', 'sa=s', 'unit=patient');
		CALL anonymize('hospital.stays', 'in_order', 'records=2', 'seed=1'); CALL anonymize('hospital.stays', 'in_order', 'records=4', 'seed=1', 'replace=true')`)
	for _, row := range b.run("root", "SELECT detail FROM ANON_PRIVACY('stays') WHERE guarantee LIKE 'intersection%'").rows {
		if !strings.Contains(row[0].(string), "; each record is attacked by itself, not all records of a unit together") {
			t.Errorf("of persons with several records: %s", row[0])
		}
	}
}

// Of imputed answers the errors are those of the completed tables, which everybody can
// count: in a group of two a share of the tables is right about both records.
func TestEvaluateImputedByEnumeration(t *testing.T) {
	b := newBench(t)
	b.run("root", `CREATE TABLE hospital.people (x INT, s INT); INSERT INTO hospital.people VALUES (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6);
		CALL set_attributes('hospital.people', 'qi=x', 'sa=s'); CALL anonymize('hospital.people', 'in_order', 'seed=1', 'fit=true', 'misfit=false')`)
	least, greatest := 1.0, 0.0
	for x := 1; x <= 6; x++ {
		wrong := 1 - b.number(fmt.Sprintf("SELECT COUNT(*) / 12e0 FROM published.people_imputed WHERE x = %d AND s = %[1]d", x))
		least, greatest = min(least, wrong), max(greatest, wrong)
	}
	const row = "SELECT mean >= %v AND mean <= %v AND median >= %[1]v AND p95 <= %[2]v AND width > 0 AND width < 0.500001, ROUND(bounds_mean, 9), queries FROM anonsql.evaluations WHERE estimator = 'imputed'"
	b.run("root", "CALL evaluate('people', 'queries=60', 'qi=1', 'seed=5')")
	if got := b.run("root", fmt.Sprintf(row, least-1e-9, greatest+1e-9)).lines(); len(got) != 1 || got[0] != "true|1|60" {
		t.Errorf("%q, the records' errors are %v to %v", got, least, greatest)
	}
}

// Errors of CALL evaluate where all are known: every question that a record answers
// counts one record, and its group of two has that with probability 1/2.
func TestEvaluateByEnumeration(t *testing.T) {
	b := newBench(t)
	b.run("root", `CREATE TABLE hospital.people (x INT, s INT); INSERT INTO hospital.people VALUES (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6);
		CALL set_attributes('hospital.people', 'qi=x', 'sa=s'); CALL anonymize('hospital.people', 'in_order', 'seed=1')`)
	r := b.run("root", "CALL evaluate('people', 'queries=200', 'qi=1', 'seed=5')")
	got := map[string]float64{}
	for i, name := range r.columns {
		if figure, ok := r.rows[0][i].(float64); ok {
			got[name] = figure
		}
	}
	for name, want := range map[string]float64{"mean": 0.5, "median": 0.5, "p95": 0.5, "zero_share": 0} {
		if math.Abs(got[name]-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	// The bounds are 0 and 1, so wide as the actual value is great.
	if bounds := b.run("root", "SELECT ROUND(bounds_mean, 9), bounds_held FROM anonsql.evaluations").lines(); len(bounds) != 1 || bounds[0] != "1|1" {
		t.Errorf("the bounds are %q", bounds)
	}
}
