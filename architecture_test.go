// Package anonsql_test checks rules that no compiler checks, such as which package may
// import which (ARCHITECTURE.md).
package anonsql_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/anonsql/anonsql"

// arrows lists, for every room, exactly what it may import of the module and of other modules. Tests may import more.
var arrows = []struct {
	room    string
	module  []string // of this module
	foreign []string // prefixes of other modules; the standard library is free
}{
	{"anonymize", nil, nil},
	{"anonymize/parallel", nil, nil},
	{"anonymize/association", []string{"anonymize", "anonymize/parallel"}, nil},
	{"anonymize/detection", []string{"anonymize"}, nil},
	// Which unit has which rows of completed tables, if a person has several.
	{"anonymize/membership", []string{"anonymize", "anonymize/parallel"}, nil},
	// Questions and their classes; figures of sums; counters; and the entry to all of them.
	{"anonymize/estimate/question", []string{"anonymize"}, nil},
	{"anonymize/estimate/figures", []string{"anonymize", "anonymize/estimate/question"}, nil},
	{"anonymize/estimate/planes", []string{"anonymize", "anonymize/estimate/figures", "anonymize/estimate/groups", "anonymize/estimate/question", "anonymize/parallel"}, nil},
	{"anonymize/estimate/groups", []string{"anonymize", "anonymize/estimate/figures", "anonymize/estimate/question", "anonymize/parallel"}, nil},
	{"anonymize/estimate/cells", []string{"anonymize", "anonymize/estimate/figures", "anonymize/estimate/question", "anonymize/parallel"}, nil},
	{"anonymize/estimate/elsewhere", []string{"anonymize", "anonymize/estimate/figures", "anonymize/estimate/question"}, nil},
	{"anonymize/estimate/completed", []string{"anonymize", "anonymize/estimate/figures", "anonymize/estimate/planes", "anonymize/estimate/question", "anonymize/membership", "anonymize/parallel"}, nil},
	{"anonymize/estimate/units", []string{"anonymize", "anonymize/estimate/figures", "anonymize/estimate/groups", "anonymize/estimate/question", "anonymize/parallel"}, nil},
	{"anonymize/estimate", []string{"anonymize", "anonymize/estimate/cells", "anonymize/estimate/completed", "anonymize/estimate/elsewhere", "anonymize/estimate/figures", "anonymize/estimate/planes", "anonymize/estimate/question", "anonymize/estimate/units"}, nil},
	// Completed tables: a release goes in and nothing else, so nothing raw is used.
	{"anonymize/contingency", []string{"anonymize"}, nil},
	{"anonymize/impute", []string{"anonymize", "anonymize/contingency", "anonymize/membership", "anonymize/parallel"}, nil},
	// How wrong they are. It publishes completed tables again, by a method that is
	// handed in, so it knows none.
	{"anonymize/misfit", []string{"anonymize", "anonymize/contingency", "anonymize/impute", "anonymize/interval", "anonymize/membership", "anonymize/parallel", "anonymize/units"}, nil},
	// Noise of an exact distribution, and its accountant.
	{"anonymize/noise", []string{"anonymize"}, nil},
	{"anonymize/privacy", []string{"anonymize", "anonymize/noise"}, nil},
	// How likely persons are found: sizes of classes, and a population that the owner hands in.
	{"anonymize/risk", []string{"anonymize", "anonymize/parallel"}, nil},
	// Shared by the bucketization methods: sub-tuples as numbers, buckets, partitions and the release of a partition.
	{"anonymize/bucketization", []string{"anonymize", "anonymize/parallel"}, nil},
	{"anonymize/slicing", []string{"anonymize", "anonymize/association", "anonymize/bucketization", "anonymize/demand", "anonymize/parallel"}, nil},
	{"anonymize/score", []string{"anonymize", "anonymize/bucketization", "anonymize/parallel"}, nil},
	{"anonymize/locality", []string{"anonymize", "anonymize/bucketization", "anonymize/parallel", "anonymize/score"}, nil},
	{"anonymize/anatomy", []string{"anonymize", "anonymize/bucketization", "anonymize/demand", "anonymize/locality"}, nil},
	// ARP and its rivals start from the same blocks; partition=mondrian takes Mondrian's.
	{"anonymize/initialpartition", []string{"anonymize", "anonymize/association", "anonymize/bucketization", "anonymize/generalization", "anonymize/mondrian", "anonymize/parallel"}, nil},
	{"anonymize/arp", []string{"anonymize", "anonymize/bucketization", "anonymize/demand", "anonymize/generalization", "anonymize/initialpartition", "anonymize/locality"}, nil},
	{"anonymize/nonhomogeneous", []string{"anonymize", "anonymize/bucketization", "anonymize/demand", "anonymize/initialpartition"}, nil},
	// ASN is SLPPA with a table for every attribute, and merges as it does.
	{"anonymize/asn", []string{"anonymize", "anonymize/bucketization", "anonymize/demand", "anonymize/slppa"}, nil},
	{"anonymize/slppa", []string{"anonymize", "anonymize/association", "anonymize/bucketization", "anonymize/demand", "anonymize/locality", "anonymize/parallel"}, nil},
	// Weights of a survey, in classes.
	{"anonymize/weights", []string{"anonymize"}, nil},
	// Any method on persons of several records: their groups, published again with all records.
	{"anonymize/units", []string{"anonymize", "anonymize/bucketization", "anonymize/generalization"}, nil},
	// No groups: a model, and noise in the counts. It puts quasi-identifiers into several tables as SLPPA does.
	{"anonymize/modeled", []string{"anonymize", "anonymize/bucketization", "anonymize/slppa"}, nil},
	// bucketization: loss numbers the records' combinations of values by it.
	{"anonymize/attack", []string{"anonymize", "anonymize/bucketization", "anonymize/contingency", "anonymize/impute", "anonymize/parallel", "anonymize/score"}, nil},
	// The same for the generalization methods: places on a line, cells.
	{"anonymize/generalization", []string{"anonymize", "anonymize/bucketization", "anonymize/parallel"}, nil},
	// The owner's requirements on classes besides a method's parameters, by counts. It unites groups until they keep
	// them.
	{"anonymize/demand", []string{"anonymize", "anonymize/bucketization", "anonymize/locality"}, nil},
	// Moves and swaps between classes; the caller computes their loss.
	{"anonymize/exchange", nil, nil},
	{"anonymize/mondrian", []string{"anonymize", "anonymize/bucketization", "anonymize/demand", "anonymize/exchange", "anonymize/generalization", "anonymize/parallel"}, nil},
	{"anonymize/clustering", []string{"anonymize", "anonymize/bucketization", "anonymize/demand", "anonymize/generalization", "anonymize/parallel"}, nil},
	{"anonymize/drasl", []string{"anonymize", "anonymize/bucketization", "anonymize/clustering"}, nil},
	{"anonymize/cdt", []string{"anonymize", "anonymize/bucketization", "anonymize/demand", "anonymize/generalization", "anonymize/parallel"}, nil},
	// Releases that follow their table; static ones first, by DRASL's groups.
	{"anonymize/dynamic", []string{"anonymize", "anonymize/bucketization", "anonymize/clustering", "anonymize/drasl", "anonymize/units"}, nil},
	// What all versions reveal together: like privacy, it imports no method.
	{"anonymize/dynamic/sequence", []string{"anonymize", "anonymize/bucketization", "anonymize/privacy"}, nil},
	{"anonymize/fulldomain", []string{"anonymize", "anonymize/bucketization", "anonymize/demand", "anonymize/generalization", "anonymize/parallel"}, nil},
	// Its kd order follows Mondrian's cuts.
	{"anonymize/crossbucket", []string{"anonymize", "anonymize/bucketization", "anonymize/demand", "anonymize/generalization", "anonymize/mondrian", "anonymize/parallel"}, nil},
	{"anonymize/utility", []string{"anonymize", "anonymize/association", "anonymize/bucketization", "anonymize/estimate", "anonymize/interval", "anonymize/parallel"}, nil},
	// Intervals of public widths: like the estimator, it cannot reach raw rows.
	{"anonymize/interval", []string{"anonymize", "anonymize/estimate"}, nil},
	{"anonymize/methods", []string{"anonymize", "anonymize/anatomy", "anonymize/arp", "anonymize/asn", "anonymize/cdt", "anonymize/clustering", "anonymize/crossbucket", "anonymize/drasl", "anonymize/fulldomain", "anonymize/modeled", "anonymize/mondrian", "anonymize/nonhomogeneous", "anonymize/slicing", "anonymize/slppa"}, nil},
	{"anonymize/tuning", []string{"anonymize", "anonymize/attack", "anonymize/contingency", "anonymize/estimate", "anonymize/impute", "anonymize/modeled", "anonymize/parallel", "anonymize/privacy", "anonymize/units", "anonymize/utility"}, nil},
	// estimate: the battery compares it with its own enumeration.
	{"anonymize/anontest", []string{"anonymize", "anonymize/estimate", "anonymize/privacy", "testsize"}, nil},
	// Releases as files. It verifies what it reads.
	{"datapackage", []string{"anonymize", "anonymize/contingency", "anonymize/privacy", "catalog/completed"}, []string{"github.com/parquet-go/parquet-go", "golang.org/x/sys/unix"}},
	// Damage of a file, and the way out: the rooms below report it with this.
	{"catalog/fault", nil, []string{"github.com/dolthub/vitess", "github.com/mattn/go-sqlite3"}},
	{"catalog/sqlite", []string{"catalog/fault"}, []string{"github.com/dolthub/go-mysql-server", "github.com/mattn/go-sqlite3"}},
	{"catalog/directory", []string{"catalog/fault", "catalog/sqlite"}, nil},
	// Types of columns that the engine reads and forgets.
	{"catalog/declared", nil, []string{"github.com/dolthub/", "github.com/shopspring/decimal"}},
	{"catalog/coding", []string{"anonymize", "catalog/declared", "catalog/fault", "catalog/sqlite", "quoting"}, []string{"github.com/dolthub/", "github.com/shopspring/decimal"}},
	{"catalog/cache", nil, nil},
	// Where raw tables live: an interface, which knows no home.
	{"catalog/source", []string{"anonymize", "anonymize/contingency", "anonymize/estimate", "anonymize/impute"}, []string{"github.com/dolthub/"}},
	// Common parts of homes that are queried in SQL: upstream, engine/tables.
	{"catalog/homes", []string{"anonymize", "catalog/coding", "catalog/raw", "catalog/source"}, []string{"github.com/dolthub/"}},
	{"catalog/columnar", []string{"anonymize", "catalog/fault"}, nil},
	// Raw tables know no release: they notify the rooms above through functions (raw.Above).
	{"catalog/raw", []string{"anonymize", "catalog/cache", "catalog/coding", "catalog/declared", "catalog/directory", "catalog/fault", "catalog/sqlite"}, []string{"github.com/dolthub/"}},
	// Owners' declarations about columns; long running statements.
	{"catalog/attributes", []string{"anonymize", "catalog/coding", "catalog/fault", "catalog/raw", "catalog/source", "catalog/sqlite"}, []string{"github.com/dolthub/"}},
	{"catalog/jobs", nil, nil},
	{"catalog/leftovers", []string{"catalog/source"}, nil},
	{"catalog", []string{"anonymize", "anonymize/estimate", "anonymize/interval", "anonymize/misfit", "anonymize/privacy", "anonymize/weights", "catalog/attributes", "catalog/cache", "catalog/coding", "catalog/columnar", "catalog/completed", "catalog/fault", "catalog/jobs", "catalog/raw", "catalog/recognition", "catalog/segment", "catalog/shown", "catalog/source", "catalog/sqlite", "quoting"}, []string{"github.com/dolthub/"}},
	// Columns of releases in memory that processes share.
	{"catalog/shown", []string{"anonymize", "catalog/coding"}, []string{"github.com/dolthub/"}},
	{"catalog/segment", []string{"anonymize", "catalog/columnar"}, []string{"golang.org/x/sys"}},
	{"catalog/completed", []string{"anonymize"}, nil},
	// The actions of accounts, in a separate file: it knows neither tables nor releases.
	{"catalog/audit", []string{"catalog/directory", "catalog/fault", "catalog/sqlite"}, []string{"github.com/dolthub/go-mysql-server", "github.com/mattn/go-sqlite3"}},
	// The file from outside, with no server on it: it reads what all the others wrote.
	{"catalog/maintenance", []string{"catalog", "catalog/audit", "catalog/directory", "catalog/fault", "catalog/leftovers", "catalog/raw", "catalog/sqlite"}, []string{"github.com/mattn/go-sqlite3"}},
	{"catalog/catalogtest", []string{"anonymize", "catalog", "catalog/fault", "catalog/jobs", "catalog/maintenance", "catalog/raw", "catalog/sqlite"}, []string{"github.com/dolthub/"}},
	// How copies of a published table are recognised.
	{"catalog/recognition", []string{"anonymize"}, nil},
	{"catalog/delimited", []string{"quoting"}, nil},
	{"catalog/tabular", []string{"catalog/delimited"}, []string{"github.com/klauspost/compress", "github.com/parquet-go/"}},
	{"planner", []string{"anonymize/estimate", "anonymize/interval", "catalog", "catalog/coding", "planner/answer", "planner/arithmetic", "planner/pertable", "planner/plainsql", "tree"}, []string{"github.com/dolthub/"}},
	// The node that answers. Neither it nor its writer as text knows how it was recognised.
	{"planner/answer", []string{"anonymize", "anonymize/estimate", "anonymize/interval", "catalog", "catalog/coding", "catalog/source", "planner/arithmetic", "tree"}, []string{"github.com/dolthub/", "github.com/shopspring/decimal"}},
	{"planner/pertable", []string{"catalog", "planner/answer", "planner/arithmetic", "tree"}, []string{"github.com/dolthub/"}},
	{"planner/plainsql", []string{"anonymize", "anonymize/estimate", "catalog", "catalog/coding", "planner/answer", "planner/arithmetic", "quoting", "tree"}, []string{"github.com/dolthub/"}},
	{"functions", []string{"anonymize", "anonymize/association", "anonymize/attack", "anonymize/contingency", "anonymize/detection", "anonymize/dynamic", "anonymize/dynamic/sequence", "anonymize/estimate", "anonymize/impute", "anonymize/interval", "anonymize/locality", "anonymize/methods", "anonymize/misfit", "anonymize/modeled", "anonymize/noise", "anonymize/privacy", "anonymize/risk", "anonymize/tuning", "anonymize/units", "anonymize/utility", "anonymize/weights", "catalog", "catalog/attributes", "catalog/coding", "catalog/jobs", "catalog/leftovers", "catalog/raw", "catalog/shown", "catalog/source", "datapackage", "functions/argument", "functions/needs", "functions/options", "functions/texts", "quoting", "report", "tree"}, []string{"github.com/dolthub/"}},
	{"planner/arithmetic", []string{"tree"}, []string{"github.com/dolthub/", "github.com/shopspring/decimal"}},
	// An engine without a server, for tests of the three above.
	{"planner/plannertest", []string{"catalog", "catalog/jobs", "catalog/raw", "functions", "planner", "quoting"}, []string{"github.com/cockroachdb/datadriven", "github.com/dolthub/", "github.com/mattn/go-sqlite3"}},
	// Names and texts in statements.
	{"quoting", nil, nil},
	// Walks over the engine's trees, and types that our nodes embed.
	{"tree", nil, []string{"github.com/dolthub/go-mysql-server"}},
	// A release described for people: functions pass it the data, and it sees no SQL.
	{"report", []string{"anonymize", "anonymize/interval", "anonymize/risk", "anonymize/utility", "quoting"}, nil},
	// its data come over an ordinary connection of the signed-in account
	{"console", []string{"anonymize/methods", "console/asking", "console/book", "console/chart", "quoting", "report"}, []string{"github.com/go-sql-driver/mysql"}},
	// Texts in, texts out; numbers in, shapes out.
	{"console/asking", []string{"quoting"}, nil},
	{"console/book", nil, nil},
	{"console/chart", nil, nil},
	{"functions/argument", []string{"tree"}, []string{"github.com/dolthub/"}},
	// The options of procedures: one declaration, which parses texts and looks up nothing.
	{"functions/options", []string{"anonymize", "anonymize/contingency", "anonymize/methods", "anonymize/privacy", "anonymize/tuning", "catalog", "catalog/attributes", "datapackage", "functions/texts"}, nil},
	// The privileges that a caller must hold: a list.
	{"functions/needs", nil, []string{"github.com/dolthub/"}},
	// Texts of rows and notes: no session, no table.
	{"functions/texts", []string{"anonymize", "anonymize/privacy", "quoting"}, []string{"github.com/dolthub/"}},
	{"server", []string{"catalog", "catalog/audit", "catalog/directory", "catalog/jobs", "catalog/leftovers", "catalog/raw", "catalog/source", "functions", "functions/argument", "functions/options", "functions/texts", "planner", "server/accounts", "server/admission", "server/answers", "server/answers/assignments", "server/answers/own", "server/answers/scalar", "server/answers/scope", "server/defaults", "server/dialect", "server/distant", "server/gate", "server/implicit", "server/limits", "server/listing", "server/loaddata", "server/locks", "server/machine", "server/matching", "server/operators", "server/routines", "server/running", "server/sqlerror", "server/syntax", "server/trivial", "server/values", "server/wire", "server/worker"}, []string{"github.com/dolthub/", "github.com/prometheus/client_golang", "github.com/sirupsen/logrus"}},
	// Statements in another process: it knows no catalog and no account.
	{"server/worker", nil, []string{"github.com/dolthub/vitess", "golang.org/x/sys/unix"}},
	{"server/distant", []string{"anonymize", "anonymize/estimate", "catalog/source", "server/sqlerror", "server/worker"}, nil},
	// Releases as views in lists of tables.
	{"server/listing", []string{"catalog", "quoting", "server/accounts", "server/answers", "server/routines", "server/running"}, []string{"github.com/dolthub/"}},
	// Which connections to admit: it sees neither sockets nor accounts.
	{"server/admission", nil, nil},
	{"server/trivial", nil, []string{"github.com/dolthub/vitess"}},
	{"server/implicit", nil, []string{"github.com/dolthub/vitess"}},
	// It reads a statement before anything of the engine does.
	{"server/gate", nil, nil},
	// Statements that the grammar lacks, by tokens, and the functions that they become.
	{"server/dialect", []string{"quoting", "server/gate"}, nil},
	{"server/operators", []string{"server/answers/trees", "server/dialect", "server/values", "tree"}, []string{"github.com/dolthub/"}},
	// The machine's resources, the accounts' limits, and bounds of values.
	{"server/machine", nil, nil},
	{"server/defaults", []string{"server/limits"}, nil},
	{"server/limits", nil, nil},
	{"server/values", []string{"tree"}, []string{"github.com/dolthub/"}},
	// Accounts and their privileges.
	{"server/accounts", []string{"catalog", "catalog/audit", "catalog/raw", "catalog/source", "server/accounts/given", "server/defaults", "server/gate", "server/limits", "server/loaddata", "server/running", "server/sqlerror", "server/trivial"}, []string{"github.com/dolthub/"}},
	// A password as it was written, from the tree to the plan.
	{"server/accounts/given", nil, []string{"github.com/dolthub/"}},
	// A client's connection: packets, session, and its state.
	{"server/wire", []string{"catalog", "catalog/coding", "catalog/declared", "catalog/raw", "catalog/source", "server/admission", "server/defaults", "server/dialect", "server/running", "server/sqlerror", "server/syntax", "server/values"}, []string{"github.com/dolthub/", "github.com/prometheus/client_golang", "golang.org/x/sys/unix"}},
	// Changes to statements that the engine would not answer as MySQL does.
	{"server/answers", []string{"functions/argument", "planner", "quoting", "server/answers/assignments", "server/answers/calendar", "server/answers/coercion", "server/answers/columns", "server/answers/comparison", "server/answers/correlated", "server/answers/definitions", "server/answers/documents", "server/answers/existence", "server/answers/foundrows", "server/answers/groupconcat", "server/answers/grouping", "server/answers/identities", "server/answers/indexes", "server/answers/own", "server/answers/percentile", "server/answers/scalar", "server/answers/scope", "server/answers/sorting", "server/answers/trees", "server/answers/weights", "server/answers/windowing", "server/sqlerror", "server/values", "tree"}, []string{"github.com/dolthub/", "github.com/shopspring/decimal"}},
	// Aggregates that the engine lacks.
	{"server/answers/trees", nil, []string{"github.com/dolthub/vitess/"}},
	{"server/answers/foundrows", []string{"server/running"}, []string{"github.com/dolthub/go-mysql-server"}},
	{"server/answers/sorting", []string{"tree"}, []string{"github.com/dolthub/go-mysql-server"}},
	{"server/answers/scope", []string{"server/answers/trees"}, []string{"github.com/dolthub/"}},
	{"server/answers/weights", []string{"tree"}, []string{"github.com/dolthub/"}},
	{"server/answers/grouping", []string{"server/answers/trees", "tree"}, []string{"github.com/dolthub/"}},
	{"server/answers/groupconcat", []string{"server/answers/scalar", "server/answers/trees", "server/answers/weights", "server/operators", "tree"}, []string{"github.com/dolthub/"}},
	{"server/answers/existence", []string{"server/answers/trees", "tree"}, []string{"github.com/dolthub/"}},
	{"server/answers/indexes", nil, []string{"github.com/dolthub/go-mysql-server"}},
	{"server/answers/assignments", []string{"catalog/coding", "catalog/declared", "planner/arithmetic", "quoting", "server/answers/coercion", "server/answers/documents", "server/answers/scalar", "server/answers/trees", "server/sqlerror", "server/values", "tree"}, []string{"github.com/dolthub/", "github.com/shopspring/decimal"}},
	// The effect of CREATE TABLE and ALTER TABLE on columns.
	{"server/answers/definitions", []string{"catalog/declared", "quoting", "server/answers/assignments", "server/answers/scope", "server/answers/trees"}, []string{"github.com/dolthub/"}},
	{"server/answers/identities", []string{"server/answers/coercion", "server/running", "tree"}, []string{"github.com/dolthub/go-mysql-server"}},
	{"server/answers/own", nil, []string{"github.com/dolthub/vitess/"}},
	{"server/answers/windowing", []string{"server/answers/coercion", "server/answers/scalar", "server/answers/trees"}, []string{"github.com/dolthub/"}},
	{"server/answers/percentile", []string{"server/answers/scalar", "tree"}, []string{"github.com/dolthub/"}},
	// Types of columns, and functions in place of the engine's.
	{"server/answers/correlated", []string{"server/answers/weights", "tree"}, []string{"github.com/dolthub/", "github.com/shopspring/decimal"}},
	{"server/answers/comparison", []string{"server/answers/builtin", "server/answers/coercion", "server/answers/documents", "server/answers/scalar", "tree"}, []string{"github.com/dolthub/", "github.com/shopspring/decimal"}},
	{"server/answers/columns", []string{"catalog/declared", "planner", "planner/arithmetic", "server/answers/coercion", "server/answers/comparison", "server/answers/scalar", "server/answers/totals", "server/answers/trees", "server/answers/weights", "server/values", "tree"}, []string{"github.com/dolthub/"}},
	{"server/answers/totals", []string{"planner/arithmetic", "server/answers/coercion"}, []string{"github.com/dolthub/", "github.com/shopspring/decimal"}},
	{"server/answers/scalar", []string{"catalog/declared", "server/answers/builtin", "server/answers/coercion", "server/dialect", "server/values", "tree"}, []string{"github.com/dolthub/", "github.com/shopspring/decimal"}},
	{"server/answers/calendar", []string{"catalog/coding", "server/answers/builtin", "server/answers/coercion", "server/answers/scalar", "server/dialect"}, []string{"github.com/dolthub/", "github.com/shopspring/decimal"}},
	// The type of a function, and how it reads its arguments.
	{"server/answers/builtin", []string{"server/answers/coercion", "server/values", "tree"}, []string{"github.com/dolthub/"}},
	// Paths and functions of JSON.
	{"server/answers/documents", []string{"catalog/coding", "server/answers/builtin", "server/answers/coercion", "server/sqlerror", "server/values"}, []string{"github.com/dolthub/", "github.com/shopspring/decimal"}},
	{"server/answers/coercion", []string{"catalog/coding", "catalog/declared"}, []string{"github.com/dolthub/", "github.com/shopspring/decimal"}},
	// The parser behind the gate.
	{"server/syntax", []string{"catalog/raw", "planner", "server/accounts", "server/accounts/given", "server/answers", "server/answers/own", "server/answers/percentile", "server/answers/trees", "server/dialect", "server/gate", "server/loaddata", "server/operators", "server/routines", "server/running", "server/sqlerror"}, []string{"github.com/dolthub/"}},
	// Stored procedures: what their interpreter neglects.
	{"server/routines", []string{"quoting", "server/answers/coercion", "server/answers/scalar", "server/answers/trees", "server/running", "server/sqlerror", "server/values"}, []string{"github.com/dolthub/", "github.com/shopspring/decimal"}},
	// A running statement: its limits, its end, and its state.
	{"server/running", []string{"catalog", "server/sqlerror"}, []string{"github.com/dolthub/"}},
	// Locks by names, and their functions in SQL.
	{"server/locks", []string{"server/running", "server/sqlerror", "tree"}, []string{"github.com/dolthub/go-mysql-server"}},
	// Errors as MySQL numbers.
	{"server/sqlerror", []string{"anonymize", "server/limits", "server/regularexpression"}, []string{"github.com/dolthub/", "gopkg.in/src-d/go-errors.v1"}},
	{"server/loaddata", []string{"catalog/coding", "catalog/declared", "catalog/delimited", "catalog/raw", "catalog/tabular", "tree"}, []string{"github.com/dolthub/", "github.com/shopspring/decimal"}},
	// Patterns in linear time, without SQL, and their functions in SQL.
	{"server/regularexpression", nil, nil},
	{"server/matching", []string{"server/regularexpression", "tree"}, []string{"github.com/dolthub/"}},
	// It replaces the engine's ICU (go.mod).
	{"standin/go-icu-regex", nil, nil},
	// Packets between clients and the owner's own server: it does not know the product.
	{"relay", []string{"relay/protocol", "server/admission"}, nil},
	// Raw tables on the owner's own server: it queries through a function, and opens no connection.
	{"upstream", []string{"anonymize", "catalog/coding", "catalog/homes", "catalog/raw", "catalog/source", "quoting"}, []string{"github.com/dolthub/"}},
	// A distributed engine: statements and their rows.
	{"engine", nil, []string{"github.com/dolthub/vitess", "github.com/trinodb/trino-go-client"}},
	// Raw tables that an engine keeps, as a home.
	{"engine/tables", []string{"anonymize", "catalog/coding", "catalog/homes", "catalog/raw", "catalog/source", "engine", "engine/dialect"}, []string{"github.com/dolthub/"}},
	// Groups and relations that an engine makes.
	{"engine/publication", []string{"anonymize", "anonymize/association", "anonymize/bucketization", "anonymize/exchange", "anonymize/parallel", "anonymize/privacy", "anonymize/slicing", "anonymize/slppa", "engine", "engine/dialect"}, nil},
	// Releases that an engine makes and keeps.
	{"engine/releases", []string{"anonymize", "anonymize/contingency", "anonymize/estimate", "anonymize/impute", "catalog/coding", "catalog/source", "engine", "engine/completion", "engine/dialect", "engine/estimates", "engine/publication", "engine/tables"}, []string{"github.com/dolthub/"}},
	// What an engine counts for estimates: it writes statements over relations of releases, and nothing else.
	{"engine/estimates", []string{"anonymize", "anonymize/estimate", "engine/dialect"}, nil},
	// Completed tables that an engine draws, with models of a sample.
	{"engine/completion", []string{"anonymize/impute", "engine", "engine/dialect", "engine/estimates"}, nil},
	{"enginetest/cluster", []string{"enginetest"}, nil},
	// The parts of SQL that engines do not have in common.
	{"engine/dialect", []string{"anonymize"}, nil},
	// A Trino cluster of processes, for tests.
	{"enginetest", []string{"engine", "testsize"}, nil},
	// The proxy for that server. It knows neither engine nor server: its starter tells it how to reach them.
	{"proxy", []string{"catalog/raw", "catalog/source", "relay", "relay/protocol", "upstream"}, nil},
	{"relay/protocol", nil, nil},
	// A private MariaDB, for tests.
	{"mariadbtest", []string{"testsize"}, nil},
	// How much tests do.
	{"testsize", nil, nil},
	// A comparison with MariaDB: only tests and a package comment.
	{"server/differential", nil, nil},
	// Stock clients against a server: nothing but its package comment.
	{"clients", nil, nil},
	{"server/servertest", []string{"server", "server/syntax", "testsize"}, []string{"github.com/cockroachdb/datadriven", "github.com/dolthub/", "github.com/go-sql-driver/mysql"}},
	{"server/servertest/census", []string{"cmd/anonsql/importer", "cmd/anonsql/sample"}, nil},
	// The pages on a server: nothing but its package comment.
	{"server/documents", nil, nil},
	{"cmd/anonsql", []string{"catalog/fault", "catalog/maintenance", "catalog/source", "cmd/anonsql/client", "cmd/anonsql/demo", "cmd/anonsql/importer", "cmd/anonsql/sample", "cmd/anonsql/tuner", "cmd/program", "cmd/progress", "cmd/version", "cmd/version/early", "console", "engine", "engine/releases", "engine/tables", "proxy", "relay", "server", "server/machine"}, []string{"github.com/spf13/cobra", "github.com/spf13/pflag"}},
	{"cmd/anonsql/client", nil, []string{"github.com/go-sql-driver/mysql"}},
	{"cmd/anonsql/tuner", []string{"cmd/anonsql/client", "quoting"}, nil},
	{"cmd/anonsql/demo", []string{"cmd/anonsql/client", "cmd/anonsql/importer", "cmd/anonsql/sample", "cmd/progress", "console", "quoting", "server", "server/sqlerror"}, []string{"github.com/go-sql-driver/mysql"}},
	{"cmd/anonsql/importer", []string{"catalog", "catalog/coding", "catalog/delimited", "catalog/raw", "catalog/tabular", "cmd/anonsql/client", "cmd/progress", "quoting", "server/loaddata"}, []string{"github.com/dolthub/", "github.com/go-sql-driver/mysql"}},
	// How both programs start and end.
	{"cmd/program", nil, []string{"github.com/spf13/cobra", "github.com/spf13/pflag"}},
	{"cmd/progress", nil, []string{"github.com/schollz/progressbar/v3"}},
	{"cmd/version", nil, nil},
	{"cmd/version/early", []string{"cmd/version"}, nil},
	// A separate program: the server does not draw figures.
	{"experiments/run", []string{"anonymize", "cmd/anonsql/client", "cmd/anonsql/sample", "cmd/program", "cmd/progress", "cmd/version", "experiments", "experiments/evaluation", "experiments/frontier", "experiments/peers"}, []string{"github.com/spf13/cobra"}},
	{"cmd/anonsql/sample", nil, nil},
	// It repeats the papers' evaluations: it measures methods, and sees neither SQL nor a catalog.
	{"experiments", []string{"anonymize", "anonymize/anatomy", "anonymize/arp", "anonymize/asn", "anonymize/association", "anonymize/attack", "anonymize/bucketization", "anonymize/cdt", "anonymize/clustering", "anonymize/crossbucket", "anonymize/drasl", "anonymize/dynamic", "anonymize/dynamic/sequence", "anonymize/estimate", "anonymize/mondrian", "anonymize/nonhomogeneous", "anonymize/slicing", "anonymize/slppa", "anonymize/utility", "experiments/evaluation", "experiments/imputation", "experiments/peers"}, nil},
	// Our own experiment: both estimators and the learner, side by side.
	{"experiments/frontier", []string{"anonymize", "anonymize/attack", "anonymize/locality", "anonymize/methods", "anonymize/modeled", "anonymize/privacy", "experiments/evaluation", "quoting"}, nil},
	{"experiments/imputation", []string{"anonymize", "anonymize/anatomy", "anonymize/asn", "anonymize/attack", "anonymize/estimate", "anonymize/impute", "anonymize/slppa", "anonymize/utility", "experiments/evaluation"}, nil},
	{"experiments/peers", []string{"anonymize", "anonymize/bucketization", "anonymize/cdt", "anonymize/crossbucket", "anonymize/estimate", "anonymize/fulldomain", "anonymize/generalization", "anonymize/methods", "anonymize/mondrian", "anonymize/utility", "experiments/evaluation"}, nil},
	// Figures, claims about them and output: it knows no paper and no method.
	{"experiments/evaluation", []string{"anonymize", "catalog/delimited"}, []string{"gonum.org/v1/plot"}},
	{"experiments/evaluation/evaluationtest", []string{"experiments/evaluation"}, nil},
}

