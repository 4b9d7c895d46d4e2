package console

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/go-sql-driver/mysql"
)

// Importer loads a file into a new table over the account's connections. It returns the number of rows, the columns with their types, and notes.
type Importer func(ctx context.Context, db *sql.DB, file, database, table string) (rows int64, columns [][2]string, notes []string, err error)

// uploadPath receives files.
const uploadPath = "/upload"

// Bounds of an upload.
const (
	maxUpload  = 256 << 20
	uploadTime = 10 * time.Minute
)

type uploadView struct {
	frame
	Database, Table string
	Rows            int64
	Columns         [][2]string
	Notes           []string
}

// upload reads a form with a file, token first, loads the file into a table, and removes it. An account
// that may create no tables cannot upload, and holds its socket no longer than for another form.
func (c *console) upload(w http.ResponseWriter, r *http.Request) {
	s := c.sessions.find(c.cookie(r, sessionCookie), addressOf(r.RemoteAddr))
	if s == nil {
		fail(w, http.StatusUnauthorized, "Your session has ended, and nothing was loaded: sign in again, and choose the file again.")
		return
	}
	defer s.beginRequest()()
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(c.formTime)) // the listener's connections support deadlines
	r.Body = http.MaxBytesReader(w, r.Body, maxUpload)
	parts, err := r.MultipartReader()
	if err != nil {
		fail(w, http.StatusBadRequest, "The form has no file: open its page again, and choose one.")
		return
	}
	if token, _ := field(parts, "token"); !sameToken(s.form, token) {
		fail(w, http.StatusForbidden, "The form does not belong to your session: open its page again, and send it from there.")
		return
	}
	if c.importer == nil || !s.findPowers(r.Context()).Creates {
		fail(w, http.StatusForbidden, "Your account may make no tables. To load a file, log in with an account that may.")
		return
	}
	select {
	case s.asking <- struct{}{}:
		defer func() { <-s.asking }()
	default:
		showProblem(w, r, s, &problem{Text: fmt.Sprintf("%d statements of this session run already: wait for them, or stop them.", maxAsked)})
		return
	}
	if err := c.checkRoom(r.ContentLength); err != nil {
		showProblem(w, r, s, uploadProblem(err))
		return
	}
	_ = control.SetReadDeadline(time.Now().Add(c.fileTime))
	view := uploadView{frame: s.frame("Loaded", "publish")}
	err = c.loadFile(r.Context(), s, parts, control, &view)
	_ = control.SetReadDeadline(time.Now().Add(c.formTime)) // the rest after the file is read to the end
	if err != nil {
		showProblem(w, r, s, uploadProblem(err))
		return
	}
	show(w, http.StatusOK, "upload.html", view)
}

// roomPerByte is the disk space per byte of a file: the file during loading, the table, and the log of the transaction.
const roomPerByte = 3

// checkRoom refuses a form of size bytes if the disk has no room; -1 is an unknown size.
func (c *console) checkRoom(size int64) error {
	directory := c.uploads
	if directory == "" {
		directory = os.TempDir()
	}
	free, err := c.free(directory)
	if err != nil {
		return err
	}
	if need := roomPerByte * uint64(max(size, 0)); free < need {
		return fmt.Errorf("the server's disk has %d MiB free, and this file needs some %d MiB while it is loaded", free>>20, need>>20+1)
	}
	return nil
}

// freeBytes returns the free bytes on a directory's disk.
func freeBytes(directory string) (uint64, error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(directory, &disk); err != nil {
		return 0, err
	}
	return uint64(disk.Bavail) * uint64(disk.Bsize), nil
}

// field reads a short field of a form, which must be the next part.
func field(parts *multipart.Reader, name string) (string, error) {
	part, err := parts.NextPart()
	if err != nil || part.FormName() != name {
		return "", errors.Join(fmt.Errorf("the form has no field %s where it must be: use the form of the page", name), err)
	}
	text, err := io.ReadAll(io.LimitReader(part, 1000))
	return strings.TrimSpace(string(text)), err
}

