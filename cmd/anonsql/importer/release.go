package importer

import (
	"archive/zip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/cmd/anonsql/client"
	"github.com/anonsql/anonsql/cmd/progress"
	"github.com/anonsql/anonsql/quoting"
)

// A SentRelease is a release that a server made of a data package.
type SentRelease struct {
	Name, Method          string
	Version, Rows, Groups int
}

// SendRelease sends the data package in files to a server, which reads, verifies and publishes
// it: CALL import_release with the package as a ZIP. The server opens no file. The account
// needs the privilege FILE.
func SendRelease(ctx context.Context, o Options, files fs.FS, name string, replace bool) (*SentRelease, error) {
	db, conn, err := connect(ctx, o)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	defer conn.Close()
	var limit int64
	if err := conn.QueryRowContext(ctx, "SELECT @@max_allowed_packet").Scan(&limit); err != nil {
		return nil, err
	}
	show, end := progress.Phases(o.Progress, packing)
	defer end()
	text, err := packed(ctx, files, limit-packetRest, func(done, total int64) { show(packing, done, total) })
	if err != nil {
		return nil, err
	}
	show("sending", 0, 0) // and the server's progress, to accounts that may see imports
	defer client.Watch(ctx, db, "import", show)()
	options := fmt.Sprintf(", 'replace=%t'", replace)
	if name != "" {
		options += ", " + quoting.Hex("publish="+name)
	}
	var sent SentRelease
	var ignored string
	// Base64 needs no escapes in a literal.
	err = conn.QueryRowContext(ctx, "CALL import_release('"+text+"'"+options+")").Scan(&sent.Name, &sent.Version, &sent.Method, &ignored,
		&sent.Rows, &sent.Groups, &ignored, &ignored)
	return &sent, err
}

const (
	// packetRest is room for the rest of the statement, in bytes.
	packetRest = 4 << 10
	// zipPrefix distinguishes a package from the name of a folder.
	zipPrefix  = "data:application/zip;base64,"
	descriptor = "datapackage.json"
)

// errTooLarge is the error for a package that the server would refuse; nothing is sent.
var errTooLarge = errors.New(
	"the package is larger than the server's max_allowed_packet, compressed: import it with --data-dir, or copy it below the server's --export-dir and CALL import_release",
)

// packing is the phase before sending the package.
const packing = "packing"

// packed returns the descriptor and its files as an argument of at most limit bytes, without
// completed tables: the server draws them again. progress receives the number of bytes read,
// and of all these files.
func packed(ctx context.Context, files fs.FS, limit int64, progress func(done, total int64)) (string, error) {
	text, err := fs.ReadFile(files, descriptor)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("the folder has no %s: name the folder that CALL export_release wrote", descriptor)
	}
	if err != nil {
		return "", err
	}
	var described struct {
		Resources []struct {
			Name string `json:"name"`
			Path string `json:"path"`
		} `json:"resources"`
		About struct {
			Completed []string `json:"completed"`
		} `json:"anonsql"`
	}
	if err := json.Unmarshal(text, &described); err != nil {
		return "", fmt.Errorf("%s: %w", descriptor, err)
	}
	var out strings.Builder
	out.WriteString(zipPrefix)
	encoder := base64.NewEncoder(base64.StdEncoding, &bounded{&out, limit - int64(len(zipPrefix))})
	archive := zip.NewWriter(encoder)
	names := []string{descriptor}
	for _, r := range described.Resources {
		if slices.Contains(described.About.Completed, r.Name) {
			continue
		}
		if !fs.ValidPath(r.Path) || path.Clean(r.Path) != r.Path {
			return "", fmt.Errorf("%s has a resource with the path %q, must be a file of the package", descriptor, r.Path)
		}
		names = append(names, r.Path)
	}
	total := int64(0)
	for _, name := range names {
		if info, err := fs.Stat(files, name); err == nil { // addFile reports errors
			total += info.Size()
		}
	}
	read := &counted{ctx: ctx, progress: func(done int64) { progress(done, total) }}
	for _, name := range names {
		if err := addFile(archive, files, name, read); err != nil {
			return "", err
		}
	}
	if err := errors.Join(archive.Close(), encoder.Close()); err != nil {
		return "", err
	}
	return out.String(), nil
}

func addFile(archive *zip.Writer, files fs.FS, name string, read *counted) error {
	f, err := files.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is missing, which %s names: copy the whole folder that CALL export_release wrote", name, descriptor)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	w, err := archive.Create(name)
	if err == nil {
		_, err = io.Copy(io.MultiWriter(w, read), f)
	}
	return err
}

// counted reports all bytes written to it, and fails after ctx has ended.
type counted struct {
	ctx      context.Context
	progress func(done int64)
	done     int64
}

func (c *counted) Write(data []byte) (int, error) {
	c.done += int64(len(data))
	c.progress(c.done)
	return len(data), c.ctx.Err()
}

// bounded fails beyond a number of bytes.
type bounded struct {
	io.Writer
	left int64
}

func (b *bounded) Write(data []byte) (int, error) {
	if b.left -= int64(len(data)); b.left < 0 {
		return 0, errTooLarge
	}
	return b.Writer.Write(data)
}
