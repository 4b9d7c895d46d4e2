package catalog

import (
	"context"
	dbsql "database/sql"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/columnar"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/source"
)

// The parts of a release's private side, one row each. SQLite allows up to 10^9 bytes per row,
// which is a column of 250 million records. Names of column parts end with the column's
// position.
const (
	liveColumns    = "columns"      // JSON: names and types
	liveUnits      = "unit columns" // JSON: how many of these identify the unit; missing for none
	liveDictionary = "dictionary"
	liveCodes      = "codes"
	liveKeys       = "keys"   // differences of neighbours, as varints
	liveGroups     = "groups" // the gid plus 1, so that Waiting is 0
	liveKinds      = "kinds"
	liveHistory    = "history"
	liveKey        = "primary key" // JSON: identifies the records of a table that another server keeps
)

func livePart(name string, column int) string { return fmt.Sprintf("%s %d", name, column) }

// encodeLive returns the stored parts of l.
func encodeLive(l *anonymize.Live) (map[string][]byte, error) {
	described := make([]FragmentColumnRecord, len(l.Columns))
	parts := make(map[string][]byte)
	for i, c := range l.Columns {
		described[i] = FragmentColumnRecord{Name: c.Name, Type: c.Type, Point: true}
		parts[livePart(liveDictionary, i)] = columnar.EncodeDictionary(c.Dictionary)
		parts[livePart(liveCodes, i)] = columnar.EncodeCodes(c.Codes)
	}
	text, err := json.Marshal(described)
	if err != nil {
		return nil, err
	}
	groups := make([]uint32, len(l.Group))
	for i, g := range l.Group {
		groups[i] = g + 1
	}
	kinds := make([]uint32, len(l.Kind))
	for i, k := range l.Kind {
		kinds[i] = uint32(k)
	}
	if l.UnitColumns > 0 {
		parts[liveUnits] = strconv.AppendInt(nil, int64(l.UnitColumns), 10)
	}
	parts[liveColumns], parts[liveKeys] = text, columnar.EncodeKeys(l.Key)
	parts[liveGroups], parts[liveKinds] = columnar.EncodeCodes(groups), columnar.EncodeCodes(kinds)
	return parts, nil
}

// decodeLive is the inverse of encodeLive. It checks lengths, codes and kinds.
func decodeLive(parts map[string][]byte) (*anonymize.Live, error) {
	var described []FragmentColumnRecord
	if err := json.Unmarshal(parts[liveColumns], &described); err != nil {
		return nil, fault.Damaged("the columns", err)
	}
	unitColumns := 0
	if text, ok := parts[liveUnits]; ok {
		if err := json.Unmarshal(text, &unitColumns); err != nil || unitColumns < 1 || unitColumns >= len(described) {
			return nil, fault.ErrDamaged
		}
	}
	groups, err := columnar.DecodeCodes(nil, parts[liveGroups])
	if err != nil {
		return nil, err
	}
	kinds, err := columnar.DecodeCodes(nil, parts[liveKinds])
	if err != nil {
		return nil, err
	}
	l := &anonymize.Live{UnitColumns: unitColumns, Key: make([]int64, len(groups)), Group: groups, Kind: make([]anonymize.RecordKind, len(kinds))}
	if len(kinds) != len(groups) {
		return nil, fault.ErrDamaged
	}
	for i, kind := range kinds {
		if kind > uint32(anonymize.ForgedByModification) {
			return nil, fault.ErrDamaged
		}
		l.Kind[i] = anonymize.RecordKind(kind)
		groups[i]--
	}
	if err := columnar.DecodeKeys(parts[liveKeys], l.Key); err != nil {
		return nil, err
	}
	for i, d := range described {
		c, err := decodeLiveColumn(d, parts[livePart(liveDictionary, i)], parts[livePart(liveCodes, i)], len(groups))
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", d.Name, err)
		}
		l.Columns = append(l.Columns, c)
	}
	return l, nil
}

func decodeLiveColumn(described FragmentColumnRecord, dictionary, codes []byte, records int) (c *anonymize.Column, err error) {
	c = &anonymize.Column{Name: described.Name, Type: described.Type}
	if c.Dictionary, err = columnar.DecodeDictionary(dictionary); err != nil {
		return nil, err
	}
	if c.Codes, err = columnar.DecodeCodes(nil, codes); err != nil {
		return nil, err
	}
	if len(c.Codes) != records {
		return nil, fault.ErrDamaged
	}
	for _, code := range c.Codes {
		if int(code) >= len(c.Dictionary) {
			return nil, fault.ErrDamaged
		}
	}
	return c, nil
}

// A privateSide is what is stored for the owner of a release that follows its table.
type privateSide struct {
	live    *anonymize.Live
	history []byte
	key     *source.Key // nil for a table of the store
}

// insertLive stores the private side of a release inside a transaction.
func insertLive(ctx context.Context, tx *dbsql.Conn, release int64, p privateSide) error {
	parts, err := encodeLive(p.live)
	if err != nil {
		return err
	}
	if len(p.history) > 0 {
		parts[liveHistory] = p.history
	}
	if p.key != nil {
		if parts[liveKey], err = json.Marshal(p.key); err != nil {
			return err
		}
	}
	for part, data := range parts {
		if data == nil {
			data = []byte{}
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO live_state (release_id, part, data) VALUES (?, ?, ?)`, release, part, data); err != nil {
			return err
		}
	}
	return nil
}

// errNoLive is the error for a release without its private side.
var errNoLive = fmt.Errorf("%w: the private side of the release is missing", fault.ErrDamaged)

// readLive reads what insertLive stored.
func readLive(ctx context.Context, tx *dbsql.Conn, release int64) (p privateSide, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT part, data FROM live_state WHERE release_id = ?`, release)
	if err != nil {
		return p, err
	}
	defer rows.Close()
	parts := make(map[string][]byte)
	for rows.Next() {
		var part string
		var data []byte
		if err := rows.Scan(&part, &data); err != nil {
			return p, err
		}
		parts[part] = data
	}
	if err := rows.Err(); err != nil {
		return p, err
	}
	if len(parts) == 0 {
		return p, errNoLive
	}
	if key, ok := parts[liveKey]; ok {
		if err := json.Unmarshal(key, &p.key); err != nil {
			return p, fault.Damaged("the primary key", err)
		}
	}
	p.history = parts[liveHistory]
	p.live, err = decodeLive(parts)
	return p, err
}
