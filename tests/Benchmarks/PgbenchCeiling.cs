using System.Text.RegularExpressions;
using Npgsql;
using PerformanceTesting.Backends.PostgreSql;

namespace Benchmarks;

/// <summary>The server's ceiling for commits: <c>pgbench</c> with prepared one-row inserts.</summary>
internal sealed partial class PgbenchCeiling(string connectionString, TimeSpan duration) : IDisposable
{
    private readonly string _script = Path.Combine(Path.GetTempPath(), $"one-row-insert-{Environment.ProcessId}.sql");

    public async Task PrepareAsync(CancellationToken cancellationToken)
    {
        await using var connection = new NpgsqlConnection(connectionString);
        await connection.OpenAsync(cancellationToken);
        await using var command = new NpgsqlCommand(
            "create table if not exists one_row (id bigint generated always as identity primary "
                + "key, payload text not null)", connection);
        await command.ExecuteNonQueryAsync(cancellationToken);
        await File.WriteAllTextAsync(
            _script, $"insert into one_row (payload) values ('{new string('x', 100)}');\n", cancellationToken);
    }

    /// <summary>Commits per second with the given number of clients.</summary>
    public async Task<double> CommitsPerSecondAsync(int clients, CancellationToken cancellationToken)
    {
        var target = new NpgsqlConnectionStringBuilder(connectionString);
        var seconds = ((int)duration.TotalSeconds).ToString(CultureInfo.InvariantCulture);
        string[] arguments =
        [
            "--no-vacuum",
            "--protocol=prepared", $"--client={clients}", $"--jobs={Math.Min(clients, 2)}", $"--time={seconds}",
            $"--file={_script}",
            "--host", target.Host!, "--port", target.Port.ToString(CultureInfo.InvariantCulture), "--username",
            target.Username!,
            target.Database!,
        ];
        var run = await Command.RunAsync(
            Find(), arguments, new Dictionary<string, string?> { ["PGPASSWORD"] = target.Password }, cancellationToken);
        var match = Tps().Match(run.Output);
        return match.Success
            ? double.Parse(match.Groups[1].Value, CultureInfo.InvariantCulture)
            : throw new InvalidOperationException($"pgbench reported no rate: {run.Describe()}");
    }

    public void Dispose() => File.Delete(_script);

    /// <summary>Beside the server's programs, or beside what their links point to.</summary>
    private static string Find()
    {
        var binaries = PostgresBinaries.Find() ?? throw new InvalidOperationException(
            "No PostgreSQL programs were found; install the server package, e.g. apt-get install postgresql.");
        var real = Path.GetDirectoryName(
            File.ResolveLinkTarget(binaries.Postgres, returnFinalTarget: true)?.FullName ?? binaries.Postgres)!;
        return new[] { binaries.Directory, real }.Select(d => Path.Combine(d, "pgbench")).FirstOrDefault(File.Exists)
            ?? throw new InvalidOperationException(
                $"pgbench is not in {binaries.Directory} nor in {real}; install the server package's client programs.");
    }

    [GeneratedRegex(@"tps = ([0-9.]+)")]
    private static partial Regex Tps();
}
