package differential

import (
	dbsql "database/sql"
	"fmt"
	"math"
	"regexp"
	"strings"
)

// definedTypes are the types of a result's columns by their definitions on the wire: with the decimals of DECIMALs and of
// seconds, UNSIGNED of integers, and binary texts apart from others.
func definedTypes(rows *dbsql.Rows) ([]string, error) {
	columns, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.DatabaseTypeName()
		if _, scale, ok := c.DecimalSize(); ok && scale != math.MaxInt64 {
			list[i] += fmt.Sprintf("(%d)", scale)
		}
	}
	return list, nil
}

// A typeDifference is a correct difference: the two servers' types of a column with equal values.
type typeDifference struct {
	own, other, query *regexp.Regexp
	why               string
}

var (
	anyText   = regexp.MustCompile(``)
	wholeType = regexp.MustCompile(`^(TINYINT|SMALLINT|MEDIUMINT|INT|BIGINT)$`)
	unsigned  = regexp.MustCompile(`^UNSIGNED (TINYINT|SMALLINT|MEDIUMINT|INT|BIGINT)$`)
	anyWhole  = regexp.MustCompile(`INT$`)
	textType  = regexp.MustCompile(`^(CHAR|VARCHAR|TINYTEXT|TEXT|MEDIUMTEXT|LONGTEXT)$`)
	bytesType = regexp.MustCompile(`^(BINARY|VARBINARY|TINYBLOB|BLOB|MEDIUMBLOB|LONGBLOB)$`)
	double    = regexp.MustCompile(`^DOUBLE`)
	exactType = regexp.MustCompile(`^DECIMAL`)
)

// Lengths are not compared: definitions_test.go has their rules, acceptance/definitions_test.go MariaDB's lengths of stored columns.
var typeDifferences = []typeDifference{
	{wholeType, wholeType, anyText, "MariaDB's whole numbers are as long as their digits; they are BIGINT here, as in MySQL, and truth is TINYINT"},
	{unsigned, unsigned, anyText, "likewise without a sign"},
	{textType, textType, anyText, "a text is a VARCHAR where its greatest length is known, a CHAR where MariaDB reads a column"},
	{bytesType, bytesType, anyText, "likewise of bytes, a BLOB here"},
	{double, double, anyText, "MariaDB counts decimals of some DOUBLEs"},
	{double, exactType, regexp.MustCompile(`SUM\(|AVG\(`), "SUM and AVG over ordinary tables are DOUBLE"},
	{unsigned, wholeType, regexp.MustCompile(`RANK\(|NTILE\(`), "ranks have no sign in MySQL"},
	{exactType, anyWhole, regexp.MustCompile(`CEIL|FLOOR|CRC32|UNIX_TIMESTAMP|CAST\(ABS|[&|^~]|<<|>>`), "MariaDB counts digits more narrowly, and a choice of a BIGINT and one without a sign more widely"},
	{anyWhole, exactType, regexp.MustCompile(`CEIL|FLOOR|ROUND|CRC32|CAST\(ABS|INET_ATON|[&|^~]|<<|>>`), "likewise"},
	{anyText, regexp.MustCompile(`^(DOUBLE|VARCHAR|VARBINARY|BINARY)`), regexp.MustCompile(`NULL`), "MariaDB gives a bare NULL a type"},
}

// otherTypes recognises a column with different types without a known reason.
func otherTypes(own, other result, query string) bool {
	for i := range own.types {
		if i < len(other.types) && own.types[i] != other.types[i] && !namedTypes(own.types[i], other.types[i], query) {
			return true
		}
	}
	return len(own.types) != len(other.types)
}

func namedTypes(own, other, query string) bool {
	for _, d := range typeDifferences {
		if d.own.MatchString(own) && d.other.MatchString(other) && d.query.MatchString(query) {
			return true
		}
	}
	return false
}

// String has the types of the columns before the rows.
func (r result) String() string {
	if r.err != nil {
		return r.err.Error()
	}
	return fmt.Sprint("[", strings.Join(r.types, ", "), "] ", r.rows)
}
