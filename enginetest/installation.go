package enginetest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// version of Trino, as enginetest/install has it.
const version = "476"

// oldestJava runs it.
const oldestJava = 24

// ErrMissing says that this machine has no Java or no Trino.
var ErrMissing = errors.New("the engine is not installed")

// An installation is the programs that a node runs.
type installation struct {
	java    string // the program
	trino   string // the directory of lib, plugin, and optional: plugins that few clusters load
	plugins string // the directory of plugins that nodes load
}

func find() (i installation, err error) {
	if i.java, err = findJava(); err != nil {
		return i, err
	}
	directory := os.Getenv("ANONSQL_ENGINE_DIR")
	if directory == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return i, err
		}
		directory = filepath.Join(cache, "anonsql-engine")
	}
	if directory, err = filepath.Abs(directory); err != nil { // a node has a directory of its own
		return i, err
	}
	i.trino = filepath.Join(directory, "trino-"+version)
	i.plugins = filepath.Join(i.trino, "plugin")
	if _, err := os.Stat(filepath.Join(i.plugins, "iceberg")); err != nil {
		return i, fmt.Errorf("%w: %s has no Trino: enginetest/install puts it there", ErrMissing, directory)
	}
	return i, nil
}

// withPlugins makes a directory of the plugins that all nodes load, and of another.
func (i installation) withPlugins(optional, directory string) (installation, error) {
	extra := filepath.Join(i.trino, "optional", optional)
	if _, err := os.Stat(extra); err != nil {
		return i, fmt.Errorf("%w: %s has no plugin %s: enginetest/install puts it there", ErrMissing, i.trino, optional)
	}
	list, err := filepath.Glob(filepath.Join(i.plugins, "*"))
	if err != nil {
		return i, err
	}
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return i, err
	}
	for _, plugin := range append(list, extra) {
		if err := os.Symlink(plugin, filepath.Join(directory, filepath.Base(plugin))); err != nil {
			return i, err
		}
	}
	i.plugins = directory
	return i, nil
}

// findJava looks at the release file of every Java that is named or installed.
func findJava() (string, error) {
	homes := []string{os.Getenv("JAVA_HOME"), os.Getenv("JAVA25_HOME")}
	installed, err := filepath.Glob("/usr/lib/jvm/*")
	if err != nil {
		return "", err
	}
	for _, home := range append(homes, installed...) {
		text, err := os.ReadFile(filepath.Join(home, "release"))
		if home == "" || err != nil {
			continue
		}
		if major(text) >= oldestJava {
			return filepath.Join(home, "bin", "java"), nil
		}
	}
	return "", fmt.Errorf("%w: there is no Java %d or later in JAVA_HOME, JAVA25_HOME or /usr/lib/jvm", ErrMissing, oldestJava)
}

// major is the first number of JAVA_VERSION="25.0.3" in a release file, 0 for none.
func major(release []byte) int {
	lines := bufio.NewScanner(bytes.NewReader(release))
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), `JAVA_VERSION="`); ok {
			text, _, _ = strings.Cut(strings.TrimSuffix(text, `"`), ".")
			n, _ := strconv.Atoi(text) // 0 for what is no number
			return n
		}
	}
	return 0
}
