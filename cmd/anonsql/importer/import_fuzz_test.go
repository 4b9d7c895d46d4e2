package importer

import (
	"context"
	"encoding/csv"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/delimited"
	"github.com/anonsql/anonsql/quoting"
)

// FuzzImportCSV: a file is imported completely or not at all. If encoding/csv can read the file, the table equals its
// result, with each cell converted to the column's type.
func FuzzImportCSV(f *testing.F) {
	for _, s := range []string{
		"a,b\n1,x\n2,y\n", "a,b\n1,\"x, y\"\n,\n", "zip\n01234\n5\n", "n,d\n-1.50,2024-02-29\n2,1999-12-31\n", "t\ntrue\nFALSE\n", "x\n1e3\n0.5\n", "a,b\n1\n", "a,a\n1,2\n",
		"d\n2024-02-29 12:30:00.25\n1000-01-01\n", "s\n\\N\n\\\\\n\"a\nb\"\n", "n\n9223372036854775807\n-9223372036854775808\n", "n\n99999999999999999999\n", "é,`b`\nü,'\n", "a\n?\n1\n", "a b\n\" x \"\n", "a\n\tx\n", "\xef\xbb\xbfa\n1\n", "a\n\xff\n", "a\n\ufeffx\n", "a,b\n\ufeff,\ufeff\n",
	} {
		f.Add(s, false, false)
		f.Add(s, true, false)
		f.Add(s, true, true)
	}
	f.Add("\n0\n\n1", false, true)
	file := filepath.Join(f.TempDir(), "rows.csv")
	c := open(f)
	f.Fuzz(func(t *testing.T, text string, nulls, noHeader bool) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		o := Options{File: file, Database: "d", Table: "t", Policy: Create, NoHeader: noHeader}
		if nulls {
			o.NullTokens = []string{"?", ""}
		}
		result, err := ToCatalog(context.Background(), c, o)
		tables := tablesOf(t, c)
		if err != nil {
			if len(tables) > 0 {
				t.Errorf("%q is refused, %v, but there are the tables %v", text, err, tables)
			}
			return
		}
		if len(tables) != 1 || tables[0] != "t" {
			t.Fatalf("%q: there are the tables %v", text, tables)
		}
		schema, rows := contents(t, c)
		drop(t, c)
		if int64(len(rows)) != result.Rows || len(schema) != len(result.Columns) {
			t.Errorf("%q: %d rows of %d columns, should be %d of %d", text, len(rows), len(schema), result.Rows, len(result.Columns))
		}
		compareWithCSV(t, text, nulls, noHeader, schema, rows)
	})
}

var blankLine = regexp.MustCompile(`(?m)^[ \t]*$`)

// compareWithCSV skips files that encoding/csv reads differently by design: it drops \r before \n and empty lines,
// takes blanks for a record, takes blanks around quotes for errors or text, and does not recognise UTF-16 by zeros.
func compareWithCSV(t *testing.T, text string, nulls, noHeader bool, schema sql.Schema, rows []sql.Row) {
	t.Helper()
	if strings.ContainsAny(text, "\r\x00") || strings.HasPrefix(text, "\ufeff") {
		return
	}
	want, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(want) == 0 || len(want[0]) == 1 && blankLine.MatchString(strings.TrimSuffix(text, "\n")) {
		return
	}
	if !noHeader {
		want = want[1:]
	}
	if len(want) != len(rows) {
		t.Errorf("%q: %d rows, encoding/csv reads %d", text, len(rows), len(want))
		return
	}
	for i, row := range rows {
		for j, v := range row {
			written := slices.ContainsFunc([]delimited.Notation{delimited.DecimalComma, delimited.DecimalPoint, delimited.DayFirst, delimited.MonthFirst, delimited.YearFirst}, func(n delimited.Notation) bool {
				return sameCell(v, string(n.Rewrite(nil, []byte(strings.Trim(want[i][j], " \t")))), nulls, false)
			})
			if !written && !sameCell(v, want[i][j], nulls, strings.Contains(text, `"`)) {
				t.Errorf("%q: row %d column %d is %v (%T) of type %s, encoding/csv reads %q", text, i+1, j+1, v, v, schema[j].Type, want[i][j])
			}
		}
	}
}

// sameCell compares a value with its field. Fields that are not enclosed lose their surrounding blanks.
func sameCell(v any, field string, nulls, quotes bool) bool {
	trimmed := strings.Trim(field, " \t")
	switch v := v.(type) {
	case nil:
		return trimmed == "" || nulls && trimmed == "?"
	case string:
		return v == trimmed || quotes && v == field
	case int8:
		return strings.EqualFold(trimmed, map[int8]string{0: "false", 1: "true"}[v])
	case float64:
		x, err := strconv.ParseFloat(trimmed, 64)
		return err == nil && (x == v || math.Abs(x-v) <= 1e-15*math.Abs(x))
	}
	shown, _, err := types.LongText.Convert(context.Background(), v)
	if err != nil {
		return false
	}
	got, isNumber := new(big.Rat).SetString(shown.(string))
	if want, ok := new(big.Rat).SetString(trimmed); ok && isNumber {
		return got.Cmp(want) == 0
	}
	moment := strings.Replace(trimmed, "T", " ", 1)
	if len(moment) == len("2006-01-02") {
		return strings.TrimSuffix(strings.TrimRight(shown.(string), "0:. "), " ") == strings.TrimRight(moment, "0") || strings.HasPrefix(shown.(string), moment)
	}
	return strings.TrimRight(strings.TrimSuffix(shown.(string), ".000000"), "0") == strings.TrimRight(moment, "0.") || strings.TrimRight(shown.(string), "0.") == strings.TrimRight(moment, "0.")
}

func inCatalog(t *testing.T, c *catalog.Catalog, statement string) (sql.Schema, []sql.Row) {
	t.Helper()
	engine := sqle.New(analyzer.NewBuilder(c.Provider()).Build(), nil)
	defer engine.Close()
	session := c.NewSession(sql.NewBaseSession())
	defer session.SessionEnd()
	ctx := sql.NewContext(context.Background(), sql.WithSession(session))
	schema, iter, _, err := engine.Query(ctx, statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	rows, err := sql.RowIterToRows(ctx, iter)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return schema, rows
}

func tablesOf(t *testing.T, c *catalog.Catalog) (names []string) {
	t.Helper()
	_, rows := inCatalog(t, c, "SHOW DATABASES LIKE 'd'")
	if len(rows) == 0 {
		return nil
	}
	_, rows = inCatalog(t, c, "SHOW TABLES FROM d")
	for _, row := range rows {
		names = append(names, row[0].(string))
	}
	return names
}

func contents(t *testing.T, c *catalog.Catalog) (sql.Schema, []sql.Row) {
	t.Helper()
	return inCatalog(t, c, "SELECT * FROM "+quoting.Name("d", "t"))
}

func drop(t *testing.T, c *catalog.Catalog) {
	t.Helper()
	inCatalog(t, c, "DROP DATABASE d")
}
