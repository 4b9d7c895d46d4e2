package upstream

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/homes"
	"github.com/anonsql/anonsql/quoting"
)

// A column of an upstream table.
type column struct {
	name, comment string
	declared      string // upstream's type
	nullable      bool
	primary       bool     // of the primary key
	typ           sql.Type // the engine's type of kept values; a stand-in if refused is not ""
	ask           string   // the expression that is selected
	text          bool     // upstream's collation decides equality
	collation     string   // upstream's, "" for none
	moment        bool     // the value is seconds since 1970
	refused       string   // why its values cannot be read, "" if they can
}

// maxListed bounds what upstream lists of a table or an account. A table has at most 4,096 columns.
const maxListed = 1 << 16

// describe reads the columns of a table or view from information_schema, and its name in upstream's spelling.
func (h *Home) describe(ctx context.Context, schema, name string) (exact string, columns []*column, err error) {
	query := fmt.Sprintf(
		"SELECT %s, %s, %s, IS_NULLABLE = 'YES', %s, %s, COLUMN_KEY = 'PRI', %s FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s ORDER BY ORDINAL_POSITION",
		bytesOf("TABLE_NAME"),
		bytesOf("COLUMN_NAME"),
		bytesOf("COLUMN_TYPE"),
		bytesOf("COLLATION_NAME"),
		bytesOf("COLUMN_COMMENT"),
		bytesOf("TABLE_SCHEMA"),
		quoting.Hex(schema),
		quoting.Hex(name),
	)
	found, listed := make(map[[2]string][]*column), 0 // information_schema may treat t and T as equal
	err = h.Asker.Query(ctx, query, func(v [][]byte) error {
		if listed++; len(v) != 8 || listed > maxListed {
			return fmt.Errorf("row %d of information_schema.COLUMNS has %d values, must have 8, and be one of %d", listed, len(v), maxListed)
		}
		of := [2]string{string(v[7]), string(v[0])}
		c := &column{
			name:      string(v[1]),
			declared:  string(v[2]),
			nullable:  string(v[3]) == "1",
			collation: string(v[4]),
			comment:   string(v[5]),
			primary:   string(v[6]) == "1",
		}
		c.read(c.declared)
		found[of] = append(found[of], c)
		return nil
	})
	if err != nil {
		return "", nil, err
	}
	if columns := found[[2]string{schema, name}]; columns != nil {
		return name, columns, nil
	}
	// Upstream decides whether the names are equal, whether there is no such table, or whether this account may not read it.
	if err := h.Asker.Query(ctx, probe("1", schema, name), ignore); err != nil {
		return "", nil, err
	}
	for of, columns := range found {
		if len(found) == 1 {
			return of[1], columns, nil
		}
	}
	return "", nil, sql.ErrTableNotFound.New(name)
}

// display matches the display width of a number, which does not affect its values.
var display = regexp.MustCompile(`^(year|tinyint|smallint|mediumint|int|bigint)\(\d+\)`)

// read determines how values of an upstream type are kept and selected.
func (c *column) read(typ string) {
	name := quoting.Name(c.name)
	c.ask = name
	kind, _, _ := strings.Cut(typ, "(")
	kind, _, _ = strings.Cut(kind, " ")
	typ = display.ReplaceAllString(typ, "$1")
	typ = strings.TrimSuffix(strings.TrimSuffix(typ, " zerofill"), " /* mariadb-5.3 */")
	switch kind {
	case "char", "varchar", "tinytext", "text", "mediumtext", "longtext":
		c.ask, c.text = bytesOf(name), true
		c.typ = textType(typ, true, c.collation)
		return
	case "enum", "set": // members differ by definition
		c.ask = bytesOf(name)
		c.typ = textType(typ, false, c.collation)
		return
	case "time": // the engine's type has six fractional digits
		typ = "time(6)"
	case "json":
		c.ask, typ = bytesOf(name), "longtext"
	case "uuid", "inet4", "inet6":
		c.ask, typ = bytesOf("CAST("+name+" AS CHAR)"), "varchar(64)"
	case "timestamp":
		c.ask, c.moment = "UNIX_TIMESTAMP("+name+")", true
	case "float":
		c.ask = name + " + 0e0"
	case "bit":
		c.ask = name + " + 0"
	}
	parsed, err := coding.ParseType(typ)
	if err == nil {
		err = coding.CheckType(c.name, parsed)
	}
	if c.typ = parsed; err != nil {
		c.refused = fmt.Sprintf("its type is %s, which has no place in a release: cast it in a view", kind)
		c.typ, _ = coding.ParseType("longtext")
	}
}

