package sqlerror

// Numbers of our own errors. A bad parameter is MySQL's "Incorrect arguments
// to ...". MySQL has no number for what the other two say (1105 is taken for a lost
// connection by some clients). They are below 32,768: PyMySQL reads a number as a
// signed one, and shows -15535 for 50001, of the range that MySQL's manual leaves to
// third parties. Between 10,000 and 49,999 MySQL numbers the messages of its error
// log, at most some 15,000 so far, and sends none of them to a client; MariaDB's
// numbers end before 5,000.
const (
	BadParameter = 1210
	// BadData: the data or a release does not allow the request.
	BadData = 30001
	// Infeasible: the data cannot meet a bound.
	Infeasible = 30002
)

// The error numbers of the server, with their SQLSTATE, by default HY000.
const (
	TooManyConnections   = 1040
	TooManyOfAccount     = 1203
	IdleTooLong          = 4031
	DatabaseAccessDenied = 1044
	UnknownDatabase      = 1049
	Shutdown             = 1053
	NoSuchThread         = 1094
	NotThreadOwner       = 1095
	LoginDenied          = 1045
	TooManyRows          = 1104
	Unknown              = 1105
	TableAccessDenied    = 1142
	AccessDenied         = 1227
	NotSupported         = 1235
	NotPrepared          = 1295
	OptionPrevents       = 1290
	OutOfRange           = 1264
	Truncated            = 1265
	ReadOnlyTransaction  = 1792
	WrongTemporal        = 1292
	DivisionByZero       = 1365
	WrongValue           = 1366
	TooLong              = 1406
	UnknownTable         = 1051
	NoSuchTable          = 1146
	TooLargeResult       = 1301
	Interrupted          = 1317
	RoutineAccessDenied  = 1370
	ManyRows             = 1172
	NoLabel              = 1308
	NoData               = 1329
	RoutineUnreadable    = 1457
	SecureTransport      = 3159
	NoSuchGrant          = 1141
	RevokeGrants         = 1269
	CannotUser           = 1396
	NoSuchGrantee        = 1410
	TooLongName          = 1470
	NoPlugin             = 1524
	WeakPassword         = 1819
	NoHash               = 1827
	TooManyPrepared      = 1461
	WrongVariable        = 1231
	UserLimit            = 1226
	Timeout              = 3024
	Capacity             = 3170
	PacketTooLarge       = 1153
	UnknownAuthorization = 3523
	BadHandshake         = 1043
	UnknownCommand       = 1047
	Syntax               = 1064
	UnknownPrepared      = 1243
	NoOpenCursor         = 1421
	NotPreparable        = 1295
	MalformedPacket      = 1835
	TooManyTables        = 1116
	TooManyColumns       = 1117
	IllegalValue         = 1367
	TooManyPlaceholders  = 1390
	TooDeep              = 1456
	InvalidGeometry      = 3037
	TooManyLocks         = 1206
	WrongLockName        = 3057
	LockDeadlock         = 3058
	ExplainDenied        = 1345
)

var States = map[int]string{
	1040: "08004", 1043: "08S01", 1047: "08S01", 1044: "42000", 1045: "28000", 1046: "3D000", 1048: "23000",
	1049: "42000", 1050: "42S01", 1051: "42S02", 1052: "23000", 1053: "08S01", 1054: "42S22",
	1060: "42S21", 1061: "42000", 1062: "23000", 1064: "42000", 1065: "42000",
	1066: "42000", 1068: "42000", 1072: "42000", 1075: "42000", 1091: "42000",
	1101: "42000", 1104: "42000", 1153: "08S01", 1110: "42000", 1111: "HY000", 1115: "42000", 1136: "21S01", 1140: "42000",
	1141: "42000", 1144: "42000", 1142: "42000", 1146: "42S02", 1172: "42000", 1203: "42000", 1213: "40001", 1222: "21000",
	1227: "42000", 1235: "42000", 1241: "21000", 1242: "21000", 1243: "HY000",
	1264: "22003", 1265: "01000", 1292: "22007", 1304: "42000", 1305: "42000", 1308: "42000", 1317: "70100",
	1329: "02000",
	1318: "42000", 1327: "42000", 1226: "42000", 1231: "42000", 1347: "HY000",
	1365: "22012", 1367: "22007", 1370: "42000", 1406: "22001", 1410: "42000", 1451: "23000", 1461: "42000", 1452: "23000",
	3105: "HY000", 3140: "22032", 3141: "22032", 3143: "42000", 3144: "22032", 3146: "22032", 3149: "42000",
	3057: "42000", 3153: "42000", 3154: "42000", 3157: "22032", 3158: "22032", 3165: "42000", 3819: "HY000",
	ReadOnlyTransaction: "25006",
}
