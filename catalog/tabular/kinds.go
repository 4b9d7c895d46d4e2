package tabular

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"regexp"
)

// A kind is a file type, by a file's first bytes.
type kind int

const (
	text kind = iota
	gzipped
	bzipped
	zstandard
	zipped // also workbooks
	parquetFile
	refused
)

// sniffedBytes is the number of bytes at a file's beginning that are examined.
const sniffedBytes = 64 << 10

// A beginning is the first bytes of a kind of file.
type beginning struct {
	bytes string
	kind  kind
	name  string
	// instead says what to do with a refused file.
	instead string
}

// How to write CSV with other programs.
const (
	fromStata = "write it as CSV: export delimited using FILE.csv"
	fromR     = "write its table as CSV: write.csv(t, \"FILE.csv\", row.names = FALSE, na = \"\")"
)

var beginnings = []beginning{
	{"\x1f\x8b", gzipped, "gzip", ""},
	{"BZh91AY&SY", bzipped, "bzip2", ""},
	{"\x28\xb5\x2f\xfd", zstandard, "Zstandard", ""},
	{"PK\x03\x04", zipped, "a zip archive", ""},
	{"PK\x05\x06", refused, "an empty zip archive", "there is no table in it"},
	{"PAR1", parquetFile, "Parquet", ""},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", refused, "a workbook with a password, one of Excel 97 to 2003, or another old Office document", "save it as .xlsx without a password, or as CSV"},
	{"\xfd7zXZ\x00", refused, "compressed by xz", "unpack it first: xz -d"},
	{"7z\xbc\xaf\x27\x1c", refused, "a 7-Zip archive", "unpack it first"},
	{"Rar!\x1a", refused, "a RAR archive", "unpack it first"},
	{"SQLite format 3\x00", refused, "an SQLite database", "export its table as CSV: sqlite3 -header -csv FILE 'SELECT * FROM t'"},
	{"%PDF-", refused, "a PDF document", "a table in it has to be exported as CSV"},
	{"Obj\x01", refused, "Avro", "write it as Parquet or CSV"},
	{"ARROW1\x00", refused, "Arrow IPC (Feather)", "write it as Parquet or CSV"},
	{"\x89HDF", refused, "HDF5", "write it as Parquet or CSV"},
	{"$FL2@(#)", refused, "an SPSS file", "write it as Parquet or CSV"},
	{"<stata_dta>", refused, "a Stata file", fromStata},
	{"\x71\x01\x01\x00", refused, "a Stata file", fromStata}, // Stata 8 to 12, by version and order of bytes
	{"\x71\x02\x01\x00", refused, "a Stata file", fromStata},
	{"\x72\x01\x01\x00", refused, "a Stata file", fromStata},
	{"\x72\x02\x01\x00", refused, "a Stata file", fromStata},
	{"\x73\x01\x01\x00", refused, "a Stata file", fromStata},
	{"\x73\x02\x01\x00", refused, "a Stata file", fromStata},
	{"RDX2\n", refused, "an R workspace (.RData)", fromR},
	{"RDX3\n", refused, "an R workspace (.RData)", fromR},
	{"RDA2\n", refused, "an R workspace (.RData)", fromR},
	{"RDA3\n", refused, "an R workspace (.RData)", fromR},
	{"X\n\x00\x00\x00", refused, "an R object (.rds)", fromR},
	{"{\\rtf", refused, "an RTF document", "a table in it has to be exported as CSV"},
	{"<!DOCTYPE html", refused, "an HTML page", "save the table as CSV: what was downloaded may be a message of the web server"},
	{"<html", refused, "an HTML page", "save the table as CSV: what was downloaded may be a message of the web server"},
	{"<?xml", refused, "XML", "write it as Parquet or CSV"},
	{"-- MySQL dump", refused, "a dump of SQL statements", "run it with the mysql client instead"},
	{"-- MariaDB dump", refused, "a dump of SQL statements", "run it with the mysql client instead"},
	{"/*!", refused, "a dump of SQL statements", "run it with the mysql client instead"},
	{"/*M!", refused, "a dump of SQL statements", "run it with the mysql client instead"}, // of MariaDB since 2024
}

// json matches the beginning of an object with a member, and of an array of objects or arrays.
var json = regexp.MustCompile(`^[ \t\r\n\x{feff}]*(\{[ \t\r\n]*"|\[[ \t\r\n]*[{\[])`)

// kindOf recognises a file's type by its first bytes. The error for a refused type names it.
func kindOf(data []byte) (kind, error) {
	for _, b := range beginnings {
		if !bytes.HasPrefix(data, []byte(b.bytes)) {
			continue
		}
		if b.kind == refused {
			return refused, fmt.Errorf("the file is %s, which is not read here: %s", b.name, b.instead)
		}
		return b.kind, nil
	}
	switch {
	case json.Match(data):
		return refused, fmt.Errorf("the file is JSON, which is not read here: write it as Parquet or CSV")
	case bytes.IndexByte(data, 0) >= 0 && encodingOf(data) == utf8Encoding:
		return refused, fmt.Errorf(
			"the file is no text: byte %d is 0. CSV in UTF-8, UTF-16 or Latin-1, compressed or not, Excel's .xlsx and Parquet are read",
			bytes.IndexByte(data, 0)+1,
		)
	}
	return text, nil
}

// Plain passes a text through. Its first Read refuses compressed files, other file types and UTF-16; the error names the type and what can read it.
func Plain(r io.Reader) io.Reader { return &plain{buffered: bufio.NewReader(r)} }

type plain struct {
	buffered *bufio.Reader
	looked   bool
}

// Read implements io.Reader.
func (p *plain) Read(data []byte) (int, error) {
	if !p.looked {
		p.looked = true
		beginning, _ := p.buffered.Peek(1000) // the next read returns the error again
		for _, b := range beginnings {
			if bytes.HasPrefix(beginning, []byte(b.bytes)) {
				return 0, &NotPlainError{b.name, b.instead}
			}
		}
		if encodingOf(beginning) != utf8Encoding {
			return 0, &NotPlainError{"a text in UTF-16", ""}
		}
	}
	return p.buffered.Read(data)
}

// A NotPlainError is the error for a file that is not plain text.
type NotPlainError struct{ is, instead string }

// Error names the file's kind.
func (e *NotPlainError) Error() string {
	if e.instead == "" {
		return "the file is " + e.is + ", not plain text: anonsql import reads it"
	}
	return "the file is " + e.is + ", not plain text: " + e.instead
}
