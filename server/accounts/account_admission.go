package accounts

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/server/accounts/given"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/trivial"
)

// admit checks privileges, names and options of a statement.
func (b *Book) admit(ctx *sql.Context, n sql.Node) error {
	if checked, ok := n.(sql.AuthorizationCheckerNode); ok && !checked.CheckAuth(ctx, globalChecker{b.Engine}) {
		return sqlerror.New(sqlerror.AccessDenied, fmt.Sprintf(
			"Access denied for user %s; you need the privileges themselves and GRANT OPTION for this operation", Account(ctx)))
	}
	switch n := n.(type) {
	case *plan.CreateUser:
		if err := admitCreateUser(n); err != nil {
			return err
		}
		return b.admitPasswords(n.Users...)
	case *plan.CreateRole:
		return checkHosts(n.Roles)
	case *plan.DropRole:
		return b.admitDropRole(n)
	case *plan.AlterUser:
		if given.Refused(n.User.Auth1) {
			return sql.ErrUnsupportedFeature.New(given.AlterUser)
		}
		if err := admitAuthentication(n.User); err != nil {
			return err
		}
		if err := b.admitSuperusers(ctx, n.User.UserName); err != nil {
			return err
		}
		return b.admitPasswords(n.User)
	case *plan.DropUser:
		if err := b.admitNames(n.Users, n.IfExists, sqlerror.CannotUser, "Operation DROP USER failed for %s"); err != nil {
			return err
		}
		return b.admitDrop(ctx, n.Users)
	case *plan.RenameUser:
		if err := checkHosts(n.NewName); err != nil {
			return err
		}
		if err := b.admitNames(n.OldName, false, sqlerror.CannotUser, "Operation RENAME USER failed for %s"); err != nil {
			return err
		}
		return b.admitSuperusers(ctx, n.OldName...)
	case *plan.GrantProxy, *plan.RevokeProxy:
		return sqlerror.New(sqlerror.NotSupported, "PROXY is not supported: GRANT the privileges or a role that has them")
	case *plan.Grant:
		if err := admitGrant(n); err != nil {
			return err
		}
		return b.admitNames(n.Users, false, sqlerror.NoSuchGrantee, "You are not allowed to create a user with GRANT: there is no account %s")
	case *plan.Revoke:
		if err := b.admitNames(n.Users, false, sqlerror.NoSuchGrant, "There is no such grant defined for user %s"); err != nil {
			return err
		}
		return b.admitSuperusers(ctx, n.Users...)
	case *plan.RevokeAll:
		if err := b.admitNames(n.Users, false, sqlerror.RevokeGrants, "Can't revoke all privileges: there is no account %s"); err != nil {
			return err
		}
		return b.admitSuperusers(ctx, n.Users...)
	case *plan.GrantRole:
		return b.admitNames(append(n.Roles[:len(n.Roles):len(n.Roles)], n.TargetUsers...), false, sqlerror.UnknownAuthorization, "Unknown authorization ID %s")
	case *plan.RevokeRole:
		return b.admitNames(append(n.Roles[:len(n.Roles):len(n.Roles)], n.TargetUsers...), false, sqlerror.UnknownAuthorization, "Unknown authorization ID %s")
	}
	return nil
}

// admitCreateUser refuses the options that the engine would drop.
func admitCreateUser(n *plan.CreateUser) error {
	refuse := func(option, instead string) error {
		return sqlerror.New(sqlerror.NotSupported, fmt.Sprintf("CREATE USER ... %s is not supported: %s", option, instead))
	}
	switch {
	case n.TLSOptions != nil:
		return refuse("REQUIRE", "anonsql serve --require-tls requires TLS of every account")
	case n.AccountLimits != nil:
		return refuse("WITH MAX_...", "anonsql serve --max-user-connections limits every account, --max-connections all together")
	case n.Locked:
		return refuse("ACCOUNT LOCK", "an account exists or not; DROP USER, or ALTER USER ... IDENTIFIED BY another password")
	case n.PasswordOptions != nil:
		return refuse("PASSWORD ... or ACCOUNT ...", "passwords neither expire nor are remembered; ALTER USER ... IDENTIFIED BY changes one")
	case len(n.DefaultRoles) > 0:
		return refuse("DEFAULT ROLE", "GRANT the role; granted roles are active at once")
	}
	for _, user := range n.Users {
		if err := errors.Join(CheckHost(AccountOf(user.UserName)), admitAuthentication(user)); err != nil {
			return err
		}
	}
	return nil
}

// admitAuthentication refuses unsupported methods, and malformed hashes.
func admitAuthentication(user plan.AuthenticatedUser) error {
	other, ok := user.Auth1.(plan.AuthenticationOther)
	if _, plain := given.Password(user.Auth1); plain || !ok {
		return nil
	}
	hash, err := other.AuthString()
	if err != nil {
		return err
	}
	wellFormed := false
	switch mysql.AuthMethodDescription(other.Plugin()) {
	case mysql.MysqlNativePassword:
		decoded, err := hex.DecodeString(strings.TrimPrefix(hash, "*"))
		wellFormed = err == nil && len(decoded) == sha1.Size
	case mysql.CachingSha2Password:
		wellFormed = trivial.IsSha2(hash)
	default:
		return sqlerror.New(
			sqlerror.NoPlugin,
			fmt.Sprintf("Plugin '%s' is not loaded: accounts have mysql_native_password or caching_sha2_password", other.Plugin()),
		)
	}
	if !wellFormed {
		return sqlerror.New(sqlerror.NoHash, fmt.Sprintf("The password hash doesn't have the expected format of %s", other.Plugin()))
	}
	return nil
}

