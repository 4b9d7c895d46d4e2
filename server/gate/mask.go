package gate

import "strings"

// knownWords are SQL words that show the kind of a statement and no personal data. A
// masked text keeps them.
var knownWords = words("" +
	"a add after all alter analyze and any as asc auto_increment avg before begin between bigint binary by call case cast change " +
	"character charset check coalesce collate column columns comment commit concat constraint convert count create cross current_date " +
	"current_timestamp current_user database databases date date_add date_format date_sub datetime day deallocate dec decimal declare " +
	"default delayed delete desc describe distinct div do double drop dual else elseif end enum escape event except execute exists " +
	"explain extract false first float for force foreign format from full function global grant group group_concat grouping handler " +
	"having hour identified if ifnull ignore in index infile inner insert int integer intersect interval into is isnull join json " +
	"json_extract json_table key keys kill lateral leading left length like limit load local locate lock longtext loop lower max md5 median " +
	"member min minute mod month names natural not now null nullif of offset on or order outer outfile over partition " +
	"percentile_cont percentile_disc prepare primary " +
	"procedure quarter range recursive references regexp rename repeat replace revoke right rlike role rollback rollup round row " +
	"row_number rows schema schemas second select session set show signed smallint start status std stddev straight_join substr " +
	"substring sum table tables temporary text then timestamp tinyint to trailing transaction trigger trim true truncate tune union " +
	"unique unlock unsigned update upper use user using utf8mb4 values varchar variables variance view views warnings week when where " +
	"while window with within write xor year anonymize anonsql information_schema mysql published")

func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

func isKnown(word string) bool { return knownWords[strings.ToLower(word)] }

// maskRead bounds the part of a text that is masked, in bytes. A refused text may be
// long, and its beginning shows what it is.
const maskRead = 16384

// Mask is a text of which nothing is known but its tokens, without what may be about
// persons: every literal and comment is gone or ?, every name that is no word of
// SQL's is Masked: nobody knows which words of it are values, so that none is looked up
// (Digest). What repeats is written once and "...". limit is the greatest
// length of the result, in bytes.
func Mask(text string, limit int) string {
	var m masked
	s := newScanner(text[:min(len(text), maskRead)], false, maskRead)
	for m.out.Len() < limit {
		k := s.next()
		if k == end || k == tooMany {
			break
		}
		m.add(maskedToken(k, s.text[s.from:s.at]))
	}
	return strings.ToValidUTF8(m.out.String()[:min(m.out.Len(), limit)], "?")
}

func maskedToken(k kind, token string) string {
	switch k {
	case word:
		if isKnown(token) {
			return strings.ToUpper(token)
		}
		return Masked
	case variable, quoted:
		return Masked
	case number, text:
		return "?"
	}
	return token
}

type masked struct {
	out    strings.Builder
	before [4]string // tokens, the last one first
	cut    bool
}

// add writes a token, unless it continues a repetition.
func (m *masked) add(token string) {
	b := m.before
	repeats := token == b[0] && token == b[1] || token == b[1] && token == b[3] && b[0] == b[2]
	m.before = [4]string{token, b[0], b[1], b[2]}
	switch {
	case !repeats:
		m.write(token)
	case !m.cut:
		m.write("...")
	}
	m.cut = repeats
}

func (m *masked) write(token string) {
	if m.out.Len() > 0 {
		m.out.WriteByte(' ')
	}
	m.out.WriteString(token)
}
