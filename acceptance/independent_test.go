package acceptance

import (
	dbsql "database/sql"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/server/servertest/census"
	"github.com/anonsql/anonsql/testsize"
)

// The promises of a generalizing method, recomputed from an analyst's data: k, l, t and breach from the texts of the
// published relations, without the library. ANON_PRIVACY reports the same, and every raw record fits into a published
// class.
func TestIndependentCheck(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	census.Import(t, s.Addr, census.Write(t, testsize.Of(1000, 3000)))
	db := s.Open(t, servertest.Root)
	run(t, db, "CALL set_attributes('census.people', 'qi=age,sex,education,region,hours_per_week', 'sa=disease')")
	calls := []struct {
		method, arguments string
		bounds            map[string]float64
	}{
		{"mondrian", "'k=4', 'l=3', 't=0.5'", map[string]float64{"k": 4, "l": 3, "t_equal": 0.5}},
		{"mondrian", "'k=4', 'mode=relaxed'", map[string]float64{"k": 4}},
		{"fulldomain", "'k=5', 'l=2', 'suppress=0.05'", map[string]float64{"k": 5, "l": 2}},
		{"cross_bucket", "'k=3', 'l=5'", map[string]float64{"k": 3, "breach": 1. / 5}},
		{"cross_bucket", "'k=4', 'l=2', 'search=kd'", map[string]float64{"k": 4, "breach": 1. / 2}},
		{"drasl", "'k=4'", map[string]float64{"k": 4}},
		{"drasl", "'k=7', 'improve=true'", map[string]float64{"k": 7}},
		{"drasl", "'k=4', 'links=none'", map[string]float64{"k": 4, "l": 4}},
		{"oka", "'k=5'", map[string]float64{"k": 5}},
		{"ika", "'k=6'", map[string]float64{"k": 6}},
		{"dpp", "'k=4', 'nominal=joint'", map[string]float64{"k": 4}},
		{"cdt", "'k=4', 'l=3', 'max_share=0.3'", map[string]float64{"k": 4, "l": 3, "beta": 0.3}},
	}
	for _, c := range testsize.Some(4, calls) {
		t.Run(c.method+" "+c.arguments, func(t *testing.T) {
			run(t, db, fmt.Sprintf("CALL anonymize('census.people', '%s', %s, 'publish=p', 'replace=true', 'attacks=false', 'fit=false')", c.method, c.arguments))
			read := readPublished(t, db, "disease")
			found := read.guarantees()
			keeps(t, found, c.bounds)
			for _, row := range fetchRows(t, db, recomputed) {
				name, achieved := row[0].(string), row[1].(float64)
				if math.Abs(found[name]-achieved) > 1e-9 {
					t.Errorf("%s is %g, ANON_PRIVACY says %g", name, found[name], achieved)
				}
			}
			read.covers(t, db)
		})
	}
}

// recomputed are the guarantees that this file defines.
const recomputed = "SELECT guarantee, achieved, detail FROM ANON_PRIVACY(p) WHERE guarantee IN ('k', 'l', 't_equal', 'breach', 'beta')"

// atLeast are the guarantees for which greater is better.
var atLeast = map[string]bool{"k": true, "l": true}

// keeps checks the promised bounds.
func keeps(t *testing.T, found, bounds map[string]float64) {
	t.Helper()
	for name, bound := range bounds {
		if atLeast[name] {
			if found[name] < bound {
				t.Errorf("%s is %g, promised was at least %g", name, found[name], bound)
			}
		} else if found[name] > bound+1e-12 {
			t.Errorf("%s is %g, promised was at most %g", name, found[name], bound)
		}
	}
}

// publishedTexts is a release as an analyst reads it.
type publishedTexts struct {
	classes   []publishedClass // rows of p_qi1
	attribute string
	sensitive map[int64]map[string]int64 // records by gid and value of the attribute
	size      map[int64]int64
	total     map[string]int64
	rows      int64
}

type publishedClass struct {
	gid, count int64
	cells      string
	age, hours [2]int64
	others     [3]string // sex, education, region
}

