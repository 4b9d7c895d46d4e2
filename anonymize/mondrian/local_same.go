package mondrian

import (
	"encoding/binary"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/generalization"
)

// mergeEqualCells merges classes with equal cells. That loses nothing: a reader expects the
// same of all records with equal cells, in one class or in several. Afterwards cells identify
// classes, as the measures of attacks and losses presume. Unions of classes meet k, l and t.
func mergeEqualCells(p *bucketization.Partition, attributes []*generalization.Attribute) *bucketization.Partition {
	number := make(map[string]uint32)
	group := make([]uint32, 0, len(p.Member)) // by place in p.Member
	var key []byte
	var places []uint32
	for g := range p.Groups() {
		key = key[:0]
		for _, a := range attributes {
			places = ends(a, p.Records(g), places[:0])
			key = binary.AppendUvarint(key, uint64(len(places)))
			for _, place := range places {
				key = binary.AppendUvarint(key, uint64(place))
			}
		}
		n, known := number[string(key)]
		if !known {
			n = uint32(len(number))
			number[string(key)] = n
		}
		for range p.Records(g) {
			group = append(group, n)
		}
	}
	return bucketization.NewPartition(p.Member, group, len(number))
}

// ends appends what identifies the cell of some records: their distinct places, ascending; for
// a line, NULL, the least and the greatest.
func ends(a *generalization.Attribute, records, places []uint32) []uint32 {
	for _, record := range records {
		places = append(places, a.Place[record])
	}
	slices.Sort(places)
	places = slices.Compact(places)
	first := 0
	if a.HasNull() && places[0] == 0 {
		first = 1
	}
	if a.Scale != anonymize.Nominal && len(places) > first+2 {
		places[first+1] = places[len(places)-1]
		places = places[:first+2]
	}
	return places
}
