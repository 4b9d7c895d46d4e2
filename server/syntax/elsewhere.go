package syntax

import "regexp"

// foreignSyntax are patterns of other servers' syntax, and what to write in MySQL. They are matched with
// blank quoted texts.
var foreignSyntax = []struct {
	written *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)^\s*SELECT\s+(DISTINCT\s+)?TOP\s*\(?\s*\d`), "there is no TOP: write LIMIT 5 at the end"},
	{regexp.MustCompile(`(?i)\bFETCH\s+(FIRST|NEXT)\b`), "there is no FETCH FIRST: write LIMIT 5"},
	{regexp.MustCompile(`(?i)(\b(FROM|JOIN|SELECT|BY)|[,.])\s*\[\s*\w`), "names are quoted by backticks: `people`"},
	{regexp.MustCompile(`(?i)[\w)` + "`" + `]\s*::\s*\w`), "there is no '::': write CAST(x AS CHAR)"},
	{regexp.MustCompile(`(?i)\bILIKE\b`), "there is no ILIKE: LIKE pays no attention to capitals, unless a column's collation does"},
	{regexp.MustCompile(`(?i)\b(FROM|JOIN)\s+''`), "a text names no table; names are quoted by backticks: `people`"},
	{regexp.MustCompile(`(?i)\bIDENTITY\s*\(`), "there is no IDENTITY: write AUTO_INCREMENT"},
	{
		regexp.MustCompile(`(?i)^\s*CREATE\s+USER\b.*\bPASSWORD\b`),
		"a password is IDENTIFIED BY '...'; CALL create_analyst makes an account that reads releases alone",
	},
	{regexp.MustCompile(`==`), "there is no '==': write ="},
	{regexp.MustCompile(`(?i)^\s*SHOW\s+RELEASES\b`), "SELECT name, version, method FROM anonsql.releases lists releases"},
}

var quoted = regexp.MustCompile(`'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*"`)

// spokenElsewhere says what to write in MySQL for a query in another server's syntax, "" for none.
func spokenElsewhere(query string) string {
	bare := quoted.ReplaceAllString(query, "''")
	for _, e := range foreignSyntax {
		if e.written.MatchString(bare) {
			return e.instead
		}
	}
	return ""
}
