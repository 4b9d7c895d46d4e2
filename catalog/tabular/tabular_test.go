package tabular_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"

	"github.com/anonsql/anonsql/catalog/delimited"
	"github.com/anonsql/anonsql/catalog/tabular"
)

// read returns the records of a file, fields with a bar between: a text that is known as one is in quotes, NULL is \N.
func read(path string, o tabular.Options) (records, notes []string, err error) {
	f, err := tabular.Open(path, o)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	r, err := delimited.NewReader(f, f.Format)
	if err != nil {
		return nil, nil, err
	}
	for {
		fields, err := r.Read()
		if err == io.EOF {
			return records, f.Notes, nil
		}
		if err != nil {
			return records, f.Notes, err
		}
		var texts []string
		for _, field := range fields {
			switch text := string(field.Bytes); {
			case field.Null:
				texts = append(texts, `\N`)
			case f.TypedTexts && field.Enclosed:
				texts = append(texts, "'"+text+"'")
			default:
				texts = append(texts, text)
			}
		}
		records = append(records, strings.Join(texts, "|"))
	}
}

// file writes a file of a test.
func file(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func gzipped(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.Bytes()
}

// archive is a zip archive of files: name, text, name, text.
func archive(files ...string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err != nil {
			panic(err)
		}
		io.WriteString(f, files[i+1])
	}
	w.Close()
	return b.Bytes()
}

// locked says that the first file of an archive has a password.
func locked(archive []byte) []byte {
	directory := bytes.Index(archive, []byte("PK\x01\x02"))
	archive[6] |= 1
	archive[directory+8] |= 1
	return archive
}

// inUTF16 is a text with or without a byte order mark.
func inUTF16(text string, order binary.AppendByteOrder, mark bool) (data []byte) {
	if mark {
		data = order.AppendUint16(data, 0xfeff)
	}
	for _, unit := range utf16.Encode([]rune(text)) {
		data = order.AppendUint16(data, unit)
	}
	return data
}

const small = "a,b\n1,x\n2,y\n"

