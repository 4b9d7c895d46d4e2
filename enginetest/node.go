package enginetest

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// A node is a process of the cluster.
type node struct {
	directory string
	process   *exec.Cmd // the shell beside it
	leash     io.Closer // closed, the shell kills the node
	ended     sync.Once
}

// shell runs a program until its standard input ends, which it does when the test process does;
// then it sends a signal to the program, waits for its end and removes a directory.
const shell = `directory=$1; signal=$2; shift 2; "$@" </dev/null & read -r _; kill -"$signal" $!; wait; rm -rf "$directory"`

// launch starts a node. Its configuration is below etc in its directory.
func launch(i installation, o Options, directory string) (*node, error) {
	log, err := os.Create(filepath.Join(directory, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	etc := filepath.Join(directory, "etc")
	n := &node{directory: directory}
	compiler, signal, classes := "-XX:TieredStopAtLevel=1", "KILL", "-Xshare:auto"
	if o.Optimised {
		compiler = "-XX:+TieredCompilation"
	}
	if o.archive != "" { // which a program writes at its end
		signal, classes = "TERM", "-XX:ArchiveClassesAtExit="+o.archive
	} else if _, err := os.Stat(i.archive()); err == nil {
		classes = "-XX:SharedArchiveFile=" + i.archive()
	}
	n.process = exec.Command(
		"sh",
		"-c",
		shell,
		"sh",
		directory,
		signal,
		i.java,
		"-cp",
		filepath.Join(i.trino, "lib", "*"),
		classes,
		fmt.Sprintf(
			"-Xmx%dM",
			o.Heap,
		),
		compiler,
		"-XX:+UseSerialGC",
		"-XX:+ExitOnOutOfMemoryError",
		"-Djdk.attach.allowAttachSelf=true",
		"--add-modules=jdk.incubator.vector",
		"--sun-misc-unsafe-memory-access=allow",
		"-Dnode.environment=test",
		"-Dnode.id="+filepath.Base(directory),
		"-Dnode.data-dir="+filepath.Join(directory, "data"),
		"-Dconfig="+filepath.Join(etc, "config.properties"),
		"-Dlog.levels-file="+filepath.Join(etc, "log.properties"),
		"-Dplugin.dir="+i.plugins,
		"-Dcatalog.config-dir="+filepath.Join(etc, "catalog"),
		"io.trino.server.TrinoServer",
	)
	n.process.Dir = directory
	n.process.Stdout, n.process.Stderr = log, log
	if n.leash, err = n.process.StdinPipe(); err != nil {
		return nil, err
	}
	return n, n.process.Start()
}

// kill ends a node, at once unless it writes an archive, and its files go with it. It may be called again.
func (n *node) kill() {
	n.ended.Do(func() {
		n.leash.Close()
		_ = n.process.Wait() // the shell's own end says nothing
	})
}

// log is the end of what the node wrote about itself.
func (n *node) log() string {
	text, err := os.ReadFile(filepath.Join(n.directory, "log"))
	if err != nil {
		return err.Error()
	}
	const most = 4000
	return strings.ToValidUTF8(string(text[max(0, len(text)-most):]), "")
}

// configure writes the configuration of a node into its directory. Port 0 is any.
func (c *Cluster) configure(directory string, port int, coordinates bool) error {
	files := map[string]string{
		"log.properties":              "io.trino=WARN\n",
		"config.properties":           strings.Join(c.settings(port, coordinates), "\n") + "\n",
		"exchange-manager.properties": "exchange-manager.name=filesystem\nexchange.base-directories=" + filepath.Join(c.root, "exchange") + "\n",
		"catalog/iceberg.properties": "connector.name=iceberg\niceberg.catalog.type=TESTING_FILE_METASTORE\nhive.metastore.catalog.dir=local:///metastore\nfs.native-local.enabled=true\n" +
			"local.location=" + c.Directory + "\niceberg.file-format=PARQUET\n",
	}
	if c.secrets != nil {
		files["password-authenticator.properties"] = "password-authenticator.name=file\nfile.password-file=" + c.secrets.path(passwords) + "\n"
	}
	for name, text := range files {
		file := filepath.Join(directory, "etc", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// settings are the lines of a node's configuration.
func (c *Cluster) settings(port int, coordinates bool) []string {
	lines := []string{
		fmt.Sprintf("coordinator=%t", coordinates),
		fmt.Sprintf("http-server.http.port=%d", port),
		"discovery.uri=http://" + c.address,
		"node.internal-address=127.0.0.1",
		fmt.Sprintf("query.max-memory=%dMB", c.options.Heap),
		fmt.Sprintf("query.max-memory-per-node=%dMB", c.options.Heap/2),
	}
	if coordinates {
		lines = append(lines, fmt.Sprintf("node-scheduler.include-coordinator=%t", c.options.Alone))
	}
	if p := c.options.Patience; p > 0 {
		lines = append(lines, fmt.Sprintf("query.remote-task.max-error-duration=%v", p), fmt.Sprintf("exchange.max-error-duration=%v", p))
	}
	if c.secrets != nil {
		lines = append(lines, c.secrets.settings()...)
	}
	return lines
}
