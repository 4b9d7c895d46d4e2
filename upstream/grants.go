package upstream

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/quoting"
)

// A grant is a line of SHOW GRANTS: privileges on everything, a schema or a table. MySQL also
// lists partial revokes, which restrict grants on everything.
type grant struct {
	revoked       bool
	privileges    []string
	schema, table string // "" for all; the schema is a pattern of LIKE
}

type grants []grant

// Parts of a line: a name in backquotes, or under ANSI_QUOTES in double quotes; a name, or * for all; a list of columns.
const (
	quoted      = "`(?:[^`]|``)*`|\"(?:[^\"]|\"\")*\""
	quotedOrNot = quoted + "|[^ .`\"]+"
	columnList  = "\\((?:" + quoted + "|[^)`\"])*\\)"
)

// grantLine matches GRANT privileges ON level TO ..., or REVOKE ... FROM; lines without ON are roles.
var grantLine = regexp.MustCompile("^(GRANT|REVOKE) ((?:[A-Z_, ]|" + columnList + ")+?) ON (?:TABLE )?(" + quotedOrNot + ")\\.(" + quotedOrNot + ") (?:TO|FROM) ")

// ofColumns matches a privilege with a list of columns. It is not a privilege on the table.
var ofColumns = regexp.MustCompile("[A-Z_ ]+" + columnList)

// grants returns the grants of the connection's upstream account and of its active roles.
func (h *Home) grants(ctx context.Context) (found grants, err error) {
	set := ""
	err = h.Asker.Query(ctx, "SELECT CAST(COALESCE(@@character_set_results, 'binary') AS BINARY)", func(values [][]byte) error {
		set = string(bytes.Join(values, nil))
		return nil
	})
	if err != nil {
		return nil, err
	}
	listed := 0
	err = h.Asker.Query(ctx, "SHOW GRANTS", func(values [][]byte) error {
		if listed++; listed > maxListed {
			return fmt.Errorf("SHOW GRANTS has more than %d rows", maxListed)
		}
		if len(values) > 0 {
			if g, ok := parseGrant(string(values[0]), set); ok {
				found = append(found, g)
			}
		}
		return nil
	})
	return found, err
}

// parseGrant parses a line in a character set. An unreadable GRANT grants nothing, an unreadable REVOKE revokes everything.
func parseGrant(line, set string) (grant, bool) {
	parts := grantLine.FindStringSubmatch(line)
	if parts == nil || !isLegible(parts[0], set) {
		return grant{revoked: true, privileges: []string{"ALL"}}, strings.HasPrefix(line, "REVOKE ")
	}
	g := grant{revoked: parts[1] == "REVOKE", schema: level(parts[3]), table: level(parts[4])}
	for _, p := range strings.Split(ofColumns.ReplaceAllString(parts[2], ""), ",") {
		if p = strings.TrimSpace(p); p != "" {
			g.privileges = append(g.privileges, strings.ToUpper(p))
		}
	}
	return g, true
}

// isLegible reports whether names are as they appear. Some character sets have ? instead of missing letters, and swe7 has letters instead of signs.
func isLegible(text, set string) bool {
	const ascii = 0x80
	return strings.HasPrefix(set, "utf8") || set == "binary" ||
		set != "swe7" && !strings.ContainsFunc(text, func(r rune) bool { return r >= ascii || r == '?' })
}

// level returns a name without its quotes, "" for all.
func level(name string) string {
	switch {
	case name == "*":
		return ""
	case name[0] == '"':
		return strings.ReplaceAll(name[1:len(name)-1], `""`, `"`)
	}
	return quoting.Unquoted(name)
}

// hold reports whether all privileges are held on a table, or on a schema for table "".
func (held grants) hold(schema, table string, privileges []sql.PrivilegeType) bool {
	for _, p := range privileges {
		named := strings.ToUpper(p.String())
		taken := slices.ContainsFunc(held, func(g grant) bool { return g.revoked && g.covers(schema, table) && g.has(named) })
		if !slices.ContainsFunc(held, func(g grant) bool {
			return !g.revoked && g.covers(schema, table) && g.has(named) && !(taken && g.schema == "")
		}) {
			return false
		}
	}
	return true
}

func (g grant) has(privilege string) bool {
	return slices.Contains(g.privileges, "ALL PRIVILEGES") || slices.Contains(g.privileges, "ALL") || slices.Contains(g.privileges, privilege)
}

// covers compares names exactly, in the grant's spelling.
func (g grant) covers(schema, table string) bool {
	switch {
	case g.schema == "":
		return true
	case g.table == "":
		return like(g.schema, schema)
	}
	return table != "" && g.schema == schema && g.table == table
}

// like matches a schema's name with a grant's pattern: % and _ are wildcards unless escaped with \.
func like(pattern, name string) bool {
	var expression strings.Builder
	expression.WriteString("^")
	escaped := false
	for _, r := range pattern {
		switch {
		case escaped:
			expression.WriteString(regexp.QuoteMeta(string(r)))
			escaped = false
		case r == '\\':
			escaped = true
		case r == '%':
			expression.WriteString(".*")
		case r == '_':
			expression.WriteString(".")
		default:
			expression.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	matches, err := regexp.MatchString("(?s)"+expression.String()+"$", name)
	return err == nil && matches
}
