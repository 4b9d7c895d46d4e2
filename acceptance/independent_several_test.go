package acceptance

import (
	dbsql "database/sql"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/server/servertest/census"
	"github.com/anonsql/anonsql/testsize"
)

// severalCalls are calls of cdt, with the bounds that every attribute must keep. matching says whether to compare
// attackers who match quasi-identifiers.
var severalCalls = []struct {
	arguments string
	bounds    map[string]float64
	matching  bool
}{
	{"'k=4'", map[string]float64{"k": 4, "l": 2, "beta": 0.5}, true},
	{"'k=3', 'l=1', 'max_share=3/5'", map[string]float64{"k": 3, "beta": 0.6}, false},
	{"'k=25', 'max_share=0.5', 'variant=paper', 'k1=3', 'k2=40'", map[string]float64{"k": 25, "l": 2}, false},
	{"'k=2', 'variant=paper'", map[string]float64{"k": 2, "l": 2}, false},
}

// TestIndependentCheck for several sensitive attributes: cdt keeps its bounds for each of them, and ANON_PRIVACY
// reports the worst, or names the attribute.
func TestIndependentSeveral(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	census.Import(t, s.Addr, census.Write(t, testsize.Of(1000, 3000)))
	db := s.Open(t, servertest.Root)
	attributes := []string{"disease", "occupation", "marital_status"}
	run(t, db, "CALL set_attributes('census.people', 'qi=age,sex,education,region,hours_per_week', 'sa="+strings.Join(attributes, ",")+"')")
	for _, c := range testsize.Some(2, severalCalls) {
		t.Run(c.arguments, func(t *testing.T) {
			run(t, db, fmt.Sprintf("CALL anonymize('census.people', 'cdt', %s, 'seed=7', 'publish=p', 'replace=true', 'attacks=%v', 'calibrate=false', 'fit=false')", c.arguments, c.matching))
			found := severalGuarantees{}
			for _, attribute := range attributes {
				read := readPublished(t, db, attribute)
				read.covers(t, db)
				found[attribute] = read.guarantees()
				keeps(t, found[attribute], c.bounds)
			}
			found.worstAreSaid(t, db, attributes)
			found.eachIsSaid(t, db, attributes)
			dissimilarity(t, db, attributes)
			if c.matching {
				matching(t, db, attributes)
			}
		})
	}
}

// severalGuarantees has the guarantees of every sensitive attribute by name, recomputed from published data.
type severalGuarantees map[string]map[string]float64

// worst returns the guarantees that all attributes keep.
func (found severalGuarantees) worst() map[string]float64 {
	worst := map[string]float64{}
	for _, guarantees := range found {
		for name, x := range guarantees {
			if y, known := worst[name]; !known || atLeast[name] && x < y || !atLeast[name] && x > y {
				worst[name] = x
			}
		}
	}
	return worst
}

// worstAreSaid compares with ANON_PRIVACY: it reports the worst of every guarantee, and nothing false about an
// attribute.
func (found severalGuarantees) worstAreSaid(t *testing.T, db *dbsql.DB, attributes []string) {
	t.Helper()
	worst, said := found.worst(), map[string]bool{}
	for _, row := range fetchRows(t, db, recomputed) {
		name, achieved, detail := row[0].(string), row[1].(float64), row[2].(string)
		said[name] = said[name] || math.Abs(worst[name]-achieved) < 1e-9
		about := slices.IndexFunc(attributes, func(attribute string) bool { return strings.Contains(detail, attribute) })
		if name != "k" && (about < 0 || math.Abs(found[attributes[about]][name]-achieved) > 1e-9) {
			t.Errorf("ANON_PRIVACY says %s is %g: %s; of the attributes it is %v", name, achieved, detail, found)
		}
	}
	for name, x := range worst {
		if !said[name] {
			t.Errorf("%s is %g, which ANON_PRIVACY does not say", name, x)
		}
	}
}

// eachIsSaid compares what ANON_PRIVACY reports for every attribute by name.
func (found severalGuarantees) eachIsSaid(t *testing.T, db *dbsql.DB, attributes []string) {
	t.Helper()
	for _, attribute := range attributes {
		for _, name := range []string{"l", "beta"} {
			row := fetchRows(t, db, "SELECT achieved FROM ANON_PRIVACY(p) WHERE guarantee = '"+name+"("+attribute+")'")
			if len(row) != 1 || math.Abs(row[0][0].(float64)-found[attribute][name]) > 1e-9 {
				t.Errorf("%s of %s is %g, ANON_PRIVACY says %v", name, attribute, found[attribute][name], row)
			}
		}
	}
}

