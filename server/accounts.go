package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/mysql_db/serial"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/raw"
)

// grantsSetting is the catalog's setting that holds accounts, roles and
// privileges, in the engine's encoding.
const grantsSetting = "grants"

// An accountBook is the accounts, roles and privileges: the engine's, kept in
// the catalog. A statement about them is whole or not at all (change).
type accountBook struct {
	engine *mysql_db.MySQLDb
	store  *catalog.Catalog
	// checked is asked after every change, before it is stored; an error undoes
	// the change. May be nil.
	checked func() error
	// rule holds passwords that are given in plain text against a rule; an error
	// refuses the statement. May be nil.
	rule func(user, password string) error

	// turn lets one change at a time through; it holds one element.
	turn chan struct{}
}

// open loads the accounts. A new catalog gets root@localhost without a
// password, which is enough only on the loopback interface (exposure.go).
func (b *accountBook) open() error {
	b.engine.SetPersister(b)
	b.engine.SetEnabled(true)
	stored, err := b.store.Setting(grantsSetting)
	if err != nil {
		return fmt.Errorf("cannot read the accounts: %w", err)
	}
	ctx := sql.NewEmptyContext()
	editor := b.engine.Editor()
	defer editor.Close()
	if stored != nil {
		return b.load(ctx, editor, stored)
	}
	b.engine.AddSuperUser(editor, "root", "localhost", "")
	if err := b.engine.Persist(ctx, editor); err != nil {
		return fmt.Errorf("cannot store the accounts: %w", err)
	}
	return nil
}

// load puts what was stored in the place of what there is. The engine's reader
// leaves out which accounts are roles (they are those that are locked and have
// no password) and who may pass a role on.
func (b *accountBook) load(ctx *sql.Context, editor *mysql_db.Editor, stored []byte) error {
	if err := b.engine.OverwriteUsersAndGrantData(ctx, editor, stored); err != nil {
		return fmt.Errorf("cannot read the accounts: %w", err)
	}
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

// heldBack is where Persist leaves what is to be stored while change runs.
type heldBack struct{ grants []byte }

type heldBackKey struct{}

// change runs one statement about accounts. The engine changes its accounts
// step by step under a lock that every other statement needs; here nothing is
// written to the catalog under that lock, because the transaction of another
// session may hold the one writer for long, and what failed half-way or could
// not be stored is taken back. As in MySQL, the session's open transaction is
// committed first. What waits for its turn, or for the writer's, ends with ctx.
func (b *accountBook) change(ctx *sql.Context, do func(*sql.Context) error) error {
	if err := raw.CommitOpen(ctx); err != nil {
		return err
	}
	select {
	case b.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-b.turn }()
	held := &heldBack{}
	err := do(ctx.WithContext(context.WithValue(ctx.Context, heldBackKey{}, held)))
	if err == nil && b.checked != nil {
		err = b.checked()
	}
	if err == nil && held.grants != nil {
		err = b.store.SetSetting(ctx.Context, grantsSetting, held.grants)
	}
	if err != nil {
		err = errors.Join(err, b.restore(ctx))
	}
	return err
}

func (b *accountBook) restore(ctx *sql.Context) error {
	stored, err := b.store.Setting(grantsSetting)
	if err != nil {
		return fmt.Errorf("the accounts may differ from the stored ones until the server is started again: %w", err)
	}
	editor := b.engine.Editor()
	defer editor.Close()
	return b.load(ctx, editor, stored)
}

// Persist implements mysql_db.MySQLDbPersistence.
func (b *accountBook) Persist(ctx *sql.Context, grants []byte) error {
	if held, ok := ctx.Value(heldBackKey{}).(*heldBack); ok {
		held.grants = grants
		return nil
	}
	return b.store.SetSetting(ctx.Context, grantsSetting, grants)
}

// canRead implements Host.CanRead.
func (s *instance) canRead(ctx *sql.Context, database, table string) bool {
	return database != "" && table != "" && s.holds(ctx, database, table, sql.PrivilegeType_Select)
}

// holds implements Host.Holds.
func (s *instance) holds(ctx *sql.Context, database, table string, privileges ...sql.PrivilegeType) bool {
	return holds(ctx, s.accounts.engine, database, table, privileges...)
}

func holds(ctx *sql.Context, accounts *mysql_db.MySQLDb, database, table string, privileges ...sql.PrivilegeType) bool {
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
