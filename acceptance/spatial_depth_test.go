package acceptance

import (
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// Deeply nested geometries, in texts and bytes that a statement contains or computes, do not reach the engine's
// recursive readers: three million levels ended the process. Other geometries work as before.
func TestDeepGeometriesAreRefused(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	db := s.Open(t, servertest.Root)
	const point = "0101000000000000000000F03F000000000000F03F"
	nested := func(n int) string { return strings.Repeat("010700000001000000", n) + point }
	second := func(n int) string { return strings.Repeat("010700000002000000"+point, n) + point }
	for query, number := range map[string]int{
		"SELECT ST_AsText(ST_GeomFromWKB(0x" + nested(200_000) + "))":                                                                         1210,
		"SELECT ST_AsText(ST_GeomFromWKB(0x" + second(50_000) + "))":                                                                          1210,
		"SELECT ST_AsText(ST_GeomCollFromWKB(0x" + nested(101) + "))":                                                                         1210,
		"SELECT ST_AsText(ST_GeomFromWKB(0x" + nested(100) + "))":                                                                             0,
		"SELECT ST_AsText(ST_GeomFromText(CONCAT(REPEAT('GEOMETRYCOLLECTION(', 100000), 'POINT(1 1)', REPEAT(')', 100000))))":                 1210,
		"SELECT ST_AsText(ST_GeomFromGeoJSON(CONCAT(REPEAT('{\"type\":\"GeometryCollection\",\"geometries\":[', 9000), REPEAT(']}', 9000))))": 1210,
		"SELECT ST_AsText(ST_GeomFromText(CONCAT('LINESTRING(', REPEAT('1 1,', 100000), '2 2)')))":                                            0,
		"SELECT ST_AsText(ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 1),POLYGON((0 0,1 0,1 1,0 0)),MULTIPOINT((1 1),(2 2)))'))":              0,
		"SELECT ST_AsText(ST_GeomFromWKB(ST_AsWKB(POINT(1, 2))))":                                                                             0,
		"SELECT ST_AsText(ST_GeomFromWKB(0x0107000000FFFFFFFF01))":                                                                            3037,
		"SELECT ST_AsText(ST_GeomFromWKB(0x0103000000FFFFFFFF00000000))":                                                                      3037,
	} {
		if _, err := tryRows(db, query); servertest.Number(err) != number || err != nil && number == 0 {
			t.Errorf("%.100s: %v, want %d", query, err, number)
		}
	}
}
