package server

import (
	"net"

	gms "github.com/dolthub/go-mysql-server/server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/wire"
)

// Clients authenticate by mysql_native_password, the default, and by
// caching_sha2_password. The server does not use the engine's methods: they do not
// support patterns and networks as hosts, reveal which accounts exist, have no cache
// for caching_sha2_password, and admit clients without TLS where it is required: the
// protocol layer sends such a client an error, and then continues to authenticate it.
// Here that client gets an error instead of an answer to its password, which it has
// sent only scrambled.

// An authentication implements mysql.AuthServer.
type authentication struct {
	server *instance
	stored accounts.Passwords
}

// listen makes the engine's listener with our authentication.
func (s *instance) listen(config gms.Config, listener mysql.ListenerConfig, events gms.ServerEventListener) (gms.ProtocolListener, error) {
	listener.AuthServer = authentication{s, accounts.NewPasswords(s.accounts)}
	return gms.MySQLProtocolListenerFactory(config, listener, events)
}

// DefaultAuthMethodDescription implements mysql.AuthServer.
func (a authentication) DefaultAuthMethodDescription() mysql.AuthMethodDescription {
	return mysql.MysqlNativePassword
}

// AuthMethods implements mysql.AuthServer.
func (a authentication) AuthMethods() []mysql.AuthMethod {
	anyUser := everyUser{} // authMethod.HandleUser decides
	return []mysql.AuthMethod{
		authMethod{mysql.NewMysqlNativeAuthMethod(a.stored, anyUser), a},
		authMethod{mysql.NewSha2CachingAuthMethod(a.stored, a.stored, anyUser), a},
	}
}

type everyUser struct{}

func (everyUser) HandleUser(string, net.Addr) bool { return true }

type authMethod struct {
	mysql.AuthMethod
	authentication authentication
}

// HandleUser implements mysql.AuthMethod. An unknown account, or a client that will be
// refused for lack of TLS, looks like an account of the default method.
func (m authMethod) HandleUser(c *mysql.Conn, user string) bool {
	if packets := wire.PacketsOf(c.Conn); packets != nil && packets.Secure.Load() {
		c.Capabilities |= mysql.CapabilityClientSSL // the protocol layer has seen nothing of TLS
	}
	plugin := mysql.MysqlNativePassword
	if packets := wire.PacketsOf(c.Conn); packets != nil && packets.Owner != nil {
		return m.Name() == plugin
	}
	if account, ok := m.authentication.server.accounts.Connecting(user, c.RemoteAddr()); ok && !m.authentication.wantsTLS(c) {
		plugin = mysql.AuthMethodDescription(account.Plugin)
	}
	return m.Name() == plugin
}

// wantsTLS reports whether the connection lacks the required TLS.
func (a authentication) wantsTLS(c *mysql.Conn) bool {
	return a.server.config.RequireTLS && !c.TLSEnabled()
}

// HandleAuthPluginData implements mysql.AuthMethod. After failed logins it waits before
// it checks the password (logins.go).
func (m authMethod) HandleAuthPluginData(c *mysql.Conn, user string, sent, received []byte, address net.Addr) (mysql.Getter, error) {
	a := m.authentication
	if packets := wire.PacketsOf(c.Conn); packets != nil && packets.Owner != nil {
		who := sql.MysqlConnectionUser{User: packets.Owner.User, Host: packets.Owner.Host}
		return who, a.enter(c, user, who, address)
	}
	if a.wantsTLS(c) {
		return nil, a.refused(user, address,
			sqlerror.New(sqlerror.SecureTransport, "Connections using insecure transport are prohibited: this server requires TLS"))
	}
	if err := a.wait(c, user, address); err != nil {
		return nil, a.refused(user, address, err)
	}
	who, err := m.AuthMethod.HandleAuthPluginData(c, user, sent, received, address)
	if err == nil {
		if err := a.enter(c, user, who, address); err != nil {
			return nil, err
		}
		return who, nil
	}
	a.failed(user, address)
	if m.Name() == mysql.CachingSha2Password && !c.TLSEnabled() && len(received) > 1 {
		err = sqlerror.New(sqlerror.SecureTransport, "Authentication requires secure connection: an account with caching_sha2_password logs in by TLS "+
			"after the server has started or the password has changed; ALTER USER ... IDENTIFIED WITH mysql_native_password BY '...' makes one that need not")
	}
	return nil, a.refused(user, address, err)
}