// loadFile loads a file, which it stores in the server's directory meanwhile.
func (c *console) loadFile(ctx context.Context, s *session, parts *multipart.Reader, control *http.ResponseController, view *uploadView) error {
	target, err := field(parts, "table")
	if err != nil {
		return err
	}
	part, err := parts.NextPart()
	if errors.Is(err, io.EOF) || err == nil && (part.FormName() != "file" || part.FileName() == "") {
		return errors.New("choose a file")
	}
	if err != nil {
		return err
	}
	if view.Database, view.Table, err = targetOf(target, part.FileName()); err != nil {
		return err
	}
	directory, err := os.MkdirTemp(c.uploads, "upload-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(directory)
	name := filepath.Join(directory, "file"+shortExtension.FindString(strings.ToLower(part.FileName())))
	file, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, part)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	_ = control.SetReadDeadline(time.Time{}) // loading may take long, and the deadline would end ctx
	ctx, loaded := s.beginLoading(ctx)
	defer loaded()
	view.Rows, view.Columns, view.Notes, err = c.importer(ctx, s.db, name, view.Database, view.Table)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && strings.Contains(err.Error(), name) {
		return errors.New(strings.ReplaceAll(err.Error(), name, filepath.Base(part.FileName())))
	}
	return err
}

// shortExtension matches a file name's extension, which determines the file's type.
var shortExtension = regexp.MustCompile(`\.[a-z0-9]{1,8}$`)

// notPlain matches characters that a table's default name must not have.
var notPlain = regexp.MustCompile(`[^\pL\pN_]+`)

// targetOf returns database.table of a form; by default the file's name in the database uploads.
func targetOf(target, file string) (database, table string, err error) {
	if target == "" {
		name := filepath.Base(strings.ReplaceAll(file, `\`, "/"))
		name, _, _ = strings.Cut(name, ".")
		if name = strings.Trim(notPlain.ReplaceAllString(name, "_"), "_"); name == "" {
			name = "table"
		}
		return "uploads", strings.ToLower(name), fits(name)
	}
	database, table, ok := strings.Cut(target, ".")
	if !ok || database == "" || table == "" || notPlain.MatchString(database) || notPlain.MatchString(table) {
		return "", "", fmt.Errorf("the table is %q, must be database.table, of letters, digits and underscores", target)
	}
	return database, table, errors.Join(fits(database), fits(table))
}

// longest is the greatest length of a name: MySQL's, less the suffix of a table during loading.
const longest = 64 - len("__importing")

func fits(name string) error {
	if n := utf8.RuneCountInString(name); n > longest {
		return fmt.Errorf("the name of the table or its database has %d characters, at most %d are allowed: write a shorter one into the form", n, longest)
	}
	return nil
}

// inForm replaces the importer's options in messages by instructions for the form.
var inForm = strings.NewReplacer(
	"append to it with --append, or replace it with --replace", "write another name of a table into the form",
	"If the text is of a Windows program, say --charset latin1", "If the text is of a Windows program, save it there as UTF-8",
)

// elsewhere explains options without a field in the form.
const elsewhere = " (Words that begin with -- are options of anonsql import, which loads the file at a command line.)"

// uploadProblem explains an error by the bound that was exceeded.
func uploadProblem(err error) *problem {
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return &problem{Text: "The file has more than 256 MiB: load it with anonsql import."}
	case errors.Is(err, syscall.ENOSPC):
		return &problem{Text: "The file is not loaded: the server's disk is full."}
	case errors.Is(err, context.Canceled):
		return &problem{Text: "The file is not loaded: its session ended before."}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &problem{Text: "The file did not arrive within ten minutes: load it with anonsql import."}
	}
	if said, ok := errors.AsType[*mysql.MySQLError](err); ok {
		p := problemOf(said)
		p.Text = strings.Replace(err.Error(), said.Error(), p.Text, 1) // the importer may say what is left
		return p
	}
	text := "The file is not loaded: " + inForm.Replace(err.Error())
	if strings.Contains(text, " --") {
		text += elsewhere
	}
	return &problem{Text: text}
}

// forgetUploads removes files that a killed server left.
func (c *console) forgetUploads(directory string) error {
	c.uploads = directory
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return err
	}
	left, err := filepath.Glob(filepath.Join(directory, "upload-*"))
	for _, folder := range left {
		err = errors.Join(err, os.RemoveAll(folder))
	}
	return err
}
