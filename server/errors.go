package server

import (
	"context"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	kinds "gopkg.in/src-d/go-errors.v1"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/server/ledger"
	"github.com/anonsql/anonsql/server/limits"
	"github.com/anonsql/anonsql/server/regularexpression"
)

// Numbers of our own errors. A bad parameter is MySQL's "Incorrect arguments
// to ...". MySQL has no number for what the other two say (1105 is taken for a lost
// connection by some clients). They are below 32,768: PyMySQL reads a number as a
// signed one, and shows -15535 for 50001, of the range that MySQL's manual leaves to
// third parties. Between 10,000 and 49,999 MySQL numbers the messages of its error
// log, at most some 15,000 so far, and sends none of them to a client; MariaDB's
// numbers end before 5,000.
const (
	numberBadParameter = 1210
	// NumberBadData is of data, or a release, that do not admit what is asked.
	NumberBadData = 30001
	// NumberInfeasible is of a bound that the data cannot meet.
	NumberInfeasible = 30002
)

// The numbers that the server gives and their SQLSTATE. HY000 where there is
// no other.
const (
	numberTooManyConnections   = 1040
	numberTooManyOfAccount     = 1203
	numberIdleTooLong          = 4031
	numberDatabaseAccessDenied = 1044
	numberUnknownDatabase      = 1049
	numberShutdown             = 1053
	numberNoSuchThread         = 1094
	numberNotThreadOwner       = 1095
	numberLoginDenied          = 1045
	numberTooManyRows          = 1104
	numberUnknown              = 1105
	numberTableAccessDenied    = 1142
	numberAccessDenied         = 1227
	numberNotSupported         = 1235
	numberOptionPrevents       = 1290
	numberOutOfRange           = 1264
	numberTruncated            = 1265
	numberWrongTemporal        = 1292
	numberWrongValue           = 1366
	numberTooLong              = 1406
	numberUnknownTable         = 1051
	numberNoSuchTable          = 1146
	numberTooLargeResult       = 1301
	numberInterrupted          = 1317
	numberRoutineAccessDenied  = 1370
	numberSecureTransport      = 3159
	numberNoSuchGrant          = 1141
	numberRevokeGrants         = 1269
	numberCannotUser           = 1396
	numberNoSuchGrantee        = 1410
	numberTooLongName          = 1470
	numberNoPlugin             = 1524
	numberWeakPassword         = 1819
	numberNoHash               = 1827
	numberTooManyPrepared      = 1461
	numberWrongVariable        = 1231
	numberUserLimit            = 1226
	numberTimeout              = 3024
	numberCapacity             = 3170
	numberPacketTooLarge       = 1153
	numberUnknownAuthorization = 3523
	numberBadHandshake         = 1043
	numberUnknownCommand       = 1047
	numberSyntax               = 1064
	numberUnknownPrepared      = 1243
	numberNotPreparable        = 1295
	numberMalformedPacket      = 1835
	numberTooManyTables        = 1116
	numberTooManyColumns       = 1117
	numberIllegalValue         = 1367
	numberTooManyPlaceholders  = 1390
	numberTooDeep              = 1456
	numberInvalidGeometry      = 3037
)

var sqlStates = map[int]string{
	1040: "08004", 1043: "08S01", 1047: "08S01", 1044: "42000", 1045: "28000", 1046: "3D000", 1048: "23000",
	1049: "42000", 1050: "42S01", 1051: "42S02", 1052: "23000", 1053: "08S01", 1054: "42S22",
	1060: "42S21", 1061: "42000", 1062: "23000", 1064: "42000", 1065: "42000",
	1066: "42000", 1068: "42000", 1072: "42000", 1075: "42000", 1091: "42000",
	1101: "42000", 1104: "42000", 1153: "08S01", 1110: "42000", 1111: "HY000", 1115: "42000", 1136: "21S01", 1140: "42000",
	1141: "42000", 1144: "42000", 1142: "42000", 1146: "42S02", 1203: "42000", 1213: "40001", 1222: "21000",
	1227: "42000", 1235: "42000", 1241: "21000", 1242: "21000", 1243: "HY000",
	1264: "22003", 1265: "01000", 1292: "22007", 1304: "42000", 1305: "42000", 1317: "70100",
	1318: "42000", 1327: "42000", 1226: "42000", 1231: "42000", 1347: "HY000", 1367: "22007", 1370: "42000", 1406: "22001", 1410: "42000", 1451: "23000", 1461: "42000", 1452: "23000", 3140: "22032", 3141: "22032", 3819: "HY000",
}

// A mapping gives the number of an error of the engine, recognised by its kind
// or, where there is no kind, by a part of its text.
type mapping struct {
	number int
	kind   *kinds.Kind
	text   string
}

