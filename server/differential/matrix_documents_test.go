package differential

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// We compare JSON by its own order (MySQL 8, "Comparison and Ordering of JSON Values"); MariaDB has texts. So for cells with a
// document, MariaDB gets additional columns: the document's rank in this order, its number, and its text.

// matrixDocuments are the matrix's documents with MySQL's data: the rank of the type, the number and the text that order it within,
// and the number of a cast.
var matrixDocuments = [][4]string{
	{"7", "1", "7", "0"}, {"9.5", "1", "9.5", "0"}, {`"mid"`, "2", "0", "0"}, {`"7"`, "2", "0", "7"}, {"true", "5", "1", "1"}, {"false", "5", "0", "0"},
	{"null", "0", "0", "0"}, {"[1, 2]", "4", "0", "0"}, {`{"a": 1}`, "3", "0", "0"}, {"20240115", "1", "20240115", "0"}, {`"12a"`, "2", "0", "12"}, {"0", "1", "0", "0"},
}

// A document of the matrix is a column, or a part of one; in MariaDB its columns begin with a letter.
var documentColumns = map[string]string{"js": "j", "JSON_EXTRACT(jo, '$.v')": "k"}

// documentValues returns the values of js and jo in a row, and MariaDB's additional columns.
func documentValues(i int) (own, other []string) {
	for _, shift := range []int{0, 5} {
		at := (i*7 + shift) % (len(matrixDocuments) + 1)
		if at == len(matrixDocuments) {
			own, other = append(own, "NULL"), append(other, "NULL", "NULL", "NULL", "NULL", "NULL")
			continue
		}
		d := matrixDocuments[at]
		text, number := "", d[3]
		switch d[1] {
		case "1":
			number = d[2]
		case "2":
			text = fmt.Sprintf("%X", strings.Trim(d[0], `"`))
		}
		doc := d[0]
		if shift > 0 {
			doc = `{"v": ` + doc + `}`
		}
		own, other = append(own, "'"+doc+"'"), append(other, "'"+d[0]+"'", d[1], d[2], "'"+text+"'", number)
	}
	return own, other
}

const documentDefinitions = "ja TEXT COLLATE utf8mb4_bin, jr INT, jn DOUBLE, jt VARCHAR(40), jv DOUBLE, ka TEXT COLLATE utf8mb4_bin, kr INT, kn DOUBLE, kt VARCHAR(40), kv DOUBLE"

// ordered returns a value to compare with a document: the rank of its type, its number and its text.
func ordered(kind, value string) string {
	rank, number, text := "1", "("+value+") + 0e0", "''"
	switch {
	case kind == "JSON":
		c := documentColumns[value]
		return fmt.Sprintf("(%[1]sr, %[1]sn, %[1]st)", c)
	case slices.Contains(dated, kind):
		rank, number = "6", "0"
	case slices.Contains(clocks, kind):
		rank, number = "7", "0"
	case !slices.Contains(numeric, kind):
		rank, number, text = "2", "0", "HEX("+value+")"
	}
	return fmt.Sprintf("(IF((%[1]s) IS NULL, NULL, %[2]s), IF((%[1]s) IS NULL, NULL, %[3]s), IF((%[1]s) IS NULL, NULL, %[4]s))", value, rank, number, text)
}

// compared returns a comparison of two operands of a cell for MariaDB.
func (c cell) compared(i int, operator string, j int) string {
	if c.kinds[i] != "JSON" && c.kinds[j] != "JSON" {
		return "(" + c.values[i] + " " + operator + " " + c.values[j] + ")"
	}
	return "(" + ordered(c.kinds[i], c.values[i]) + " " + operator + " " + ordered(c.kinds[j], c.values[j]) + ")"
}

