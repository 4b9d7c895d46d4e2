package server

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/jobs"
	"github.com/anonsql/anonsql/catalog/leftovers"
	"github.com/anonsql/anonsql/functions"
	"github.com/anonsql/anonsql/planner"
	"github.com/anonsql/anonsql/server/listing"
)

// Product is the Config.Extend of anonsql: releases, every SQL name and the planner, on
// one catalog.
func Product(host Host) (Extensions, error) { return ProductWith(nil)(host) }

// ProductWith is Product with an environment that adjust, if not nil, changes before
// the names are made.
func ProductWith(adjust func(*functions.Environment)) func(Host) (Extensions, error) {
	return func(host Host) (Extensions, error) { return product(host, adjust) }
}

func product(host Host, adjust func(*functions.Environment)) (Extensions, error) {
	releases, jobs, err := opened(host)
	if err != nil {
		return Extensions{}, err
	}
	releases.Importers(func(ctx *sql.Context) bool { return host.Holds(ctx, "", "", sql.PrivilegeType_File) })
	if host.Relations != nil {
		if err := releases.KeepIn(host.Relations); err != nil {
			return Extensions{}, err
		}
	}
	names := &functions.Environment{Catalog: host.Catalog, Releases: releases, Jobs: jobs,
		Leftovers: leftovers.ListIn(host.Catalog), CanRead: host.CanRead, Holds: host.Holds,
		CreateReader: host.CreateReader, SetLimits: host.SetLimits, SetDefaults: host.SetDefaults, ExportDir: host.ExportDir}
	if adjust != nil {
		adjust(names)
	}
	system := releases.SystemDatabase(jobs)
	host.Audit.AddTable(system.Name(), system)
	listing.AddLimits(system, host.Limits)
	return Extensions{
		Releases:        releases,
		Functions:       slices.Concat(functions.Scalars(), planner.Functions()),
		TableFunctions:  names.TableFunctions(),
		Procedures:      names.Procedures(),
		Tasks:           map[string]string{"classify": "evaluate"},
		Rules:           []analyzer.RuleFunc{functions.CreateTableRule, planner.Rule},
		SystemDatabases: []sql.Database{releases.PublishedDatabase(), system},
		DefaultDatabase: catalog.PublishedDatabaseName,
		Background: func(ctx context.Context) {
			var others sync.WaitGroup
			others.Go(func() {
				releases.SweepWhenAsked(ctx, func(dropped []string, err error) {
					if err != nil {
						host.Logger.Warn("what publications have left in the engine is not dropped yet", "error", err)
					}
					for _, name := range dropped {
						host.Logger.Info("dropped in the engine: a table that a publication had left", "table", name)
					}
				})
			})
			others.Go(func() {
				names.FitWhenAsked(ctx, func(release string, started time.Time, err error) {
					noteOwnWork(host, "fit", "fit", release, started, err)
				})
			})
			defer others.Wait()
			names.RefreshWhenDue(ctx, func(release string, started time.Time, err error) {
				noteOwnWork(host, "auto_refresh", "refresh", release, started, err)
			})
		},
		RunningJobs: func() int { return runningJobs(jobs) },
	}, nil
}

// opened returns the releases and jobs of the data directory, or in a worker the releases that it is given, without jobs.
func opened(host Host) (*catalog.Releases, *jobs.Jobs, error) {
	if host.Supply != nil {
		return catalog.ReceivedReleases(host.Catalog, host.CanRead, host.Supply), &jobs.Jobs{}, nil
	}
	releases, err := catalog.OpenReleases(host.Catalog, host.CanRead)
	if err != nil {
		return nil, nil, err
	}
	return releases, openJobs(host), nil
}

// openJobs opens the list of jobs of the data directory. If it is unreadable, the server starts without it, since no release depends on it.
func openJobs(host Host) *jobs.Jobs {
	unkept := func(err error) { host.Logger.Warn("anonsql.jobs will not be kept when the server ends", "error", err) }
	list, err := jobs.Open(filepath.Join(host.DataDir, jobs.File), time.Now(), unkept)
	if err != nil {
		unkept(err)
	}
	return list
}

func runningJobs(jobs *jobs.Jobs) int {
	n := 0
	for _, job := range jobs.All() {
		if job.Status == "running" {
			n++
		}
	}
	return n
}

// ImportRelease publishes the release of a data package in a data directory that no
// server has open, as CALL import_release does, under its own name if name is empty. It
// needs no privilege but write access to the directory.
func ImportRelease(
	ctx context.Context, dataDir string, files fs.FS, name string, replace bool, progress func(phase string, done, total int),
) (record *catalog.ReleaseRecord, err error) {
	store, err := catalog.Open(dataDir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	everybody := func(*sql.Context, string, string) bool { return true }
	releases, err := catalog.OpenReleases(store, everybody)
	if err != nil {
		return nil, err
	}
	session := store.NewSession(sql.NewBaseSession())
	defer session.SessionEnd()
	return functions.ImportRelease(sql.NewContext(ctx, sql.WithSession(session)), releases, files, name, replace, progress)
}
