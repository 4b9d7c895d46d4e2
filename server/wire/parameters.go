package wire

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// SetParametersAside hides the parameters of procedures until restore: the engine has one slot per name.
func (s *Session) SetParametersAside() (restore func()) {
	depth := len(s.parameters)
	s.parameters = append(s.parameters, map[string]*sql.StoredProcParam{})
	return func() { s.parameters = s.parameters[:depth] }
}

// ForgetParameters drops the parameters at the end of a procedure.
func (s *Session) ForgetParameters() {
	if n := len(s.parameters); n > 0 {
		clear(s.parameters[n-1])
	}
}

// ParameterDepth is the number of nested procedure calls.
func (s *Session) ParameterDepth() int { return len(s.parameters) }

// NewStoredProcParam implements sql.Session.
func (s *Session) NewStoredProcParam(name string, param *sql.StoredProcParam) *sql.StoredProcParam {
	if len(s.parameters) == 0 {
		s.parameters = append(s.parameters, map[string]*sql.StoredProcParam{})
	}
	s.parameters[len(s.parameters)-1][strings.ToLower(name)] = param
	return param
}

// GetStoredProcParam implements sql.Session.
func (s *Session) GetStoredProcParam(name string) *sql.StoredProcParam {
	if len(s.parameters) == 0 {
		return nil
	}
	return s.parameters[len(s.parameters)-1][strings.ToLower(name)]
}

// SetStoredProcParam implements sql.Session.
func (s *Session) SetStoredProcParam(name string, value any) error {
	if strings.HasPrefix(name, "@") {
		return nil // a user variable, which is set already
	}
	param := s.GetStoredProcParam(name)
	if param == nil {
		return sql.ErrUnknownSystemVariable.New(name)
	}
	param.SetValue(value)
	return nil
}