// documentOperations are operations with a document operand, in their form for MariaDB. Others are not compared: MySQL has no BETWEEN,
// LEAST and GREATEST of documents, and does not define a document's number as a date.
var documentOperations = map[string]func(c cell) string{
	"{a} = {b}":                func(c cell) string { return c.compared(0, "=", 1) },
	"{a} <=> {b}":              func(c cell) string { return c.compared(0, "<=>", 1) },
	"{a} < {b}":                func(c cell) string { return c.compared(0, "<", 1) },
	"{a} <= {b}":               func(c cell) string { return c.compared(0, "<=", 1) },
	"{a} > {b}":                func(c cell) string { return c.compared(0, ">", 1) },
	"{a} >= {b}":               func(c cell) string { return c.compared(0, ">=", 1) },
	"{a} <> {b}":               func(c cell) string { return c.compared(0, "<>", 1) },
	"{a} IN ({b}, {c})":        func(c cell) string { return c.compared(0, "=", 1) + " OR " + c.compared(0, "=", 2) },
	"{a} NOT IN ({b}, {c})":    func(c cell) string { return "NOT (" + c.compared(0, "=", 1) + " OR " + c.compared(0, "=", 2) + ")" },
	"({a}, {b}) = ({b}, {c})":  func(c cell) string { return c.compared(0, "=", 1) + " AND " + c.compared(1, "=", 2) },
	"({a}, {b}) <> ({b}, {c})": func(c cell) string { return "NOT (" + c.compared(0, "=", 1) + " AND " + c.compared(1, "=", 2) + ")" },
	"({a}, n) > ({b}, 7)":      func(c cell) string { return c.compared(0, ">", 1) + " OR " + c.compared(0, "=", 1) + " AND n > 7" },
	"NULLIF({a}, {b}) IS NULL": func(c cell) string { return "(" + c.text0() + ") IS NULL OR " + c.compared(0, "=", 1) + " IS TRUE" },
	"NULLIF({a}, {b})": func(c cell) string {
		return "CASE WHEN " + c.compared(0, "=", 1) + " THEN NULL ELSE " + c.text0() + " END"
	},
	"IF({a}, 'T', 'F')":               func(c cell) string { return "IF(" + c.truth() + ", 'T', 'F')" },
	"NOT {a}":                         func(c cell) string { return "NOT " + c.truth() },
	"({a}) IS TRUE":                   func(c cell) string { return c.truth() + " IS TRUE" },
	"({a}) IS NOT FALSE":              func(c cell) string { return c.truth() + " IS NOT FALSE" },
	"CASE WHEN {a} THEN 1 ELSE 0 END": func(c cell) string { return "IF(" + c.truth() + ", 1, 0)" },
	"CASE {a} WHEN {b} THEN 'x' WHEN {c} THEN 'y' ELSE 'z' END": func(c cell) string {
		return "CASE WHEN " + c.compared(0, "=", 1) + " THEN 'x' WHEN " + c.compared(0, "=", 2) + " THEN 'y' ELSE 'z' END"
	},
	"({a}, {b}) IN (({b}, {c}), ({a}, NULL), (NULL, {c}))": func(c cell) string {
		return c.compared(0, "=", 1) + " AND " + c.compared(1, "=", 2) + " OR " + c.compared(0, "=", 0) + " AND NULL OR NULL AND " + c.compared(1, "=", 2)
	},
	"MIN({a})":                         func(c cell) string { return c.extreme("ASC") },
	"MAX({a})":                         func(c cell) string { return c.extreme("DESC") },
	"COUNT(DISTINCT {a})":              func(c cell) string { return c.substituted("%[1]sr, %[1]sn, %[1]st") },
	"RANK() OVER (ORDER BY {a})":       func(c cell) string { return c.substituted("%[1]sr, %[1]sn, %[1]st") },
	"COUNT(*) OVER (PARTITION BY {a})": func(c cell) string { return c.substituted("%[1]sr, %[1]sn, %[1]st") },
	"DENSE_RANK() OVER (PARTITION BY n % 3 ORDER BY {a} DESC)": func(c cell) string { return c.substituted("%[1]sr DESC, %[1]sn DESC, %[1]st") },
}

