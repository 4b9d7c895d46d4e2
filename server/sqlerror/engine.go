package sqlerror

import (
	"context"
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/types"
	kinds "gopkg.in/src-d/go-errors.v1"
)

// The engine's handler makes a *mysql.SQLError of every error before ours sees it. Of
// some two dozen kinds it knows the number (sql.CastSQLError); of the others it leaves
// 1105 and the text. What fails while a statement executes passes Numbered before that,
// with its type. What fails earlier, while a statement is bound, analyzed or prepared,
// is a text.

// A kindNumber is the number of a kind of engine error for which the engine has no
// number.
type kindNumber struct {
	number int
	kind   *kinds.Kind
	// early means that the error may also occur before a statement executes, and must
	// be recognised by its text, too.
	early bool
}

// early marks the kinds that are recognised by their text too.
const early = true

// kindNumbers has each kind once. A kind that wraps another comes after it.
var kindNumbers = []kindNumber{
	{1044, sql.ErrDatabaseAccessDeniedForUser, early},
	{1046, sql.ErrNoDatabaseSelected, early},
	{1050, sql.ErrTableAlreadyExists, !early},
	{1050, sql.ErrExistingView, !early},
	{1051, sql.ErrUnknownTable, early},
	{1051, sql.ErrViewDoesNotExist, !early},
	{1052, sql.ErrAmbiguousColumnName, early},
	{1052, sql.ErrAmbiguousColumnOrAliasName, early},
	{1054, sql.ErrColumnNotFound, early},
	{1054, sql.ErrTableColumnNotFound, early},
	{1054, sql.ErrMisusedAlias, early},
	{1060, sql.ErrColumnExists, early},
	{1060, sql.ErrDuplicateColumn, early},
	{1061, sql.ErrDuplicateKey, !early},
	{1064, sql.ErrInvalidSyntax, early},
	{1066, sql.ErrDuplicateAliasOrTable, early},
	{1111, expression.ErrIndexOutOfBounds, !early}, // an aggregate in WHERE or GROUP BY, mostly
	{1115, sql.ErrCharSetUnknown, early},
	{1115, sql.ErrCharSetNotYetImplementedTemp, early},
	{1136, sql.ErrInsertIntoMismatchValueCount, early},
	{1136, sql.ErrColValCountMismatch, early},
	{1141, sql.ErrShowGrantsUserDoesNotExist, !early},
	{1142, sql.ErrTableAccessDeniedForUser, early},
	{1142, sql.ErrPrivilegeCheckFailed, early},
	{1144, sql.ErrGrantRevokeIllegalPrivilege, !early},
	{1144, sql.ErrGrantRevokeIllegalPrivilegeWithMessage, !early},
	{ManyRows, sql.ErrMoreThanOneRow, !early},
	{1191, sql.ErrNoFullTextIndexFound, early},
	{1193, sql.ErrUnknownSystemVariable, early},
	{1222, sql.ErrColumnNumberDoesNotMatch, !early},
	{1222, planbuilder.ErrUnionSchemasDifferentLength, early},
	{1228, sql.ErrSystemVariableSessionOnly, !early},
	{1229, sql.ErrSystemVariableGlobalOnly, !early},
	{1231, sql.ErrInvalidSystemVariableValue, early},
	{1235, sql.ErrUnsupportedFeature, early},
	{1235, sql.ErrUnsupportedSyntax, early},
	{1235, sql.ErrCreateTableNotSupported, !early},
	{1235, sql.ErrDropTableNotSupported, early},
	{1235, sql.ErrRenameTableNotSupported, !early},
	{1235, sql.ErrAlterTableNotSupported, !early},
	{1235, sql.ErrViewsNotSupported, early},
	{1235, sql.ErrTriggersNotSupported, early},
	{1235, sql.ErrStoredProceduresNotSupported, early},
	{1235, sql.ErrEventsNotSupported, early},
	{1235, sql.ErrTemporaryTableNotSupported, !early},
	{1235, sql.ErrNoForeignKeySupport, early},
	{1238, sql.ErrSystemVariableReadOnly, !early},
	{1243, sql.ErrUnknownPreparedStatement, early},
	{1264, sql.ErrValueOutOfRange, early},
	{1264, types.ErrConvertToDecimalLimit, early},
	{1264, types.ErrConvertingToYear, early},
	{1265, types.ErrConvertingToEnum, early},
	{1265, types.ErrDataTruncatedForColumn, !early},
	{1265, sql.ErrInvalidSetValue, early},
	{1292, types.ErrConvertingToTime, early},
	{1292, types.ErrConvertingToTimeType, early},
	{1292, types.ErrConvertingToTimeOutOfRange, !early},
	{1305, sql.ErrFunctionNotFound, early},
	{1305, sql.ErrTableFunctionNotFound, early},
	{1305, sql.ErrStoredProcedureDoesNotExist, early},
	{1305, sql.ErrSavepointDoesNotExist, !early},
	{1318, sql.ErrCallIncorrectParameterCount, early},
	{1347, plan.ErrNotView, !early},
	{1353, sql.ErrColumnCountMismatch, early},
	{1356, sql.ErrInvalidRefInView, early},
	{1364, sql.ErrInsertIntoNonNullableDefaultNullColumn, !early},
	{1396, sql.ErrUserCreationFailure, !early},
	{1396, sql.ErrUserDeletionFailure, !early},
	{1396, sql.ErrUserAlterFailure, !early},
	{1396, sql.ErrRoleCreationFailure, !early},
	{1396, sql.ErrRoleDeletionFailure, !early},
	{1406, types.ErrLengthBeyondLimit, early},
	{1410, sql.ErrGrantUserDoesNotExist, !early},
	{1582, sql.ErrInvalidArgumentNumber, early},
	{3105, sql.ErrGeneratedColumnValue, early},
	{3140, sql.ErrInvalidJson, early},
	{3523, sql.ErrGrantRevokeRoleDoesNotExist, !early},
	{3636, sql.ErrCteRecursionLimitExceeded, !early},
	{3819, sql.ErrCheckConstraintViolated, !early},
	{3959, sql.ErrCheckConstraintInvalidatedByColumnAlter, early},
}