// mappings is the one table of numbers. The first match wins.
var mappings = []mapping{
	// Failures of the storage, whatever failed of them; see the catalog's remedies.
	{number: 1021, text: "the disk is full; nothing of the statement is stored"},
	{number: 1021, text: "the transaction was rolled back when one of its writes failed"},
	{number: 1030, text: "the disk does not do what it is asked for"},
	{number: 1036, text: "the catalog's files cannot be written; nothing of the statement is stored"},
	{number: 1877, text: "anonsql check --data-dir says what else is damaged"},
	{number: 1007, kind: sql.ErrDatabaseExists},
	{number: 1008, text: "can't drop database"},
	{number: 1044, kind: sql.ErrDatabaseAccessDeniedForUser},
	{number: 1044, text: "is kept for the server: choose another"},
	{number: 1046, kind: sql.ErrNoDatabaseSelected},
	{number: 1048, kind: sql.ErrInsertIntoNonNullableProvidedNull},
	{number: 1049, kind: sql.ErrDatabaseNotFound},
	{number: 1050, kind: sql.ErrTableAlreadyExists},
	{number: 1050, kind: sql.ErrExistingView},
	{number: 1051, kind: sql.ErrUnknownTable},
	{number: 1051, kind: sql.ErrViewDoesNotExist},
	{number: 1052, kind: sql.ErrAmbiguousColumnName},
	{number: 1052, kind: sql.ErrAmbiguousColumnOrAliasName},
	{number: 1052, kind: sql.ErrAmbiguousColumnInOrderBy},
	{number: 1054, kind: sql.ErrColumnNotFound},
	{number: 1054, kind: sql.ErrTableColumnNotFound},
	{number: 1054, kind: sql.ErrUnknownColumn},
	{number: 1054, kind: sql.ErrMisusedAlias},
	{number: 1060, kind: sql.ErrColumnExists},
	{number: 1060, kind: sql.ErrDuplicateColumn},
	{number: 1061, kind: sql.ErrDuplicateKey},
	{number: 1062, kind: sql.ErrPrimaryKeyViolation},
	{number: 1062, kind: sql.ErrUniqueKeyViolation},
	{number: 1062, kind: sql.ErrDuplicateEntry},
	{number: 1064, text: "syntax error at position"},
	{number: 1235, text: "WITH ROLLUP is not supported"},
	{number: 1235, text: "random password generation is not currently supported"},
	{number: 1064, kind: sql.ErrInvalidSyntax},
	{number: 1066, kind: sql.ErrDuplicateAliasOrTable},
	{number: 1072, kind: sql.ErrKeyColumnDoesNotExist},
	{number: 1091, kind: sql.ErrCantDropFieldOrKey},
	{number: 1111, text: "unable to find field with index"}, // an aggregate in WHERE or GROUP BY, mostly
	{number: 1115, text: "Unknown character set"},
	{number: 1136, kind: sql.ErrInsertIntoMismatchValueCount},
	{number: 1136, kind: sql.ErrColValCountMismatch},
	{number: 1141, kind: sql.ErrShowGrantsUserDoesNotExist},
	{number: 1142, kind: sql.ErrTableAccessDeniedForUser},
	{number: 1142, kind: sql.ErrPrivilegeCheckFailed},
	{number: 1146, kind: sql.ErrTableNotFound},
	{number: 1193, kind: sql.ErrUnknownSystemVariable},
	{number: 1205, text: "lock wait timeout"},
	{number: 1213, kind: sql.ErrLockDeadlock},
	{number: 1222, kind: sql.ErrColumnNumberDoesNotMatch},
	{number: 1228, kind: sql.ErrSystemVariableSessionOnly},
	{number: 1229, kind: sql.ErrSystemVariableGlobalOnly},
	{number: 1231, kind: sql.ErrInvalidSystemVariableValue},
	{number: 1235, text: "set operations are nested"},
	{number: 1235, text: "a UNION of"},
	{number: 1235, kind: sql.ErrUnsupportedFeature},
	{number: 1235, kind: sql.ErrUnsupportedSyntax},
	{number: 1235, kind: sql.ErrCreateTableNotSupported},
	{number: 1235, kind: sql.ErrDropTableNotSupported},
	{number: 1235, kind: sql.ErrRenameTableNotSupported},
	{number: 1235, kind: sql.ErrAlterTableNotSupported},
	{number: 1235, kind: sql.ErrViewsNotSupported},
	{number: 1235, kind: sql.ErrTriggersNotSupported},
	{number: 1235, kind: sql.ErrStoredProceduresNotSupported},
	{number: 1235, kind: sql.ErrEventsNotSupported},
	{number: 1235, kind: sql.ErrTemporaryTableNotSupported},
	{number: 1235, kind: sql.ErrNoForeignKeySupport},
	{number: 1238, kind: sql.ErrSystemVariableReadOnly},
	{number: 1241, kind: sql.ErrInvalidOperandColumns},
	{number: 1242, kind: sql.ErrExpectedSingleRow},
	{number: 1243, kind: sql.ErrUnknownPreparedStatement},
	{number: 1264, text: "out of range for"},
	{number: 1264, text: "Out of range value for"},
	{number: 1264, text: "is not a valid Year"},
	{number: 1265, text: "is not valid for this Enum"},
	{number: 1265, text: "was not found in the set"},
	{number: 1290, kind: sql.ErrSecureFilePriv},
	{number: 1292, text: "incorrect datetime value"},
	{number: 1292, text: "Incorrect datetime value"},
	{number: 1292, text: "Incorrect date value"},
	{number: 1292, text: "Truncated incorrect"},
	{number: 1292, text: "is not a valid Time"},
	{number: 1305, kind: sql.ErrFunctionNotFound},
	{number: 1305, kind: sql.ErrTableFunctionNotFound},
	{number: 1305, kind: sql.ErrStoredProcedureDoesNotExist},
	{number: 1305, kind: sql.ErrSavepointDoesNotExist},
	{number: 1317, text: context.Canceled.Error()},
	{number: 1318, kind: sql.ErrCallIncorrectParameterCount},
	{number: 1327, text: "external stored procedures require the first parameter to be the context%!(EXTRA"},
	{number: 1347, text: "is not VIEW"},
	{number: 1356, text: "references invalid table(s) or column(s)"},
	{number: 1364, kind: sql.ErrInsertIntoNonNullableDefaultNullColumn},
	{number: 1366, text: "is not a valid value for"},
	{number: 1366, text: "Incorrect integer value"},
	{number: 1366, text: "Incorrect decimal value"},
	{number: 1366, text: "Incorrect double value"},
	{number: 1366, text: "Incorrect string value"},
	{number: 1367, text: "strconv.ParseFloat: parsing"},
	{number: 1396, kind: sql.ErrUserCreationFailure},
	{number: 1396, kind: sql.ErrUserDeletionFailure},
	{number: 1396, kind: sql.ErrUserAlterFailure},
	{number: 1396, kind: sql.ErrRoleCreationFailure},
	{number: 1396, kind: sql.ErrRoleDeletionFailure},
	{number: 3523, kind: sql.ErrGrantRevokeRoleDoesNotExist},
	{number: 1144, kind: sql.ErrGrantRevokeIllegalPrivilege},
	{number: 1144, kind: sql.ErrGrantRevokeIllegalPrivilegeWithMessage},
	{number: 1406, text: "is too large for column"},
	{number: 1406, text: "string is too large for"},
	{number: 1410, text: "You are not allowed to create a user with GRANT"},
	{number: 1582, kind: sql.ErrInvalidArgumentNumber},
	{number: 1792, kind: sql.ErrReadOnlyTransaction},
	{number: 3170, kind: sql.ErrNoMemoryAvailable},
	{number: 3170, text: "Memory capacity of"},
	{number: 3140, text: "Invalid JSON text"},
	{number: 3819, kind: sql.ErrCheckConstraintViolated},
	{number: 3959, text: "because it would invalidate check constraint"},
}

