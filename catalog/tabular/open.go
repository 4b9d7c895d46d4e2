package tabular

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/anonsql/anonsql/catalog/delimited"
)

// Options describe a file. Their zero value recognises everything.
type Options struct {
	// Delimiter separates fields; \t and tab mean a tab. Recognised by default.
	Delimiter string
	// Charset is utf8, utf16, utf16le or latin1. By default UTF-8, or UTF-16 if the first bytes say so.
	Charset string
	// Header says what the first line is.
	Header Header
	// Member names the file of a zip archive with several files.
	Member string
	// Sheet names the sheet of a workbook. Defaults to the only one.
	Sheet string
	// Memory bounds what the texts of a workbook take, in bytes; a page of Parquet has at most a quarter of it. Defaults to 1 GiB.
	Memory int64
}

// A File is an open file as delimited text in UTF-8.
type File struct {
	io.Reader
	// Format is the text's format.
	Format delimited.Format
	// NoHeader says that the first record is data.
	NoHeader bool
	// TypedTexts says that all enclosed fields are texts, whatever they look like, and no others are.
	TypedTexts bool
	// Notes describe what was recognised.
	Notes []string
	// Size is the file's size in bytes.
	Size int64

	at     counter // bytes of the file that are read
	closes []io.Closer
}

// Done returns the number of bytes read of the file, 0 to Size.
func (f *File) Done() int64 { return min(f.at.read, f.Size) }

// Close closes the file.
func (f *File) Close() error {
	var failed []error
	for i := len(f.closes) - 1; i >= 0; i-- {
		failed = append(failed, f.closes[i].Close())
	}
	return errors.Join(failed...)
}

// A counter counts the bytes read of a file.
type counter struct {
	*os.File
	read int64
}

// Read implements io.Reader.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.File.Read(p)
	c.read += int64(n)
	return n, err
}

// ReadAt implements io.ReaderAt.
func (c *counter) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.File.ReadAt(p, at)
	c.read += int64(n)
	return n, err
}

// Open opens a file and recognises its type. Errors do not name the file.
func Open(path string, o Options) (_ *File, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f := &File{at: counter{File: file}, closes: []io.Closer{file}}
	defer func() {
		if err != nil {
			_ = f.Close() // it repeats the error
		}
	}()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file: it has to be read twice")
	}
	f.Size = info.Size()
	beginning := make([]byte, sniffedBytes)
	n, err := file.ReadAt(beginning, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	k, err := kindOf(beginning[:n])
	if err != nil {
		return nil, err
	}
	if err := promised(path, k); err != nil {
		return nil, err
	}
	if err := o.allowed(k); err != nil {
		return nil, err
	}
	return f, f.open(path, k, o)
}

// promised refuses a file whose type contradicts its name, because it hardly has a table.
func promised(path string, k kind) error {
	switch lower := strings.ToLower(path); {
	case strings.HasSuffix(lower, ".xlsx") && k != zipped:
		return errNoWorkbook
	case strings.HasSuffix(lower, ".parquet") && k != parquetFile:
		return errors.New("the name ends in .parquet, and the file is no Parquet: write it anew, or give it the name of what it is, such as .csv")
	}
	return nil
}

var errNoWorkbook = errors.New("the name ends in .xlsx, and the file is no workbook of Excel: save it anew, or give it the name of what it is, such as .csv")

// allowed refuses options that do not apply to this type of file.
func (o Options) allowed(k kind) error {
	switch {
	case k != zipped && o.Member != "":
		return errors.New("--member is given, and the file is no zip archive")
	case k != zipped && o.Sheet != "":
		return errors.New("--sheet is given, and the file is no workbook (.xlsx)")
	case k == parquetFile && (o.Delimiter != "" || o.Charset != "" || o.Header != Recognised):
		return errors.New("a Parquet file has its columns' names and types in it: --delimiter, --charset, --header and --no-header do not go with it")
	}
	return nil
}

func (f *File) open(path string, k kind, o Options) error {
	switch k {
	case parquetFile:
		rows, err := newParquetRows(f.at.File, f.Size, cmp.Or(o.Memory, 1<<30), func(share float64) { f.at.read = int64(share * float64(f.Size)) })
		if err != nil {
			return err
		}
		return f.rows(rows, o)
	case zipped:
		return f.openArchive(path, o)
	}
	r, err := unpacked(&f.at, k)
	if err != nil {
		return fmt.Errorf("the file is damaged: %w", err)
	}
	f.closes = append(f.closes, r)
	return f.text(r, path, k != text, o)
}

