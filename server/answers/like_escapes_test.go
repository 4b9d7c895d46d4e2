package answers

import "testing"

func TestKeepLikeEscapes(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{`SELECT 1`, `SELECT 1`},
		{`SELECT 'a\_b'`, `SELECT 'a\\_b'`},
		{`SELECT 'a\\_b', 'a\\\_b', "\%"`, `SELECT 'a\\_b', 'a\\\\_b', "\\%"`},
		{`SELECT 'it''s \%', 'it\'s \_'`, `SELECT 'it''s \\%', 'it\'s \\_'`},
		{"SELECT `a\\_b`, '\\_' -- '\\_'\n, '\\%' # '\\_", "SELECT `a\\_b`, '\\\\_' -- '\\_'\n, '\\\\%' # '\\_"},
		{`SELECT /* '\_ */ '\_' /*! , '\%' */`, `SELECT /* '\_ */ '\\_' /*! , '\\%' */`},
		{`SELECT 'never \_ ends`, `SELECT 'never \\_ ends`},
		{`SELECT 'ends in \`, `SELECT 'ends in \`},
		{`SELECT '\_' /* ends`, `SELECT '\\_' /* ends`},
		{`SELECT 1--'\_'`, `SELECT 1--'\\_'`},
		{"SELECT '\\_' `", "SELECT '\\\\_' `"},
		{"\\_", "\\_"},
	} {
		got := keepLikeEscapes(c.query)
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.query, got, c.want)
		}
		if again := keepLikeEscapes(got); again != got {
			t.Errorf("%s: done again it is %s", got, again)
		}
	}
}