// TestRecognised: the kind of a file, its delimiter and its line ends.
func TestRecognised(t *testing.T) {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		data []byte
		o    tabular.Options
		want string
		note string
	}{
		{"plain.csv", []byte(small), tabular.Options{}, "a|b 1|x 2|y", ""},
		{"mark.csv", []byte("\ufeff" + small), tabular.Options{}, "a|b 1|x 2|y", ""},
		{"semicolon.csv", []byte("a;b\n1;x,y\n2;z\n"), tabular.Options{}, "a|b 1|x,y 2|z", "separated by ';'"},
		{"tab.csv", []byte("a\tb\n1\tx\n"), tabular.Options{}, "a|b 1|x", `separated by '\t'`},
		{"bar.txt", []byte("a|b|c\n1|x|2\n"), tabular.Options{}, "a|b|c 1|x|2", "separated by '|'"},
		{"comma.tsv", []byte("a,b\tc\n1\t2\n"), tabular.Options{}, "a,b|c 1|2", ""},
		{"said.csv", []byte("a:b\n1:x\n"), tabular.Options{Delimiter: ":"}, "a|b 1|x", ""},
		{"both.csv", []byte("a,b;c\n1,2;3\n"), tabular.Options{}, "a|b;c 1|2;3", "';' would divide every line alike, too"},
		{"quoted.csv", []byte("a;b\n\"1;\n2\";x\n"), tabular.Options{}, "a|b 1;\n2|x", ""},
		{"long.csv", []byte("a;b\n1;\"x, y\"\n2;\"" + strings.Repeat("\n", 70_000) + "\"\n"), tabular.Options{}, "a|b 1|x, y 2|" + strings.Repeat("\n", 70_000), "separated by ';'"},
		{"excel.csv", []byte("\ufeffsep=;\r\na;b\r\n1;x,y\r\n"), tabular.Options{}, "a|b 1|x,y", "the first line says to Excel that ';' separates fields"},
		{"return.csv", []byte("a,b\r1,x\r2,y\r"), tabular.Options{}, "a|b 1|x 2|y", "carriage return"},
		{"feed.csv", []byte("a,b\r1,\"x \"\"\ny\"\r2,y\r"), tabular.Options{}, "a|b 1|x \"\ny 2|y", "carriage return"},
		{"inch.csv", []byte("a 5\",b\n1,x\r\n"), tabular.Options{}, "a 5\"|b 1|x", ""},
		{"inches.csv", []byte("a 5 \",b\r1,x\r"), tabular.Options{}, "a 5 \"|b 1|x", "carriage return"},
		{"windows.csv", []byte("a,b\r\n1,x\r\n"), tabular.Options{}, "a|b 1|x", ""},
		{"packed.csv.gz", gzipped(small), tabular.Options{}, "a|b 1|x 2|y", ""},
		{"packed.tsv.gz", gzipped("a\tb\n1\tx\n"), tabular.Options{}, "a|b 1|x", ""},
		{"packed.zst", z.EncodeAll([]byte(small), nil), tabular.Options{}, "a|b 1|x 2|y", ""},
		{"one.zip", archive("in/", "", "in/a.csv", small, "__MACOSX/in/._a.csv", "x"), tabular.Options{}, "a|b 1|x 2|y", "'in/a.csv' of the archive is read"},
		{"two.zip", archive("a.csv", small, "b.csv", "c\n3\n"), tabular.Options{Member: "b.csv"}, "c 3", ""},
		{"little.csv", inUTF16("ä,b\n1,😀\n", binary.LittleEndian, true), tabular.Options{}, "ä|b 1|😀", "UTF-16"},
		{"big.csv", inUTF16("ä,b\n1,😀\n", binary.BigEndian, true), tabular.Options{}, "ä|b 1|😀", "UTF-16"},
		{"bare.csv", inUTF16(small, binary.LittleEndian, false), tabular.Options{}, "a|b 1|x 2|y", "UTF-16"},
		{"named16.csv", inUTF16(small, binary.LittleEndian, true), tabular.Options{Charset: "utf-16"}, "a|b 1|x 2|y", ""},
		{"bare16.csv", inUTF16(small, binary.LittleEndian, false), tabular.Options{Charset: "utf16"}, "a|b 1|x 2|y", ""},
		{"big16.csv", inUTF16(small, binary.BigEndian, true), tabular.Options{Charset: "utf16"}, "a|b 1|x 2|y", ""},
		{"latin.csv", []byte("name,b\nJos\xe9,\x80\n"), tabular.Options{Charset: "latin1"}, "name|b José|€", ""},
		{"packed16.gz", gzipped(string(inUTF16(small, binary.LittleEndian, true))), tabular.Options{}, "a|b 1|x 2|y", "UTF-16"},
		{"years.csv", []byte("2001,2002\n1,2\n"), tabular.Options{Header: tabular.Names}, "2001|2002 1|2", ""},
		{"data.csv", []byte("39, State-gov\n50, Private\n"), tabular.Options{Header: tabular.Data}, "39|State-gov 50|Private", ""},
	} {
		records, notes, err := read(file(t, c.name, c.data), c.o)
		if got := strings.Join(records, " "); err != nil || got != c.want {
			t.Errorf("%s: %v: %q, want %q", c.name, err, got, c.want)
		}
		if all := strings.Join(notes, "; "); !strings.Contains(all, c.note) {
			t.Errorf("%s: the notes are %q, want %q", c.name, all, c.note)
		}
	}
}