// patterns are the texts of the kinds, made once: the engine's handler passes
// on no more than the text.
var patterns = func() []*regexp.Regexp {
	verb := regexp.MustCompile(`%[a-zA-Z]`)
	list := make([]*regexp.Regexp, len(mappings))
	for i, m := range mappings {
		if m.kind != nil {
			list[i] = regexp.MustCompile(`(?s)^` + verb.ReplaceAllString(regexp.QuoteMeta(m.kind.Message), `.*`))
		}
	}
	return list
}()

// mapTyped gives errors of our own types their number, and leaves the others.
func mapTyped(err error) error {
	var (
		mapped     *mysql.SQLError
		parameter  *anonymize.ParameterError
		data       *anonymize.DataError
		infeasible *anonymize.InfeasibleError
		pattern    *regularexpression.Error
		beyond     *ledger.Exceeded
		option     *limits.OptionError
	)
	switch {
	case err == nil || err == io.EOF:
		return err
	case errors.As(err, &mapped):
		return mapped
	case errors.As(err, &parameter):
		return newError(numberBadParameter, err.Error())
	case errors.As(err, &data):
		return newError(NumberBadData, err.Error())
	case errors.As(err, &beyond):
		return newError(numberCapacity, err.Error())
	case errors.As(err, &option):
		return newError(numberBadParameter, err.Error())
	case errors.As(err, &infeasible):
		return newError(NumberInfeasible, err.Error())
	case errors.As(err, &pattern):
		return newError(pattern.Number, pattern.Message)
	}
	return err
}

