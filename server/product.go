package server

import (
	"context"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/functions"
	"github.com/anonsql/anonsql/planner"
)

// Product is the Extend of the product: releases, every SQL name and the
// planner, on one catalog.
func Product(host Host) (Extensions, error) {
	releases, err := catalog.OpenReleases(host.Catalog, host.CanRead)
	if err != nil {
		return Extensions{}, err
	}
	releases.Importers(func(ctx *sql.Context) bool { return host.Holds(ctx, "", "", sql.PrivilegeType_File) })
	jobs := &catalog.Jobs{}
	names := &functions.Environment{Catalog: host.Catalog, Releases: releases, Jobs: jobs, CanRead: host.CanRead, Holds: host.Holds, CreateReader: host.CreateReader, ExportDir: host.ExportDir}
	return Extensions{
		Functions:       functions.Scalars(),
		TableFunctions:  names.TableFunctions(),
		Procedures:      names.Procedures(),
		Rules:           []analyzer.RuleFunc{functions.CreateTableRule, planner.Rule},
		SystemDatabases: []sql.Database{releases.PublishedDatabase(), host.Audit.WithAudit(releases.SystemDatabase(jobs))},
		DefaultDatabase: catalog.PublishedDatabaseName,
		Background: func(ctx context.Context) {
			names.RefreshWhenDue(ctx, func(release string, started time.Time, err error) {
				noteRefresh(host, release, started, err)
			})
		},
		RunningJobs: func() int { return running(jobs) },
	}, nil
}

func running(jobs *catalog.Jobs) int {
	n := 0
	for _, job := range jobs.All() {
		if job.Status == "running" {
			n++
		}
	}
	return n
}