// textType returns the engine's type for texts that upstream compares by a collation: with the same collation
// if the engine has it, else with one that agrees in case, accents and padding. A text that is too long for its
// type in UTF-8, such as a VARCHAR(40000) of latin1, is LONGTEXT if longer permits it.
func textType(typ string, longer bool, collation string) sql.Type {
	alike := "utf8mb4_0900_ai_ci"
	switch binary, padded := strings.HasSuffix(collation, "_bin"), pads(collation); {
	case binary && padded:
		alike = "utf8mb4_bin"
	case binary:
		alike = "utf8mb4_0900_bin"
	case strings.HasSuffix(collation, "_as_cs") || strings.HasSuffix(collation, "_cs"):
		alike = "utf8mb4_0900_as_cs"
	case strings.HasSuffix(collation, "_as_ci"):
		alike = "utf8mb4_0900_as_ci"
	case padded:
		alike = "utf8mb4_unicode_520_ci"
	}
	texts := []string{typ}
	if longer {
		texts = append(texts, "longtext")
	}
	for _, candidate := range []string{collation, alike} {
		set, _, _ := strings.Cut(candidate, "_")
		for _, text := range texts {
			parsed, err := coding.ParseType(text + " CHARACTER SET " + set + " COLLATE " + candidate)
			if err == nil && coding.CheckType("", parsed) == nil {
				return parsed
			}
		}
	}
	parsed, _ := coding.ParseType("longtext")
	return parsed
}

// pads reports whether an upstream collation ignores trailing spaces: all do except MySQL 8's
// new ones and MariaDB's NOPAD ones.
func pads(collation string) bool {
	return collation != "" && collation != "binary" && !strings.Contains(collation, "_0900_") && !strings.Contains(collation, "nopad")
}

// Value converts a value of the text protocol.
func (c *column) Value(ctx *sql.Context, text []byte) (anonymize.Value, error) {
	if text == nil {
		return anonymize.NullValue, nil
	}
	from, err := c.parse(text)
	if err != nil {
		return anonymize.NullValue, c.wrong(text, err)
	}
	v, err := homes.Convert(ctx, c.typ, from)
	if err != nil {
		return v, c.wrong(text, err)
	}
	return v, nil
}

func (c *column) parse(text []byte) (any, error) {
	switch kind := coding.KindOf(c.typ); {
	case c.moment:
		return moment(string(text))
	case kind == coding.KindBinary:
		return append([]byte{}, text...), nil
	case kind == coding.KindFloat32 || kind == coding.KindFloat64:
		return strconv.ParseFloat(string(text), 64)
	case kind == coding.KindSigned:
		return strconv.ParseInt(string(text), 10, 64)
	case kind == coding.KindUnsigned && !isMembers(c.typ):
		return strconv.ParseUint(string(text), 10, 64)
	case kind == coding.KindInstant && strings.HasPrefix(string(text), "0000-00-00"):
		return nil, fmt.Errorf("a zero date is no date: UPDATE it to NULL, or publish a view without it")
	}
	return string(text), nil
}

// wrong returns an error that names the column and the value.
func (c *column) wrong(text []byte, err error) error {
	const longest = 40
	shown := strings.ToValidUTF8(string(text[:min(len(text), longest)]), "\uFFFD")
	return &anonymize.DataError{Reason: fmt.Sprintf("column %s has the value '%s', which cannot be read: %v", c.name, shown, err)}
}

// moment parses seconds since 1970 with up to six decimal places. 0 is upstream's zero timestamp.
func moment(text string) (time.Time, error) {
	seconds, fraction, _ := strings.Cut(text, ".")
	s, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return time.Time{}, err
	}
	if s == 0 && strings.Trim(fraction, "0") == "" {
		return time.Time{}, fmt.Errorf("a zero timestamp is no moment: UPDATE it to NULL, or publish a view without it")
	}
	micro, err := strconv.ParseInt((fraction + "000000")[:6], 10, 64)
	if err != nil {
		return time.Time{}, err
	}
	return time.Unix(s, micro*1000).UTC(), nil
}

// isMembers reports ENUM and SET, whose values arrive as texts.
func isMembers(typ sql.Type) bool {
	switch typ.(type) {
	case sql.EnumType, sql.SetType:
		return true
	}
	return false
}
