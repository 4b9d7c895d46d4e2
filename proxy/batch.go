package proxy

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/relay"
	"github.com/anonsql/anonsql/relay/protocol"
)

// batch answers the statements of one command in order, up to the first error. It passes on a
// batch without any statement of ours as a whole.
func (s *session) batch(found []statement) relay.Answerer {
	if s.here == "" && !slices.ContainsFunc(found, func(one statement) bool {
		return one.kind == answeredHere || one.kind == useDatabase && s.proxy.words.database(one.name) || one.kind == warnings && s.last || one.kind == kill
	}) {
		s.last = false
		return nil
	}
	return func(ctx context.Context, r *relay.Reply) error {
		for i, one := range found {
			mark := func(status protocol.Status) protocol.Status { return status }
			if i < len(found)-1 {
				mark = func(status protocol.Status) protocol.Status { return status | protocol.MoreResults }
			}
			if failed, err := s.part(ctx, r, one, mark); failed || err != nil {
				return err
			}
		}
		return nil
	}
}

// part answers one statement of a batch.
func (s *session) part(ctx context.Context, r *relay.Reply, one statement, mark func(protocol.Status) protocol.Status) (failed bool, err error) {
	command := append([]byte{byte(protocol.Query)}, one.text...)
	switch {
	case one.kind == useDatabase && s.proxy.words.database(one.name):
		s.here, s.last = one.name, true
		return false, r.Packet(protocol.OK(mark(s.relay.Status())))
	case one.kind == answeredHere && s.here == "" && one.variable != "":
		return true, s.refuseVariable(one)(ctx, r)
	case one.kind == answeredHere, one.kind == warnings && s.last:
		return s.run(ctx, r, command, mark)
	}
	s.last = false
	if one.kind == kill {
		return s.killing(r, one, command, mark)
	}
	failed, err = s.forward(r, command, mark)
	if one.kind == useDatabase && err == nil && !failed {
		s.here = ""
	}
	return failed, err
}

// databases answers SHOW DATABASES: upstream's rows, then ours.
func (s *session) databases(command []byte) relay.Answerer {
	return func(_ context.Context, r *relay.Reply) error {
		s.last = false
		_, err := s.forward(r, command, nil, s.proxy.config.Databases...)
		return err
	}
}
