package clients

import "path/filepath"

// A client is one driver in one language.
type client struct {
	name string
	// always says that CI asks it.
	always bool
	// command is the program with its arguments; directory is where clients are
	// installed. It is nil for the client that is part of this test.
	command func(directory string) []string
	lacks   []lack
	differs []difference
}

// A lack is a section of expected.txt, or several, for which a client has no call.
type lack struct{ sections, why string }

// A difference is a line that a client shows in another way.
type difference struct{ key, value, why string }

// What clients of one kind have no call for.
var (
	noMetadata = lack{"table column key index procedures sizes", "it has no calls for metadata; tools that use it ask information_schema"}
	noState    = lack{"state", "its errors have no SQLSTATE"}
	noBinary   = lack{"binary", "it writes parameters into the text, and never prepares a statement on the server"}
	noCursor   = lack{"cursor", "it has no cursors on the server"}
)

// In JDBC a TINYINT(1) is a Boolean.
var jdbcTypes = difference{"types things", "int | smallint | bigint | bigint unsigned | decimal | decimal | double | bit | date | datetime | datetime | varchar | mediumtext | blob",
	"TINYINT(1) is Boolean; a TEXT of four-byte characters has more bytes than a TEXT of single bytes"}

var matrix = []client{
	{name: "go", always: true,
		lacks:   []lack{noMetadata, noCursor, {"procedure", "it has no OUT parameters"}},
		differs: []difference{{"types things", "int | smallint | bigint | bigint | decimal | decimal | double | tinyint | date | datetime | datetime | varchar | text | blob", "it tells TEXT from BLOB"}}},
	{name: "pymysql", always: true, command: python("pymysql_client.py"),
		lacks: []lack{noMetadata, noState, noBinary, noCursor}},
	{name: "connector-python", always: true, command: python("connector_client.py", "pure"),
		lacks: []lack{noMetadata, noCursor}},
	{name: "connector-python-c", always: true, command: python("connector_client.py", "c"),
		lacks: []lack{noMetadata, noCursor}},
	{name: "connectorj9", always: true, command: java("mysql-connector-j-9.3.0.jar", "jdbc:mysql"), differs: jdbc},
	{name: "connectorj8", command: java("mysql-connector-j-8.4.0.jar", "jdbc:mysql"), differs: jdbc},
}

var jdbc = []difference{jdbcTypes, {"column things.flag", "bit | null", "TINYINT(1) is Boolean"}}

func python(program string, arguments ...string) func(string) []string {
	return func(directory string) []string {
		return append([]string{filepath.Join(directory, "python/bin/python"), filepath.Join("testdata/python", program)}, arguments...)
	}
}

func java(jar string, arguments ...string) func(string) []string {
	return func(directory string) []string {
		return append([]string{"java", "-cp", filepath.Join(directory, "java", jar), "testdata/java/Client.java"}, arguments...)
	}
}