// matching computes, for every record, the classes that match its quasi-identifiers, and the resulting probability of
// its value of each attribute (Li et al., section 4.1). ANON_PRIVACY reports the same.
func matching(t *testing.T, db *dbsql.DB, attributes []string) {
	t.Helper()
	raw := fetchRows(t, db, "SELECT age, sex, education, region, hours_per_week, "+strings.Join(attributes, ", ")+" FROM census.people")
	for i, attribute := range attributes {
		p, mean, most := readPublished(t, db, attribute), 0.0, 0.0
		for _, row := range raw {
			matches, likely := 0.0, 0.0
			for _, c := range p.classes {
				if c.covers(row) {
					matches += float64(c.count)
					likely += float64(c.count) * float64(p.sensitive[c.gid][row[5+i].(string)]) / float64(p.size[c.gid])
				}
			}
			mean, most = mean+likely/matches/float64(len(raw)), max(most, likely/matches)
		}
		said := fetchRows(t, db, "SELECT achieved, detail FROM ANON_PRIVACY(p) WHERE guarantee = 'matching' AND detail LIKE '"+attribute+":%'")
		if len(said) != 1 || math.Abs(said[0][0].(float64)-mean) > 0.00051 || !strings.Contains(said[0][1].(string), fmt.Sprintf("%.4f at most", most)) {
			t.Errorf("%s: the actual value has a probability of %.4f, %.4f at most; ANON_PRIVACY says %v", attribute, mean, most, said)
		}
	}
}

// dissimilarity computes the figures of Subramanian et al., Eq. (9) to (16), from an analyst's data; ANON_UTILITY
// reports the same to the owner.
func dissimilarity(t *testing.T, db *dbsql.DB, attributes []string) {
	t.Helper()
	p := readPublished(t, db, attributes[0])
	age, hours, values := [2]int64{math.MaxInt64, 0}, [2]int64{math.MaxInt64, 0}, [3]map[string]bool{{}, {}, {}}
	for _, c := range p.classes {
		age = [2]int64{min(age[0], c.age[0]), max(age[1], c.age[1])}
		hours = [2]int64{min(hours[0], c.hours[0]), max(hours[1], c.hours[1])}
		for i, text := range c.others {
			for _, v := range membersOf(text) {
				values[i][v] = true
			}
		}
	}
	loss, records := 0.0, map[string]int64{}
	for _, c := range p.classes {
		range1 := float64(c.age[1]-c.age[0]) / float64(age[1]-age[0])
		range2 := float64(c.hours[1]-c.hours[0]) / float64(hours[1]-hours[0])
		squares := range1*range1 + range2*range2
		for i, text := range c.others {
			part := float64(len(membersOf(text))-1) / float64(len(values[i]))
			squares += part * part
		}
		loss += float64(c.count) * math.Sqrt(squares/5)
		records[c.cells] += c.count
	}
	n, bits := float64(p.rows), 0.0
	for _, count := range records {
		bits -= float64(count) / n * math.Log2(float64(count)/n)
	}
	squares, terms := 0.0, 0
	for _, attribute := range attributes {
		p := readPublished(t, db, attribute)
		for gid, counts := range p.sensitive {
			bits, size := 0.0, float64(p.size[gid])
			for _, count := range counts {
				bits -= float64(count) / size * math.Log2(float64(count)/size)
			}
			squares += bits / math.Log2(size) * bits / math.Log2(size)
			terms++
		}
	}
	want := map[string]float64{"ul": loss / n, "p_q": 1 - bits/math.Log2(n), "p_s": math.Sqrt(squares / float64(terms))}
	want["p_d"] = math.Sqrt((want["p_q"]*want["p_q"] + want["p_s"]*want["p_s"]) / 2)
	for measure, x := range want {
		got := fetchRows(t, db, "SELECT value FROM ANON_UTILITY(p) WHERE measure = '"+measure+"'")
		if len(got) != 1 || math.Abs(got[0][0].(float64)-x) > 0.000051 { // the table has four decimals
			t.Errorf("%s is %v, recomputed %.5f", measure, got, x)
		}
	}
	t.Log(want)
}

// membersOf returns the values in the text of a cell.
func membersOf(cell string) []string {
	return strings.Split(strings.Trim(cell, "{}"), ",")
}