// ofKind returns the number of an error or of one that it wraps: the engine's if it has
// one, Unknown if there is none.
func ofKind(err *kinds.Error) int {
	if number := sql.CastSQLError(err).Num; number != Unknown {
		return number
	}
	for _, k := range kindNumbers {
		if k.kind.Is(err) {
			return k.number
		}
	}
	return Unknown
}

// earlyTexts are the texts of the early kinds, by their place in kindNumbers. A kind
// that wraps another writes its own text before it.
var earlyTexts = func() []*regexp.Regexp {
	verb := regexp.MustCompile(`%[a-zA-Z]`)
	list := make([]*regexp.Regexp, len(kindNumbers))
	for i, k := range kindNumbers {
		if k.early {
			list[i] = regexp.MustCompile(`(?s)(?:^|: )` + verb.ReplaceAllString(regexp.QuoteMeta(k.kind.Message), `.*`))
		}
	}
	return list
}()

// A textNumber is the number of an error that has no kind, or whose type is lost
// wherever it is made: it is recognised by a part of its text.
type textNumber struct {
	number int
	text   string
}

// enginePanic is the text that the engine's handler and its grammar make of a panic.
// They drop the stack.
const enginePanic = "handler caught panic"

// EnginePanicked reports whether err is what the engine made of a panic that it caught.
func EnginePanicked(err error) bool { return strings.Contains(err.Error(), enginePanic) }

// engineTexts are texts of the engine, in the version of go.mod.
var engineTexts = []textNumber{
	{1054, "column ordinal out of range"},
	{1054, "expected positive integer order by literal"},
	{1059, "invalid identifier: `"},
	{1064, "invalid interval unit"},
	{1111, "failed to resolve aggregate column argument"},
	{1191, "cannot use MATCH ... AGAINST ... on"},
	{1193, "invalid system variable declaration"},
	{1210, "bind variable not provided"},
	{1210, "invalid arguments. expected:"},
	{1210, "offset must be a non-negative integer"},
	{1210, "Invalid argument to NTILE"},
	{1248, "Every derived table must have its own alias"}, // before syntax errors, of which it is one
	{1273, "Unknown collation"},
	{1300, "invalid string for charset"},
	{1791, "for DESCRIBE, supported formats"},
	{1064, "syntax error at position"}, // the grammar's type is that of other errors too
	{1235, "random password generation is not currently supported"},
	{1235, `MODE" is not supported yet`}, // of MATCH ... AGAINST
	{1317, context.Canceled.Error()},
	{1327, "external stored procedures require the first parameter to be the context%!(EXTRA"},
	{1367, "strconv.ParseFloat: parsing"},
	{Unknown, enginePanic},
}

// ownTexts are those of our own errors that the engine meets while it binds a statement,
// or ends a transaction: the catalog's failures of the storage with their remedies,
// and one error that has no number where it is made.
var ownTexts = []textNumber{
	{1021, "the disk is full; nothing of the statement is stored"},
	{1021, "the transaction was rolled back when one of its writes failed"},
	{1030, "the disk does not do what it is asked for"},
	{1036, "the catalog's files cannot be written; nothing of the statement is stored"},
	{1877, "anonsql check --data-dir says what else is damaged"},
	{1044, "is kept for the server: choose another"},
}

// ofText returns the number of an error by its text, Unknown if none matches. Storage
// failures are recognised first, whatever failed because of them.
func ofText(message string) int {
	for _, t := range ownTexts {
		if strings.Contains(message, t.text) {
			return t.number
		}
	}
	for i, pattern := range earlyTexts {
		if pattern != nil && pattern.MatchString(message) {
			return kindNumbers[i].number
		}
	}
	for _, t := range engineTexts {
		if strings.Contains(message, t.text) {
			return t.number
		}
	}
	return Unknown
}

// A wording puts MySQL's sentence in the place of one of the engine's that clients read
// for more than its number, or that is garbled.
type wording struct {
	of     int // the number of the error, 0 for every one
	engine *regexp.Regexp
	number int // the number that it gets, 0 for the one it has
	mysql  string
}

