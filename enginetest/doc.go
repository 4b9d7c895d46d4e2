// Package enginetest starts a Trino cluster for tests: a coordinator and two workers, each a process of its own.
//
// It promises a cluster on free ports of 127.0.0.1, with an Iceberg catalog, iceberg, in a directory of its own. All of it is gone when the
// test process is, however that ends: every node has a shell beside it that waits for the process to close a pipe. A cluster takes half a
// minute to start, so the tests of a binary share one ([Need]), and [Main] ends it. Stages may be repeated where a session asks for
// it (retry_policy): their results are kept in files.
//
// ANONSQL_ENGINE_URL names a cluster that runs already, such as that of `go run ./enginetest/cluster`, and ANONSQL_ENGINE_FILES the directory of its
// files: rooms share it, and it is not ended. Tests there make schemas of their own. Who ends workers calls [Launch].
//
// A test is skipped where there is no Java 24 or later (JAVA_HOME, JAVA25_HOME, /usr/lib/jvm), or no Trino (enginetest/install puts it into
// ANONSQL_ENGINE_DIR, or into the user's cache directory), unless ANONSQL_TESTS says that it fails then ([testsize.Missing]). Without
// ANONSQL_TESTS no cluster is started: a test is skipped, too, unless ANONSQL_ENGINE_URL names one ([Start]).
//
// A cluster may be one that clients reach by TLS alone, with a password or a token ([Options],
// [Secrets]). [NeedSpark] is a Spark of one process instead, for the other dialect: where
// ANONSQL_SPARK names a Python with pyspark.
//
// A node that starts reads some 20,000 classes. [Prepare] keeps them in a file beside Trino, as the
// Java machine has them in memory: with it a node starts with little more than half of the
// processor time. `go run ./enginetest/cluster` does so once; Java leaves a file alone that is not
// of its version.
package enginetest