// TestRefused: errors for files that are no tables, damaged or ambiguous say so, and what to do.
func TestRefused(t *testing.T) {
	long := gzipped(strings.Repeat(small, 5000))
	workbook, err := os.ReadFile("testdata/openpyxl.xlsx")
	parquet, wrong := os.ReadFile("testdata/pyarrow.parquet")
	if err := errors.Join(err, wrong); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		data []byte
		o    tabular.Options
		want string
	}{
		{"old.xls", []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1...."), tabular.Options{}, "a workbook with a password, one of Excel 97 to 2003"},
		{"a.csv", []byte("<!DOCTYPE html><p>404"), tabular.Options{}, "HTML page"},
		{"a.json", []byte(`[{"a": 1}]`), tabular.Options{}, "JSON"},
		{"b.json", []byte("[\n  {\"a\": 1}\n]"), tabular.Options{}, "JSON"},
		{"c.json", []byte("\ufeff{\n  \"a\": 1\n}"), tabular.Options{}, "JSON"},
		{"d.json", []byte(`[["a"], [1]]`), tabular.Options{}, "JSON"},
		{"a.sql", []byte("/*M!999999\\- enable the sandbox mode */ \n-- MariaDB dump 10.19\n"), tabular.Options{}, "a dump of SQL statements"},
		{"b.sql", []byte("/*!40101 SET NAMES utf8 */;\n"), tabular.Options{}, "a dump of SQL statements"},
		{"a.bin", []byte("a\x00\x00b,c\n"), tabular.Options{}, "byte 2 is 0"},
		{"a.xz", []byte("\xfd7zXZ\x00..."), tabular.Options{}, "xz -d"},
		{"a.dta", []byte("\x72\x02\x01\x00..."), tabular.Options{}, "a Stata file, which is not read here: write it as CSV: export delimited"},
		{"b.dta", []byte("<stata_dta><header>"), tabular.Options{}, "a Stata file"},
		{"a.RData", []byte("RDX3\nX\n\x00\x00\x00\x03"), tabular.Options{}, "an R workspace (.RData), which is not read here: write its table as CSV: write.csv"},
		{"a.rds", []byte("X\n\x00\x00\x00\x03"), tabular.Options{}, "an R object (.rds)"},
		{"short.gz", long[:len(long)/2], tabular.Options{}, "was not copied whole"},
		{"wrong.gz", slices.Concat(long[:len(long)-8], make([]byte, 8)), tabular.Options{}, "damaged"},
		{"twice.gz", gzipped(string(gzipped(small))), tabular.Options{}, "packed once more"},
		{"short.zip", archive("a.csv", small)[:60], tabular.Options{}, "was not copied whole"},
		{"two.zip", archive("a.csv", small, "b.csv", small), tabular.Options{}, "--member with one of 'a.csv', 'b.csv'"},
		{"two.zip", archive("a.csv", small), tabular.Options{Member: "x"}, "has no file \"x\"; it has 'a.csv'"},
		{"none.zip", archive("d/", ""), tabular.Options{}, "has no file"},
		{"text.odt", archive("META-INF/manifest.xml", ""), tabular.Options{}, "OpenDocument"},
		{"half.csv", inUTF16("a,b\n1,2", binary.LittleEndian, true)[:15], tabular.Options{}, "in the middle of a character"},
		{"pair.csv", append(inUTF16("a,b\n", binary.LittleEndian, true), 0x00, 0xd8, 'x', 0), tabular.Options{}, "surrogate"},
		{"order.csv", inUTF16(small, binary.LittleEndian, true), tabular.Options{Charset: "utf16be"}, "another order of bytes than that of --charset utf16be: say --charset utf16"},
		{"data.csv", []byte("39, State-gov\n50, Private\n"), tabular.Options{}, "--no-header if it is data"},
		{"equal.csv", []byte("a;b|c\n1;2|3\n"), tabular.Options{}, "';' and '|' both separate every line into 2 fields"},
		{"a.csv", []byte(small), tabular.Options{Charset: "klingon"}, "is unknown"},
		{"a.csv", []byte(small), tabular.Options{Sheet: "x"}, "no workbook"},
		{"a.csv", []byte(small), tabular.Options{Member: "x"}, "no zip archive"},
		{"a.xlsx", workbook, tabular.Options{Delimiter: ";"}, "do not go with it"},
		{"a.xlsx", workbook, tabular.Options{Sheet: "x"}, "has no sheet \"x\"; it has 'people'"},
		{"a.xlsx", []byte("not a workbook"), tabular.Options{}, "no workbook of Excel"},
		{"A.XLSX", archive("a.csv", small), tabular.Options{}, "no workbook of Excel"},
		{"a.parquet", []byte(small), tabular.Options{}, "is no Parquet"},
		{"short.xlsx", workbook[:2000], tabular.Options{}, "was not copied whole"},
		{"short.parquet", parquet[:2000], tabular.Options{}, "no valid Parquet"},
		{"a.parquet", parquet, tabular.Options{Charset: "utf8"}, "do not go with it"},
	} {
		if records, _, err := read(file(t, c.name, c.data), c.o); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v (%d records), want %q", c.name, err, len(records), c.want)
		}
	}
}