// withNumber is an error of ours that the engine has written into a text of its own,
// as it does with those of the parser.
var withNumber = regexp.MustCompile(`(?s)^(.*) \(errno (\d+)\) \(sqlstate [0-9A-Z]{5}\)$`)

// clientError is what the client is told of err: always a *mysql.SQLError.
func clientError(err error) error {
	if err == nil {
		return nil
	}
	var known *mysql.SQLError
	if !errors.As(mapTyped(err), &known) {
		known = newError(numberUnknown, err.Error())
	}
	if own := withNumber.FindStringSubmatch(known.Message); own != nil {
		known = newError(known.Num, own[1])
		if n, err := strconv.Atoi(own[2]); err == nil && known.Num == numberUnknown {
			known = newError(n, own[1])
		}
	}
	if known.Num == numberUnknown {
		known = newError(numberOf(known.Message), known.Message)
	}
	if strings.Contains(known.Message, "%!d(MISSING)") { // the engine's message of this error is broken
		known = newError(numberNotSupported, "a window function over an aggregate of the same SELECT is not supported: "+
			"aggregate in a derived table, SELECT a, SUM(n) OVER () FROM (SELECT a, COUNT(*) AS n FROM t GROUP BY a) d")
	}
	if known.Num == numberInterrupted && strings.Contains(known.Message, context.Canceled.Error()) {
		known = errInterrupted
	}
	if worded := inMySQLsWords(known.Message); worded != known.Message {
		known = newError(known.Num, worded)
	}
	if len(known.Message) > longestMessage { // some of the engine's have the value in them, a number for each byte
		known = newError(known.Num, strings.ToValidUTF8(known.Message[:longestMessage], "")+"...")
	}
	if state, ok := sqlStates[known.Num]; ok && known.State != state {
		known = newError(known.Num, known.Message)
	}
	return known
}

// longestMessage is how much of a message a client is told, in bytes.
const longestMessage = 4096

func numberOf(message string) int {
	for i, m := range mappings {
		if m.kind != nil && patterns[i].MatchString(message) || m.kind == nil && strings.Contains(message, m.text) {
			return m.number
		}
	}
	return numberUnknown
}

// wordings are messages of the engine that clients read for more than their
// number, or that are garbled, and MySQL's.
var wordings = []struct {
	engine *regexp.Regexp
	mysql  string
}{
	{regexp.MustCompile(`(?s)^duplicate (?:primary|unique) key given: \[(.*)\] of key '(.*)'$`), "Duplicate entry '$1' for key '$2'"},
	{regexp.MustCompile(`(?s)^duplicate primary key given: \[(.*)\]$`), "Duplicate entry '$1' for key 'PRIMARY'"},
	{regexp.MustCompile(`(?s)^duplicate unique key given: \[(.*)\]$`), "Duplicate entry '$1' for a unique key"},
	{regexp.MustCompile(`^column name '(.*)' is non-nullable but attempted to set a value of null$`), "Column '$1' cannot be null"},
	{regexp.MustCompile(`^'%!'\(string=(.*)\) is not VIEW$`), "'$1' is not VIEW: SHOW CREATE TABLE shows it"},
	{regexp.MustCompile(`(?s)^external stored procedures require .*%!\(EXTRA string=(.*)\)$`), "Undeclared variable: $1"},
	{regexp.MustCompile(`^unable to find field with index \d+ in row of \d+ columns$`), "Invalid use of group function, or of a column where it cannot be seen"},
	{regexp.MustCompile(`^strconv\.ParseFloat: parsing "(.*)": value out of range$`), "Illegal double '$1' value found during parsing"},
	{regexp.MustCompile(`^random password generation is not currently supported.*$`), "random passwords are not made: IDENTIFIED BY '...'"},
	{regexp.MustCompile(`^no memory available$`), "Memory capacity of a statement exceeded. It holds more rows than --max-held-rows, or more bytes than --max-held-bytes, allows while it sorts, groups, drops duplicates or joins"},
	{regexp.MustCompile(`(?s)^error: (.*)$`), "$1"},
}

func inMySQLsWords(message string) string {
	for _, w := range wordings {
		if w.engine.MatchString(message) {
			return w.engine.ReplaceAllString(message, w.mysql)
		}
	}
	return message
}

func newError(number int, message string) *mysql.SQLError {
	state, ok := sqlStates[number]
	if !ok {
		state = mysql.SSUnknownSQLState
	}
	return &mysql.SQLError{Num: number, State: state, Message: message}
}
