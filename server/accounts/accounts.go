package accounts

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/mysql_db/serial"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/raw"
)

// GrantsSetting is the catalog's setting that holds accounts, roles and
// privileges, in the engine's encoding.
const GrantsSetting = "grants"

// A Book has the engine's accounts, roles and privileges, stored in the catalog.
// Statements about them are atomic (Change).
type Book struct {
	Engine *mysql_db.MySQLDb
	store  *catalog.Catalog
	// Checked is called after every change, before it is stored; an error undoes the
	// change. May be nil.
	Checked func(context.Context) error
	// Rule checks plain-text passwords; an error refuses the statement. May be nil.
	Rule func(user, password string) error

	// turn is a semaphore for one change at a time.
	turn chan struct{}
	// there has the accounts that exist as of the last change, stored before another statement sees the change.
	there atomic.Pointer[map[mysql_db.UserPrimaryKey]bool]
}

// New returns the book of an engine's accounts, stored in store. Open loads them.
func New(engine *mysql_db.MySQLDb, store *catalog.Catalog) *Book {
	return &Book{Engine: engine, store: store, turn: make(chan struct{}, 1)}
}

// Open loads the accounts. A new catalog gets root@localhost without a password, which
// the server accepts only on the loopback interface (server/exposure.go).
func (b *Book) Open() error {
	b.Engine.SetPersister(b)
	b.Engine.SetEnabled(true)
	stored, err := b.store.Setting(GrantsSetting)
	if err != nil {
		return fmt.Errorf("cannot read the accounts: %w", err)
	}
	ctx := sql.NewEmptyContext()
	editor := b.Engine.Editor()
	defer editor.Close()
	if stored != nil {
		return b.load(ctx, editor, stored)
	}
	b.Engine.AddSuperUser(editor, "root", "localhost", "")
	if err := b.Engine.Persist(ctx, editor); err != nil {
		return fmt.Errorf("cannot store the accounts: %w", err)
	}
	return nil
}

// load replaces the accounts by stored ones. The engine's reader drops which accounts
// are roles (those that are locked and have no password) and who may grant a role.
func (b *Book) load(ctx *sql.Context, editor *mysql_db.Editor, stored []byte) error {
	if err := b.Engine.OverwriteUsersAndGrantData(ctx, editor, stored); err != nil {
		return fmt.Errorf("cannot read the accounts: %w", err)
	}
	b.note(stored)
	editor.VisitUsers(func(u *mysql_db.User) { u.IsRole = u.Locked && u.AuthString == "" })
	kept := serial.GetRootAsMySQLDb(stored, 0)
	for i := range kept.RoleEdgesLength() {
		var edge serial.RoleEdge
		if kept.RoleEdges(&edge, i) && edge.WithAdminOption() {
			loaded := mysql_db.LoadRoleEdge(&edge)
			loaded.WithAdminOption = true
			editor.RemoveRoleEdge(mysql_db.RoleEdgesPrimaryKey{FromHost: loaded.FromHost, FromUser: loaded.FromUser,
				ToHost: loaded.ToHost, ToUser: loaded.ToUser})
			editor.PutRoleEdge(loaded)
		}
	}
	return nil
}

// heldBack is where Persist leaves the grants to store while Change runs.
type heldBack struct{ grants []byte }

type heldBackKey struct{}

// Change runs one statement about accounts. The engine changes its accounts step by
// step under a lock that every other statement needs. Another session's transaction may
// hold the only writer for long, so Change waits for the writer first: neither that lock
// is held meanwhile, nor is a change visible that is not stored. It undoes a change that
// fails half-way or cannot be stored. As in MySQL, it first commits the session's open
// transaction. Waiting for the turn, or for the writer's, ends with ctx.
func (b *Book) Change(ctx *sql.Context, do func(*sql.Context) error) error {
	if err := raw.CommitOpen(ctx); err != nil {
		return err
	}
	select {
	case b.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-b.turn }()
	began := false
	err := b.store.ChangeSetting(ctx.Context, GrantsSetting, func() ([]byte, error) {
		began = true
		held := &heldBack{}
		err := do(ctx.WithContext(context.WithValue(ctx.Context, heldBackKey{}, held)))
		if err == nil && b.Checked != nil {
			err = b.Checked(ctx)
		}
		return held.grants, err
	})
	if err != nil && began {
		err = errors.Join(err, b.restore(ctx))
	}
	return err
}

func (b *Book) restore(ctx *sql.Context) error {
	stored, err := b.store.Setting(GrantsSetting)
	if err != nil {
		return fmt.Errorf("the accounts may differ from the stored ones until the server is started again: %w", err)
	}
	editor := b.Engine.Editor()
	defer editor.Close()
	return b.load(ctx, editor, stored)
}

// Persist implements mysql_db.MySQLDbPersistence.
func (b *Book) Persist(ctx *sql.Context, grants []byte) error {
	b.note(grants)
	if held, ok := ctx.Value(heldBackKey{}).(*heldBack); ok {
		held.grants = grants
		return nil
	}
	return b.store.SetSetting(ctx.Context, GrantsSetting, grants)
}

// note stores which accounts exist.
func (b *Book) note(grants []byte) {
	kept, there := serial.GetRootAsMySQLDb(grants, 0), map[mysql_db.UserPrimaryKey]bool{}
	var u serial.User
	note := func(found bool) {
		if found {
			there[mysql_db.UserPrimaryKey{Host: string(u.Host()), User: string(u.User())}] = true
		}
	}
	for i := range kept.UserLength() {
		note(kept.User(&u, i))
	}
	for i := range kept.SuperUserLength() {
		note(kept.SuperUser(&u, i))
	}
	b.there.Store(&there)
}

// Gone reports whether a client's account no longer exists. It takes no lock, because the engine calls it while it reads the accounts.
func (b *Book) Gone(client sql.Client) bool {
	there := b.there.Load()
	return there != nil && !(*there)[mysql_db.UserPrimaryKey{User: client.User, Host: client.Address}]
}

// Holds reports whether the session's account has all the privileges on a table, on a
// database (table is "") or globally (both are "").
func Holds(ctx *sql.Context, accounts *mysql_db.MySQLDb, database, table string, privileges ...sql.PrivilegeType) bool {
	if len(privileges) == 0 {
		return false
	}
	if database == "" { // the engine would take the current database
		held := accounts.UserActivePrivilegeSet(ctx)
		return held.Has(sql.PrivilegeType_Super) || held.Has(privileges...)
	}
	return accounts.UserHasPrivileges(ctx, sql.NewPrivilegedOperation(
		sql.PrivilegeCheckSubject{Database: database, Table: table}, privileges...))
}

// All returns copies of the accounts that can log in.
func (b *Book) All() []mysql_db.User {
	reader := b.Engine.Reader()
	defer reader.Close()
	var list []mysql_db.User
	reader.VisitUsers(func(u *mysql_db.User) {
		if !u.IsRole && !u.Locked {
			list = append(list, *u)
		}
	})
	return list
}

// IsSuperuser reports whether an account has all privileges.
func IsSuperuser(u *mysql_db.User) bool {
	return u.IsSuperUser || u.PrivilegeSet.Has(sql.PrivilegeType_Super)
}
