package functions

import (
	"io/fs"
	"math"
)

// watchedStep is the number of bytes between two reports.
const watchedStep = 1 << 20

// watchedFiles reports the bytes read from files.
type watchedFiles struct {
	fs.FS
	progress    func(done, total int) // in KiB
	read, total int64
	told        int64
}

// watchFiles wraps files so that progress gets the bytes read from all of them. An unknown total is the number of bytes read so far.
func watchFiles(files fs.FS, progress func(done, total int)) fs.FS {
	w := &watchedFiles{FS: files, progress: progress}
	entries, _ := fs.ReadDir(files, ".")
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			w.total += info.Size()
		}
	}
	return w
}

// Open implements fs.FS.
func (w *watchedFiles) Open(name string) (fs.File, error) {
	f, err := w.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return watchedFile{f, w}, nil
}

func (w *watchedFiles) add(n int) {
	w.read += int64(n)
	if w.read-w.told < watchedStep && w.read != w.total {
		return
	}
	w.told = w.read
	kib := func(bytes int64) int { return int(min((bytes+1023)/1024, math.MaxInt32)) }
	w.progress(kib(w.read), kib(max(w.read, w.total)))
}

type watchedFile struct {
	fs.File
	of *watchedFiles
}

// Read implements fs.File.
func (f watchedFile) Read(b []byte) (int, error) {
	n, err := f.File.Read(b)
	f.of.add(n)
	return n, err
}
