package server

import (
	"net"

	gms "github.com/dolthub/go-mysql-server/server"
	"github.com/dolthub/vitess/go/mysql"
)

// authentication is the engine's, with two holes closed. An unknown account
// gets error 1045 like a wrong password, so that nobody can ask which accounts
// there are. And where TLS is required, nobody is let in without: the protocol
// layer sends an error to such a client, and then goes on to authenticate it.
type authentication struct {
	mysql.AuthServer
	requireTLS bool
}

// listen is the engine's listener with authentication in front of it.
func (s *instance) listen(config gms.Config, listener mysql.ListenerConfig, events gms.ServerEventListener) (gms.ProtocolListener, error) {
	listener.AuthServer = authentication{listener.AuthServer, s.config.RequireTLS}
	return gms.MySQLProtocolListenerFactory(config, listener, events)
}

// AuthMethods implements mysql.AuthServer.
func (a authentication) AuthMethods() []mysql.AuthMethod {
	methods := a.AuthServer.AuthMethods()
	wrapped := make([]mysql.AuthMethod, len(methods))
	for i, m := range methods {
		wrapped[i] = authMethod{AuthMethod: m, server: a, all: methods}
	}
	return wrapped
}

type authMethod struct {
	mysql.AuthMethod
	server authentication
	all    []mysql.AuthMethod
}

// HandleUser implements mysql.AuthMethod.
func (m authMethod) HandleUser(c *mysql.Conn, user string) bool {
	if m.Name() != mysql.MysqlNativePassword {
		return m.AuthMethod.HandleUser(c, user)
	}
	for _, other := range m.all {
		if other.HandleUser(c, user) {
			return other.Name() == m.Name()
		}
	}
	return true // an unknown account fails later, like any other
}

// HandleAuthPluginData implements mysql.AuthMethod.
func (m authMethod) HandleAuthPluginData(c *mysql.Conn, user string, sent, received []byte, address net.Addr) (mysql.Getter, error) {
	if m.server.requireTLS && !c.TLSEnabled() {
		return nil, newError(numberSecureTransport, "Connections using insecure transport are prohibited: this server requires TLS")
	}
	return m.AuthMethod.HandleAuthPluginData(c, user, sent, received, address)
}
