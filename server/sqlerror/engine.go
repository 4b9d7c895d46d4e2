package sqlerror

import (
	"context"
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	kinds "gopkg.in/src-d/go-errors.v1"
)

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

func NumberOfText(message string) int {
	for i, m := range mappings {
		if m.kind != nil && patterns[i].MatchString(message) || m.kind == nil && strings.Contains(message, m.text) {
			return m.number
		}
	}
	return Unknown
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