// Two arrows carry the privacy argument. Estimation cannot reach raw rows, since neither the estimator nor its
// imports know a catalog. No method sees SQL, accounts or files.
func TestImportArrows(t *testing.T) {
	seen := make(map[string]bool)
	imports := make(map[string][]string) // of each room
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		room := path.Dir(filepath.ToSlash(file))
		seen[room] = true
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if !mayImport(room, imported) {
				t.Errorf("%s imports %s, which its room %s may not", file, imported, room)
			}
			imports[room] = append(imports[room], imported)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range arrows {
		if !seen[a.room] {
			t.Errorf("room %s has no Go file: take its line out", a.room)
		}
		for _, to := range a.module {
			if !slices.Contains(imports[a.room], module+"/"+to) {
				t.Errorf("room %s does not import %s: take the arrow out", a.room, to)
			}
		}
		for _, prefix := range a.foreign {
			if !slices.ContainsFunc(imports[a.room], func(imported string) bool { return strings.HasPrefix(imported, prefix) }) {
				t.Errorf("room %s imports nothing of %s: take it out", a.room, prefix)
			}
		}
	}
}

// The engine's ICU in WebAssembly, which nothing can interrupt and every start pays
// for, is replaced (go.mod) and no part of the binary.
func TestNoWebAssembly(t *testing.T) {
	listed := linked(t, "./cmd/anonsql")
	if !slices.Contains(listed, module+"/server/regularexpression") {
		t.Error("package regularexpression is no part of the binary")
	}
	for _, name := range listed {
		if strings.Contains(name, "wazero") {
			t.Errorf("%s is part of the binary", name)
		}
	}
}

// The server's binary draws nothing: the experiments, which do, are a module of their own.
func TestNoPlots(t *testing.T) {
	for _, name := range linked(t, "./cmd/anonsql") {
		if strings.HasPrefix(name+"/", module+"/experiments/") || strings.HasPrefix(name+"/", "gonum.org/v1/plot/") {
			t.Errorf("%s is part of the server's binary", name)
		}
	}
}

// linked lists the packages of a binary.
func linked(t *testing.T, command string) []string {
	t.Helper()
	listed, err := exec.Command("go", "list", "-deps", command).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(listed))
}

func mayImport(room, imported string) bool {
	for _, a := range arrows {
		if a.room != room {
			continue
		}
		if inside, ok := strings.CutPrefix(imported, module+"/"); ok {
			return slices.Contains(a.module, inside)
		}
		first, _, _ := strings.Cut(imported, "/")
		if !strings.Contains(first, ".") {
			return true // the standard library
		}
		return slices.ContainsFunc(a.foreign, func(prefix string) bool { return strings.HasPrefix(imported, prefix) })
	}
	return false
}
