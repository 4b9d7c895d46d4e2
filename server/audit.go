package server

import (
	"cmp"
	"context"
	"maps"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/audit"
	"github.com/anonsql/anonsql/functions/options"
	"github.com/anonsql/anonsql/server/admission"
	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/worker"
)

// The audit has one entry for each of these: a call of a procedure except explain_sql
// (kind publish, refresh, drop, evaluate, or the procedure's name), a release that a
// statement queries for estimates (estimate), a statement about accounts (account), a
// denied statement (denied), an unparsable or unsupported one (refused), and a failed
// login (login). No entry has a value, or a name that a client made up
// (audit_digest.go). An entry is added when its statement ends. Entries of publications
// and accounts are on disk before the client gets its answer, entries of estimates some
// tenths of a second later.

// openAudit returns nil for a server without an audit. It logs the start of a new audit
// unless the directory is fresh.
func openAudit(config Config, fresh bool) (*audit.Log, error) {
	if config.NoAudit {
		return nil, nil
	}
	audit, err := audit.Open(config.DataDir, time.Duration(max(config.AuditDays, 0))*24*time.Hour)
	if kept := audit.Replaced(); kept != "" {
		config.Logger.Warn("the audit was damaged: a new one is begun, and the old one kept", "file", kept)
	} else if audit.Begun() && !fresh {
		config.Logger.Info("a new audit is begun: there was none in the data directory")
	}
	return audit, err
}

// Kinds of entries, besides audit.LoginKind and refusedKind.
const (
	deniedKind   = "denied"
	estimateKind = "estimate"
	publishKind  = "publish"
	importKind   = "import"
)

// procedureKinds are the kinds of procedures whose kind is not their name.
var procedureKinds = map[string]string{"anonymize": publishKind, "refresh_release": "refresh", "drop_release": "drop", "export_release": "export",
	"import_release": importKind}

// noteCall notes the call of a procedure. The first argument is the context.
func noteCall(name string, arguments []reflect.Value) {
	ctx, ok := arguments[0].Interface().(context.Context)
	if !ok || name == "explain_sql" {
		return
	}
	var given []string
	for _, argument := range arguments[1:] {
		switch v := argument.Interface().(type) {
		case string:
			given = append(given, v)
		case []string:
			given = append(given, v...)
		}
	}
	running.StatementOf(ctx).NoteAct(actOf(name, given))
}

// actOf returns the kind, the release and the source of a call.
func actOf(name string, given []string) running.Act {
	a := running.Act{Kind: name}
	if kind, ok := procedureKinds[name]; ok {
		a.Kind = kind
	}
	if len(given) == 0 {
		return a
	}
	asked := options.Given{}
	for _, argument := range given[1:] {
		if parsed, err := options.Parse([]string{argument}); err == nil { // others fail in the call, or name the method
			maps.Copy(asked, parsed)
		}
	}
	switch name {
	case "anonymize":
		a.Source = given[0]
		a.Release = given[0][strings.LastIndexByte(given[0], '.')+1:]
		a.Release = cmp.Or(asked[options.Publish.Name()], a.Release)
		if text, said := asked[options.DryRun.Name()]; said {
			if dry, known := options.Yes(text); dry || !known {
				a.Kind = "dry_run"
			}
		}
	case "set_attributes", "set_taxonomy", "tune", "advise":
		a.Source = given[0]
	case "create_analyst", "set_defaults", "set_limits":
	case "import_release": // the package itself may be the first argument
		a.Release = asked[options.Publish.Name()]
	default: // refresh_release, drop_release, evaluate
		a.Release = strings.TrimPrefix(given[0], catalog.PublishedDatabaseName+".")
	}
	a.Release, a.Source = strings.ReplaceAll(a.Release, "`", ""), strings.ReplaceAll(a.Source, "`", "")
	return a
}