// documentRules are documentOperations, and operations in which one column can replace the document: its text, or its number.
var documentRules = func() map[string]func(cell) string {
	all := maps.Clone(documentOperations)
	for _, operation := range slices.Concat(operations["choice"], operations["null"], operations["aggregate"], operations["window"], []string{"CAST({a} AS CHAR)", "HEX(CAST({a} AS BINARY))"}) {
		if all[operation] == nil && !strings.Contains(operation, "LEAST") && !strings.Contains(operation, "GREATEST") && !strings.Contains(operation, "RANGE") {
			all[operation] = func(c cell) string { return c.substituted("%[1]sa") }
		}
	}
	for _, operation := range []string{"-({a})", "({a}) + 0", "({a}) * 2", "CAST({a} AS SIGNED)", "CAST({a} AS DECIMAL(30,6))", "CAST({a} AS DOUBLE)", "SUM({a})", "AVG({a})", "STD({a})", "VARIANCE({a})",
		"VAR_SAMP({a})", "STDDEV_SAMP({a})", "SUM({a}) OVER (ORDER BY n ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)", "AVG({a}) OVER (ORDER BY n)", "ABS({a})", "SUM(DISTINCT {a})"} {
		all[operation] = func(c cell) string { return c.substituted("%[1]sv") }
	}
	for _, operation := range []string{"MIN({a}) OVER (ORDER BY n ROWS BETWEEN 3 PRECEDING AND CURRENT ROW)", "MAX({a}) OVER (PARTITION BY n % 7)", "BIT_AND({a})", "BIT_OR({a})", "BIT_XOR({a})"} {
		delete(all, operation)
	}
	return all
}()

// text0 is the first operand, a document as its text.
func (c cell) text0() string {
	if c.kinds[0] == "JSON" {
		return documentColumns[c.values[0]] + "a"
	}
	return c.values[0]
}

// truth is a document as a condition: it is true where it is not the number 0.
func (c cell) truth() string {
	return fmt.Sprintf("CASE WHEN %[1]sr IS NOT NULL THEN NOT (%[1]sr = 1 AND %[1]sn = 0) END", documentColumns[c.values[0]])
}

// extreme is the first document by an order.
func (c cell) extreme(direction string) string {
	return fmt.Sprintf("MIN((SELECT %[1]sa FROM m WHERE %[1]sr IS NOT NULL ORDER BY %[1]sr %[2]s, %[1]sn %[2]s, %[1]st %[2]s LIMIT 1))", documentColumns[c.values[0]], direction)
}

// substituted is the operation with columns in place of its documents.
func (c cell) substituted(columns string) string {
	text := c.operation
	for i, place := range []string{"{a}", "{b}", "{c}"}[:len(c.values)] {
		value := c.values[i]
		if c.kinds[i] == "JSON" {
			value = fmt.Sprintf(columns, documentColumns[value])
		}
		text = strings.ReplaceAll(text, place, value)
	}
	return text
}

// besideDocument are the kinds for which MySQL defines comparisons with documents.
var besideDocument = []string{"JSON", "whole", "DECIMAL", "DOUBLE", "FLOAT", "text", "ENUM", "a text", "a number", "a NULL", "DATE", "DATETIME", "TIME"}

// inMariaDB returns a cell's text for MariaDB; false if the right answer is undefined.
func (c cell) inMariaDB() (string, bool) {
	if !slices.Contains(c.kinds, "JSON") {
		return c.text, true
	}
	read := documentRules[c.operation]
	if read == nil || slices.ContainsFunc(c.kinds, func(k string) bool { return !slices.Contains(besideDocument, k) }) {
		return "", false
	}
	if c.room == "comparison" && strings.ContainsAny(c.operation, "<>") && !strings.Contains(c.operation, "<>") && (c.beside(temporal, temporal)) {
		return "", false // a date in a document is its text (docs/mysql.md)
	}
	return read(c), true
}
