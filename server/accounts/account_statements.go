package accounts

import (
	"fmt"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/accounts/given"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// The engine runs most statements about accounts. What it lets through or leaves out is
// added here: it takes 'ana'@'10.1.1.1' for 'ana'@'%' where there is no such account;
// it drops options of CREATE USER without a word; it has no RENAME USER and no REVOKE
// ALL PRIVILEGES, GRANT OPTION; it lets privileges on the current database be passed on
// for all databases; a REVOKE on a database takes the privileges on its tables too; and
// an account with CREATE USER could take over a superuser's.

// IsStatement reports whether a node is a statement about accounts, for Run.
func IsStatement(n sql.Node) bool {
	switch n.(type) {
	case *plan.CreateUser, *plan.AlterUser, *plan.DropUser, *plan.RenameUser, *plan.CreateRole, *plan.DropRole,
		*plan.Grant, *plan.Revoke, *plan.RevokeAll, *plan.GrantRole, *plan.RevokeRole, *plan.GrantProxy, *plan.RevokeProxy,
		*plan.FlushPrivileges:
		return true
	}
	return false
}

// Run runs a statement about accounts atomically. below is the engine's builder, for the
// engine's part of it.
func (b *Book) Run(ctx *sql.Context, n sql.Node, row sql.Row, below sql.NodeExecBuilder) (rows sql.RowIter, err error) {
	err = b.Change(ctx, func(ctx *sql.Context) error {
		if err := b.admit(ctx, n); err != nil {
			return err
		}
		switch n := n.(type) {
		case *plan.CreateUser:
			hashed := *n
			hashed.Users = hashPasswords(n.Users...)
			rows, err = below.Build(ctx, &hashed, row)
		case *plan.AlterUser:
			hashed := *n
			hashed.User = hashPasswords(n.User)[0]
			rows, err = below.Build(ctx, &hashed, row)
		case *plan.RenameUser:
			rows, err = okRows(), b.rename(ctx, n)
		case *plan.RevokeAll:
			rows, err = okRows(), b.revokeAll(ctx, n)
		case *plan.DropUser:
			there := *n
			there.Users = b.existing(n.Users)
			rows, err = below.Build(ctx, &there, row)
		case *plan.Revoke:
			kept := b.withinDatabase(ctx, n)
			if rows, err = below.Build(ctx, n, row); err == nil {
				err = b.putBack(ctx, kept)
			}
		default:
			rows, err = below.Build(ctx, n, row)
		}
		return err
	})
	if err != nil {
		return nil, sqlerror.Typed(err)
	}
	return rows, nil
}

// hashPasswords copies users, with hashes instead of passwords.
func hashPasswords(users ...plan.AuthenticatedUser) []plan.AuthenticatedUser {
	hashed := slices.Clone(users)
	for i := range hashed {
		hashed[i].Auth1 = given.Hashed(hashed[i].Auth1)
	}
	return hashed
}

func okRows() sql.RowIter { return sql.RowsToRowIter(sql.NewRow(types.NewOkResult(0))) }

// rename keeps password, privileges and roles. Open sessions keep the old name, and so
// lose all privileges.
func (b *Book) rename(ctx *sql.Context, n *plan.RenameUser) error {
	editor := b.Engine.Editor()
	defer editor.Close()
	for i := range n.OldName {
		from, to := AccountOf(n.OldName[i]), AccountOf(n.NewName[i])
		old, found := editor.GetUser(from)
		if _, taken := editor.GetUser(to); taken || !found {
			return sqlerror.New(sqlerror.CannotUser, fmt.Sprintf("Operation RENAME USER failed for %s", Quoted(from)))
		}
		renamed := *old
		renamed.User, renamed.Host = to.User, to.Host
		editor.RemoveUser(from)
		editor.PutUser(&renamed)
		moveRoles(editor, from, to)
	}
	return b.Engine.Persist(ctx, editor)
}

func moveRoles(editor *mysql_db.Editor, from, to mysql_db.UserPrimaryKey) {
	var edges []mysql_db.RoleEdge
	editor.VisitRoleEdges(func(e *mysql_db.RoleEdge) {
		if e.FromUser == from.User && e.FromHost == from.Host || e.ToUser == from.User && e.ToHost == from.Host {
			edges = append(edges, *e)
		}
	})
	for _, e := range edges {
		editor.RemoveRoleEdge(mysql_db.RoleEdgesPrimaryKey{FromHost: e.FromHost, FromUser: e.FromUser, ToHost: e.ToHost, ToUser: e.ToUser})
		if e.FromUser == from.User && e.FromHost == from.Host {
			e.FromUser, e.FromHost = to.User, to.Host
		}
		if e.ToUser == from.User && e.ToHost == from.Host {
			e.ToUser, e.ToHost = to.User, to.Host
		}
		editor.PutRoleEdge(&e)
	}
}

// revokeAll revokes every privilege, but no role, as in MySQL.
func (b *Book) revokeAll(ctx *sql.Context, n *plan.RevokeAll) error {
	editor := b.Engine.Editor()
	defer editor.Close()
	for _, name := range n.Users {
		if found, ok := editor.GetUser(AccountOf(name)); ok {
			found.PrivilegeSet = mysql_db.NewPrivilegeSet()
			found.IsSuperUser = false
		}
	}
	return b.Engine.Persist(ctx, editor)
}
