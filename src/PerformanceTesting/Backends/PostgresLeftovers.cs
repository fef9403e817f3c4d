namespace PerformanceTesting.Backends;

/// <summary>Stops and removes the servers of processes that are gone; the <see cref="GuardedProcess"/> may have been killed too.</summary>
internal static class PostgresLeftovers
{
    public static async Task RemoveAsync(PostgresBinaries binaries, CancellationToken cancellationToken)
    {
        foreach (var directory in OwnedDirectory.FindAbandoned(OwnedDirectory.Postgres))
        {
            try
            {
                await RemoveAsync(directory, binaries, cancellationToken);
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                // Another run removes the same directory at this moment, or it belongs to another user, whose next run will.
            }
        }
    }

    private static async Task RemoveAsync(string directory, PostgresBinaries binaries, CancellationToken cancellationToken)
    {
        var data = Path.Combine(directory, "data");
        if (File.Exists(Path.Combine(data, "postmaster.pid")))
        {
            // Fails when the server is gone already, which is as good.
            var account = await ServerAccount.FindAsync(cancellationToken);
            await account.RunAsync(binaries.PgCtl, ["stop", "-D", data, "-m", "immediate", "-w", "-t", "30"], cancellationToken);
        }

        if (Directory.Exists(directory))
        {
            Directory.Delete(directory, recursive: true);
        }
    }
}
