package wire

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// collationField is the offset of the collation's number in a client's greeting.
const collationField = 8

// unfitForClients are the character sets that MySQL does not accept for statements.
var unfitForClients = []sql.CharacterSetID{sql.CharacterSet_ucs2, sql.CharacterSet_utf16, sql.CharacterSet_utf16le, sql.CharacterSet_utf32}

// Collation returns the collation in the client's greeting; ok is false if it names none that the engine supports.
func (p *PacketConn) Collation() (collation sql.CollationID, ok bool) {
	if p == nil || len(p.client) < clientFields {
		return 0, false
	}
	number := binary.LittleEndian.Uint16(p.client[collationField:])
	for all := sql.NewCollationsIterator(); ; {
		known, more := all.Next()
		if !more {
			return 0, false
		}
		if known.ID == sql.CollationID(number) {
			refused := strings.HasSuffix(known.Name, "_german2_ci") // as in a statement
			return known.ID, known.Sorter != nil && known.CharacterSet.Encoder() != nil && !refused && !slices.Contains(unfitForClients, known.CharacterSet)
		}
	}
}

// Collate sets a new session's collation and character set, as MySQL does with the collation of the client's greeting.
func (s *Session) Collate(ctx *sql.Context, collation sql.CollationID) error {
	set := collation.CharacterSet().Name()
	for _, variable := range [][2]string{{"character_set_client", set}, {"character_set_connection", set}, {"character_set_results", set},
		{"collation_connection", collation.Name()}} {
		if err := s.SetSessionVariable(ctx, variable[0], variable[1]); err != nil {
			return err
		}
	}
	return nil
}
