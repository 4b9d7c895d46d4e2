package clients

import (
	"path/filepath"
	"slices"
)

// A client is one driver in one language.
type client struct {
	name string
	// onDemand means that CI does not run it.
	onDemand bool
	// command is the program with its arguments; directory is where clients are
	// installed. It is nil for the client that is part of this test.
	command func(directory string) []string
	lacks   []lack
	differs []difference
}

// A lack are sections or lines of expected.txt, with commas between, for which a client has no call.
type lack struct{ sections, why string }

// A difference is a line that a client shows in another way.
type difference struct{ key, value, why string }

// What a kind of client has no call for.
var (
	noMetadata  = lack{"table, column, key, rowid, index, procedures, parameter, sizes", "it has no calls for metadata; tools that use it ask information_schema"}
	noState     = lack{"state", "its errors have no SQLSTATE"}
	noBinary    = lack{"binary", "it writes parameters into the text, and never prepares a statement on the server"}
	noCursor    = lack{"cursor", "it has no cursors on the server"}
	noOutput    = lack{"procedure", "it has no OUT parameters; SELECT @y after CALL double_it(21, @y) shows one"}
	noTypes     = lack{"types", "it does not show the protocol's types"}
	noProcedure = lack{"procedure, called", "it has no calls for procedures"}
)

// A driver of this kind shows these types in another way.
func types(things, why string) difference { return difference{"types things", things, why} }

// jdbc is how the three Connector/J differ.
func jdbc(things string, more ...difference) []difference {
	return append(more, types(things, "it knows unsigned columns, and a TEXT of four-byte characters has more bytes than its TEXT"))
}

var (
	bit = difference{"column things.flag", "bit | null", "TINYINT(1) is Boolean in JDBC"}
	// withSigns is also how these drivers show a MariaDB.
	withSigns = difference{"sizes things", "11 | 6 | 20 | 20 | 12 | 32 | 22 | 1 | 10 | 19 | 26 | 40 | 65535 | 65535", "it counts signs and points"}
)

