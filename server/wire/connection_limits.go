package wire

import (
	"syscall"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/admission"
)

// MaxAddressConnections is the variable that MySQL does not have: how many
// may be logged in from one address. 0 is three quarters of max_connections, so
// that one address cannot take all, and no limit for the loopback interface,
// from where pools and tunnels come; another number is for every address.
const MaxAddressConnections = "max_address_connections"

const (
	// keptForAdministrators are connections beyond max_connections, which only
	// an administrator may use. MySQL keeps one; tools take two or three.
	keptForAdministrators = 3
	// arrivingOfAddress and arriving bound the sockets that have not logged in;
	// each costs some 40 KB. A pool that opens as many at once is let in.
	arrivingOfAddress = 256
	arriving          = 4 * arrivingOfAddress
)

// MaxConnections is MySQL's bound of max_connections.
const MaxConnections = 100_000

// AddConnectionVariables is called once a process.
func AddConnectionVariables() {
	sql.SystemVariables.AddSystemVariables(append(diagnosticVariables(), clockVariable()))
	sql.SystemVariables.AddSystemVariables([]sql.SystemVariable{&sql.MysqlSystemVariable{
		Name: MaxAddressConnections, Scope: sql.GetMysqlScope(sql.SystemVariableScope_Global), Dynamic: true,
		Type: types.NewSystemIntType(MaxAddressConnections, 0, MaxConnections, false), Default: int64(0),
	}})
}

// GlobalNumber is the global value of a variable of whole numbers.
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

// ConnectionLimits are what the variables say now.
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

// descriptors is how many files and sockets the process may have open, 0 when
// it is not known.
func descriptors() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil || limit.Cur > 1<<30 {
		return 0
	}
	return int(limit.Cur)
}
