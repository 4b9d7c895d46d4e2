package wire

import (
	"syscall"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/admission"
)

// MaxAddressConnections is a variable that MySQL lacks: the limit of logged-in connections per address. 0 means three quarters of
// max_connections, so that one address cannot take all, and no limit for the loopback interface, from where pools and tunnels connect. Another
// number applies to every address.
const MaxAddressConnections = "max_address_connections"

const (
	// keptForAdministrators is the number of connections beyond max_connections that
	// only administrators may use. MySQL keeps one; tools need two or three.
	keptForAdministrators = 3
	// arrivingOfAddress and arriving bound the unauthenticated sockets; each costs some
	// 40 KB. A pool may open as many at once.
	arrivingOfAddress = 256
	arriving          = 4 * arrivingOfAddress
)

// MaxConnections is MySQL's bound of max_connections.
const MaxConnections = 100_000

// AddConnectionVariables must be called once per process.
func AddConnectionVariables() {
	sql.SystemVariables.AddSystemVariables(append(diagnosticVariables(), clockVariable()))
	sql.SystemVariables.AddSystemVariables([]sql.SystemVariable{&sql.MysqlSystemVariable{
		Name: MaxAddressConnections, Scope: sql.GetMysqlScope(sql.SystemVariableScope_Global), Dynamic: true,
		Type: types.NewSystemIntType(MaxAddressConnections, 0, MaxConnections, false), Default: int64(0),
	}})
}

// GlobalNumber is the global value of an integer variable, 0 for another type.
func GlobalNumber(name string) int64 {
	_, value, _ := sql.SystemVariables.GetGlobal(name)
	switch v := value.(type) {
	case int64:
		return v
	case uint64:
		return int64(v)
	}
	return 0
}

// ConnectionLimits returns the limits by the current values of the variables.
func ConnectionLimits() admission.Limits {
	limits := admission.Limits{
		LoggedIn: int(GlobalNumber("max_connections")), Reserved: keptForAdministrators,
		OfAddress: int(GlobalNumber(MaxAddressConnections)),
		Patience:  time.Duration(GlobalNumber("connect_timeout")) * time.Second,
	}
	limits.OfLoopback = limits.OfAddress
	if limits.OfAddress == 0 {
		limits.OfAddress = max(1, limits.LoggedIn*3/4)
	}
	limits.ArrivingOfAddress = max(arrivingOfAddress, limits.LoggedIn)
	limits.Arriving = max(arriving, 2*limits.LoggedIn)
	if half := descriptors() / 2; half > 0 {
		limits.Arriving = min(limits.Arriving, half)
		limits.ArrivingOfAddress = min(limits.ArrivingOfAddress, limits.Arriving/2)
	}
	return limits
}

// descriptors is how many files and sockets the process may have open, 0 if unknown.
func descriptors() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil || limit.Cur > 1<<30 {
		return 0
	}
	return int(limit.Cur)
}