var matrix = []client{
	{name: "go",
		lacks:   []lack{noMetadata, noCursor, noOutput},
		differs: []difference{types("int | smallint | bigint | bigint | decimal | decimal | double | tinyint | date | datetime | datetime | varchar | text | blob", "it tells TEXT from BLOB")}},
	{name: "mariadb", command: program("bash", "testdata/shell/mariadb.sh"),
		lacks: []lack{noMetadata, noBinary, noCursor, noTypes}},
	{name: "pymysql", command: python("pymysql_client.py"),
		lacks: []lack{noMetadata, noState, noBinary, noCursor}},
	{name: "connector-python", command: python("connector_client.py", "pure"),
		lacks: []lack{noMetadata, noCursor}},
	{name: "connector-python-c", command: python("connector_client.py", "c"),
		lacks: []lack{noMetadata, noCursor},
		differs: []difference{
			{"binary huge", "1 | 0 | -1 | NULL", "its C part reads BIGINT UNSIGNED of a prepared statement as signed, from a MariaDB, too"},
			{"prepared double", "", "its C part sends a double as a FLOAT of four bytes, which 0.1 is not equal to, to a MariaDB, too"},
		}},
	{name: "sqlalchemy", command: python("sqlalchemy_client.py"),
		lacks: []lack{noState, noBinary, noCursor, noTypes, noProcedure, {"sizes, rowid, index PRIMARY, procedures, parameter", "its reflection does not show them"}},
		differs: []difference{
			{"column things.id", "integer | not null", "its own name of INT"}, {"column people.age", "integer | null", "its own name of INT"},
		}},
	{name: "pandas", command: python("pandas_client.py"),
		lacks:   []lack{noMetadata, noState, noBinary, noCursor, noTypes, noProcedure, {"error, warnings, changes affected, changes last id", "SQLAlchemy has them, below it"}},
		differs: pandas},
	{name: "odbc", command: python("odbc_client.py", "MariaDB Unicode"),
		lacks: []lack{noCursor, noOutput, noBinary},
		differs: []difference{
			{"column things.id", "int | null", "the driver says so of every AUTO_INCREMENT, of a MariaDB's, too"},
			{"rowid things", "id | name", "the driver takes every unique key, of a MariaDB, too"},
			{"sizes things", "10 | 5 | 20 | 19 | 10 | 30 | 15 | 3 | 10 | 19 | 26 | 40 | 65535 | 65535", "precisions, as ODBC counts them"},
			types("int | int | int | int | Decimal | Decimal | float | int | date | datetime | datetime | str | str | bytearray", "types of Python"),
			{"types estimate", "str | float | float | float | float", "types of Python"},
			{"types exact", "str | int | Decimal", "types of Python"},
		}},
	{name: "connectorj9", command: java("mysql-connector-j-9.3.0.jar", "jdbc:mysql"), differs: connectorj},
	{name: "connectorj8", command: java("mysql-connector-j-8.4.0.jar", "jdbc:mysql"), differs: connectorj},
	{name: "connectorj5", command: java("mysql-connector-java-5.1.49.jar", "jdbc:mysql", "useSSL=false"),
		differs: jdbc("int | smallint | bigint | bigint unsigned | decimal | decimal | double | tinyint | date | datetime | datetime | varchar | varchar | blob", bit, withSigns)},
	{name: "mariadb-java", command: java("mariadb-java-client-3.5.3.jar", "jdbc:mariadb"),
		differs: []difference{
			types("integer | smallint | bigint | bigint unsigned | decimal | decimal | double | boolean | date | datetime | datetime | varchar | text | blob", "its own names, and signs"),
			{"column things.flag", "boolean | null", "TINYINT(1) is Boolean in JDBC"}, withSigns,
			{"procedure", "No output result", "the server sends no OUT parameters of a prepared CALL: SELECT @y after CALL double_it(21, @y) shows one"},
		}},
	{name: "mysql2", command: node("mysql2.js"), lacks: []lack{noMetadata, noCursor, noOutput}},
	{name: "php", command: program("php", "testdata/php/pdo.php"), lacks: []lack{noMetadata, noOutput}},
	{name: "perl-mariadb", command: program("perl", "testdata/perl/dbi.pl", "MariaDB"), lacks: perlLacks, differs: perlDiffers},
	{name: "perl-mysql", command: program("perl", "testdata/perl/dbi.pl", "mysql"), lacks: perlLacks, differs: perlDiffers},
	{name: "mysqlclient", command: python("mysqlclient_client.py"), lacks: []lack{noMetadata, noState, noBinary, noCursor}},
	{name: "polars", command: python("polars_client.py"),
		lacks: []lack{noMetadata, noState, noCursor, noTypes, noProcedure, {"prepared, changes, error, warnings", "it reads results only"},
			{"values exact, binary exact", "connectorx fails at a DECIMAL of more than nine digits behind the point, of a MariaDB, too"}},
		differs: []difference{
			{"values price", "12.5000000000 | -0.0100000000 | 99999999.9900000000 | NULL", tenDigits},
			{"binary price", "12.5000000000 | -0.0100000000 | 99999999.9900000000 | NULL", tenDigits},
			{"exact Female", "1015 | 49194.0000000000", tenDigits}, {"exact Male", "985 | 46941.0000000000", tenDigits},
		}},
	{name: "ibis", command: python("ibis_client.py"),
		lacks:   []lack{{"key, rowid, index, procedures, parameter, sizes, types, changes, error, warnings", "it has no calls for them, or mysqlclient below it has"}, noState, noBinary, noCursor, noProcedure},
		differs: ibis},
	{name: "mysql", command: node("mysql.js"), lacks: []lack{noMetadata, noBinary, noCursor, noOutput},
		differs: []difference{
			{"values price", "12.5 | -0.01 | 99999999.99 | NULL", numbers},
			{"values exact", "0.1 | -12345678901234567890.0123456789 | 12345678901234567890.0123456789 | NULL", numbers},
		}},
	{name: "mariadb-node", command: node("mariadb.js"), lacks: []lack{noMetadata, noCursor, noOutput}},
	{name: "knex", command: node("builders.js", "knex"), lacks: append(builders, lack{"table, key, rowid, index, procedures, parameter, sizes", "it has calls for columns only"}),
		differs: []difference{
			{"column things.huge", "bigint | null", unsized}, {"column things.price", "decimal | null", unsized}, {"column things.exact", "decimal | null", unsized},
			{"column things.note", "text(65535) | null", "it shows the length of a TEXT"}, {"column things.bytes", "blob(65535) | null", "it shows the length of a BLOB"},
		}},
	{name: "sequelize", command: node("builders.js", "sequelize"), lacks: append(builders, lack{"table dear, rowid, procedures, parameter, sizes, key parts", "it has no calls for them"}),
		differs: []difference{
			{"column things.flag", "tinyint(1) | null", withLength}, {"column things.fine", "datetime(6) | null", withLength},
		}},
	{name: "typeorm", command: node("builders.js", "typeorm"), lacks: append(builders, lack{"table, rowid, procedures, parameter, sizes, index PRIMARY", "it has no calls for them"})},
	{name: "drizzle", command: node("builders.js", "drizzle"), lacks: append(builders, noMetadata)},
	{name: "rust-mysql", onDemand: true, command: rust("mysql"), lacks: []lack{noMetadata, noCursor, noOutput, noTypes}},
	{name: "rust-sqlx", onDemand: true, command: rust("sqlx"),
		lacks: []lack{noMetadata, noCursor, noProcedure, noTypes, {"values", "what has a type for its rows is prepared"}, {"warnings", "it has no call for them"}}},
	{name: "ruby", command: program("ruby", "testdata/ruby/mysql2.rb"), lacks: []lack{noMetadata, noCursor, noOutput, noTypes},
		differs: []difference{{"values fine", cut, cutWhy}, {"binary fine", cut, cutWhy}}},
}

