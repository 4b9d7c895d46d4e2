package enginetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// archive is the file of classes as the Java machine has them in memory (its "dynamic archive"). It need not be there.
func (i installation) archive() string { return filepath.Join(i.trino, "classes.jsa") }

// archived are statements that need the classes that tests need.
var archived = []string{
	"CREATE SCHEMA s",
	"CREATE TABLE s.t WITH (sorted_by = ARRAY['a']) AS SELECT a, mod(a, 7) AS b, concat('x', CAST(a AS varchar)) AS c FROM UNNEST(sequence(1, 1000)) AS t(a)",
	"SELECT b, count(*), sum(a), max(c), row_number() OVER (ORDER BY b) FROM s.t JOIN (SELECT b AS d, count(*) AS n FROM s.t GROUP BY b) ON b = d WHERE a > 5 GROUP BY b ORDER BY b",
	"DROP SCHEMA s CASCADE",
}

// Prepare writes the archive of classes, with a coordinator of its own, if there is none.
func Prepare() error {
	i, err := find()
	if err != nil {
		return err
	}
	if _, err := os.Stat(i.archive()); err == nil {
		return nil
	}
	pending := fmt.Sprintf("%s.%d", i.archive(), os.Getpid())
	defer os.Remove(pending)
	c, err := Launch(Options{Alone: true, archive: pending})
	if err != nil {
		return err
	}
	defer c.Kill()
	for _, text := range archived {
		if _, err := c.Client.Exec(context.Background(), text); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	c.Kill()
	return os.Rename(pending, i.archive())
}
