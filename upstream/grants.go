package upstream

import (
	"context"
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
	schema, table string // "*" for all; the schema is a pattern of LIKE
}

type grants []grant

// grantLine matches GRANT privileges ON level TO ..., or REVOKE ... FROM; lines without ON are roles.
var grantLine = regexp.MustCompile("^(GRANT|REVOKE) (.+?) ON (?:TABLE )?(\\*|`(?:[^`]|``)*`|[^ .`]+)\\.(\\*|`(?:[^`]|``)*`|[^ .`]+) (?:TO|FROM) ")

// ofColumns matches a privilege with a list of columns, which is none on the table.
var ofColumns = regexp.MustCompile("[A-Z ]+\\((?:`(?:[^`]|``)*`|[^)`])*\\)")

// grants returns the grants of the connection's upstream account and of its active roles.
func (h *Home) grants(ctx context.Context) (grants, error) {
	var found grants
	err := h.Asker.Query(ctx, "SHOW GRANTS", func(values [][]byte) error {
		if len(values) > 0 {
			if g, ok := parseGrant(string(values[0])); ok {
				found = append(found, g)
			}
		}
		return nil
	})
	return found, err
}

func parseGrant(line string) (grant, bool) {
	parts := grantLine.FindStringSubmatch(line)
	if parts == nil {
		return grant{}, false
	}
	g := grant{revoked: parts[1] == "REVOKE", schema: quoting.Unquoted(parts[3]), table: quoting.Unquoted(parts[4])}
	for _, p := range strings.Split(ofColumns.ReplaceAllString(parts[2], ""), ",") {
		if p = strings.TrimSpace(p); p != "" {
			g.privileges = append(g.privileges, strings.ToUpper(p))
		}
	}
	return g, true
}

// hold reports whether all privileges are held on a table, or on a schema for table "".
func (held grants) hold(schema, table string, privileges []sql.PrivilegeType) bool {
	for _, p := range privileges {
		named := strings.ToUpper(p.String())
		taken := slices.ContainsFunc(held, func(g grant) bool { return g.revoked && g.covers(schema, table) && g.has(named) })
		if !slices.ContainsFunc(held, func(g grant) bool {
			return !g.revoked && g.covers(schema, table) && g.has(named) && !(taken && g.schema == "*")
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
	case g.schema == "*":
		return true
	case g.table == "*":
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
