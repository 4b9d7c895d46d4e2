package detection_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/detection"
)

// TestTables: docs/roles.md has these figures. The first tables improved rules and words; the figures show what the others changed.
func TestTables(t *testing.T) {
	all := maps.Clone(tables)
	maps.Copy(all, heldOut)
	wrong := map[string][]string{
		"szpital (pl)":            {"grupa_krwi qi", "ciśnienie_sk qi", "tętno qi", "palenie qi", "alergie_lekowe qi", "cukier_na_czczo qi"},
		"personnel (abbreviated)": {"NACHN qi", "VORNA qi", "TRFST qi", "SCHWB qi", "ABWTG qi", "BEURT qi"},
	}
	for name, fields := range all {
		var found []string
		for i, s := range detection.Suggest(made(fields, 2000)) {
			if string(s.Role) != fields[i].role {
				found = append(found, s.Column+" "+string(s.Role))
			}
			if len(s.Reasons) == 0 {
				t.Errorf("%s: %s is %s without a reason", name, s.Column, s.Role)
			}
		}
		if len(fields) != 30 || !slices.Equal(found, wrong[name]) {
			t.Errorf("%s: of %d columns %q are suggested otherwise, want %q", name, len(fields), found, wrong[name])
		}
	}
}

// TestAdult: fnlwgt is the census's weight of a record.
func TestAdult(t *testing.T) {
	var got []string
	for _, s := range detection.Suggest(anontest.Adult(t)) {
		got = append(got, s.Column+" "+string(s.Role))
		if s.Column == "education" && !strings.Contains(strings.Join(s.Reasons, "; "), "education_num tells it") {
			t.Errorf("education: %q", s.Reasons)
		}
	}
	want := "age qi, workclass qi, fnlwgt weight, education qi, education_num qi, marital_status qi, occupation qi, relationship qi, race qi, sex qi, capital_gain sa, capital_loss sa, hours_per_week qi, native_country qi, income sa"
	if strings.Join(got, ", ") != want {
		t.Errorf("got %s\nwant %s", strings.Join(got, ", "), want)
	}
}

// TestNames: the words of a name that matter.
func TestNames(t *testing.T) {
	people := make([]anonymize.Value, 500) // ten values of fifty rows each
	for i := range people {
		people[i] = anonymize.TextValue(fmt.Sprintf("v%c", 'a'+rune(i%10)))
	}
	for name, want := range map[string]detection.Role{
		"maritalStatus": "qi", "hiv_status": "sa", "HOME PHONE": "ei", "name_of_product": "qi", "surname": "ei", "Geburtsjahr": "qi", "Gehaltsklasse": "sa", "région": "qi",
		"numéro_de_sécurité_sociale": "ei", "x7": "qi", "ärztliche_diagnose": "sa", "zipcode": "qi", "e-mail": "ei", "product_id": "qi", "fecha nacimiento": "qi", "płeć": "qi",
		// an ending, a compound, and neither; a word alone; beginnings of words, also of words with different meanings
		"salarios": "sa", "Geburtsort2": "qi", "temps_partiel": "qi", "travail_partiel": "qi", "krank": "sa", "Krankenkasse": "qi", "syndiqués": "sa", "diag_code": "sa", "relig": "sa",
		"surn": "qi", "diagn": "sa", "part_time": "qi", "rela": "qi",
	} {
		table := &anonymize.Microdata{Rows: len(people), Columns: []*anonymize.Column{anonymize.NewColumn(name, "", people)}}
		if got := detection.Suggest(table)[0]; got.Role != want {
			t.Errorf("%s is %s, want %s: %v", name, got.Role, want, got.Reasons)
		}
	}
}

// TestShapes: the kind of values, whatever the name. Check digits decide.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		values string // apart by a bar
		want   detection.Role
		reason string
	}{
		{"a@b.org|c.d@e.example.com", "ei", "e-mail"},
		{"DE89 3704 0044 0532 0130 00|GB82WEST12345698765432", "ei", "IBAN"},
		{"DE89 3704 0044 0532 0130 01|GB82WEST12345698765433", "qi", ""},
		{"4111 1111 1111 1111|5500-0000-0000-0004", "ei", "payment cards"},
		{"4111 1111 1111 1112|5500-0000-0000-0005", "qi", ""},
		{"+49 30 1234567|(030) 1234-567|030/1234567", "ei", "phone"},
		{"192.168.1.1|2001:db8::1", "ei", "IP"},
		{"078-05-1120|123-45-6789", "ei", "social security"},
		{"2001-02-03|3.4.1999", "qi", "days"},
		{"I10|E11.9|F32.1|J45", "sa", "ICD-10"},
		{"I10;E11.9|J45|K29; F32", "sa", "ICD-10"},
		{"01234|99999|10115", "qi", "postal codes"},
		{"12345|23456|34567", "qi", "nothing says"},
		{"SW1A 1AA|M1 1AE|B33 8TH", "qi", "postal codes"},
		{"yes|no", "qi", "nothing says"},
		{"x", "other", "same value"},
	} {
		values := strings.Split(c.values, "|")
		rows := make([]anonymize.Value, 40*len(values))
		for i := range rows {
			rows[i] = anonymize.TextValue(values[i%len(values)])
		}
		table := &anonymize.Microdata{Rows: len(rows), Columns: []*anonymize.Column{anonymize.NewColumn("x7", "", rows)}}
		got := detection.Suggest(table)[0]
		if got.Role != c.want || !strings.Contains(got.Reasons[0], c.reason) {
			t.Errorf("%s: %s %q, want %s %q", c.values, got.Role, got.Reasons, c.want, c.reason)
		}
	}
}

