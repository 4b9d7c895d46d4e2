package texts

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/anonsql/anonsql/anonymize"
)

// MySQL's error numbers for wrong names.
const (
	noAccess    = 1044
	noDatabase  = 1049
	badField    = 1054
	wrongTime   = 1292
	syntax      = 1064
	denied      = 1142
	noTable     = 1146
	noProcedure = 1305
)

var (
	quotedText   = regexp.MustCompile(`'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*"`)
	calledName   = regexp.MustCompile("(?is)^\\s*CALL\\s+`?(\\w+)`?\\s*\\(")
	spokenName   = regexp.MustCompile("(?is)^\\s*(?:EXEC|EXECUTE|CALL|SELECT\\s+\\*\\s+FROM)?\\s*`?(\\w+)`?\\s*(?:\\(|'|$)")
	fromFunction = regexp.MustCompile(`(?i)\b(?:FROM|JOIN)\s+(\w+)\s*\(`)
	fromTable    = regexp.MustCompile("(?i)\\b(?:FROM|JOIN|UPDATE|INTO)\\s+(?:`?(\\w+)`?\\s*\\.\\s*)?`?(\\w+)`?")
	namedWrong   = regexp.MustCompile(`^(?:table not found: |column ")([^".]+)`)
	columnWrong  = regexp.MustCompile(`column "([^"]+)"`)
	tableWrong   = regexp.MustCompile(`^table not found: (?:(\w+)\.)?(\w+)$`)
	deniedTable  = regexp.MustCompile(`^SELECT command denied .* for table '([^']+)'$`)
	databaseName = regexp.MustCompile(`^(?:database not found: |Access denied for user .* to database ')(\w+)'?$`)
	setStatement = regexp.MustCompile(`(?is)^\s*SET\s`)
	timeWrong    = regexp.MustCompile(`^Incorrect datetime value: '([^']*)'$`)
	functionName = regexp.MustCompile(`^function: '(\w+)' not found$`)
)

// Names are the names that a statement may have meant.
type Names struct {
	// Procedures, Relations (table functions) and Functions (of aggregates) are this
	// server's own names, in lower case.
	Procedures, Relations, Functions []string
	// Variables are this server's own session variables.
	Variables []string
	// Databases, Tables and Columns return only names that the account may see. The
	// database "" is the session's.
	Databases func() []string
	Tables    func(database string) []string
	Columns   func(database, table string) []string
	// Published is the database of releases, Current the session's database.
	Published, Current string
}

// ofRelease are the procedures whose first argument is a release.
var ofRelease = []string{"classify", "drop_release", "evaluate", "export_release", "fit_release", "refresh_release", "report"}

// WayOut returns a hint to append to an error message, or "": the name that was meant,
// how to call it, or that a text needs quotes. The cost is linear in the statement and
// in the number of names it looks up.
func WayOut(statement string, number int, message string, names Names) string {
	if !utf8.ValidString(message) { // names in it become parts of patterns
		return ""
	}
	bare := quotedText.ReplaceAllString(statement, "''")
	if called := calledName.FindStringSubmatch(bare); called != nil && number != syntax {
		return names.ofCall(called[1], bare, number, message)
	}
	switch number {
	case noDatabase, noAccess:
		return names.ofDatabase(message)
	case denied:
		return names.ofDenied(message)
	case noTable:
		return names.ofTable(bare, message)
	case badField:
		return names.ofColumn(bare, message)
	case noProcedure:
		return names.ofFunction(message)
	case wrongTime:
		return ofTime(statement, message)
	case syntax:
		if spoken := spokenName.FindStringSubmatch(bare); spoken != nil && isIn(spoken[1], names.Procedures) {
			return "; " + howCalled(spoken[1])
		}
	}
	return ""
}

// ofCall suggests a procedure of a similar name, or quotes for arguments.
func (n Names) ofCall(procedure, bare string, number int, message string) string {
	if number == noProcedure {
		return anonymize.DidYouMean(strings.ToLower(procedure), n.Procedures)
	}
	name := namedWrong.FindStringSubmatch(message)
	if number != badField && number != noTable || name == nil || !isIn(procedure, n.Procedures) || !mentions(bare, name[1]) {
		return ""
	}
	return "; arguments of CALL are texts in quotes: " + example(procedure)
}

