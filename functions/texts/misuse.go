package texts

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// MySQL's numbers of what a name that is wrong ends with.
const (
	badField    = 1054
	noTable     = 1146
	noProcedure = 1305
)

var (
	quotedText   = regexp.MustCompile(`'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*"`)
	calledName   = regexp.MustCompile("(?is)^\\s*CALL\\s+`?(\\w+)`?\\s*\\(")
	fromFunction = regexp.MustCompile(`(?i)\b(?:FROM|JOIN)\s+(\w+)\s*\(`)
	namedWrong   = regexp.MustCompile(`^(?:table not found: |column ")([^".]+)`)
)

// WayOut is what to add to the message of an error with which a statement ended, "" for
// nothing: the procedure or table function that was meant, or the quotes that arguments
// of CALL need. procedures and relations are the names that there are, in small letters.
// O(len(statement)).
func WayOut(statement string, number int, message string, procedures, relations []string) string {
	if number != badField && number != noTable && number != noProcedure {
		return ""
	}
	bare := quotedText.ReplaceAllString(statement, "''")
	called := calledName.FindStringSubmatch(bare)
	switch {
	case number == noProcedure && called != nil:
		return anonymize.DidYouMean(strings.ToLower(called[1]), procedures)
	case (number == badField || number == noTable) && called != nil:
		name := namedWrong.FindStringSubmatch(message)
		if name == nil || !isIn(called[1], procedures) || !regexp.MustCompile(`(?i)\b`+regexp.QuoteMeta(name[1])+`\b`).MatchString(bare) {
			return ""
		}
		return fmt.Sprintf("; arguments of CALL are texts in quotes: CALL %s('database.table', 'name=value')", called[1])
	case number == noTable:
		for _, f := range fromFunction.FindAllStringSubmatch(bare, -1) {
			if meant := anonymize.DidYouMean(strings.ToLower(f[1]), relations); meant != "" && !isIn(f[1], relations) {
				return fmt.Sprintf("; there is no table function %s%s", f[1], meant)
			}
		}
	}
	return ""
}

func isIn(name string, names []string) bool {
	for _, other := range names {
		if strings.EqualFold(name, other) {
			return true
		}
	}
	return false
}