// TestWholeNumbers: numbers of persons are given once, amounts are shared by some; a name of many texts like names is of people, of few texts it is not.
func TestWholeNumbers(t *testing.T) {
	names := func(of int) func(*rand.Rand, int) anonymize.Value {
		return func(r *rand.Rand, _ int) anonymize.Value { return text(families[r.IntN(of)]) }
	}
	for _, c := range []struct {
		field
		reason string
	}{
		{field{"x1", "ei", between(1, 10_000_000)}, "have a value of their own"}, {field{"x2", "sa", between(1, 5000)}, "amounts"}, {field{"x3", "qi", between(1, 500)}, "nothing says"},
		{field{"nome", "ei", names(20)}, `named "nome"`}, {field{"nome", "qi", names(4)}, "nothing says"}, {field{"nome_prodotto", "qi", names(20)}, "nothing says"},
	} {
		if got := detection.Suggest(made([]field{c.field}, 2000))[0]; string(got.Role) != c.role || !strings.Contains(got.Reasons[0], c.reason) {
			t.Errorf("%s is %s: %q", c.name, got.Role, got.Reasons)
		}
	}
}

// TestWhatNamesAreNot: a word inside another one does not count, nor the beginning of a word that continues differently.
func TestWhatNamesAreNot(t *testing.T) {
	for name, want := range map[string]string{
		"discharge_date": "qi", "dischargeStatus": "qi", "discharge": "qi", "surcharge": "sa", "charge": "sa", "total_charges": "sa", "automobile": "qi", "mobile": "ei", "operating_system": "qi",
		"participant_group": "qi", "partition": "qi", "behind": "qi", "invalid": "qi", "over": "qi", "bank": "qi", "workplace": "qi", "alternative": "qi", "abort": "qi",
		"headphone": "qi", "homephone": "ei", "birthdate": "qi", "Behandlungskosten": "sa", "Heizkosten": "sa", "Einkommensteuer": "sa", "familyincome": "sa", "grossincome": "sa",
	} {
		people := made([]field{{name, want, among("a", "b", "c", "d", "e", "f", "g")}}, 500)
		if got := detection.Suggest(people)[0]; string(got.Role) != want {
			t.Errorf("%s is %s, want %s: %q", name, got.Role, want, got.Reasons)
		}
	}
}

// TestKeysPlacesWeights: keys of rows or households, places, weights, and yes or no about health.
func TestKeysPlacesWeights(t *testing.T) {
	answers, households := among("no", "yes"), func(_ *rand.Rand, row int) anonymize.Value { return anonymize.IntegerValue(int64(500 + row/4)) }
	exactly := func(mean float64) func(*rand.Rand, int) anonymize.Value {
		return func(r *rand.Rand, _ int) anonymize.Value { return anonymize.RealValue(mean + r.NormFloat64()) }
	}
	for _, c := range []struct {
		field
		reason string
	}{
		{field{"discharge_id", "ei", serial}, "it is a key"}, {field{"diagnosis_no", "ei", serial}, "it is a key"}, {field{"charge", "sa", between(1, 10_000_000)}, "charge"},
		{field{"lat", "qi", near(51, .5)}, "where one lives"}, {field{"Longitude", "qi", exactly(7)}, "where one lives"}, {field{"coordinates", "qi", form("51.####, 7.####")}, "where one lives"},
		{field{"x_coord", "qi", near(4000, 90)}, "where one lives"}, {field{"weight", "qi", near(75, 12)}, "others see"}, {field{"weight_kg", "qi", between(45, 130)}, "others see"},
		{field{"weight", "weight", exactly(39)}, "survey"}, {field{"household_weights", "weight", near(600, 90)}, "survey"}, {field{"sampling_weight", "weight", between(100, 900)}, "survey"},
		{field{"pwgtp", "weight", between(10, 90)}, "survey"}, {field{"ori_hid", "unit", households}, "500 values in 2000 rows"}, {field{"household_id", "unit", households}, "500 values in 2000 rows"},
		{field{"hh", "unit", households}, "500 values in 2000 rows"}, {field{"household_size", "qi", between(1, 6)}, "named"}, {field{"expend", "sa", between(1, 90_000_000)}, "expend"},
		{field{"depressed", "sa", answers}, "health"}, {field{"has_asthma", "sa", answers}, "health"}, {field{"takes_insulin", "sa", answers}, "health"}, {field{"ever_smoked", "sa", answers}, "health"},
		{field{"back_pain", "sa", answers}, "health"}, {field{"Do you have trouble sleeping?", "sa", answers}, "health"}, {field{"q4_pain", "sa", between(0, 1)}, "health"},
		{field{"hearing_aid", "sa", among("nein", "ja")}, "health"}, {field{"hospital", "qi", among("North", "South")}, "lives"}, {field{"owns_car", "qi", answers}, "how one lives"},
	} {
		got := detection.Suggest(made([]field{c.field}, 2000))[0]
		if string(got.Role) != c.role || !strings.Contains(got.Reasons[0], c.reason) {
			t.Errorf("%s is %s: %q", c.name, got.Role, got.Reasons)
		}
	}
	var roles []string
	for _, s := range detection.Suggest(made([]field{{"replicate_weight_1", "", exactly(90)}, {"sampling_weight", "", exactly(39)}, {"household_weights", "", exactly(60)}, {"wgt", "", exactly(0)}}, 2000)) {
		roles = append(roles, s.Column+" "+string(s.Role))
	}
	if got := strings.Join(roles, ", "); got != "replicate_weight_1 other, sampling_weight weight, household_weights other, wgt other" {
		t.Errorf("of several weights: %s", got)
	}
	keyed := made([]field{{"diagnosis", "ei", between(1, 9)}}, 2000)
	if got := detection.Suggest(keyed, "Diagnosis")[0]; got.Role != detection.ExplicitIdentifier {
		t.Errorf("a declared key is %s: %q", got.Role, got.Reasons)
	}
}