func readPublished(t *testing.T, db *dbsql.DB, attribute string) *publishedTexts {
	t.Helper()
	p := &publishedTexts{attribute: attribute, sensitive: map[int64]map[string]int64{}, size: map[int64]int64{}, total: map[string]int64{}}
	for _, row := range fetchRows(t, db, "SELECT gid, count, age, sex, education, region, hours_per_week, age_low, age_high, hours_per_week_low, hours_per_week_high FROM published.p_qi1") {
		c := publishedClass{gid: wholeNumber(row[0]), count: wholeNumber(row[1]), cells: fmt.Sprint(row[2:7]...)}
		c.age, c.hours = [2]int64{wholeNumber(row[7]), wholeNumber(row[8])}, [2]int64{wholeNumber(row[9]), wholeNumber(row[10])}
		for i := range c.others {
			c.others[i] = row[3+i].(string)
		}
		p.classes = append(p.classes, c)
	}
	for _, row := range fetchRows(t, db, "SELECT gid, "+attribute+", count FROM published.p_sa") {
		gid, value, count := wholeNumber(row[0]), fmt.Sprint(row[1]), wholeNumber(row[2])
		if p.sensitive[gid] == nil {
			p.sensitive[gid] = map[string]int64{}
		}
		p.sensitive[gid][value] += count
		p.size[gid] += count
		p.total[value] += count
		p.rows += count
	}
	return p
}

func wholeNumber(value any) int64 {
	n, ok := value.(float64) // fetchRows returns all numbers as float64
	if !ok {
		return math.MinInt64
	}
	return int64(n)
}

// guarantees implements the definitions literally.
func (p *publishedTexts) guarantees() map[string]float64 {
	records := map[string]int64{}
	for _, c := range p.classes {
		records[c.cells] += c.count
	}
	found := map[string]float64{"k": math.Inf(1), "l": math.Inf(1), "t_equal": 0, "breach": 0, "beta": 0}
	for _, n := range records {
		found["k"] = min(found["k"], float64(n))
	}
	for gid, values := range p.sensitive {
		distance := 0.0
		for value, total := range p.total {
			distance += math.Abs(float64(values[value])/float64(p.size[gid])-float64(total)/float64(p.rows)) / 2
		}
		found["t_equal"] = max(found["t_equal"], distance)
		for _, n := range values {
			found["l"] = min(found["l"], float64(p.size[gid]/n))
			found["beta"] = max(found["beta"], float64(n)/float64(p.size[gid]))
		}
	}
	probability := map[string]map[string]*big.Rat{}
	for _, c := range p.classes {
		if probability[c.cells] == nil {
			probability[c.cells] = map[string]*big.Rat{}
		}
		for value, n := range p.sensitive[c.gid] {
			part := big.NewRat(c.count*n, records[c.cells]*p.size[c.gid])
			if sum := probability[c.cells][value]; sum != nil {
				part.Add(part, sum)
			}
			probability[c.cells][value] = part
		}
	}
	for _, values := range probability {
		for _, share := range values {
			x, _ := share.Float64()
			found["breach"] = max(found["breach"], x)
		}
	}
	return found
}

// covers checks that every raw record lies in the cells of a class, and that the sensitive values are the table's.
func (p *publishedTexts) covers(t *testing.T, db *dbsql.DB) {
	t.Helper()
	raw := map[string]int64{}
	for _, row := range fetchRows(t, db, "SELECT age, sex, education, region, hours_per_week, "+p.attribute+" FROM census.people") {
		if !slices.ContainsFunc(p.classes, func(c publishedClass) bool { return c.covers(row) }) {
			t.Fatalf("no published class covers %v", row)
		}
		raw[fmt.Sprint(row[5])]++
	}
	for value, n := range raw {
		if p.total[value] != n {
			t.Errorf("%s has %d records, published are %d", value, n, p.total[value])
		}
	}
}