var connectorj = jdbc("int | smallint | bigint | bigint unsigned | decimal | decimal | double | bit | date | datetime | datetime | varchar | mediumtext | blob", bit)

const (
	floats   = "a column of whole numbers with a NULL is one of doubles in a frame"
	decimals = "it makes doubles of decimals (coerce_float)"
)

// frames are how a frame of pandas shows columns with NULL.
var frames = []difference{
	{"values small", "7.0000 | -32768.0000 | 32767.0000 | NULL", floats},
	{"values big", "70000000000.0000 | -9223372036854775808.0000 | 9223372036854775808.0000 | NULL", floats},
	{"values huge", "1.0000 | 0.0000 | 18446744073709551616.0000 | NULL", floats},
	{"values flag", "1.0000 | 0.0000 | 1.0000 | NULL", floats},
}

var pandas = slices.Concat(frames, []difference{
	{"values price", "12.5000 | -0.0100 | 99999999.9900 | NULL", decimals},
	{"values exact", "0.1000 | -12345678901234567168.0000 | 12345678901234567168.0000 | NULL", decimals},
	{"exact Female", "1015 | 49194.0000", decimals},
	{"exact Male", "985 | 46941.0000", decimals},
})

var ibis = slices.Concat(frames, []difference{
	{"prepared estimate", "13", "it takes every count for a whole number and cuts it; SET anon_counts = 'integer' rounds"},
	{"table dear", "table", "it does not tell views from tables"},
	{"values exact", "0.1000000000 | -12345678901234567000.0000000000 | 12345678901234567000.0000000000 | NULL", "its decimals were doubles"},
	{"values day", "2024-02-29 00:00:00 | 1000-01-01 00:00:00 | 9999-12-31 00:00:00 | NULL", "a frame has one type for days and moments"},
})

var (
	perlLacks   = []lack{noCursor, noOutput, {"procedures, parameter, sizes, rowid", "DBI has no calls for them"}}
	perlDiffers = []difference{{"column things.huge", "bigint | null", "its types have no sign, of a MariaDB either"}}
)

const (
	unsized    = "it shows neither signs nor digits"
	withLength = "it shows lengths and digits of every type"
	tenDigits  = "connectorx gives every decimal ten digits"
	numbers    = "with supportBigNumbers a decimal that a number of JavaScript can hold is one"
	cut        = "2024-02-29 13:14:15.25 | 1969-12-31 23:59:59.000001 | 9999-12-31 23:59:59 | NULL"
	cutWhy     = "beyond the years of a Time it makes a DateTime, without microseconds, also of a MariaDB's"
)

// builders are tested for what they themselves write; mysql2 below them covers the rest.
var builders = []lack{noState, noBinary, noCursor, noTypes, noProcedure,
	{"values, large, warnings, changes last id, error duplicate, error estimate, prepared quoted, prepared bytes, prepared day, prepared moment, prepared double, prepared big, prepared null", "mysql2 is asked for them"}}

func program(words ...string) func(string) []string {
	return func(string) []string { return words }
}

func python(program string, arguments ...string) func(string) []string {
	return func(directory string) []string {
		return append([]string{filepath.Join(directory, "python/bin/python"), filepath.Join("testdata/python", program)}, arguments...)
	}
}

// java has no time to gain from its second compiler.
func java(jar string, arguments ...string) func(string) []string {
	return func(directory string) []string {
		return append([]string{"java", "-XX:TieredStopAtLevel=1", "-cp", filepath.Join(directory, "java", jar), "testdata/java/Client.java"}, arguments...)
	}
}

func rust(program string) func(string) []string {
	return func(directory string) []string { return []string{filepath.Join(directory, "rust/release", program)} }
}

func node(program string, arguments ...string) func(string) []string {
	return func(directory string) []string {
		return append([]string{"env", "NODE_PATH=" + filepath.Join(directory, "node/node_modules"), "node", filepath.Join("testdata/node", program)}, arguments...)
	}
}
