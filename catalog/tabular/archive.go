package tabular

import (
	"archive/zip"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// maxWindow is the greatest window of zstd --long, in bytes.
const maxWindow = 128 << 20

// unpacked returns the text in a compressed file.
func unpacked(r io.Reader, k kind) (io.ReadCloser, error) {
	switch k {
	case gzipped:
		z, err := gzip.NewReader(r)
		return &whole{z, "gzip"}, err
	case bzipped:
		return &whole{io.NopCloser(bzip2.NewReader(r)), "bzip2"}, nil
	case zstandard:
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return &whole{z.IOReadCloser(), "Zstandard"}, nil
	}
	return io.NopCloser(r), nil
}

// whole reports an incomplete compressed file in terms of files.
type whole struct {
	io.ReadCloser
	format string
}

// Read implements io.Reader.
func (w *whole) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	switch {
	case err == nil || err == io.EOF:
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("the file ends in the middle of its %s data: it was not copied whole", w.format)
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		err = errors.New("the file is packed with a window beyond 128 MiB, which takes too much memory: pack it anew, with zstd --long=27 at most")
	default:
		err = fmt.Errorf("the file's %s data are damaged: %w", w.format, err)
	}
	return n, err
}

// member returns an archive's file called name, or its only one.
func member(archive *zip.Reader, name string) (*zip.File, error) {
	var files []*zip.File
	var names []string
	for _, f := range archive.File {
		if f.FileInfo().IsDir() || strings.HasPrefix(f.Name, "__MACOSX/") || strings.HasPrefix(path.Base(f.Name), ".") {
			continue
		}
		files = append(files, f)
		names = append(names, f.Name)
	}
	if name != "" {
		if at := slices.Index(names, name); at >= 0 {
			return files[at], nil
		}
		return nil, fmt.Errorf("the archive has no file %q; it has %s", name, strings.Join(quoted(names), ", "))
	}
	switch len(files) {
	case 0:
		return nil, errors.New("the archive has no file")
	case 1:
		return files[0], nil
	}
	return nil, fmt.Errorf("the archive has %d files: say --member with one of %s", len(files), strings.Join(quoted(names), ", "))
}

// quoted returns the first few names in quotes.
func quoted(names []string) []string {
	const most = 10
	var shown []string
	for _, n := range names[:min(len(names), most)] {
		shown = append(shown, "'"+n+"'")
	}
	if len(names) > most {
		shown = append(shown, fmt.Sprintf("and %d more", len(names)-most))
	}
	return shown
}