func howCalled(procedure string) string { return "a procedure is called: " + example(procedure) }

func example(procedure string) string {
	if isIn(procedure, ofRelease) {
		return fmt.Sprintf("CALL %s('release', 'name=value')", procedure)
	}
	return fmt.Sprintf("CALL %s('database.table', 'name=value')", procedure)
}

// ofDatabase suggests a visible database of a similar name.
func (n Names) ofDatabase(message string) string {
	if wrong := databaseName.FindStringSubmatch(message); wrong != nil {
		if visible := n.Databases(); !isIn(wrong[1], visible) {
			return anonymize.DidYouMean(wrong[1], visible)
		}
	}
	return ""
}

// ofDenied suggests the release with the name of the table.
func (n Names) ofDenied(message string) string {
	if wrong := deniedTable.FindStringSubmatch(message); wrong != nil && isIn(wrong[1], n.Tables(n.Published)) {
		return fmt.Sprintf("; a release of this name is %s.%s", n.Published, wrong[1])
	}
	return ""
}

// ofTable suggests a table function for a misspelled name or missing parentheses, a
// table of a similar name, or a table of this name in another database.
func (n Names) ofTable(bare, message string) string {
	if text := n.ofTableFunction(bare); text != "" {
		return text
	}
	wrong := tableWrong.FindStringSubmatch(message)
	if wrong == nil || !mentions(bare, wrong[2]) {
		return ""
	}
	database, name := wrong[1], wrong[2]
	for _, t := range fromTable.FindAllStringSubmatch(bare, -1) {
		if database == "" && strings.EqualFold(t[2], name) {
			database = t[1]
		}
	}
	if isIn(name, n.Relations) {
		return fmt.Sprintf("; %s is a table function: FROM %[1]s(name)", name)
	}
	if tables := n.Tables(database); !isIn(name, tables) {
		if meant := anonymize.DidYouMean(name, tables); meant != "" {
			return meant
		}
	}
	for _, other := range n.Databases() {
		if isIn(name, n.Tables(other)) {
			return fmt.Sprintf("; there is %s.%s", other, name)
		}
	}
	return ""
}

// ofTableFunction suggests CALL for a procedure in a FROM clause, or a table function of a similar name.
func (n Names) ofTableFunction(bare string) string {
	for _, f := range fromFunction.FindAllStringSubmatch(bare, -1) {
		if isIn(f[1], n.Procedures) {
			return "; " + howCalled(f[1])
		}
		if meant := anonymize.DidYouMean(strings.ToLower(f[1]), n.Relations); meant != "" && !isIn(f[1], n.Relations) {
			return fmt.Sprintf("; there is no table function %s%s", f[1], meant)
		}
	}
	return ""
}

// ofColumn suggests a variable in SET, a table function, a column of a similar name in the tables of the statement, or quotes
// for a text.
func (n Names) ofColumn(bare, message string) string {
	wrong := columnWrong.FindStringSubmatch(message)
	if wrong == nil || !mentions(bare, wrong[1]) {
		return ""
	}
	if setStatement.MatchString(bare) {
		return "; there is no variable " + wrong[1] + anonymize.DidYouMean(wrong[1], n.Variables)
	}
	if text := n.ofTableFunction(bare); text != "" {
		return text
	}
	if strings.Contains(message, "there is an alias") {
		return ofAlias(bare, wrong[1])
	}
	var columns []string
	for _, t := range fromTable.FindAllStringSubmatch(bare, -1) {
		columns = append(columns, n.Columns(t[1], t[2])...)
	}
	if meant := anonymize.DidYouMean(wrong[1], columns); meant != "" && !isIn(wrong[1], columns) {
		return meant
	}
	if compared := regexp.MustCompile(`(?i)(?:[=<>]|\bLIKE|\bIN\s*\()\s*` + regexp.QuoteMeta(wrong[1]) + `\b`); compared.MatchString(bare) {
		return fmt.Sprintf("; texts are written in quotes: '%s'", wrong[1])
	}
	if !isIn(wrong[1], columns) {
		return n.ofRelease(bare)
	}
	return ""
}

