package maintenance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"github.com/anonsql/anonsql/catalog/directory"
	"github.com/anonsql/anonsql/catalog/fault"
)

// A RestoreReport is the result of [Restore]: the check of the new catalog, and the path of the
// replaced one, "" for none.
type RestoreReport struct {
	Catalog  *fault.Report
	Replaced string
	// Narrowed are the access rights of others that Restore withdrew from the directory.
	Narrowed []string
}

// Restore puts a backup into a data directory that no server has open. It checks and copies the
// file, and checks the copy again before the copy gets the catalog's name. It refuses a
// directory with a catalog unless force is set; then it keeps the old one beside the new one
// under another name. If root restores, the files belong to the owner of the directory.
func Restore(ctx context.Context, file, dir string, force bool, progress fault.Progress) (*RestoreReport, error) {
	if log, err := directory.SizeOf(file + directory.WALSuffix); err != nil || log > 0 {
		return nil, errors.Join(err, fmt.Errorf(
			"%s has a log beside it (%s): it is a catalog in use and no backup; anonsql backup makes one", file, filepath.Base(file+directory.WALSuffix)))
	}
	switch problem, missing, err := directory.Inspect(file); {
	case err != nil:
		return nil, err
	case missing:
		return nil, fmt.Errorf("there is no backup %s", file)
	case problem != "":
		return nil, fmt.Errorf("%s, so nothing was restored", problem)
	}
	narrowed, err := directory.Make(dir)
	if err != nil {
		return nil, err
	}
	lock, err := directory.Lock(dir)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	target := filepath.Join(dir, directory.DatabaseFile)
	occupied, err := occupied(target)
	if err != nil {
		return nil, err
	}
	if occupied && !force {
		return nil, fmt.Errorf("the data directory %s has a catalog already: give another directory, "+
			"or put the backup in its place with --force (the old one is kept beside it)", dir)
	}
	if err := refuseSame(file, target); err != nil {
		return nil, err
	}
	if err := dropPartials(target, file); err != nil {
		return nil, err
	}
	report, partial, err := restoreCopy(ctx, file, target, progress)
	if err != nil {
		return nil, err
	}
	defer os.Remove(partial)
	directory.GiveToOwner(dir, partial)
	done := &RestoreReport{Catalog: report, Narrowed: narrowed}
	if occupied {
		if err := directory.SyncFile(partial); err != nil { // before the old one goes, so that a name is all that is missing meanwhile
			return nil, err
		}
		if done.Replaced, err = directory.MoveAside(target); err != nil {
			return nil, err
		}
	}
	return done, directory.Finish(partial, target)
}

func occupied(target string) (bool, error) {
	for _, suffix := range []string{"", directory.WALSuffix} {
		if size, err := directory.SizeOf(target + suffix); err != nil || size >= 0 {
			return true, err
		}
	}
	return false, nil
}

// dropPartials removes what restores have left that were killed, but not the file that is restored. The lock of the directory says that none runs.
func dropPartials(target, file string) error {
	left := regexp.MustCompile("^" + regexp.QuoteMeta(filepath.Base(target)) + `\.[0-9]+\` + partialSuffix + "(-[a-z]+)?$")
	restored, err := os.Stat(file)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Dir(target))
	for _, e := range entries {
		if info, gone := e.Info(); gone == nil && left.MatchString(e.Name()) && !os.SameFile(info, restored) {
			err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(target), e.Name())))
		}
	}
	return err
}

// restoreCopy copies a backup beside the catalog's place and checks the copy.
func restoreCopy(ctx context.Context, file, target string, progress fault.Progress) (*fault.Report, string, error) {
	partial, err := newPartial(target)
	if err != nil {
		return nil, "", err
	}
	if err = copyFile(ctx, file, partial, progress); err != nil {
		os.Remove(partial)
		return nil, "", err
	}
	report, err := CheckFile(ctx, partial, progress)
	if err == nil {
		err = report.Err()
	}
	if err == nil {
		err = forgetIdentity(ctx, partial) // a file copied by hand may have one
	}
	if err != nil {
		os.Remove(partial)
		return report, "", fmt.Errorf("%s cannot be restored, and nothing was changed: %w", file, err)
	}
	return report, partial, nil
}

func copyFile(ctx context.Context, file, target string, progress fault.Progress) error {
	from, err := os.Open(file)
	if err != nil {
		return err
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil {
		return err
	}
	to, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer to.Close()
	const step = 4 << 20
	for done := int64(0); ; {
		n, err := io.CopyN(to, from, step)
		done += n
		progress.Report(Copying, done, info.Size())
		switch {
		case err == io.EOF:
			return to.Close()
		case err != nil:
			return fmt.Errorf("cannot copy %s: %w", file, err)
		case ctx.Err() != nil:
			return ctx.Err()
		}
	}
}
