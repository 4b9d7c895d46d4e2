package detection

import (
	"regexp"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// A Paragraph is one of the eighteen identifiers that the Safe Harbor method of the HIPAA
// Privacy Rule removes, 45 CFR 164.514(b)(2)(i)(A) to (R).
type Paragraph struct {
	Letter     string // "A" to "R"
	Identifier string
	Remedy     string // what the rule allows in its place
	// words occur in names of columns, in English, as in the rule; shapes are shapes of values.
	words, shapes []string
}

const drop = "drop it"

// paragraphs are all eighteen. (C) has dates, and ages over 89.
var paragraphs = []Paragraph{
	{"A", "names", drop, words(`name, full name, fullname, first name, firstname, last name, lastname, surname, forename,
		given name, family name, middle name, maiden name, nickname, patient name, initials, mother name, father name,
		contact name, next of kin, emergency contact`), nil},
	{"B", "unit smaller than a state", "keep the state; of a ZIP code three digits, or 000", words(`address, street,
		street address, house number, city, town, village, county, precinct, parish, municipality, zip, zip code, zipcode,
		postal, postal code, postcode, neighborhood, neighbourhood, district, census tract, tract, block group, geocode,
		gps, latitude, longitude, lat, lon, lng, coordinates, residence, birthplace, place of birth`), []string{postalCodesShape}},
	{"C", "date related to the person", "keep the year", words(`date, dob, birth, birthday, birthdate, birth date,
		date of birth, admission, admission date, discharge, discharge date, death, date of death, death date, visit date,
		service date, surgery date, enrollment date, diagnosis date`), []string{datesShape}},
	{"D", "telephone number", drop, words(`phone, telephone, mobile, cell, cellphone, phone number, telephone number, tel,
		cell phone, home phone, work phone`), []string{"phone numbers"}},
	{"E", "fax number", drop, words(`fax, telefax, fax number`), nil},
	{"F", "e-mail address", drop, words(`email, e mail, mail, email address, e mail address, mail address`), []string{"e-mail addresses"}},
	{"G", "social security number", drop, words(`ssn, social security, social security number, social security no`), []string{"social security numbers"}},
	{"H", "medical record number", drop, words(`mrn, medical record, record number, record no, medical record number,
		chart number, patient id, patient no, patient number, encounter id, encounter number, case number, hospital number`), nil},
	{"I", "health plan beneficiary number", drop, words(`health plan, beneficiary, beneficiary id, beneficiary number,
		health plan number, insurance number, insurance id, policy number, member id, member number, subscriber id,
		medicare number, medicaid number, mbi, hicn`), nil},
	{"J", "account number", drop, words(`account, account number, account no, account id, iban, bic, credit card,
		card number, bank account`), []string{"IBANs", "numbers of payment cards"}},
	{"K", "certificate or licence number", drop, words(`license, licence, license number, licence number, license no,
		certificate, certificate number, driver license, drivers license, driving licence, passport, passport number,
		dea number, npi`), nil},
	{"L", "vehicle identifier", drop, words(`vin, license plate, licence plate, plate, plate number, registration number,
		number plate, vehicle id, vehicle serial number`), []string{vehicles}},
	{"M", "device identifier", drop, words(`device, device id, device serial number, serial number, serial no, serial, imei,
		imsi, udi, mac, mac address, implant id, pacemaker id`), []string{"addresses of network devices"}},
	{"N", "web address", drop, words(`url, uri, website, web site, homepage, web address, link, profile link`), []string{"web addresses"}},
	{"O", "IP address", drop, words(`ip, ip address, ip addr, ipv4, ipv6, remote addr`), []string{"addresses of computers (IP)"}},
	{"P", "biometric identifier", drop, words(`biometric, biometrics, fingerprint, finger print, voiceprint, voice print,
		retina, retina scan, iris scan, palm print, face id, faceprint, dna, genome, genotype`), nil},
	{"Q", "full-face photograph", drop, words(`photo, photos, photograph, picture, portrait, face image, image, selfie, mugshot, avatar`), nil},
	{"R", "other unique number or code", "drop it, or replace it by a code of no meaning", words(`id, uuid, guid,
		identifier, user id, username, user name, login, account name, handle, national id, tax id, tin, customer id,
		person id`), []string{"UUIDs"}},
}

// Shapes of values that do not identify one person.
const (
	postalCodesShape = "postal codes"
	datesShape       = "days"
	vehicles         = "numbers of vehicles (VIN)"
)

// oldest is the greatest age that may be published: older ones form one class.
const oldest = 89

// safeHarbor returns the paragraph of a column, nil for none; ages says that it applies because
// of ages over 89. The shape of the values decides first, then the longest matching word of the
// name, then that most rows have a unique value.
func safeHarbor(e *evidence) (found *Paragraph, ages bool) {
	for i := range paragraphs {
		for _, shape := range paragraphs[i].shapes {
			if e.hasShape(shape) {
				return refined(e, &paragraphs[i]), false
			}
		}
	}
	if e.hasAgesOver(oldest) {
		return &paragraphs[2], true
	}
	parts := partsOf(e.column.Name)
	joined, longest := strings.Join(parts, " "), 0
	for i := range paragraphs {
		for _, word := range paragraphs[i].words {
			if n := strings.Count(word, " ") + 1; n > longest && strings.Contains(" "+joined+" ", " "+word+" ") && e.mayMean(&paragraphs[i], word) {
				found, longest = &paragraphs[i], n
			}
		}
	}
	if found == nil && e.suggestion.Role == ExplicitIdentifier && 2*e.suggestion.Unique > e.rows {
		return &paragraphs[len(paragraphs)-1], false
	}
	return found, false
}

// refined turns a phone number into a fax number if the column is called fax.
func refined(e *evidence, p *Paragraph) *Paragraph {
	fax := &paragraphs[4]
	if p.Letter == "D" && hasWord(strings.Join(partsOf(e.column.Name), " "), partsOf(e.column.Name), fax.words[0], false) {
		return fax
	}
	return p
}

// hasShape reports whether the values have a shape.
func (e *evidence) hasShape(shape string) bool {
	switch shape {
	case postalCodesShape:
		return e.values.postal
	case datesShape:
		return e.values.dates
	}
	return e.values.personal == shape
}

// mayMean reports whether a word can mean the paragraph for these values: years are no dates,
// and names or ids that many rows share identify no person.
func (e *evidence) mayMean(p *Paragraph, word string) bool {
	if e.suggestion.Distinct == 0 {
		return true
	}
	switch {
	case p.Letter == "C":
		return !e.column.IsNumeric() && !e.areYears()
	case p.Letter == "A" && word == "name":
		return e.known <= maxShared*e.suggestion.Distinct
	case p.Letter == "R" && strings.HasSuffix(word, "id"):
		return 2*e.suggestion.Unique > e.rows
	}
	return true
}

var year = regexp.MustCompile(`^(18|19|20)\d{2}$`)

func (e *evidence) areYears() bool {
	years, known, counts := 0, 0, e.column.Histogram()
	for code, v := range e.column.Dictionary {
		if v.Kind == anonymize.Text && counts[code] > 0 {
			known++
			if year.MatchString(strings.TrimSpace(v.Text)) {
				years++
			}
		}
	}
	return years > 0 && float64(years) >= minShapedShare*float64(known)
}

// hasAgesOver reports whether the column has ages in years, one of which exceeds greatest.
func (e *evidence) hasAgesOver(greatest int64) bool {
	parts := partsOf(e.column.Name)
	if joined := " " + strings.Join(parts, " ") + " "; !strings.Contains(joined, " age ") || !e.column.IsNumeric() {
		return false
	}
	over, counts := false, e.column.Histogram()
	for code, v := range e.column.Dictionary {
		if years, ok := v.Number(); ok && counts[code] > 0 {
			if years < 0 || years > 130 {
				return false // no years
			}
			over = over || years > float64(greatest)
		}
	}
	return over
}

// describe writes "(C) date related to the person: keep the year".
func describe(p *Paragraph, ages bool) string {
	switch {
	case p == nil:
		return ""
	case ages:
		return "(C) ages over 89: make them one value, 90 or older"
	}
	return "(" + p.Letter + ") " + p.Identifier + ": " + p.Remedy
}

// transliterated gives the letters' values in a VIN by position.
const transliterated = "0123456789.ABCDEFGH..JKLMN.P.R..STUVWXYZ"

var vinWeights = [17]int{8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2}

// isVIN checks the length, the letters and the check digit (49 CFR 565.15).
func isVIN(text string) bool {
	text = strings.ToUpper(text)
	if len(text) != len(vinWeights) {
		return false
	}
	sum := 0
	for i := range text {
		at := strings.IndexByte(transliterated, text[i])
		if at < 0 || text[i] == '.' {
			return false
		}
		sum += at % 10 * vinWeights[i]
	}
	return "0123456789X"[sum%11] == text[8]
}
