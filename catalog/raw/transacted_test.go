package raw_test

import "github.com/anonsql/anonsql/catalog/catalogtest"

// A transacted models a table under the transactions of one session: what the session sees now, and what others see.
// Its methods also run the statement.
type transacted[M any] struct {
	client         *catalogtest.Client
	copy           func(M) M
	now, committed M
	saved          *M // at the savepoint; nil without one
	open           bool
}

func newTransacted[M any](c *catalogtest.Client, m M, copy func(M) M) *transacted[M] {
	return &transacted[M]{client: c, copy: copy, now: m, committed: copy(m)}
}

// changed records what the session sees after a change of rows.
func (m *transacted[M]) changed(now M) {
	if m.now = now; !m.open {
		m.committed = m.copy(now)
	}
}

// start commits the open transaction.
func (m *transacted[M]) start() {
	m.client.Run("START TRANSACTION")
	m.committed, m.saved, m.open = m.copy(m.now), nil, true
}

func (m *transacted[M]) commit() {
	m.client.Run("COMMIT")
	m.committed, m.saved, m.open = m.copy(m.now), nil, false
}

func (m *transacted[M]) rollback() {
	m.client.Run("ROLLBACK")
	m.undo()
}

// leave ends the session, which rolls back the open transaction, and begins another one.
func (m *transacted[M]) leave() {
	m.client.Session.SessionEnd()
	m.client.Session = m.client.Client().Session
	m.client.Session.SetCurrentDatabase("d")
	m.undo()
}

func (m *transacted[M]) undo() {
	m.now, m.saved, m.open = m.copy(m.committed), nil, false
}

// savepoint does nothing outside a transaction.
func (m *transacted[M]) savepoint() {
	if m.open {
		m.client.Run("SAVEPOINT s")
		saved := m.copy(m.now)
		m.saved = &saved
	}
}

// rollbackToSavepoint does nothing without one.
func (m *transacted[M]) rollbackToSavepoint() {
	if m.saved != nil {
		m.client.Run("ROLLBACK TO SAVEPOINT s")
		m.now = m.copy(*m.saved)
	}
}