// TestWorkbooks: two programs' workbooks have the values that were put in them.
func TestWorkbooks(t *testing.T) {
	want := []string{
		"'name'|'born'|'seen'|'size'|'zip'|'member'|'note'",
		`'Ann Ü'|1980-02-29|2024-05-06 07:08:09.25|1.75|'01234'|true|'a "b", \c'`,
		"'Bo'|1900-01-15|1999-12-31 23:59:59|-0.5|'98765'|false|'two\nlines'",
		`'Cem'|\N|\N|3e+20|'00000'|\N|\N`,
	}
	for _, name := range []string{"openpyxl.xlsx", "xlsxwriter.xlsx"} {
		records, _, err := read("testdata/"+name, tabular.Options{Sheet: "people"})
		for i := range records {
			records[i] = strings.Replace(records[i], "1980-02-29 00:00:00", "1980-02-29", 1)
		}
		if err != nil || !slices.Equal(records, want) {
			t.Errorf("%s: %v:\n%s\nwant\n%s", name, err, strings.Join(records, "\n"), strings.Join(want, "\n"))
		}
	}
	if _, _, err := read("testdata/xlsxwriter.xlsx", tabular.Options{}); err == nil || !strings.Contains(err.Error(), "--sheet with one of 'people', 'other'") {
		t.Errorf("two sheets: %v", err)
	}
	if records, _, err := read("testdata/xlsxwriter.xlsx", tabular.Options{Sheet: "other"}); err != nil || strings.Join(records, " ") != "'x' #DIV/0! 7" {
		t.Errorf("%v: %q", err, records)
	}
}

// sheet is a workbook of one sheet with these rows.
func sheet(rows string) []byte {
	return archive("xl/workbook.xml", `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><workbookPr date1904="1"/><sheets><sheet name="s" r:id="a"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="a" Target="/xl/worksheets/one.xml"/></Relationships>`,
		"xl/styles.xml", `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="&quot;day &quot;d\d;[Red]0"/><numFmt numFmtId="165" formatCode="0 &quot;days&quot;"/><numFmt numFmtId="166" formatCode="[h]:mm;[Red]0"/><numFmt numFmtId="167" formatCode="[$-F400][mm]"/><numFmt numFmtId="168" formatCode="yyyy-mm-dd [hh]:mm"/><numFmt numFmtId="169" formatCode="mmmm"/><numFmt numFmtId="170" formatCode="0.0m"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="20"/><xf numFmtId="46"/><xf numFmtId="166"/><xf numFmtId="167"/><xf numFmtId="168"/><xf numFmtId="169"/><xf numFmtId="170"/></cellXfs></styleSheet>`,
		"xl/sharedStrings.xml", "<sst><si><t>two_x000D_\nlines</t></si><si><t>_x005F_x005F_</t></si></sst>",
		"xl/worksheets/one.xml", `<worksheet><sheetData>`+rows+`</sheetData></worksheet>`)
}

