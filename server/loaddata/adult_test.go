package loaddata

import (
	"os"
	"testing"

	"github.com/anonsql/anonsql/anonymize/anontest"
)

// adult reads UCI Adult.
func adult(t testing.TB) string {
	text, err := os.ReadFile(anontest.AdultPath(t))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const adultTable = `CREATE TABLE adult (age INT, workclass VARCHAR(32), fnlwgt INT, education VARCHAR(16), education_num INT,
	marital_status VARCHAR(32), occupation VARCHAR(32), relationship VARCHAR(16), race VARCHAR(32), sex VARCHAR(16),
	capital_gain INT, capital_loss INT, hours_per_week INT, native_country VARCHAR(32), income VARCHAR(16))`

const adultLoad = "LOAD DATA LOCAL INFILE 'adult' INTO TABLE adult" + csvClauses + " IGNORE 1 LINES"

func TestLoadAdult(t *testing.T) {
	text := adult(t)
	d := inCatalog(t)
	d.files["adult"] = text
	d.run(adultTable)
	d.expect(adultLoad, "48842 Records: 48842  Deleted: 0  Skipped: 0  Warnings: 0")
	d.expect("SELECT COUNT(*), SUM(age) = 1887430, MIN(fnlwgt), MAX(hours_per_week) FROM adult", "48842 true 12285 99")
	d.expect("SELECT COUNT(*) FROM adult WHERE sex = 'Female' AND income = '>50K'", "1769")
}
