package sample

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/detection"
)

// patients are visits of each, in order.
func patients(rows int) (all [][]Visit) {
	for v := range GenerateVisits(rows, seed) {
		if len(all) == 0 || all[len(all)-1][0].Patient != v.Patient {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], v)
	}
	return all[:len(all)-1] // of the last some may be missing
}

// TestVisits: the table has the shape in its comment.
func TestVisits(t *testing.T) {
	all, seen, diagnoses := patients(20_000), make(map[int]bool), make(map[string]int)
	visits, most, same, chronicVisits, wards := 0, 0, 0, 0, 0
	for _, of := range all {
		if seen[of[0].Patient] {
			t.Fatalf("patient %d comes again", of[0].Patient)
		}
		seen[of[0].Patient], most, visits = true, max(most, len(of)), visits+len(of)
		isAcute := slices.ContainsFunc(acuteDiseases, func(d row) bool { return d.value == of[0].Diagnosis })
		for i, v := range of {
			diagnoses[v.Diagnosis]++
			if v.BirthYear != of[0].BirthYear || v.Sex != of[0].Sex || v.Region != of[0].Region || !isAcute && v.Diagnosis != of[0].Diagnosis {
				t.Fatalf("%+v is another than %+v", v, of[0])
			}
			if i > 0 && v.Admitted <= of[i-1].Admitted {
				t.Fatalf("%+v is before %+v", v, of[i-1])
			}
			if v.Ward != of[0].Ward {
				wards++
			}
		}
		if !isAcute {
			same, chronicVisits = same+1, chronicVisits+len(of)
		}
	}
	mean, chronic := float64(visits)/float64(len(all)), float64(same)/float64(len(all))
	if most != maxVisits || mean < 2 || mean > 4 || chronic < 0.25 || chronic > 0.5 || wards < visits/10 {
		t.Errorf("at most %d visits, %.2f on average, %.2f of the patients have a chronic disease, %d visits in another ward", most, mean, chronic, wards)
	}
	if acuteMean := float64(visits-chronicVisits) / float64(len(all)-same); float64(chronicVisits)/float64(same) < 1.2*acuteMean {
		t.Errorf("with a chronic disease %d visits of %d, without %.2f each", chronicVisits, same, acuteMean)
	}
	counts := make([]int, 0, len(diagnoses))
	for _, n := range diagnoses {
		counts = append(counts, n)
	}
	slices.Sort(counts)
	if len(counts) < 40 || counts[len(counts)-1] > visits/8 || counts[len(counts)-1] < 10*counts[len(counts)/10] {
		t.Errorf("%d diagnoses of %v visits", len(counts), counts)
	}
}

// TestVisitsDepend: age and sex are informative about the disease.
func TestVisitsDepend(t *testing.T) {
	share := func(of, are func(Visit) bool) float64 {
		n, k := 0, 0
		for v := range GenerateVisits(20_000, seed) {
			if of(v) {
				n++
				if are(v) {
					k++
				}
			}
		}
		return float64(k) / float64(n)
	}
	old, young := func(v Visit) bool { return v.BirthYear < lastYear-68 }, func(v Visit) bool { return v.BirthYear > lastYear-26 }
	women, men := func(v Visit) bool { return v.Sex == female }, func(v Visit) bool { return v.Sex == male }
	for _, c := range []struct {
		disease    string
		more, less func(Visit) bool
		times      float64
	}{{"Hip-fracture", old, young, 10}, {"Common-cold", young, old, 2}, {"Urinary-infection", women, men, 2.5}, {"Heart-disease", old, young, 8}} {
		has := func(v Visit) bool { return v.Diagnosis == c.disease }
		if a, b := share(c.more, has), share(c.less, has); a < c.times*b {
			t.Errorf("%s: %.4f against %.4f, want %g times", c.disease, a, b, c.times)
		}
	}
}

// TestUnitsOfSamples: visits are recognised as patients' and people as people, although 50,000 of them share 6,000 names.
func TestUnitsOfSamples(t *testing.T) {
	for _, c := range []struct {
		name  string
		write func(*bytes.Buffer) error
		want  string // unit, column by column
	}{
		{"visits", func(b *bytes.Buffer) error { return WriteVisitsCSV(b, 20_000, seed) }, "patient"},
		{"people", func(b *bytes.Buffer) error { return WriteCSV(b, Rows, seed) }, ""},
	} {
		var b bytes.Buffer
		if err := c.write(&b); err != nil {
			t.Fatal(err)
		}
		table := readTable(t, &b)
		unit := ""
		for _, s := range detection.Suggest(table) {
			if s.Role == detection.Unit {
				unit = s.Column
			}
		}
		if found, _ := detection.RepeatedUnit(table, []string{"person_id", "name", "patient", "visit_id"}, []string{"person_id", "name", "visit_id"}); unit != c.want || found.Column != c.want {
			t.Errorf("%s: the unit is %q, and %q is refused, want %q", c.name, unit, found.Column, c.want)
		}
	}
}

func readTable(t *testing.T, b *bytes.Buffer) *anonymize.Microdata {
	records, err := csv.NewReader(b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	table := &anonymize.Microdata{Rows: len(records) - 1}
	for i, name := range records[0] {
		values := make([]anonymize.Value, table.Rows)
		for row, record := range records[1:] {
			n, err := strconv.Atoi(record[i])
			if values[row] = anonymize.IntegerValue(int64(n)); err != nil || strings.HasPrefix(record[i], "0") {
				values[row] = anonymize.TextValue(record[i])
			}
		}
		table.Columns = append(table.Columns, anonymize.NewColumn(name, "", values))
	}
	return table
}
