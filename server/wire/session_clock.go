package wire

import (
	"math"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// timestampVariable is the clock of a session's statements, in seconds since 1970; 0 is the machine's clock.
const timestampVariable = "timestamp"

// clockVariable replaces the engine's variable, whose default is an instant of 1970.
func clockVariable() sql.SystemVariable {
	return &sql.MysqlSystemVariable{Name: timestampVariable, Scope: sql.GetMysqlScope(sql.SystemVariableScope_Session), Dynamic: true,
		SetVarHintApplies: true, Type: types.NewSystemDoubleType(timestampVariable, 0, math.MaxInt32), Default: float64(0)}
}

// Clock returns the time of SET timestamp for the session's statements.
func (s *Session) Clock(ctx *sql.Context) (moment time.Time, set bool) {
	value, err := s.Session.GetSessionVariable(ctx, timestampVariable)
	seconds, ok := value.(float64)
	if err != nil || !ok || seconds == 0 {
		return time.Time{}, false
	}
	return time.UnixMicro(int64(math.Round(seconds * 1e6))), true
}

func (s *Session) timestamp(ctx *sql.Context) any {
	moment, set := s.Clock(ctx)
	if !set {
		moment = ctx.QueryTime()
	}
	return float64(moment.UnixMicro()) / 1e6
}