// openArchive opens a workbook or the selected file of an archive.
func (f *File) openArchive(path string, o Options) error {
	archive, err := zip.NewReader(&f.at, f.Size)
	if err != nil {
		return fmt.Errorf("the file is a zip archive or workbook that is damaged, or was not copied whole: %w", err)
	}
	if isWorkbook(archive) {
		if o.Delimiter != "" || o.Charset != "" || o.Member != "" {
			return errors.New("the file is a workbook (.xlsx): --delimiter, --charset and --member do not go with it")
		}
		rows, err := newSheetRows(archive, o.Sheet, cmp.Or(o.Memory, 1<<30))
		if err != nil {
			return err
		}
		f.closes = append(f.closes, rows)
		return f.rows(rows, o)
	}
	if other := otherDocument(archive); other != "" {
		return fmt.Errorf("the file is %s, which is not read here: save it as .xlsx or CSV", other)
	}
	if strings.HasSuffix(strings.ToLower(path), ".xlsx") {
		return errNoWorkbook
	}
	if o.Sheet != "" {
		return errors.New("--sheet is given, and the file is no workbook (.xlsx)")
	}
	m, err := member(archive, o.Member)
	if err != nil {
		return err
	}
	f.Notes = append(f.Notes, fmt.Sprintf("'%s' of the archive is read", m.Name))
	if m.Flags&1 != 0 {
		return fmt.Errorf("'%s' of the archive has a password: unpack it first", m.Name)
	}
	r, err := m.Open()
	if err != nil {
		return fmt.Errorf("'%s' of the archive cannot be read: %w", m.Name, err)
	}
	r = &whole{r, "zip"}
	f.closes = append(f.closes, r)
	return f.text(r, m.Name, true, o)
}

// text recognises the format of a text.
func (f *File) text(r io.Reader, name string, packed bool, o Options) error {
	buffered := bufio.NewReaderSize(r, sniffedBytes)
	beginning, err := buffered.Peek(sniffedBytes)
	if err != nil && err != io.EOF {
		return err
	}
	if packed {
		k, err := kindOf(beginning)
		if err == nil && k != text {
			err = errors.New("what is packed in the file is packed once more, or is no text: unpack it first")
		}
		if err != nil {
			return err
		}
	}
	e := encodingOf(beginning)
	if o.Charset != "" {
		if e, err = encodingNamed(o.Charset, e); err != nil {
			return err
		}
	} else if e != utf8Encoding {
		f.Notes = append(f.Notes, "the text is UTF-16")
	}
	decoded := bufio.NewReaderSize(decoded(buffered, e), sniffedBytes)
	sample, err := decoded.Peek(sniffedBytes)
	if err != nil && err != io.EOF {
		return err
	}
	if bytes.HasPrefix(sample, []byte("\ufffe")) { // the mark, read the wrong way round
		return fmt.Errorf("the text begins with the mark of UTF-16 in another order of bytes than that of --charset %s: say --charset utf16", o.Charset)
	}
	f.Reader = decoded
	return f.recognise(bytes.TrimPrefix(sample, []byte("\ufeff")), err == io.EOF, name, o)
}

// recognise examines the beginning of a text; whole says that sample is the whole text.
func (f *File) recognise(sample []byte, whole bool, name string, o Options) (err error) {
	f.Format = delimited.CSV()
	f.Format.TrimSpace = true
	f.Format.LinesTerminatedBy = lineEnd(sample)
	if f.Format.LinesTerminatedBy == "\r" {
		f.Notes = append(f.Notes, "lines end with a carriage return alone")
	}
	usual := ","
	if lower := strings.ToLower(name); strings.HasSuffix(lower, ".tsv") || strings.HasSuffix(lower, ".tab") {
		usual = "\t"
	}
	if line := ofExcel.FindSubmatch(sample); line != nil {
		f.Format.IgnoreLines = 1
		f.Notes = append(f.Notes, fmt.Sprintf("the first line says to Excel that '%s' separates fields; it is not read as data", showSeparator(string(line[1]))))
		if o.Delimiter == "" {
			o.Delimiter = string(line[1])
		}
	}
	f.Format.FieldsTerminatedBy = separatorNamed(o.Delimiter)
	if o.Delimiter == "" {
		var note string
		if f.Format.FieldsTerminatedBy, note, err = separator(sample, f.Format, usual, whole); err != nil {
			return err
		}
		if note != "" {
			f.Notes = append(f.Notes, note)
		}
	}
	return f.header(sample, o)
}

// header decides whether the first record is names.
func (f *File) header(sample []byte, o Options) error {
	f.NoHeader = o.Header == Data
	if o.Header != Recognised {
		return nil
	}
	if why := delimited.DataInHeader(sample, f.Format); why != "" {
		return fmt.Errorf("%s: say --no-header if it is data, or --header if these are the columns' names", why)
	}
	return nil
}

// rows converts the rows of a file with typed values to text.
func (f *File) rows(rows rowSource, o Options) error {
	decoded := bufio.NewReaderSize(&rowText{rows: rows}, sniffedBytes)
	sample, err := decoded.Peek(sniffedBytes)
	if err != nil && err != io.EOF {
		return err
	}
	f.Reader, f.Format, f.TypedTexts = decoded, rowFormat(), true
	if _, ok := rows.(*parquetRows); ok {
		return nil
	}
	return f.header(sample, o)
}