// A file with a password, and one that takes too much memory to unpack, are refused by these words.
func TestRefusedPacked(t *testing.T) {
	for want, data := range map[string][]byte{
		"'a.csv' of the archive has a password: unpack it first": locked(archive("a.csv", small)),
		"a window beyond 128 MiB":                                []byte("\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00"),
	} {
		if _, _, err := read(file(t, "a.packed", data), tabular.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A workbook's texts, and each of its rows, are bounded: packed they may be a thousand times smaller.
func TestWorkbooksAreBounded(t *testing.T) {
	texts := func(list string) []byte {
		return archive("xl/workbook.xml", `<workbook><sheets><sheet name="s" id="a"/></sheets></workbook>`,
			"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="a" Target="one.xml"/></Relationships>`, "xl/sharedStrings.xml", "<sst>"+list+"</sst>",
			"xl/one.xml", `<worksheet><sheetData><row><c t="str"><v>a</v></c></row><row><c><v>1</v></c></row></sheetData></worksheet>`)
	}
	for name, data := range map[string][]byte{
		"one text":   texts("<si><t>" + strings.Repeat("x", 1<<20) + "</t></si>"),
		"many texts": texts(strings.Repeat("<si/>", 1<<15)),
		"one row":    sheet(`<row><c t="str"><v>` + strings.Repeat("x", 16<<20+8<<10) + "</v></c></row>"),
	} {
		if _, _, err := read(file(t, "a.xlsx", data), tabular.Options{Memory: 1 << 20}); err == nil || !strings.Contains(err.Error(), "takes too much memory") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := read(file(t, "a.xlsx", texts(strings.Repeat("<si/>", 1<<14))), tabular.Options{Memory: 1 << 20}); err != nil {
		t.Error(err)
	}
}

// A workbook in Strict Open XML names relations in another namespace.
func TestStrictWorkbooks(t *testing.T) {
	strict := archive("xl/workbook.xml", `<workbook xmlns:r="http://purl.oclc.org/ooxml/officeDocument/relationships"><sheets><sheet name="s" sheetId="1" r:id="a"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="a" Target="one.xml"/></Relationships>`,
		"xl/one.xml", `<worksheet><sheetData><row><c t="str"><v>a</v></c></row><row><c><v>1</v></c></row></sheetData></worksheet>`)
	if records, _, err := read(file(t, "strict.xlsx", strict), tabular.Options{}); err != nil || strings.Join(records, " ") != "'a' 1" {
		t.Errorf("%v: %q", err, records)
	}
}

// TestSheets: contents of a sheet besides plain cells.
func TestSheets(t *testing.T) {
	const head = `<row><c t="inlineStr"><is><r><t>a</t></r><rPh><t>x</t></rPh><r><t>b</t></r></is></c><c r="B1" t="str"><v>c</v></c></row>`
	for _, c := range []struct{ rows, want, failure string }{
		{head + `<row r="5"><c r="B5"><v>1</v></c></row>`, `'ab'|'c' \N|1`, ""},
		{head + `<row/><row><c><f>A1</f><v>2</v></c><c t="b"><v>0</v></c></row><row><c s="3"/></row>`, `'ab'|'c' 2|false`, ""},
		{head + `<row><c s="1"><v>0</v></c><c s="2"><v>43831</v></c></row>`, `'ab'|'c' 1904-01-01|43831`, ""},
		{head + `<row><c s="1"><v>1.5</v></c><c s="3"><v>0.75</v></c></row>`, `'ab'|'c' 1904-01-02 12:00:00|18:00:00`, ""},
		{head + `<row><c s="4"><v>1.0625</v></c><c s="4"><v>0.96875</v></c></row>`, `'ab'|'c' 25:30:00|23:15:00`, ""},
		{head + `<row><c s="5"><v>41.6666724537037</v></c><c s="6"><v>0</v></c></row>`, `'ab'|'c' 1000:00:00.5|00:00:00`, ""},
		{head + `<row><c s="5"><v>-0.0625</v></c><c s="7"><v>1.0625</v></c></row>`, `'ab'|'c' -01:30:00|1904-01-02 01:30:00`, ""},
		{head + `<row><c s="8"><v>31</v></c><c s="9"><v>31</v></c></row>`, `'ab'|'c' 1904-02-01|31`, ""},
		{head + `<row><c t="inlineStr"><is><t>a_x000d_</t><r><t>_x005F_x000D__x00e4_</t></r></is></c><c t="str"><v>_x0009__xD83D__xDE00__xD83D_</v></c></row>`,
			"'ab'|'c' 'a\r_x000D_ä'|'\t😀_xD83D_'", ""},
		{head + `<row><c t="str"><v>_x000D</v></c><c t="str"><v>_x00+D__x1__xzzzz_</v></c></row>`, `'ab'|'c' '_x000D'|'_x00+D__x1__xzzzz_'`, ""},
		{head + `<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row>`, "'ab'|'c' 'two\r\nlines'|'_x005F_'", ""},
		{head + `<row><c t="d"><v>2024-01-02T03:04:05Z</v></c></row>`, `'ab'|'c' 2024-01-02 03:04:05|\N`, ""},
		{head + `<row><c><v>1234567890123456789</v></c><c><v>9007199254740992</v></c></row>`, `'ab'|'c' 1234567890123456789|9.007199254740992e+15`, ""},
		{head + `<row><c><v>-12345678901234567890</v></c><c><v>007</v></c></row>`, `'ab'|'c' -12345678901234567890|7`, ""},
		{head + `<row><c><v>-0012345678901234567890</v></c><c><v>000</v></c></row>`, `'ab'|'c' -12345678901234567890|0`, ""},
		{head + `<row><c r="C2"><v>1</v></c></row>`, "", "cell C2 of the workbook has a value, and the first row of the table ends before it"},
		{head + `<row><c r="A2"><f>1+1</f></c></row>`, "", "cell A2 of the workbook: its formula has no stored result"},
		{head + `<row><c r="A2" t="s"><v>2</v></c></row>`, "", "refers to text \"2\" of 2"},
		{head + `<row><c r="A2"><v>x</v></c></row>`, "", "no number"},
		{head + `<row><c r="?2"><v>1</v></c></row>`, "", "no cell"},
		{head + `<row><c r="A2" s="1"><v>-1</v></c></row>`, "", "no date"},
		{head + `<row><c>`, "", "damaged"},
	} {
		records, _, err := read(file(t, "a.xlsx", sheet(c.rows)), tabular.Options{})
		switch got := strings.Join(records, " "); {
		case c.failure == "" && (err != nil || got != c.want):
			t.Errorf("%s: %v: %q, want %q", c.rows, err, got, c.want)
		case c.failure != "" && (err == nil || !strings.Contains(err.Error(), c.failure)):
			t.Errorf("%s: %v, want %q", c.rows, err, c.failure)
		}
	}
}

// TestParquet: the values that Arrow wrote, in two row groups.
func TestParquet(t *testing.T) {
	want := []string{
		"'id'|'small'|'big'|'name'|'zip'|'day'|'ms'|'ns'|'cents'|'wide'|'x'|'f'|'ok'|'category'",
		"1|255|18446744073709551615|'Ann Ü'|'01234'|1980-02-29|2024-05-06 07:08:09.25|2024-05-06 07:08:09.25|-12.05|-123456789012345678901.5|1.5|0.1|true|'a'",
		"2|0|1|'a \"b\", \\c\n'|'98765'|1969-12-31|\\N|\\N|0.01|2.0|NaN|\\N|false|'b'",
		`\N|7|2|\N|'5'|\N|1969-12-31 23:59:59.5|1970-01-01 00:00:00|\N|\N|\N|2|\N|'a'`,
	}
	records, _, err := read("testdata/pyarrow.parquet", tabular.Options{})
	if err != nil || !slices.Equal(records, want) {
		t.Errorf("%v:\n%s\nwant\n%s", err, strings.Join(records, "\n"), strings.Join(want, "\n"))
	}
	records, _, err = read("testdata/int96.parquet", tabular.Options{})
	if err != nil || strings.Join(records, " ") != `'id'|'ns' 1|2024-05-06 07:08:09.25 2|\N \N|1970-01-01 00:00:00` {
		t.Errorf("%v: %q", err, records)
	}
	if _, _, err := read("testdata/list.parquet", tabular.Options{}); err == nil || !strings.Contains(err.Error(), `column "list" of the Parquet file has lists`) {
		t.Errorf("a list: %v", err)
	}
	if records, _, err := read("testdata/people.csv.bz2", tabular.Options{}); err != nil || strings.Join(records, " ") != "a|b 1|x 2|y" {
		t.Errorf("bzip2: %v: %q", err, records)
	}
}

// TestNothingIsRepaired: a file that is cut anywhere gives an error or the same records, unless it is plain text.
func TestNothingIsRepaired(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := gzipped(strings.Repeat("a,b\n1,x\n", 400))
	for _, name := range []string{"openpyxl.xlsx", "xlsxwriter.xlsx", "pyarrow.parquet", "text.gz"} {
		data := text
		if name != "text.gz" {
			var err error
			if data, err = os.ReadFile("testdata/" + name); err != nil {
				t.Fatal(err)
			}
		}
		o := tabular.Options{}
		if name == "xlsxwriter.xlsx" {
			o.Sheet = "people"
		}
		whole, _, err := read(file(t, name, data), o)
		if err != nil {
			t.Fatal(err)
		}
		path := file(t, name, nil)
		for range 300 {
			if err := os.WriteFile(path, data[:4+r.IntN(len(data)-4)], 0o600); err != nil {
				t.Fatal(err)
			}
			if records, _, err := read(path, o); err == nil && !slices.Equal(records, whole) && len(records) > 0 {
				t.Errorf("%s cut short has %d records instead of %d", name, len(records), len(whole))
			}
		}
	}
}
