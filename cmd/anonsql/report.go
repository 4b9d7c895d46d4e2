package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/anonsql/anonsql/cmd/anonsql/client"
	"github.com/anonsql/anonsql/cmd/program"
	"github.com/anonsql/anonsql/cmd/progress"
)

func newReport() *cobra.Command {
	var (
		account    client.Account
		out, title string
		compared   []string
		force      bool
	)
	cmd := &cobra.Command{
		Use:   "report RELEASE --out FILE.html --server host:port",
		Short: "Write what a release is as one HTML page: guarantees, risk, utility, how to query it",
		Long: "Write what a release is as one HTML page that needs no network and no scripts: what was\n" +
			"published, guarantees required and achieved, disclosure risk, utility, examples, limits.\n" +
			"The page has what the account may know: an owner's has measured errors, an analyst's has not.\n" +
			"--compare puts releases of one table on one risk-utility plot, for their owner.",
		Example: `  anonsql report adult --out report.html --server 127.0.0.1:3306
  anonsql report adult --compare adult_l4,adult_l6 --out choice.html --server 127.0.0.1:3306`,
		RunE: func(cmd *cobra.Command, arguments []string) error {
			switch {
			case len(arguments) != 1:
				return program.Misused(cmd, "%d releases are given, must be one: anonsql report RELEASE --out FILE.html", len(arguments))
			case out == "":
				return program.Misused(cmd, "--out is missing: the file to write")
			case account.Server == "":
				return program.Misused(cmd, "--server is missing: host:port of a running server")
			}
			if err := mayWrite(out, force); err != nil {
				return err
			}
			page, err := fetchReport(cmd.Context(), account, arguments[0], compared, title, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			if err := writeWhole(out, page, force); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s has the report of %s\n", out, arguments[0])
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&out, "out", "", "file to write")
	program.ListVar(flags, &compared, "compare", "other releases of the same table to put beside it")
	flags.StringVar(&title, "title", "", "title of the page (default the release's name)")
	flags.BoolVar(&force, "force", false, "overwrite a file that exists")
	accountFlags(flags, &account.Server, &account.User, &account.Password, &account.TLS)
	return cmd
}

// fetchReport requests the page and shows the server's progress on a terminal.
func fetchReport(ctx context.Context, account client.Account, release string, compared []string, title string, terminal io.Writer) (html string, err error) {
	db, err := account.Open(ctx)
	if err != nil {
		return "", err
	}
	defer db.Close()
	arguments := []any{release}
	if len(compared) > 0 {
		arguments = append(arguments, "compare="+strings.Join(compared, ","))
	}
	if title != "" {
		arguments = append(arguments, "title="+title)
	}
	show, end := progress.Phases(terminal)
	defer end()
	defer client.WatchStatement(ctx, db, "CALL report(", show)()
	var name string
	var version int
	err = db.QueryRowContext(ctx, "CALL report(?"+strings.Repeat(", ?", len(arguments)-1)+")", arguments...).Scan(&name, &version, &html)
	return html, err
}

// mayWrite refuses an existing file before the server does any work.
func mayWrite(path string, force bool) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", path)
	case !force:
		return errExists(path)
	}
	return nil
}

func errExists(path string) error {
	return fmt.Errorf("%s exists already: --force overwrites it", path)
}

// writeWhole writes a file atomically. Only its owner can read it, since an owner's page is not
// for others.
func writeWhole(path, text string, force bool) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if force {
		return os.Rename(file.Name(), path)
	}
	// Unlike a rename, a link does not replace a file that appeared meanwhile.
	switch err = os.Link(file.Name(), path); {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		return errExists(path)
	}
	return os.Rename(file.Name(), path) // the file system has no links
}