// covers reports whether age, sex, education, region and hours_per_week of a raw
// row lie in the cells.
func (c publishedClass) covers(row []any) bool {
	within := func(cell string, value any) bool {
		v := fmt.Sprint(value)
		return cell == v || cell == "*" || strings.HasPrefix(cell, "{") && strings.Contains(","+strings.Trim(cell, "{}")+",", ","+v+",")
	}
	age, hours := wholeNumber(row[0]), wholeNumber(row[4])
	return c.age[0] <= age && age <= c.age[1] && c.hours[0] <= hours && hours <= c.hours[1] &&
		within(c.others[0], row[1]) && within(c.others[1], row[2]) && within(c.others[2], row[3])
}

// kindsOf are the synonym classes that TestIndependentLinkage declares for the sample's diseases; other diseases have
// no synonyms.
var kindsOf = map[string]string{"Asthma": "airways", "Allergy": "airways", "Hypertension": "circulation", "Heart-disease": "circulation",
	"Arthritis": "joints", "Back-pain": "joints", "Depression": "mind", "Anxiety": "mind", "Migraine": "mind"}

// Synonymous linkage, recomputed pair by pair from an analyst's data and a catalogue (Yan et al., Definitions 8 to 10
// and Eq. 15), equals ANON_UTILITY's figure for the owner. DRASL's is the smallest.
func TestIndependentLinkage(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	census.Import(t, s.Addr, census.Write(t, 1500))
	db := s.Open(t, servertest.Root)
	run(t, db, "CALL set_attributes('census.people', 'qi=age,sex,education,region,hours_per_week', 'sa=disease')")
	var lines []string
	known := 0
	for _, row := range fetchRows(t, db, "SELECT DISTINCT disease FROM census.people") {
		disease := row[0].(string)
		kind, ok := kindsOf[disease]
		if ok {
			known++
		} else {
			kind = "only " + disease
		}
		lines = append(lines, disease+";"+kind+";*")
	}
	if known != len(kindsOf) {
		t.Fatalf("%d diseases have a kind: %q", known, lines)
	}
	run(t, db, "CALL set_taxonomy('census.people', 'disease', 'hierarchy="+strings.Join(lines, "\n")+"')")
	linkage := map[string]float64{}
	for _, method := range []string{"drasl", "oka", "ika", "dpp"} {
		run(t, db, "CALL anonymize('census.people', '"+method+"', 'k=5', 'seed=7', 'publish=p', 'replace=true', 'attacks=false', 'calibrate=false', 'fit=false')")
		total, mean := readPublished(t, db, "disease").linkage()
		for measure, want := range map[string]float64{"total_pr_sa": total, "total_pr_sa_per_record": mean} {
			got := fetchRows(t, db, "SELECT value FROM ANON_UTILITY(p) WHERE measure = '"+measure+"'")
			if len(got) != 1 || math.Abs(got[0][0].(float64)-want) > 0.00006 { // the table has four decimals
				t.Errorf("%s: %s is %v, by pairs %.5f", method, measure, got, want)
			}
		}
		linkage[method] = total
	}
	for method, total := range linkage {
		if method != "drasl" && linkage["drasl"] >= total {
			t.Errorf("Total_Pr_SA of drasl is %.4f, of %s %.4f", linkage["drasl"], method, total)
		}
	}
	t.Log(linkage)
	run(t, db, "CALL anonymize('census.people', 'drasl', 'k=3', 'links=none', 'publish=p', 'replace=true', 'attacks=false', 'calibrate=false', 'fit=false')")
	if total, _ := readPublished(t, db, "disease").linkage(); total != 0 {
		t.Errorf("links=none has Total_Pr_SA %v", total)
	}
}

// linkage is the sum of Pr_SA over groups, and its mean over records.
func (p *publishedTexts) linkage() (total, mean float64) {
	for gid, counts := range p.sensitive {
		var values []string
		for value, n := range counts {
			for range n {
				values = append(values, value)
			}
		}
		links := 0
		for i, v := range values {
			for _, w := range values[:i] {
				switch {
				case v == w:
					links += 2
				case kindsOf[v] != "" && kindsOf[v] == kindsOf[w]:
					links++
				}
			}
		}
		pr := float64(links) / float64(len(values)*(len(values)-1))
		total += pr
		mean += pr * float64(p.size[gid]) / float64(p.rows)
	}
	return total, mean
}