var wordings = []wording{
	{1048, regexp.MustCompile(`^column name '(.*)' is non-nullable but attempted to set a value of null$`), 0, "Column '$1' cannot be null"},
	{1052, regexp.MustCompile(`^ambiguous column name "(.*)", it's present in all these tables: \[.*\]$`), 0, "Column '$1' is ambiguous: say of which table it is"},
	{1054, regexp.MustCompile(`^column ordinal out of range: (\d+)$`), 0, "Unknown column '$1' in 'group statement'"},
	{1054, regexp.MustCompile(`^expected positive integer order by literal$`), 0, "Unknown column in 'order clause' or 'group statement': columns are numbered from 1"},
	{1059, regexp.MustCompile("^invalid identifier: `(.*)`$"), 0, "Identifier name '$1' is too long, empty, or ends with a space"},
	{1062, regexp.MustCompile(`(?s)^duplicate (?:primary|unique) key given: \[(.*)\] of key '(.*)'$`), 0, "Duplicate entry '$1' for key '$2'"},
	{
		1111,
		regexp.MustCompile(`^unable to find field with index \d+ in row of \d+ columns$`),
		0,
		"Invalid use of group function, or of a column where it cannot be seen",
	},
	{1111, regexp.MustCompile(`^failed to resolve aggregate column argument: .*$`), 0, "Invalid use of group function: an aggregate of an aggregate"},
	{
		1115,
		regexp.MustCompile("(?s)^.*The character set `(.*)` has not yet been implemented.*$"),
		0,
		"Unknown character set: '$1' is none that anonsql converts: utf8mb4, latin1, ascii and others of SHOW CHARACTER SET are",
	},
	{1193, regexp.MustCompile("(?s)^invalid system variable declaration `(.*?)`.*$"), 0, "Unknown system variable '$1'"},
	{1210, regexp.MustCompile(`^bind variable not provided: 'v(\d+)'$`), 0, "Incorrect arguments to EXECUTE: parameter $1 has no value"},
	{
		1210,
		regexp.MustCompile(`^invalid arguments\. expected: (\d+), found: (\d+)$`),
		0,
		"Incorrect arguments to EXECUTE: parameters are $1, values are $2",
	},
	{
		1222,
		regexp.MustCompile(`^cannot union two queries whose schemas are different lengths.*$`),
		0,
		"The used SELECT statements have a different number of columns",
	},
	{1235, regexp.MustCompile(`^random password generation is not currently supported.*$`), 0, "random passwords are not made: IDENTIFIED BY '...'"},
	{1248, regexp.MustCompile(`(?s)^Every derived table must have its own alias.*$`), 0, "Every derived table must have its own alias"},
	{1317, regexp.MustCompile(`(?s)^.*` + context.Canceled.Error() + `.*$`), 0, ErrInterrupted.Message},
	{1327, regexp.MustCompile(`(?s)^external stored procedures require .*%!\(EXTRA string=(.*)\)$`), 0, "Undeclared variable: $1"},
	{1347, regexp.MustCompile(`^'%!'\(string=(.*)\) is not VIEW$`), 0, "'$1' is not VIEW, or is a release, which no SELECT defines: SHOW CREATE TABLE shows it"},
	{1367, regexp.MustCompile(`^strconv\.ParseFloat: parsing "(.*)": value out of range$`), 0, "Illegal double '$1' value found during parsing"},
	{1791, regexp.MustCompile(`^invalid format "(.*)" for DESCRIBE, supported formats: .*$`), 0, "Unknown EXPLAIN format name: '$1'; TREE and JSON are known"},
	{0, regexp.MustCompile(`(?s)^error: (.*)$`), 0, "$1"},
}

// ownWordings are of our own errors that the engine puts into a sentence: that of a stored
// text which cannot be read (routines.Unreadable), which may be so because its statement
// ended while it was read.
var ownWordings = []wording{
	{
		0,
		regexp.MustCompile(
			"(?s)^unknown procedure parameter direction: `Failed to load routine .*: (Query execution was interrupted, maximum[^;]*); DROP PROCEDURE .*`$",
		),
		Timeout,
		"$1",
	},
	{
		0,
		regexp.MustCompile(
			"(?s)^unknown procedure parameter direction: `Failed to load routine .*: (Query execution was interrupted[^;]*); DROP PROCEDURE .*`$",
		),
		Interrupted,
		"$1",
	},
	{0, regexp.MustCompile("(?s)^unknown procedure parameter direction: `(Failed to load routine .*)`$"), RoutineUnreadable, "$1"},
}

// inMySQLsWords returns the number and message that replace the given ones for the client.
func inMySQLsWords(number int, message string) (int, string) {
	for _, list := range [][]wording{ownWordings, wordings} {
		for _, w := range list {
			if w.of != 0 && w.of != number || !w.engine.MatchString(message) {
				continue
			}
			if w.number != 0 {
				number = w.number
			}
			return number, w.engine.ReplaceAllString(message, w.mysql)
		}
	}
	return number, message
}
