// Package enginetest starts a Trino cluster for tests: a coordinator and two workers, each a process of its own.
//
// The cluster listens on free ports of 127.0.0.1, and has an Iceberg catalog, iceberg, in a directory of its own. It ends with the test
// process, however that ends: beside every node a shell waits for the process to close a pipe. A cluster takes half a minute to start, so
// the tests of a binary share one ([Need]), and [Main] ends it. A session may ask for retries of stages (retry_policy), whose results are
// kept in files.
//
// ANONSQL_ENGINE_URL names a running cluster, such as that of `go run ./enginetest/cluster`, and ANONSQL_ENGINE_FILES the directory of its files.
// Packages share it, and it is not ended. Tests make schemas of their own there. A test that ends workers calls [Launch].
//
// Without Java 24 or later (JAVA_HOME, JAVA25_HOME, /usr/lib/jvm) or without Trino (enginetest/install puts it into ANONSQL_ENGINE_DIR, or
// into the user's cache directory), a test is skipped, or fails if ANONSQL_TESTS says so ([testsize.Missing]). Without ANONSQL_TESTS no
// cluster is started, and a test is skipped unless ANONSQL_ENGINE_URL names one ([Start]).
//
// A cluster may require TLS, and a password or a token ([Options], [Secrets]). [NeedSpark] is
// a Spark of one process instead, for the other dialect: where ANONSQL_SPARK names a Python
// with pyspark.
//
// A starting node reads some 20,000 classes. [Prepare] keeps them in a class data archive beside
// Trino, which saves nearly half of the processor time of a start. `go run ./enginetest/cluster`
// does so once; Java ignores an archive of another version.
package enginetest