// TestBlanks: 'hiv ' and 'hiv' are two values for a diversity rule.
func TestBlanks(t *testing.T) {
	for _, c := range []struct {
		values []string
		want   string
	}{
		{[]string{"hiv", "flu", "hiv "}, `"hiv" and "hiv " are two values that differ in blanks alone: TRIM(sick) makes them one`},
		{[]string{" flu", "flu", "cold"}, `" flu" and "flu" are two values`}, {[]string{"hiv ", "flu "}, ""}, {[]string{"a b", "ab"}, ""},
	} {
		values := make([]anonymize.Value, 60)
		for i := range values {
			values[i] = text(c.values[i%len(c.values)])
		}
		table := &anonymize.Microdata{Rows: 60, Columns: []*anonymize.Column{anonymize.NewColumn("sick", "", values)}}
		got := detection.Blanks("sick", table.Columns[0].Dictionary)
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%q: %s", c.values, got)
		}
		if reasons := detection.Suggest(table)[0].Reasons; got != "" && !slices.Contains(reasons, got) {
			t.Errorf("%q: %q", c.values, reasons)
		}
	}
}

// TestReasonsQuote: a reason names the beginning of a word that the column has, and puts the option with a separator in quotes.
func TestReasonsQuote(t *testing.T) {
	var rows []anonymize.Value
	for _, value := range []string{"I10,E11", "I10,J45", "K29"} {
		rows = append(rows, text(value))
	}
	table := &anonymize.Microdata{Rows: len(rows), Columns: []*anonymize.Column{anonymize.NewColumn("diag", "", rows)}}
	reasons := detection.Suggest(table)[0].Reasons
	if len(reasons) != 2 || !strings.HasPrefix(reasons[0], `named "diag": `) || !strings.Contains(reasons[1], "'sa_sets=,' counts") {
		t.Errorf("%q", reasons)
	}
}

// TestSeparator: cells with several recurring codes, and cells that only look like them.
func TestSeparator(t *testing.T) {
	for name, c := range map[string]struct {
		values []string
		want   string
	}{
		"codes":           {[]string{"I10;E11", "E11;J45", "I10", "J45;I10;E11", "E11", "J45;E11", "I10;J45"}, ";"},
		"diagnoses":       {[]string{"I10;E11", "I10;J45", "K29"}, ";"},
		"hobbies":         {[]string{"chess, golf", "golf, yoga", "yoga", "golf, chess", "yoga, chess", "chess", "golf"}, ","},
		"a stray one":     {[]string{"I10", "E11", "J45", "K29", "I10;E11", "F32", "M54", "N18"}, ""},
		"names":           {[]string{"Smith, John", "Smith, Ann", "Jones, John", "Jones, Ann", "Brown, John", "Brown, Ann"}, ""},
		"days":            {[]string{"01/02/2024", "02/02/2024", "01/03/2024", "02/03/2024", "01/02/2023"}, ""},
		"amounts":         {[]string{"1,5", "2,5", "1,7", "2,7", "3,5", "3,7"}, ""},
		"no two the same": {[]string{"ab;cd", "ef;gh", "ij;kl", "mn;op"}, ""},
		"one value each":  {[]string{"flu", "cold", "gout"}, ""},
	} {
		var dictionary []anonymize.Value
		for _, value := range c.values {
			dictionary = append(dictionary, text(value))
		}
		if got := detection.Separator(dictionary); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