// admitPasswords checks plain-text passwords by the rule, if there is one. A hash is checked by guesses
// once it is stored (server/exposure.go).
func (b *Book) admitPasswords(users ...plan.AuthenticatedUser) error {
	for _, user := range users {
		password, plain := given.Password(user.Auth1)
		if len(password) > trivial.LongestPassword {
			return sqlerror.New(sqlerror.WeakPassword, fmt.Sprintf("the password of %s has %d bytes: passwords have at most %d",
				Quoted(AccountOf(user.UserName)), len(password), trivial.LongestPassword))
		}
		if b.Rule == nil {
			continue
		}
		if _, unread := user.Auth1.(plan.CachingSha2PasswordAuthentication); unread {
			return sqlerror.New(
				sqlerror.WeakPassword,
				fmt.Sprintf("Your password does not satisfy the current policy requirements: that of %s cannot be read", Quoted(AccountOf(user.UserName))),
			)
		}
		if !plain {
			continue
		}
		if err := b.Rule(user.UserName.Name, password); err != nil {
			return err
		}
	}
	return nil
}

// admitGrant refuses grants that the engine would not enforce.
func admitGrant(n *plan.Grant) error {
	for _, p := range n.Privileges {
		if len(p.Columns) > 0 {
			return sqlerror.New(sqlerror.NotSupported, "privileges on columns are not supported: GRANT on the table, or on a table that has these columns only")
		}
	}
	switch {
	case n.As != nil:
		return sqlerror.New(sqlerror.NotSupported, "GRANT ... AS is not supported: log in as the account that grants")
	case n.ObjectType == plan.ObjectType_Function:
		return sqlerror.New(sqlerror.NotSupported, "privileges on functions are not supported: functions are open to every account")
	}
	return nil
}

func (b *Book) admitDropRole(n *plan.DropRole) error {
	for _, name := range n.Roles {
		if found, ok := b.account(AccountOf(name)); ok && !found.IsRole {
			return sqlerror.New(
				sqlerror.CannotUser,
				fmt.Sprintf("Operation DROP ROLE failed for %s: it is an account, not a role; DROP USER", Quoted(AccountOf(name))),
			)
		}
	}
	return nil
}

func checkHosts(names []plan.UserName) error {
	for _, name := range names {
		if err := CheckHost(AccountOf(name)); err != nil {
			return err
		}
	}
	return nil
}

// admitNames fails if an account does not exist; format is the error's text.
func (b *Book) admitNames(names []plan.UserName, ifExists bool, number int, format string) error {
	for _, name := range names {
		key := AccountOf(name)
		if _, ok := b.account(key); !ok && !ifExists {
			return sqlerror.New(number, fmt.Sprintf(format, Quoted(key)))
		}
	}
	return nil
}

// admitSuperusers keeps accounts with CREATE USER from taking over a superuser's
// account.
func (b *Book) admitSuperusers(ctx *sql.Context, names ...plan.UserName) error {
	for _, name := range names {
		key := AccountOf(name)
		found, ok := b.account(key)
		if ok && IsSuperuser(&found) && !Holds(ctx, b.Engine, "", "", sql.PrivilegeType_Super) {
			return sqlerror.New(sqlerror.AccessDenied, fmt.Sprintf(
				"Access denied for user %s; you need the SUPER privilege to change %s", Account(ctx), Quoted(key)))
		}
	}
	return nil
}

// admitDrop keeps the last superuser: without it nobody could create another.
func (b *Book) admitDrop(ctx *sql.Context, names []plan.UserName) error {
	if err := b.admitSuperusers(ctx, names...); err != nil {
		return err
	}
	dropped := map[mysql_db.UserPrimaryKey]bool{}
	for _, name := range names {
		dropped[AccountOf(name)] = true
	}
	before, left := 0, 0
	reader := b.Engine.Reader()
	defer reader.Close()
	reader.VisitUsers(func(u *mysql_db.User) {
		if IsSuperuser(u) && !u.IsRole {
			before++
			if !dropped[keyOf(u)] {
				left++
			}
		}
	})
	if before > 0 && left == 0 {
		return sqlerror.New(sqlerror.CannotUser, fmt.Sprintf(
			"Operation DROP USER failed for %s: it is the last account that may do everything; make another first", Quoted(AccountOf(names[0]))))
	}
	return nil
}

func (b *Book) existing(names []plan.UserName) []plan.UserName {
	var there []plan.UserName
	for _, name := range names {
		if _, ok := b.account(AccountOf(name)); ok {
			there = append(there, name)
		}
	}
	return there
}
