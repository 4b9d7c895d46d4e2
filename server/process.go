package server

import (
	"io"
	"math"
	"sync"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/types"
	vitesslog "github.com/dolthub/vitess/go/vt/log"
	"github.com/sirupsen/logrus"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/planner"
	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/listing"
	"github.com/anonsql/anonsql/server/syntax"
	"github.com/anonsql/anonsql/server/values"
	"github.com/anonsql/anonsql/server/wire"
)

// Version is the version in the handshake and in @@version. Drivers choose their
// dialect by it: it names the release of MySQL whose protocol and functions the engine
// follows.
const Version = "8.0.33-anonsql"

// setUpProcess sets the engine's process-wide state: the parser, the rule that always
// runs, the authorization, the system variables, the logs.
var setUpProcess = sync.OnceFunc(func() {
	sql.GlobalParser = syntax.ProcessParser
	sql.GlobalSchemaFormatter = &listing.Definitions{}
	analyzer.AlwaysBeforeDefault = append(analyzer.AlwaysBeforeDefault,
		analyzer.Rule{Id: serverRuleID, Apply: serverRules})
	sql.SetAuthorizationHandlerFactory(accounts.NewAuthorizationFactory(sql.GetAuthorizationHandlerFactory()))
	listing.HideTables()
	wire.AddConnectionVariables()
	sql.SystemVariables.AddSystemVariables(planner.Variables())
	sql.SystemVariables.AddSystemVariables(catalog.Variables())
	sql.SystemVariables.AddSystemVariables(syntax.BoundVariables())
	sql.SystemVariables.AddSystemVariables(toolVariables())
	if err := sql.SystemVariables.AssignValues(map[string]any{
		// LOAD DATA LOCAL reads the client's files, with the client's consent.
		"local_infile": int8(1),
		// MySQL's way to forbid access to the server's files. The engine has no NULL
		// here: it takes the text for a directory that does not exist, and refuses
		// every path.
		"secure_file_priv": "NULL",
		// MySQL's default, under which 'male' finds 'Male'. The engine's own is
		// bytewise. A client may choose another collation in its greeting.
		"collation_server":     raw.DefaultCollation.Name(),
		"collation_connection": raw.DefaultCollation.Name(),
		"version":              Version,
		// MySQL's; the engine's own is 1 GiB.
		"max_allowed_packet": int64(values.DefaultMaxPacket),
		"version_comment":    "anonsql",
	}); err != nil {
		panic(err) // a name above is not a variable of the engine: a mistake in this file
	}
	// The engine logs every failed statement and every connection. handler.go logs
	// important events to the server's own logger.
	logrus.SetOutput(io.Discard)
	silent := func(string, ...any) {}
	vitesslog.Infof, vitesslog.Warningf, vitesslog.Errorf = silent, silent, wire.ReportUncaught
	quiet := func(...any) {}
	vitesslog.Info, vitesslog.Warning, vitesslog.Error = quiet, quiet, quiet
})

// toolVariables are variables of MySQL and MariaDB that tools read and the engine lacks.
// have_ssl describes the process, not its servers; Ssl_cipher in SHOW STATUS describes
// the session.
func toolVariables() []sql.SystemVariable {
	var list []sql.SystemVariable
	for name, value := range map[string]string{"have_ssl": "YES", "have_openssl": "YES", "have_query_cache": "NO", "have_symlink": "DISABLED",
		"have_compress": "NO", "have_profiling": "NO", "have_geometry": "YES", "query_cache_type": "OFF"} {
		list = append(list, &sql.MysqlSystemVariable{Name: name, Scope: sql.GetMysqlScope(sql.SystemVariableScope_Global),
			Type: types.NewSystemStringType(name), Default: value})
	}
	for name, value := range map[string]string{
		"storage_engine":   "InnoDB",
		"optimizer_switch": "index_merge=on,materialization=on,semijoin=on,subquery_materialization_cost_based=on",
	} {
		list = append(list, &sql.MysqlSystemVariable{Name: name, Scope: sql.GetMysqlScope(sql.SystemVariableScope_Both), Dynamic: true,
			Type: types.NewSystemStringType(name), Default: value})
	}
	// The names of days and months are English: SET refuses other languages.
	list = append(list, &sql.MysqlSystemVariable{Name: "lc_time_names", Scope: sql.GetMysqlScope(sql.SystemVariableScope_Both), Dynamic: true,
		Type: types.NewSystemEnumType("lc_time_names", "en_US", "en_AU", "en_CA", "en_GB", "en_IN", "en_NZ", "en_PH", "en_ZA", "en_ZW"), Default: "en_US"})
	return append(list, &sql.MysqlSystemVariable{Name: "query_cache_size", Scope: sql.GetMysqlScope(sql.SystemVariableScope_Global),
		Type: types.NewSystemIntType("query_cache_size", 0, math.MaxInt64, false), Default: int64(0)})
}

// making is held while an engine is made, which sets the status variables of the process.
var making sync.Mutex

func newEngine(rules *analyzer.Analyzer) *sqle.Engine {
	making.Lock()
	defer making.Unlock()
	return sqle.New(rules, nil)
}
