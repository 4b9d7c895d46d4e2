package answers

import "regexp"

var setNames = regexp.MustCompile("(?is)^(\\s*(?:/\\*[^!].*?\\*/\\s*)?SET\\s+NAMES\\s+)(['\"]?)(\\w+)['\"]?\\s+COLLATE\\s+['\"]?(\\w+)['\"]?")

// withCollation keeps the collation of SET NAMES x COLLATE y, which the parser reads and forgets.
func withCollation(query string) string {
	return setNames.ReplaceAllString(query, "${1}${2}${3}${2}, collation_connection = ${4}")
}