// audited adds the entries of a statement that has ended.
func (s *instance) audited(ctx context.Context, st *running.Statement, err error) {
	acts, client := st.Acts()
	if told, ok := ctx.Value(endingKey{}).(*worker.Ending); ok {
		for _, a := range acts {
			told.Acts = append(told.Acts, worker.Act{Kind: a.Kind, Release: a.Release, Source: a.Source})
		}
		told.Reads, told.Estimates = told.Reads|st.Reads.Load(), append(told.Estimates, st.Estimates()...)
		return
	}
	if err != nil && outcome(err) == "denied" && len(acts) == 0 {
		acts = []running.Act{{Kind: deniedKind}}
	}
	if err != nil && refusal(err) && len(acts) == 0 {
		acts = []running.Act{{Kind: refusedKind}}
	}
	if len(acts) == 0 {
		return
	}
	last, lasting, digest := uint64(0), false, s.newDigest(st, err)
	text := digest.statement()
	for _, a := range acts {
		release, source := digest.objects(a)
		e := audit.Entry{At: st.Started, Account: client.User, Host: client.Address, Kind: a.Kind, Release: release, Source: source,
			Statement: text, Duration: time.Since(st.Started), Error: sqlerror.Number(err), Rows: st.Rows}
		if a.Kind == deniedKind || a.Kind == refusedKind {
			s.refusals.add(e)
			continue
		}
		last = s.audit.Add(e)
		lasting = lasting || a.Kind != estimateKind
	}
	if lasting {
		s.settle(last)
	}
}

// auditPatience is how long a statement waits for its entry to be on disk.
const auditPatience = 10 * time.Second

// settle waits until an entry is on disk. Its statement is done by then, so a failure
// is only logged.
func (s *instance) settle(number uint64) {
	ctx, cancel := context.WithTimeout(context.Background(), auditPatience)
	defer cancel()
	if err := s.audit.Flushed(ctx, number); err != nil {
		s.config.Logger.Error("an entry of the audit is not on the disk", "error", err)
	}
}

// noteOwnWork adds an entry for the server's background work: a refresh, or a fit.
func noteOwnWork(host Host, account, kind, release string, started time.Time, err error) {
	if err != nil {
		host.Logger.Warn("the server's own work failed", "kind", kind, "release", release, "error", err)
	}
	host.Audit.Add(audit.Entry{At: started, Account: account, Kind: kind, Release: release,
		Duration: time.Since(started), Error: sqlerror.Number(sqlerror.ToClient(err))})
}

// refusedKind is the audit's kind of unparsable or unsupported statements: it shows the
// owner where tools fail, and who probes the server.
const refusedKind = "refused"

// refusals add denied and refused statements to the audit: one entry each while an account sends few of them, then sums.
type refusals struct {
	audit *audit.Log

	mu sync.Mutex
	of map[[2]string]*admission.Tally // by account and kind
}

func newRefusals(log *audit.Log) *refusals {
	return &refusals{audit: log, of: make(map[[2]string]*admission.Tally)}
}

func (r *refusals) add(e audit.Entry) {
	r.mu.Lock()
	tally := r.of[[2]string{e.Account, e.Kind}]
	if tally == nil {
		tally = admission.NewTally(func(sum admission.Event) {
			host := cmp.Or(sum.Host, severalSources)
			r.audit.Add(audit.Entry{At: time.Now(), Account: sum.Account, Host: host, Kind: e.Kind, Error: sum.Number, Rows: sum.Count})
		})
		r.of[[2]string{e.Account, e.Kind}] = tally
	}
	r.mu.Unlock()
	if tally.Note(admission.Event{Account: e.Account, Host: e.Host, Number: e.Error, Count: 1}) {
		r.audit.Add(e)
	}
}

func (r *refusals) flush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, tally := range r.of {
		tally.Flush()
	}
}

// refusal reports whether an error says that a statement is invalid, too large, or
// unsupported.
func refusal(err error) bool {
	switch sqlerror.Number(err) {
	case sqlerror.Syntax,
		sqlerror.Unknown,
		sqlerror.NotSupported,
		sqlerror.TooManyTables,
		sqlerror.TooManyColumns,
		sqlerror.TooManyPlaceholders,
		sqlerror.NotPreparable:
		return true
	}
	return false
}

// unparsed reports whether the statement of an error was not parsed, so that any of its
// words may be a value.
func unparsed(err error) bool {
	number := sqlerror.Number(err)
	return refusal(err) && number != sqlerror.NotSupported && number != sqlerror.Unknown
}

// auditPrepare adds a statement that was refused before it reached the engine.
func (s *instance) auditPrepare(c *mysql.Conn, text string, err *mysql.SQLError) {
	user, ok := c.UserData.(sql.MysqlConnectionUser)
	if !ok || !refusal(err) {
		return
	}
	s.refusals.add(audit.Entry{At: time.Now(), Account: user.User, Host: user.Host, Kind: refusedKind,
		Statement: s.newDigest(running.New("prepare", text), err).statement(), Error: err.Num})
}