// ofAlias suggests the aggregate itself as argument of an ANON_ function that got its alias.
func ofAlias(bare, alias string) string {
	name := regexp.QuoteMeta(alias)
	around := regexp.MustCompile("(?i)\\b(ANON_\\w+)\\s*\\(\\s*`?" + name + "`?\\s*[,)]").FindStringSubmatch(bare)
	if around == nil {
		return ""
	}
	aggregate := "COUNT(*)"
	if meant := regexp.MustCompile("(?i)(\\w+\\s*\\([^()]*\\))\\s+(?:AS\\s+)?`?" + name + "\\b").FindStringSubmatch(bare); meant != nil {
		aggregate = meant[1]
	}
	return fmt.Sprintf("; write %s(%s)", strings.ToUpper(around[1]), aggregate)
}

var aYear = regexp.MustCompile(`^[0-9]{4}$`)

// ofTime names the date column that a wrong text is compared with.
func ofTime(statement, message string) string {
	wrong := timeWrong.FindStringSubmatch(message)
	if wrong == nil {
		return ""
	}
	column := regexp.MustCompile("(?i)`?\\b(\\w+)`?\\s*(?:[=<>!]+|\\bIN\\s*\\(|\\bBETWEEN\\b)\\s*['\"]" + regexp.QuoteMeta(wrong[1]) + "['\"]").FindStringSubmatch(statement)
	switch {
	case column == nil:
		return ""
	case aYear.MatchString(wrong[1]):
		return fmt.Sprintf(" for %s; a date is '1970-12-31', its year YEAR(%[1]s)", column[1])
	}
	return fmt.Sprintf(" for %s; a date is '1970-12-31'", column[1])
}

// maxColumns is the greatest number of columns that a hint lists.
const maxColumns = 30

// ofRelease lists the columns of the first release in a statement.
func (n Names) ofRelease(bare string) string {
	for _, t := range fromTable.FindAllStringSubmatch(bare, -1) {
		if database := cmp.Or(t[1], n.Current); !strings.EqualFold(database, n.Published) {
			continue
		}
		columns, more := n.Columns(n.Published, t[2]), ""
		if len(columns) > maxColumns {
			columns, more = columns[:maxColumns], ", ..."
		}
		if len(columns) > 0 {
			return fmt.Sprintf("; %s.%s has %s%s: columns without a role are not published", n.Published, t[2], strings.Join(columns, ", "), more)
		}
	}
	return ""
}

// ofFunction suggests how to call a procedure or table function that stands in place of a value, or a function of a similar name.
func (n Names) ofFunction(message string) string {
	wrong := functionName.FindStringSubmatch(message)
	switch {
	case wrong == nil:
		return ""
	case isIn(wrong[1], n.Procedures):
		return "; " + howCalled(wrong[1])
	case isIn(wrong[1], n.Relations):
		return fmt.Sprintf("; it is a table function: SELECT * FROM %s(name)", strings.ToUpper(wrong[1]))
	}
	var longer []string // there is no plain ANON_INTERVAL
	for _, name := range n.Functions {
		if strings.HasPrefix(name, strings.ToLower(wrong[1])+"_") {
			longer = append(longer, strings.ToUpper(name))
		}
	}
	if len(longer) > 0 {
		return "; there are " + strings.Join(longer, " and ")
	}
	return anonymize.DidYouMean(wrong[1], slices.Concat(n.Functions, n.Relations, everyday))
}

// everyday are the most common of the engine's functions. The hundreds of others are not searched.
var everyday = []string{"avg", "coalesce", "concat", "count", "date_format", "datediff", "greatest", "group_concat", "ifnull", "least", "length",
	"lower", "max", "min", "month", "round", "stddev", "substring", "sum", "timestampdiff", "trim", "upper", "year"}

// Emptied turns anonymize.ErrEmpty into an error that names the table.
func Emptied(err error, database, table string) error {
	if errors.Is(err, anonymize.ErrEmpty) {
		return &anonymize.DataError{Reason: fmt.Sprintf("table %s.%s is empty", database, table)}
	}
	return err
}

// mentions reports whether the client wrote a name. Hints must not reveal names inside views
// or procedures.
func mentions(bare, name string) bool {
	return regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(name) + `\b`).MatchString(bare)
}

func isIn(name string, names []string) bool {
	return slices.ContainsFunc(names, func(other string) bool { return strings.EqualFold(name, other) })
}
