package console

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"errors"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-sql-driver/mysql"
)

// Bounds of sessions.
const (
	idleTime      = 30 * time.Minute
	longestTime   = 12 * time.Hour
	maxSessions   = 100
	maxPerAccount = 8  // per account: a further one ends the oldest idle one
	maxAsked      = 3  // simultaneous questions of a session
	maxTrying     = 32 // simultaneous sign-ins; maxTryingPerAddress of them per address
)

// A session is a signed-in account. Only its connections have the account's password.
type session struct {
	id, form string // the cookie; the forms' token
	account  string
	from     netip.Addr // of the browser
	db       *sql.DB
	who      string // the account, user@host, as the server identified it
	began    time.Time
	life     context.Context // ends with the session
	finish   context.CancelFunc
	asking   chan struct{}
	denied   atomic.Bool // the server no longer admits the account

	mu      sync.Mutex
	last    time.Time // of the last use
	using   int       // running requests
	loading int       // files being loaded
	ended   bool
	running map[int64]bool
	works   []*work // the ended ones in the order of their ends
	powers  powers
}

// close ends the session's questions and connections. A file that is being loaded keeps the connections until its table is dropped.
func (s *session) close() {
	s.finish()
	s.mu.Lock()
	s.ended = true
	waits := s.loading > 0
	s.mu.Unlock()
	if !waits {
		s.db.Close()
	}
}

// beginLoading registers the loading of a file and returns a context that ends with the session; the caller must call end.
func (s *session) beginLoading(ctx context.Context) (life context.Context, end func()) {
	life, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.life, cancel)
	s.mu.Lock()
	s.loading++
	s.mu.Unlock()
	return life, func() {
		stop()
		cancel()
		s.mu.Lock()
		s.loading--
		last := s.ended && s.loading == 0
		s.mu.Unlock()
		if last {
			s.db.Close()
		}
	}
}

// sessions are all sessions of a console.
type sessions struct {
	dial func(client net.Addr) (net.Conn, error)
	tls  *tls.Config
	now  func() time.Time

	mu   sync.Mutex
	byID map[string]*session
}

func newSessions(dial func(client net.Addr) (net.Conn, error), certificate *tls.Config) *sessions {
	return &sessions{dial: dial, tls: pinned(certificate), now: time.Now, byID: make(map[string]*session)}
}

// pinned accepts only the server's own certificate, which may be self-signed.
func pinned(server *tls.Config) *tls.Config {
	if server == nil || len(server.Certificates) == 0 {
		return nil
	}
	own := server.Certificates[0].Certificate[0]
	return &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true, // VerifyConnection compares it byte by byte instead
		VerifyPeerCertificate: func(raw [][]byte, _ [][]*x509.Certificate) error {
			if len(raw) == 0 || !bytes.Equal(raw[0], own) {
				return errors.New("the server's listener shows another certificate than the server's")
			}
			return nil
		}}
}

// begin signs an account in by opening a connection. from is the browser's address, host:port: the server sees
// it as the origin of the session's connections, and the session accepts requests from it only.
func (all *sessions) begin(ctx context.Context, from, user, password string) (*session, error) {
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User, config.Passwd, config.TLS = "tcp", "anonsql", user, password, all.tls
	client, err := net.ResolveTCPAddr("tcp", from) // numeric: no lookup
	if err != nil {
		return nil, err
	}
	config.DialFunc = func(context.Context, string, string) (net.Conn, error) { return all.dial(client) }
	config.InterpolateParams, config.Timeout, config.Logger = true, 10*time.Second, &mysql.NopLogger{}
	config.Params = map[string]string{"time_zone": "'+00:00'"}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(maxAsked + 2)
	db.SetMaxIdleConns(1)
	db.SetConnMaxIdleTime(time.Minute)
	s := &session{
		id:      token(),
		form:    token(),
		account: user,
		from:    addressOf(from),
		db:      db,
		began:   all.now(),
		last:    all.now(),
		asking:  make(chan struct{}, maxAsked),
		running: make(map[int64]bool),
	}
	s.life, s.finish = context.WithCancel(context.Background())
	err = db.QueryRowContext(ctx, "SELECT CURRENT_USER()").Scan(&s.who)
	if err == nil {
		err = all.add(s)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

var errFull = errors.New("too many sessions of the console are open: sign out elsewhere, or wait until one has been idle for half an hour")

func (all *sessions) add(s *session) error {
	all.endIdle()
	all.mu.Lock()
	defer all.mu.Unlock()
	var oldest *session
	same := 0
	for _, other := range all.byID {
		if other.who != s.who {
			continue
		}
		if same++; oldest == nil || other.givesWayBefore(oldest) {
			oldest = other
		}
	}
	if same >= maxPerAccount {
		delete(all.byID, oldest.id)
		oldest.close()
	}
	if len(all.byID) >= maxSessions {
		return errFull
	}
	all.byID[s.id] = s
	return nil
}

// givesWayBefore orders an account's sessions for replacement: idle ones first, then by age.
func (s *session) givesWayBefore(other *session) bool {
	if s.isBusy() != other.isBusy() {
		return other.isBusy()
	}
	return s.began.Before(other.began)
}

func (s *session) isBusy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.using > 0
}

// find returns the session of a browser's cookie and address, nil if it has ended.
func (all *sessions) find(id string, from netip.Addr) *session {
	all.endIdle()
	all.mu.Lock()
	defer all.mu.Unlock()
	if s := all.byID[id]; s != nil && s.from == from {
		return s
	}
	return nil
}

// end closes a session's connections; the server then ends what they run.
func (all *sessions) end(id string) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if s := all.byID[id]; s != nil {
		delete(all.byID, id)
		s.close()
	}
}

// endUnused ends the session whose cookie a browser replaces, unless it is busy: a later session of the account finds its works, and it times out.
func (all *sessions) endUnused(id string, from netip.Addr) {
	if s := all.find(id, from); s != nil && !s.isBusy() {
		all.end(id)
	}
}

// worksOf returns the works of all sessions of the session's account.
func (all *sessions) worksOf(s *session) (works []*work) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, other := range all.byID {
		if other.who == s.who {
			other.mu.Lock()
			works = append(works, other.works...)
			other.mu.Unlock()
		}
	}
	slices.SortFunc(works, func(a, b *work) int { return b.began.Compare(a.began) })
	return works
}

func (all *sessions) endIdle() {
	all.endWhere(func(s *session) bool { return s.hasExpired(all.now()) })
}

func (all *sessions) endAll() { all.endWhere(func(*session) bool { return true }) }

func (all *sessions) endWhere(over func(*session) bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for id, s := range all.byID {
		if over(s) {
			delete(all.byID, id)
			s.close()
		}
	}
}

// hasExpired reports whether the session has timed out. A session that waits for an answer is in use.
func (s *session) hasExpired(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.using == 0 && (now.Sub(s.last) > idleTime || now.Sub(s.began) > longestTime)
}

// beginRequest registers a request; the caller must call end.
func (s *session) beginRequest() (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.using++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.using--
		s.last = time.Now()
	}
}
